package main

import (
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// filter runs operations in a process that dies of any system call.
func filter(of *language, o options) (*findings, error) {
	each := o.count / len(of.operations)
	found, err := of.ask("filter", each)
	if err == nil {
		found.about = fmt.Sprintf("no system call in %s runs", thousands(each*len(of.operations)))
	}
	return found, err
}

// usage runs operations beside the system's count of page faults and context switches.
func usage(of *language, o options) (*findings, error) {
	each := o.count / len(of.operations) / 10
	found, err := of.ask("usage", each)
	if err == nil {
		found.about = fmt.Sprintf("no page fault, nor a wait, in %s runs", thousands(each*len(of.operations))) + found.about
	}
	return found, err
}

// steps counts the instructions of operations at each fill level.
func steps(of *language, o options) (*findings, error) {
	found, err := of.ask("steps", o.levels)
	if err == nil {
		found.about = fmt.Sprintf("as many instructions at each of %d fill levels", o.levels)
	}
	return found, err
}

// ask runs the machine in one of its ways.
func (of *language) ask(way string, count int) (*findings, error) {
	output, err := exec.Command(of.machine, way, strconv.Itoa(count)).Output()
	if err != nil {
		var ended *exec.ExitError
		if errors.As(err, &ended) && ended.ExitCode() == 2 {
			return nil, absent{strings.TrimSpace(string(ended.Stderr))}
		}
		return nil, err
	}
	found := &findings{wrong: map[string]string{}}
	for line := range strings.Lines(string(output)) {
		words := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(words) < 2 {
			return nil, fmt.Errorf("the machine says %q", line)
		}
		details := strings.Join(words[2:], "")
		found.seen = append(found.seen, words[0])
		if _, why, isLoose := strings.Cut(details, "memory not locked: "); isLoose {
			found.about = ", with memory that can't be locked: " + why
		}
		switch words[1] {
		case "ok":
		case "found":
			found.wrong[words[0]] = "it was found: " + details
		default:
			return nil, fmt.Errorf("%s does not do what it is for", words[0])
		}
		if way == "steps" {
			found.details = append(found.details, fmt.Sprintf("%-18s %s", words[0], details))
		}
	}
	return found, nil
}

// thousands spells a number in groups of three digits.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
