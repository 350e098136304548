//go:build wireshark

package tap

import (
	"bytes"
	"crypto/ed25519"
	rng "crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/pcapgo"
)

// packets writes records as a file of packets, of so many bytes each.
func packets(t *testing.T, records []Record, piece int) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := NewPacketWriter(&file)
	if err != nil {
		t.Fatal(err)
	}
	w.piece = piece
	for _, r := range records {
		if err := w.Write(&r); err != nil {
			t.Fatal(err)
		}
	}
	return file.Bytes()
}

// passed are the records of bytes that come on a connection of their own.
func passed(number uint32, all []byte) []Record {
	records := []Record{{Kind: Opened, At: time.Unix(1e9, 0), Connection: number}}
	split := splitter{budget: &budget{}}
	found := func(b []byte, why string) {
		r := Record{Kind: Passed, At: time.Unix(1e9, 0), Connection: number, Bytes: slices.Clone(b), Why: why}
		if why != "" {
			r.Kind = Unread
		}
		records = append(records, r)
	}
	split.take(all, found)
	split.end(found)
	return append(records, Record{Kind: Ended, At: time.Unix(1e9, 0), Connection: number}, Record{Kind: Ended, At: time.Unix(1e9, 0), Connection: number, Direction: ToClient})
}

// written are the bytes of a vector: hexadecimal digits, bytes that are repeated, or a list of these.
func written(t *testing.T, text any) (all []byte) {
	t.Helper()
	switch text := text.(type) {
	case string:
		raw, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		return raw
	case []any:
		for _, one := range text {
			all = append(all, written(t, one)...)
		}
	case map[string]any:
		return bytes.Repeat(written(t, text["repeat"]), int(text["times"].(float64)))
	}
	return all
}

// vectors are the records of all vectors that have bytes, each on a connection of its own.
func vectors(t *testing.T) (records []Record) {
	t.Helper()
	number := uint32(0)
	err := fs.WalkDir(os.DirFS("../../conformance/vectors/mxp"), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".json" {
			return err
		}
		text, err := os.ReadFile("../../conformance/vectors/mxp/" + file)
		if err != nil {
			return err
		}
		var vector struct{ Bytes any }
		if err := json.Unmarshal(text, &vector); err != nil {
			return err
		}
		all := written(t, vector.Bytes)
		if len(all) == 0 {
			return nil // one of a session
		}
		number++
		records = append(records, passed(number, all)...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if number < 100 {
		t.Fatalf("only %d vectors have bytes", number)
	}
	return records
}

// mxpPort tells tshark what it can't know by a first packet that has not all of the magic.
var mxpPort = []string{"-d", fmt.Sprintf("tcp.port==%d,mxp", serverPort)}

func TestWiresharkShowsWhatTheTapSays(t *testing.T) {
	for name, records := range map[string][]Record{"a conversation": conversationOf(t), "vectors": vectors(t)} {
		t.Run(name, func(t *testing.T) {
			told := toldBy(t, records)
			if n := same(t, seenBy(t, tshark(t, packets(t, records, segmentBytes))), told); n < 15 {
				t.Errorf("only %d frames", n)
			}
			small := slices.DeleteFunc(slices.Clone(records), func(r Record) bool { return len(r.Bytes) > 4096 })
			for _, piece := range []int{1, 33} {
				told := toldBy(t, small)
				same(t, seenBy(t, tshark(t, packets(t, small, piece), mxpPort...)), told)
			}
		})
	}
}

// reordered exchanges packets with others up to three places on, but for the first that
// each connection opens with.
func reordered(t *testing.T, file []byte, random *rand.Rand) []byte {
	t.Helper()
	const opening = 4 // the handshake, and the packet by whose magic a connection is known
	from, err := pcapgo.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	var infos []gopacket.CaptureInfo
	for {
		data, info, err := from.ReadPacketData()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all, infos = append(all, data), append(infos, info)
	}
	for i := opening; i < len(all); i++ {
		j := i + random.IntN(min(4, len(all)-i))
		all[i], all[j], infos[i], infos[j] = all[j], all[i], infos[j], infos[i]
	}
	var out bytes.Buffer
	to := pcapgo.NewWriterNanos(&out)
	if err := to.WriteFileHeader(from.Snaplen(), from.LinkType()); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if err := to.WritePacket(infos[i], all[i]); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// The peers' packets may come in another order between the two directions too, so that an
// answer comes before its request, which alone says the method.
func TestWiresharkPutsPacketsIntoOrder(t *testing.T) {
	records := conversationOf(t)
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 0))
		told := toldBy(t, records)
		seen := seenBy(t, tshark(t, reordered(t, packets(t, records, 20), random), append(mxpPort, "-o", "tcp.reassemble_out_of_order:TRUE")...))
		for _, all := range []map[place][]fields{seen, told} {
			for _, each := range all {
				for _, one := range each {
					delete(one, "method")
				}
			}
		}
		if n := same(t, seen, told); n < 15 {
			t.Errorf("only %d frames", n)
		}
	}
}

