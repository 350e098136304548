//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
)

const (
	// residentBytesMax is the most memory that a conversion may occupy, for inputs of any length.
	residentBytesMax = 64 << 20
	// valueBytesMax is less than the limit of one message.
	valueBytesMax = 120 * megabyte
)

// dataMegabytes is how much data the tests of memory convert. The thorough
// checks set SDP_CONVERT_MB=200.
func dataMegabytes(t *testing.T) int {
	text, set := os.LookupEnv("SDP_CONVERT_MB")
	if !set {
		return 24
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// writeBatch makes one value of about so many bytes in byte mode.
func writeBatch(t *testing.T, path string, size int) {
	writeData(t, path, func(w *bufio.Writer) {
		n := size / len(item(nil, 0))
		_, _ = w.Write(binary.LittleEndian.AppendUint32(nil, uint32(n)))
		for i := range n {
			_, _ = w.Write(item(nil, i))
		}
	})
}

// convert runs the tool and fails if it occupied too much memory.
func convert(t *testing.T, in, out string, args ...string) {
	t.Helper()
	command, peak := watched(t, append([]string{"convert"}, args...)...)
	stdin, err := os.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := os.Create(out)
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	var stderr bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = stdin, stdout, &stderr
	if err := command.Run(); err != nil {
		t.Fatalf("sdp convert %v: %v\n%s", args, err, stderr.String())
	}
	resident := peak()
	t.Logf("sdp convert %v: %d MB at most in memory, %v", args[2:], resident/megabyte, command.ProcessState.UserTime())
	if resident > residentBytesMax {
		t.Errorf("sdp convert %v occupied %d bytes, and %d are allowed", args, resident, residentBytesMax)
	}
}

// watched is a command of the tool, and what tells how many bytes it occupied at most when it has
// ended. Linux adds the memory of a parent at its start to the numbers that it gives the parent of
// a process: there the process reads its own number.
func watched(t *testing.T, args ...string) (command *exec.Cmd, peak func() int64) {
	t.Helper()
	command = exec.Command(os.Args[0], args...)
	status := filepath.Join(t.TempDir(), "status")
	command.Env = append(os.Environ(), "SDP_TEST_RUN=1", "SDP_TEST_STATUS="+status)
	return command, func() int64 {
		t.Helper()
		if runtime.GOOS != "linux" {
			return command.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
		}
		return peakOf(t, status)
	}
}

// peakOf reads the most memory of a process, in bytes, from what Linux said of it.
func peakOf(t *testing.T, status string) int64 {
	t.Helper()
	text, err := os.ReadFile(status)
	if err != nil {
		t.Fatal(err)
	}
	_, peak, _ := bytes.Cut(text, []byte("VmHWM:"))
	var kib int64
	if n, err := fmt.Sscan(string(peak), &kib); n != 1 {
		t.Fatalf("the process's status has no VmHWM: %v\n%s", err, text)
	}
	return kib << 10
}

func sameBytes(t *testing.T, a, b string) {
	t.Helper()
	if out, err := exec.Command("cmp", a, b).CombinedOutput(); err != nil {
		t.Errorf("the way there and back changed the data: %v %s", err, out)
	}
}

func TestConvertHoldsOneItemInMemory(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(path("memory.sdp"), []byte(memorySchema), 0o644); err != nil {
		t.Fatal(err)
	}
	size := dataMegabytes(t) * megabyte
	t.Run("stream", func(t *testing.T) {
		writeStream(t, path("in"), size)
		convert(t, path("in"), path("json"), path("memory.sdp"), "Item", "--from", "stream", "--to", "json")
		convert(t, path("json"), path("out"), path("memory.sdp"), "Item", "--from", "json", "--to", "stream")
		sameBytes(t, path("in"), path("out"))
		convert(t, path("in"), path("out"), path("memory.sdp"), "Item", "--from", "stream", "--to", "stream")
		sameBytes(t, path("in"), path("out"))
	})
	t.Run("value", func(t *testing.T) {
		writeBatch(t, path("in"), min(size, valueBytesMax))
		convert(t, path("in"), path("json"), path("memory.sdp"), "Batch", "--from", "bytes", "--to", "json")
		convert(t, path("json"), path("message"), path("memory.sdp"), "Batch", "--from", "json", "--to", "message")
		convert(t, path("message"), path("out"), path("memory.sdp"), "Batch", "--from", "message", "--to", "bytes")
		sameBytes(t, path("in"), path("out"))
	})
}
