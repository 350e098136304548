package sdp

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpusWords are words of layout texts, by which random bytes choose a layout that is often valid. The targets in Rust
// and C++ have the same.
var corpusWords = [...]string{
	"\n0 struct a.S\n f", "\n1 struct a.T\n f", "\n2 union a.U\n", "\n1 union a.U closed\n",
	"\n2 enum a.E i8 closed\n A -1\n B 0\n", "0 struct a.S\n f", "0 message a.M\n f", "0 message a.M keep\n f",
	"0 union a.U\n", "0 union a.U closed\n", "1 message a.N\n f", "\n f", "\n@2\n f", "\n@3\n f", " A 1",
	" B 2\n", " C 3", " bool", " u8", " u16", " u64", " i8", " i32", " f32", " f64", " uuid", " str1", " str4",
	" bytes2", " list1", " list4", " list1<=2", " map1", " map2", " array", " opt", " 2", " 3", " 4294967296",
	" 18446744073709551615", " #0", " #1", " #2", " #3", "\n",
}

// corpusLayout divides an input of explain at the first 0xff into a layout text and a value. The bytes of the first
// part choose words of the layout; behind an 0xfe they are the layout itself.
func corpusLayout(input []byte) (layout string, value []byte) {
	chosen, value, _ := bytes.Cut(input, []byte{0xff})
	if text, is := bytes.CutPrefix(chosen, []byte{0xfe}); is {
		return string(text), value
	}
	var b strings.Builder
	for _, i := range chosen {
		b.WriteString(corpusWords[int(i)%len(corpusWords)])
	}
	return b.String(), value
}

// corpusInputs are the inputs of explain. They lie in the repository, so that a copy of the module alone has none.
func corpusInputs(t testing.TB) (inputs [][]byte) {
	t.Helper()
	const conformance = "../../conformance"
	if _, err := os.Stat(conformance); err != nil {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(conformance, "corpus", "explain", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the corpus has no inputs of explain: %v", err)
	}
	for _, file := range files {
		input, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, input)
	}
	return inputs
}