// Damaged frames are refused where the tap refuses them, and their readable parts are the tap's.
func TestWiresharkReadsDamagedFrames(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 0))
	var whole []byte
	for _, r := range conversationOf(t) {
		if r.Kind == Passed && r.Direction == ToServer {
			whole = append(whole, r.Bytes...)
		}
	}
	var records []Record
	const damaged = 2000
	for number := range uint32(damaged) {
		all := slices.Clone(whole)
		for range 1 + random.IntN(4) {
			switch at := random.IntN(len(all)); random.IntN(4) {
			case 0:
				all = all[:at]
			case 1:
				all = append(all[:at], all[min(len(all), at+random.IntN(9)):]...)
			default:
				all[at] = byte(random.IntN(256)) >> random.IntN(8)
			}
			if len(all) == 0 {
				break
			}
		}
		records = append(records, passed(number+1, all)...)
	}
	told := toldBy(t, records)
	if n := same(t, seenBy(t, tshark(t, packets(t, records, segmentBytes), mxpPort...)), told); n < damaged {
		t.Errorf("only %d frames", n)
	}
}

func TestWiresharkReadsWhatTLSProtects(t *testing.T) {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"host"}, NotAfter: time.Now().Add(time.Hour)}
	certificate, err := x509.CreateCertificate(rng.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	keys := filepath.Join(t.TempDir(), "keys")
	log, err := os.Create(keys)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()

	// The relay has what passes between client and server in records, protected.
	var mu sync.Mutex
	protected := []Record{{Kind: Opened, At: time.Unix(1e9, 0), Connection: 1}}
	near, far := net.Pipe()
	client := tls.Client(&kept{near, ToServer, &mu, &protected}, &tls.Config{InsecureSkipVerify: true, KeyLogWriter: log})
	server := tls.Server(&kept{far, ToClient, &mu, &protected}, &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}})
	records := slices.DeleteFunc(conversationOf(t), func(r Record) bool { return r.Kind != Passed })
	failed := make(chan error, 1)
	go func() { failed <- server.Handshake() }()
	if err := errors.Join(client.Handshake(), <-failed); err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		from, to := client, server
		if r.Direction == ToClient {
			from, to = server, client
		}
		go func() {
			_, err := from.Write(r.Bytes[:len(r.Bytes)/2]) // a frame may be in two records of TLS
			if err == nil {
				_, err = from.Write(r.Bytes[len(r.Bytes)/2:])
			}
			failed <- err
		}()
		_, err := io.ReadFull(to, make([]byte, len(r.Bytes)))
		if err := errors.Join(err, <-failed); err != nil {
			t.Fatal(err)
		}
	}
	told := toldBy(t, records)
	if n := same(t, seenBy(t, tshark(t, packets(t, protected, segmentBytes), "-o", "tls.keylog_file:"+keys)), told); n < 15 {
		t.Errorf("only %d frames", n)
	}
}

// kept is a connection whose written bytes are kept as records.
type kept struct {
	net.Conn
	direction Direction
	mu        *sync.Mutex
	records   *[]Record
}

func (k *kept) Write(b []byte) (int, error) {
	k.mu.Lock()
	*k.records = append(*k.records, Record{Kind: Passed, At: time.Unix(1e9, 0), Connection: 1, Direction: k.direction, Bytes: slices.Clone(b)})
	k.mu.Unlock()
	return k.Conn.Write(b)
}
