package tests_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/driver"
)

// shown are types whose views hand out what values have in another form, and names that
// views spell in another way.
const shown = `package shown;
import "union.sdp" as s;
struct P { a: u8 }
message Q { a: u8 }
message M { u: []?P, v: map<u8, ?P>, w: [2]?P, x: ?[]?P }
message N { u: []?Q, v: map<u8, ?Q>, w: [2]?Q, x: ?[]?Q, y: ?Box<M>, z: ?Q, o: ?s.Other, p: []s.Other }
union U {
    A(?P) = 1, B(?Q) = 2, C(?u8) = 3, note_on(u8) = 4, @name(go = "Zed") Note(str) = 5, Tag = 6, Payload(bytes) = 7, D(?Box<M>) = 8, note_off = 9,
    @name(go = "Zet") Inl { a: u8 } = 10, E([]?Q) = 11, tag_x { tag: u8 } = 12, Unknown = 13, View = 14, F(?[]?P) = 15, G(map<u8, ?Q>) = 16,
    H([2]?P) = 17, I(timestamp) = 18, J([]timestamp) = 19, K(?timestamp) = 20, L(f32) = 21, Value { value: u8 } = 22,
}
@closed union V { A = 1, Tag(U) = 2, Cc { value: U } = 3 }
@closed union W { Tag = 1, B = 2 }
enum E: u8 { A = 0 }
struct R {
    u: []?Q, f: ?f32, g: []f64, t: ?timestamp, d: duration, id: uuid, e: ?E, l: []E, m: map<str, E>, o: ?U, p: []U, k: map<u8, ?timestamp>,
    n: []?f32, by: ?bytes, bb: []?bytes, ss: []?str, aa: [3]f32, au: [3]U, b: ?[3]?U, marshal_json: u8, string: u8,
    @name(go = "Xyz") go_named: []?P, dd: []?duration, idd: []?uuid, v: V, w: []W, x: ?W,
}
@keep_unknown message K { a: u8, @since(2) u: ?U, @since(2) n: ?K }
`

// TestGoTestsPassForEveryFormOfViews runs what is generated, in a module of its own.
func TestGoTestsPassForEveryFormOfViews(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"shown.sdp": shown, "union.sdp": "package s;\nunion Other { note_on(u8) = 1, Tag(?Kept) = 2 }\nmessage Kept { a: u8 }\n", "go.mod": "module shown\n\ngo 1.24\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var told bytes.Buffer
	options := driver.GenOptions{
		Schemas: []string{filepath.Join(folder, "shown.sdp"), filepath.Join(folder, "union.sdp")},
		Out:     []string{"go=" + folder}, Options: map[string]string{"forms": "owned,views", "tests": "true"},
	}
	if err := (&driver.Tool{Out: &told, Err: &told}).Gen(options); err != nil {
		t.Fatalf("%v: %s", err, told.Bytes())
	}
	command := exec.Command("go", "test", "./...")
	command.Dir, command.Env = folder, append(os.Environ(), "GOWORK=off")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.4000s", err, output)
	}
}

// TestExactVectorsOfTypeScriptHaveNoNaN looks at what a language without the bits of
// every NaN refuses before it comes to anything else.
func TestExactVectorsOfTypeScriptHaveNoNaN(t *testing.T) {
	const schema = "package s; message G { a: u8, f: f32, g: f64, z: f64, inf: f32, n: ?G, l: []G } struct L { m: []G }"
	nans := func(name string) int {
		count := 0
		for line := range strings.Lines(string(made(t, name, schema, backend.Parts{Forms: []backend.Form{backend.Owned}, JSON: true})[1].Content)) {
			_, request, exact := strings.Cut(line, "exact a.L ")
			if exact && strings.Contains(request, "0100c07f") {
				count++
			}
		}
		return count
	}
	if nans("go") == 0 || nans("typescript") > 0 {
		t.Errorf("Go has %d, TypeScript %d", nans("go"), nans("typescript"))
	}
}
