package golang_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/shapes"
	"github.com/serial-data-protocol/sdp/examples/registry/plugins"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

// mustKeepBound decodes data and compares its allocations, naming a refusal included, with the
// promise of the type's comment [WIRE-8.7].
func mustKeepBound(t testing.TB, s *subject, data []byte) {
	t.Helper()
	if raceEnabled {
		return
	}
	var err error
	n := allocated(func() { err = s.empty().UnmarshalBinary(data) })
	if limit := s.factor*uint64(len(data)) + 64<<10; n > limit {
		t.Errorf("%s: decoding %d bytes (% .40x…) allocated %d bytes, at most %d are allowed (%v)", s.name, len(data), data, n, limit, err)
	}
	if strings.HasPrefix(refusal(err), "value_invalid") {
		t.Errorf("%s: %v, which no decoder reports", s.name, err)
	}
}

func TestSubjectsHaveTheFactorsOfTheirComments(t *testing.T) {
	for _, s := range subjects {
		if s.name == "" {
			continue
		}
		pkg, name, _ := strings.Cut(s.name, ".")
		folder := "testdata/golden/"
		if pkg == example {
			folder = "../../../examples/registry/"
		}
		text, err := os.ReadFile(folder + pkg + "/types.sdp.go")
		must(t, err)
		comment, _, _ := strings.Cut(string(text), "\ntype "+name+" struct {")
		comment = comment[strings.LastIndex(comment, "\n// Decoding n bytes allocates at most ")+1:]
		var factor uint64
		if _, err := fmt.Sscanf(comment, "// Decoding n bytes allocates at most %d·n bytes and 64 KiB,", &factor); err != nil {
			t.Fatalf("%s: %v in %q", s.name, err, comment)
		}
		if factor != s.factor && (s.name != "plugins.PluginRegistry" || factor > s.factor) {
			t.Errorf("%s: the comment says %d, this test %d", s.name, factor, s.factor)
		}
	}
}

func le(n int) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }

// costly are inputs that ask for the most memory for their bytes, accepted and
// refused ones.
func costly(t testing.TB) map[string]struct {
	s    *subject
	data []byte
} {
	t.Helper()
	type input = struct {
		s    *subject
		data []byte
	}
	const n = 1 << 16
	all := map[string]input{}
	for _, size := range []int{0, 1, 2, 3, 7, 8, 15, 16, 17, 33, 100, 2731, 4095, 4096, 4097, 5000} {
		v := &shapes.Log{}
		p := &plugins.PluginRegistry{}
		for used := 0; used < n; used += size + 9 {
			v.Events = append(v.Events, shapes.Event{Value: &shapes.EventUnknown{Number: 77, Payload: make([]byte, size)}})
			p.Plugins = append(p.Plugins, plugins.Plugin{Name: repeat("x", size)})
		}
		all[fmt.Sprintf("unknown alternatives of %d bytes", size)] = input{&logSubject, encode(t, v)}
		all[fmt.Sprintf("names of %d bytes", size)] = input{&registrySubject, encode(t, p)}
	}
	all["empty plugins"] = input{&registrySubject, append(le(n), make([]byte, 20*n+8)...)}
	all["empty parameters"] = input{&registrySubject, bytes.Join([][]byte{le(1), make([]byte, 16), le(n), make([]byte, 50*n+8)}, nil)}
	all["plugins, refused in the last"] = input{&registrySubject, append(le(n), append(make([]byte, 20*n-5), 0xff, 0xff, 0xff)...)}
	choices := bytes.Repeat([]byte{3}, 2000)
	for _, entries := range []int{0, 1, 2, 7, 8, 9, 60, 255} {
		one := []byte{byte(entries)}
		for i := range entries {
			one = append(one, byte(i), 0)
		}
		all[fmt.Sprintf("maps of %d entries", entries)] = input{&sparseSubject, bytes.Join([][]byte{le(n / len(one)), bytes.Repeat(one, n/len(one)), choices}, nil)}
	}
	all["a large array that is not there"] = input{&sparseSubject, le(0)}
	all["choices of four bytes"] = input{&sparseSubject, append(le(0), bytes.Repeat([]byte{1, 0, 0, 0, 0}, 2000)...)}
	// Each level of lists claims all that is left.
	var claims []byte
	for level := range 8 {
		claims = append(claims, le((4*n-4*level-4)/4)...)
	}
	all["lists that each claim the rest"] = input{&gridSubject, append(claims, make([]byte, 4*n-len(claims))...)}
	claims = nil
	for level := range 63 {
		claims = append(claims, le((4*n-4*level-4)/4)...)
	}
	all["trees that each claim the rest"] = input{&treeSubject, append(claims, make([]byte, 4*n-len(claims))...)}
	all["a wide tree"] = input{&treeSubject, append(le(n), make([]byte, 4*n)...)}
	all["rows of one number"] = input{&gridSubject, rows(n)}
	all["a deep tree"] = input{&nodeSubject, encode(t, chain(64))}
	all["a full tree"] = input{&nodeSubject, encode(t, fullTree(12))}
	return all
}

// rows is a grid of many lists of lists, the innermost of one number.
func rows(n int) []byte {
	one := bytes.Repeat(le(1), 8)
	return append(le(n), bytes.Repeat(one, n)...)
}

func fullTree(levels int) *shapes.Node {
	if levels == 0 {
		return nil
	}
	return &shapes.Node{Left: fullTree(levels - 1), Right: fullTree(levels - 1)}
}

func TestDecodingKeepsItsMemoryBound(t *testing.T) {
	for name, c := range costly(t) {
		t.Run(name, func(t *testing.T) {
			mustKeepBound(t, c.s, c.data)
			c.s.agree(t, c.data, false)
		})
	}
}

func TestDecodingEveryConstructKeepsItsMemoryBound(t *testing.T) {
	for name, v := range samples() {
		t.Run(name, func(t *testing.T) { mustKeepBound(t, &everythingSubject, encode(t, v)) })
	}
	mustKeepBound(t, &registrySubject, encode(t, registry(t)))
}

func TestTheMemoryLimitIsReportedWhereItStrikes(t *testing.T) {
	data := append(le(1000), make([]byte, 20*1000+8)...)
	v := new(plugins.PluginRegistry)
	mustRefuse(t, v.DecodeWith(data, sdp.DecodeOptions{Limits: sdp.Limits{MemoryBytes: 1000}}), sdp.ErrLimitMemoryBytes, 0, "plugins")
}
