package sdp

import (
	"strings"
	"testing"
)

// damagedLayouts are texts that describe no type, each for a reason of its own.
var damagedLayouts = []string{
	"",
	"\n",
	" name u8\n",
	"@2\n",
	"0 struct a.S",
	"1 struct a.S\n",
	"00 struct a.S\n",
	"0 struct\n",
	"0 struct \n",
	"0 thing a.S\n",
	"0 struct a.S closed\n",
	"0 struct a.S keep\n",
	"0 message a.S closed\n",
	"0 union a.S keep\n",
	"0 union a.S closed closed\n",
	"0 enum a.E u8\n A 0\n",
	"0 enum a.E\n",
	"0 struct a.S\n e #1\n1 enum a.E f32\n",
	"0 struct a.S\n e #1\n1 enum a.E bool\n",
	"0 struct a.S\n e #1\n1 enum a.E u8\n A 256\n",
	"0 struct a.S\n e #1\n1 enum a.E i8 closed\n A -129\n",
	"0 struct a.S\n e #1\n1 enum a.E u8 closed\n A\n",
	"0 struct a.S\n@2\n a u8\n",
	"0 message a.S\n@3\n a u8\n",
	"0 message a.S\n@02\n a u8\n",
	"0 struct a.S\n a\n",
	"0 struct a.S\n a \n",
	"0 struct a.S\n  u8\n",
	"0 struct a.S\n a u7\n",
	"0 struct a.S\n a u8 \n",
	"0 struct a.S\n a u8 u8\n",
	"0 struct a.S\n a opt\n",
	"0 struct a.S\n a opt  u8\n",
	"0 struct a.S\n a list4\n",
	"0 struct a.S\n a list3 u8\n",
	"0 struct a.S\n a list u8\n",
	"0 struct a.S\n a str4<=\n",
	"0 struct a.S\n a str4<=x\n",
	"0 struct a.S\n a u8<=4\n",
	"0 struct a.S\n a <=4\n",
	"0 struct a.S\n a array u8\n",
	"0 struct a.S\n a array 0 u8\n",
	"0 struct a.S\n a array 18446744073709551616 u8\n",
	"0 struct a.S\n a array 18446744073709551615 u16\n",
	"0 struct a.S\n a map4 u8\n",
	"0 struct a.S\n a map4 f32 u8\n",
	"0 struct a.S\n a map4 uuid u8\n",
	"0 struct a.S\n a map4 bytes4 u8\n",
	"0 struct a.S\n a map4 list4 u8 u8\n",
	"0 struct a.S\n a map4 #0 u8\n",
	"0 struct a.S\n a #1\n",
	"0 struct a.S\n a #\n",
	"0 struct a.S\n a #-1\n",
	"0 struct a.S\n a #2147483648\n",
	"0 struct a.S\n a #0\n",
	"0 message a.S\n a #0\n",
	"0 union a.U closed\n A 1 #0\n",
	"0 union a.U closed\n",
	"0 union a.U\n A 0\n",
	"0 union a.U\n A 256\n",
	"0 union a.U\n A 1\n B 1\n",
	"0 union a.U\n A 1 \n",
	"0 union a.U\n A 01\n",
	"0 struct a.S\n e #1\n1 enum a.E u8\n A 00\n",
	"0 struct a.S\n e #1\n1 enum a.E u8\n A +1\n",
	"0 struct a.S\n e #1\n1 enum a.E i8\n A +1\n",
	"0 struct a.S\n e #1\n1 enum a.E i8\n A -01\n",
	"0 struct a.S\n e #1\n1 enum a.E i8\n A 128\n",
	"0 struct a.S\n a array 03 u8\n",
	"0 struct a.S\n a str4<=04\n",
	"0 struct a.S\n a #01\n1 struct a.T\n b u8\n",
	"0 struct a.S\n a list4 #1\n1 struct a.T\n",
	"0 struct a.S\n a array 3 #1\n1 struct a.T\n",
	"0 struct a.S\n a " + strings.Repeat("opt ", 65) + "u8\n",
}

func TestParseLayoutRefusesWhatDescribesNoType(t *testing.T) {
	for _, text := range damagedLayouts {
		if _, err := parseLayout(text); err == nil {
			t.Errorf("accepted %q", text)
		}
	}
}

func TestParseLayoutAcceptsWhatACompilerMayWrite(t *testing.T) {
	for _, text := range []string{
		"0 struct a.S\n",
		"0 message a.S\n",
		"0 union a.U\n",
		"0 union a.U closed\n A 1\n",
		"0 message a.M keep\n@2\n a u8\n@3\n b u8\n",
		"0 struct a.S\n a " + strings.Repeat("opt ", 64) + "u8\n",
		"0 struct a.S\n a opt #0\n b list1<=0 #0\n c map2<=18446744073709551615 #1 #0\n1 enum a.E i64 closed\n A -9223372036854775808\n",
		"0 struct a.S\n u #1\n1 union a.U closed\n A 1 #0\n B 2\n",
	} {
		if _, err := parseLayout(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestSmallestSizesAreTheLeastSolution(t *testing.T) {
	cases := []struct {
		layout string
		want   uint64
	}{
		{"0 struct a.S\n", 0},
		{"0 struct a.S\n a bool\n b u16\n c i32\n d f64\n e timestamp\n f duration\n g uuid\n h f32\n i i8\n", 1 + 2 + 4 + 8 + 8 + 8 + 16 + 4 + 1},
		{"0 struct a.S\n a str1\n b bytes2\n c list4 u64\n d map1 u64 u64\n e opt u64\n", 1 + 2 + 4 + 1 + 1},
		{"0 struct a.S\n a array 3 array 5 u16\n", 30},
		{"0 message a.S\n a u8\n@2\n b u64\n", 1},
		{"0 struct a.S\n a #1\n1 message a.M\n a u8\n@2\n b u64\n", 5},
		{"0 union a.U\n A 1 u64\n", 5},
		{"0 union a.U closed\n A 1 u64\n B 2 u16\n", 3},
		{"0 union a.U closed\n A 1 u64\n B 2\n", 1},
		{"0 struct a.S\n e #1\n1 enum a.E i16\n A 0\n", 2},
		{"0 struct a.S\n u #1\n x u8\n1 union a.U closed\n A 1 #0\n B 2 u8\n", 3},
		{"0 struct a.S\n a #2\n1 struct a.T\n a u32\n2 struct a.V\n a #1\n b #1\n", 8},
	}
	for _, c := range cases {
		table, err := parseLayout(c.layout)
		if err != nil {
			t.Errorf("%q: %v", c.layout, err)
		} else if got := table.blocks[0].smallest; got != c.want {
			t.Errorf("%q: %d bytes, want %d", c.layout, got, c.want)
		}
	}
}
