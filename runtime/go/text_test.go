package sdp

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// texts are all lengths up to a few words, of one character and with another
// one at each place.
func texts(yield func(text string)) {
	for n := range 40 {
		plain := strings.Repeat("a", n)
		yield(plain)
		for i := range n {
			for _, c := range []string{"b", "!", "q", "\x80", "\xff", "\x00"} {
				yield(plain[:i] + c + plain[i+1:])
			}
		}
		yield(plain + "é")
		yield("😀" + plain)
	}
}

func TestTextIsKeptOnlyIfEveryByteIsTheSame(t *testing.T) {
	texts(func(text string) {
		for i := range len(text) {
			for _, flip := range []byte{1, 2, 0x10, 0x1f} {
				changed := []byte(text)
				changed[i] ^= flip
				if sameASCII(text, string(changed)+"behind") {
					t.Fatalf("%q is kept for %q", text, changed)
				}
			}
		}
		if got, want := sameASCII(text, text+"\xffbehind"), isASCII(text); got != want {
			t.Fatalf("%q is kept: %v", text, got)
		}
	})
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

func TestTextIsValidWhateverFollowsIt(t *testing.T) {
	texts(func(text string) {
		for _, behind := range []string{"", "x", "\xff\xfe", strings.Repeat("\xff", 20), strings.Repeat("x", 20)} {
			s := text + behind
			if got := ValidText(s, len(text)); got != utf8.ValidString(text) {
				t.Fatalf("%q before %q is valid: %v", text, behind, got)
			}
		}
	})
}

func TestDecodedTextIsThatOfTheInput(t *testing.T) {
	texts(func(text string) {
		texts := []string{"", "a", strings.Repeat("a", len(text)), text, strings.Repeat("z", 5000)}
		for _, alias := range []bool{false, true} {
			for _, before := range texts {
				var d Decoder
				d.StartWith(make([]byte, 100), 2, &DecodeOptions{AliasInput: alias})
				got := before
				rest, ok := d.Text(text+"behind", len(text), &got)
				if ok != utf8.ValidString(text) || ok && (got != text || rest != "behind") {
					t.Fatalf("%q into %.50q: %q, %v", text, before, got, ok)
				}
			}
		}
	})
}
