package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"testing"
)

const megabyte = 1_000_000

const memorySchema = `package memory;

@id(1)
struct Item {
    name: str,
    samples: [100]f32,
}

@id(2)
message Batch {
    items: []Item,
}
`

// item appends one item of 441 bytes. An array of scalars costs nothing of the
// budget of elements, which a long value would otherwise exhaust.
func item(dst []byte, i int) []byte {
	name := fmt.Sprintf("item %032d", i)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(name)))
	dst = append(dst, name...)
	for j := range 100 {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(0x3f800000+i*100+j))
	}
	return dst
}

// writeData makes a file in pieces.
func writeData(t *testing.T, path string, write func(w *bufio.Writer)) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(file, 1<<20)
	write(w)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// writeStream makes a stream of messages of at least so many bytes.
func writeStream(t *testing.T, path string, size int) {
	writeData(t, path, func(w *bufio.Writer) {
		for i, written := 0, 0; written < size; i++ {
			message := binary.LittleEndian.AppendUint16([]byte("SDP2"), 1)
			message = append(message, 0, 0, 0, 0)
			message = item(message, i)
			binary.LittleEndian.PutUint32(message[6:], uint32(len(message)-10))
			n, _ := w.Write(message)
			written += n
		}
	})
}
