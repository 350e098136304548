package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// object is the code of an object file, or of all members of an archive.
type object struct {
	// at is where each symbol's code begins.
	at map[string]place
	// named are the functions that begin at places.
	named map[place]string
	// code are the instructions of each section, by address.
	code map[string]map[uint64]*instruction
	// defined are the symbols that others need not supply, data among them.
	defined map[string]bool
	// readable are the names of symbols as their language spells them.
	readable map[string]string
}

// place is an address in a section of an object file.
type place struct {
	section string
	address uint64
}

// instruction is a machine instruction, and the linker's symbol for it.
type instruction struct {
	// word is the first that is no prefix, and operands the rest.
	word, operands string
	// size is how far behind it the next one lies; 0 of the last one.
	size uint64
	// symbols are names that it refers to.
	symbols []reference
}

// reference is a symbol, and a place that lies so far behind it. A relative one is counted from behind the four
// bytes that hold it.
type reference struct {
	symbol     string
	behind     int64
	isRelative bool
}

var (
	memberLine      = regexp.MustCompile(`^(\S+):\s+file format elf64-x86-64$`)
	sectionLine     = regexp.MustCompile(`^Disassembly of section (\S+):$`)
	symbolLine      = regexp.MustCompile(`^([0-9a-f]+) <(.+)>:$`)
	instructionLine = regexp.MustCompile(`^\s*([0-9a-f]+):\t((?:(?:notrack|bnd|lock|rep|repz|repnz|data16|cs|ds|es|fs|gs|rex\S*)\s+)*)(\S+)\s*(.*)$`)
	relocationLine  = regexp.MustCompile(`^\s+[0-9a-f]+: R_X86_64_(\w+)\s+(\S+?)(?:([+-])0x([0-9a-f]+))?$`)
)

// disassemble reads the code of an object file or archive of x86-64.
func disassemble(file string) (*object, error) {
	output, err := exec.Command("objdump", "--disassemble", "--reloc", "--no-show-raw-insn", "--wide", file).Output()
	if err != nil {
		return nil, fmt.Errorf("objdump %s: %w", file, err)
	}
	// A relocation stands behind its instruction, in the same line: apart they are read alike.
	output = regexp.MustCompile(`\t([0-9a-f]+: R_X86_64_)`).ReplaceAll(output, []byte("\n\t$1"))
	o := &object{at: map[string]place{}, named: map[place]string{}, code: map[string]map[uint64]*instruction{}, defined: map[string]bool{}}
	if err := o.read(output); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(o.at) == 0 {
		return nil, fmt.Errorf("%s has no code for x86-64", file)
	}
	symbols, err := exec.Command("nm", "--format=posix", file).Output()
	if err != nil {
		return nil, fmt.Errorf("nm %s: %w", file, err)
	}
	for line := range strings.Lines(string(symbols)) {
		if words := strings.Fields(line); len(words) > 1 && !strings.Contains("Uwv", words[1]) {
			o.defined[words[0]] = true
		}
	}
	return o, o.spell()
}

func (o *object) read(output []byte) error {
	var member, section string
	var last *instruction
	var at uint64
	lines := bufio.NewScanner(bytes.NewReader(output))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if m := relocationLine.FindStringSubmatch(line); m != nil && last != nil {
			behind, _ := strconv.ParseInt(m[3]+"0"+m[4], 16, 64)
			r := reference{m[2], behind, !strings.HasPrefix(m[1], "32") && !strings.HasPrefix(m[1], "64")}
			if isSection(r.symbol) {
				// Each member of an archive has sections of its own.
				r.symbol = member + r.symbol
			}
			last.symbols = append(last.symbols, r)
		} else if m := instructionLine.FindStringSubmatch(line); m != nil {
			address, err := strconv.ParseUint(m[1], 16, 64)
			if err != nil {
				return err
			}
			if last != nil {
				last.size = address - at
			}
			last, at = &instruction{word: m[3], operands: m[4]}, address
			o.code[section][address] = last
		} else if m := symbolLine.FindStringSubmatch(line); m != nil {
			address, err := strconv.ParseUint(m[1], 16, 64)
			if err != nil {
				return err
			}
			o.at[m[2]] = place{section, address}
			o.named[o.at[m[2]]] = m[2]
		} else if m := sectionLine.FindStringSubmatch(line); m != nil {
			section, last = member+m[1], nil
			o.at[section] = place{section, 0}
			if o.code[section] == nil {
				o.code[section] = map[uint64]*instruction{}
			}
		} else if m := memberLine.FindStringSubmatch(line); m != nil {
			member = m[1] + "/"
		}
	}
	return lines.Err()
}

// spell asks c++filt for the names of all symbols.
func (o *object) spell() error {
	var names []string
	seen := map[string]bool{}
	note := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	for name := range o.at {
		note(name)
	}
	for _, section := range o.code {
		for _, i := range section {
			for _, r := range i.symbols {
				note(r.symbol)
			}
		}
	}
	command := exec.Command("c++filt")
	command.Stdin = strings.NewReader(strings.Join(names, "\n") + "\n")
	output, err := command.Output()
	if err != nil {
		return fmt.Errorf("c++filt: %w", err)
	}
	lines := strings.Split(strings.TrimSuffix(string(output), "\n"), "\n")
	if len(lines) != len(names) {
		return fmt.Errorf("c++filt spells %d names of %d", len(lines), len(names))
	}
	o.readable = map[string]string{}
	for i, name := range names {
		o.readable[name] = lines[i]
	}
	return nil
}
