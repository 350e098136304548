package interp_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/interp/random"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// valuesPerType is how many random values of each type a test takes.
const valuesPerType = 60

// eachValue calls visit with random values of each type of the schema that has
// everything, and their encodings.
func eachValue(t *testing.T, visit func(t *testing.T, c *interp.Codec, v interp.Value, encoded []byte)) {
	program := compile(t, everything)
	for i, d := range tops(program) {
		t.Run(d.DeclName(), func(t *testing.T) {
			g := random.New(program, uint64(i))
			c := codecOf(t, program, d.DeclName())
			for n := range valuesPerType {
				v := g.Value(d)
				encoded, err := c.Append(nil, v, interp.ByteMode)
				if err != nil {
					t.Fatalf("value %d: %v\n%#v", n, err, v)
				}
				visit(t, c, v, encoded)
			}
		})
	}
}

func TestValuesComeBackFromBytes(t *testing.T) {
	eachValue(t, func(t *testing.T, c *interp.Codec, v interp.Value, encoded []byte) {
		decoded, err := c.Decode(encoded, interp.Options{})
		if err != nil {
			t.Fatalf("%x: %v", encoded, err)
		}
		if equal, err := c.Equal(v, decoded); err != nil || !equal {
			t.Fatalf("%#v is not equal to %#v: %v", v, decoded, err)
		}
		again, err := c.Append(nil, decoded, interp.ByteMode)
		if err != nil || !bytes.Equal(again, encoded) {
			t.Fatalf("re-encoded %x, %v, want %x", again, err, encoded)
		}
	})
}

func TestValuesComeBackFromJSON(t *testing.T) {
	eachValue(t, func(t *testing.T, c *interp.Codec, _ interp.Value, encoded []byte) {
		text := jsonOf(t, c, encoded)
		again, err := c.ParseJSON(text, interp.ByteMode)
		if err != nil || !bytes.Equal(again, encoded) {
			t.Fatalf("%s\ngave %x, %v, want %x", text, again, err, encoded)
		}
	})
}

func jsonOf(t testing.TB, c *interp.Codec, encoded []byte) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := c.WriteJSON(&text, interp.FromBytes(encoded), interp.Options{}); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// boundaries are the lengths at which a top-level message may be cut: before
// the first item of each later segment, and in the unknown tail.
func boundaries(t *testing.T, c *interp.Codec, encoded []byte) map[int]bool {
	m, ok := c.Decl().(*ir.Message)
	if !ok {
		return nil
	}
	first := map[string]bool{}
	for _, fields := range m.Segments()[1:] {
		first[fields[0].Name] = true
	}
	cuts := map[int]bool{}
	visit := func(e *interp.Event) error {
		if path := e.Path(); first[path] {
			delete(first, path)
			cuts[int(e.Offset)] = true
		}
		if e.Kind == interp.TailEvent && e.Role == interp.RootRole {
			for i := range e.Raw {
				cuts[int(e.Offset)+i] = true
			}
		}
		return nil
	}
	if _, err := c.Walk(interp.FromBytes(encoded), interp.Options{}, visit); err != nil {
		t.Fatal(err)
	}
	return cuts
}

func TestProperPrefixesAreRefused(t *testing.T) {
	eachValue(t, func(t *testing.T, c *interp.Codec, _ interp.Value, encoded []byte) {
		allowed := boundaries(t, c, encoded)
		for n := range min(len(encoded), 400) {
			if _, err := c.Decode(encoded[:n], interp.Options{}); (err == nil) != allowed[n] {
				t.Fatalf("%d bytes of %x: %v", n, encoded, err)
			}
		}
	})
}

