package main

import (
	"regexp"
	"strings"
	"testing"
)

// walked is a language with one operation that takes no memory and one that may.
var walked = &language{name: "C++", operations: []operation{{name: "view"}, {name: "keep", grows: true}}}

func TestWhatIsFoundIsHeldAgainstWhatThereIs(t *testing.T) {
	all := layer{name: "filter", finds: map[string][]string{"C++": {"sleep"}}}
	some := all
	some.leavesMemory = true
	for _, c := range []struct {
		about string
		layer layer
		found findings
		want  string
	}{
		{"all is well", all, findings{seen: []string{"view", "keep"}, wrong: map[string]string{"sleep": "killed"}}, ""},
		{"a fault that passes", all, findings{seen: []string{"view", "keep"}}, `C++: filter: the fault "sleep" was not found`},
		{"an operation that does what it must not", all, findings{seen: []string{"view", "keep"}, wrong: map[string]string{"sleep": "killed", "view": "killed"}}, "C++: filter: view: killed"},
		{"an operation that nobody has seen", all, findings{seen: []string{"view"}, wrong: map[string]string{"sleep": "killed"}}, "C++: filter: nobody has looked at keep"},
		{"one that the layer leaves out", some, findings{seen: []string{"view"}, wrong: map[string]string{"sleep": "killed"}}, ""},
	} {
		got := ""
		if err := c.layer.judge(walked, &c.found); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, and not %q", c.about, got, c.want)
		}
	}
}

// text is what objdump prints of a function that ends in another, or comes to a door; nothing leads to its call of malloc.
const text = `
path.o:     file format elf64-x86-64
Disassembly of section .text.path:
0000000000000000 <path>:
   0:	test   %rdi,%rdi
   3:	je     d <path+0xd>
   5:	jmp    a <path+0xa>
			6: R_X86_64_PLT32	helper-0x4
   a:	call   f <path+0xf>
			b: R_X86_64_PLT32	malloc-0x4
   d:	call   12 <path+0x12>
			e: R_X86_64_PLT32	refuse-0x4
  12:	call   17 <path+0x17>
			13: R_X86_64_PLT32	free-0x4
  17:	ret
Disassembly of section .text.helper:
0000000000000000 <helper>:
   0:	call   *%rax
   2:	call   7 <helper+0x7>
			3: R_X86_64_PLT32	memcpy-0x4
   7:	ret
`

func TestAPathGoesBothWaysOfABranchAndThroughNoDoor(t *testing.T) {
	o := &object{at: map[string]place{}, named: map[place]string{}, code: map[string]map[uint64]*instruction{}, defined: map[string]bool{}}
	if err := o.read([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := o.spell(); err != nil {
		t.Fatal(err)
	}
	r, err := o.reach("path", []*regexp.Regexp{regexp.MustCompile("^refuse$")})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.lacking) != 1 || r.lacking["memcpy"] != "helper" || !r.doors["refuse"] || r.pointers != 1 {
		t.Errorf("behind no door there is memcpy alone: %v, %v, %d pointers", r.lacking, r.doors, r.pointers)
	}
	if r, err = o.reach("path", nil); err != nil || r.lacking["free"] == "" {
		t.Errorf("behind an open door there is more: %v, %v", r.lacking, err)
	}
	if _, err := o.reach("nobody", nil); err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("a function that is not there: %v", err)
	}
}