func TestExactDecodingAcceptsOnlyWhatIsReencoded(t *testing.T) {
	eachValue(t, func(t *testing.T, c *interp.Codec, _ interp.Value, encoded []byte) {
		for n := range boundaries(t, c, encoded) {
			v, err := c.Decode(encoded[:n], interp.Options{Exact: true})
			if err != nil {
				continue
			}
			if again, err := c.Append(nil, v, interp.ByteMode); err != nil || !bytes.Equal(again, encoded[:n]) {
				t.Fatalf("%x is accepted, and re-encodes as %x, %v", encoded[:n], again, err)
			}
		}
	})
}

// checkAccepted checks a rule for any bytes. They are refused, or their value re-encodes to bytes
// of which exact decoding makes the same value, and to the same bytes if exact decoding accepts
// them.
func checkAccepted(t testing.TB, c *interp.Codec, b []byte) {
	v, err := c.Decode(b, interp.Options{})
	if err != nil {
		return
	}
	again, err := c.Append(nil, v, interp.ByteMode)
	if err != nil {
		t.Fatalf("%x is accepted, but what it is has no encoding: %v", b, err)
	}
	if _, err := c.Decode(b, interp.Options{Exact: true}); err == nil && !bytes.Equal(again, b) {
		t.Fatalf("%x re-encodes as %x", b, again)
	}
	back, err := c.Decode(again, interp.Options{})
	if err != nil {
		t.Fatalf("%x re-encodes as %x: %v", b, again, err)
	}
	if equal, err := c.Equal(v, back); err != nil || !equal {
		t.Fatalf("%x re-encodes as %x, which is another value: %v", b, again, err)
	}
}

func TestDamagedBytesAreRefusedOrReencode(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	eachValue(t, func(t *testing.T, c *interp.Codec, _ interp.Value, encoded []byte) {
		if len(encoded) == 0 {
			return
		}
		for range 40 {
			damaged := bytes.Clone(encoded)
			for range 1 + rng.IntN(3) {
				damaged[rng.IntN(len(damaged))] ^= 1 << rng.IntN(8)
			}
			checkAccepted(t, c, damaged)
		}
	})
}

// slowReader returns few bytes at a time.
type slowReader struct {
	b []byte
	n int
}

func (r *slowReader) Read(b []byte) (int, error) {
	if len(r.b) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), r.n)], r.b)
	r.b = r.b[n:]
	return n, nil
}

func TestReadersGiveWhatSlicesGive(t *testing.T) {
	eachValue(t, func(t *testing.T, c *interp.Codec, _ interp.Value, encoded []byte) {
		for _, cut := range []int{0, 1, 7} {
			b := encoded[:max(0, len(encoded)-cut)]
			want := trace(c, interp.FromBytes(b))
			got := trace(c, interp.FromReader(&slowReader{b, 3}, int64(len(b))))
			if got != want {
				t.Fatalf("from a reader:\n%s\nfrom a slice:\n%s", got, want)
			}
		}
	})
}

func TestRandomValuesHaveEveryConstruct(t *testing.T) {
	program := compile(t, everything)
	g := random.New(program, 1)
	for range 300 {
		for _, d := range tops(program) {
			g.Value(d)
		}
	}
	constructs := []string{
		"bool", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64", "timestamp", "duration", "uuid",
		"str", "bytes", "list", "array", "optional", "map", "enum", "union", "struct", "message",
		"absent", "unknown tag", "no payload", "inline alternative", "enum number at random", "tail",
	}
	seen := map[string]int{}
	for construct, n := range g.Seen {
		seen[construct.Name] += n
	}
	for _, name := range constructs {
		if seen[name] == 0 {
			t.Errorf("no %s in %v", name, seen)
		}
	}
}

func TestRandomValuesFollowTheSeed(t *testing.T) {
	program := compile(t, everything)
	c := codecOf(t, program, "All")
	encode := func(seed uint64) []byte {
		b, err := c.Append(nil, random.New(program, seed).Value(c.Decl()), interp.ByteMode)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if !bytes.Equal(encode(5), encode(5)) || bytes.Equal(encode(5), encode(6)) {
		t.Error("equal seeds gave different values, or different seeds equal ones")
	}
}
