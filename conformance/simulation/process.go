package main

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// patience is far more than a runner takes for anything.
const patience = time.Minute

// process is a runner, which holds one session and one directory.
type process struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	in      *bufio.Writer
	out     *bufio.Reader
}

func start(program string) (*process, error) {
	command := exec.Command(program)
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	return &process{command, stdin, bufio.NewWriter(stdin), bufio.NewReaderSize(stdout, 1<<16)}, nil
}

func (p *process) stop() error {
	if err := p.stdin.Close(); err != nil {
		return err
	}
	return p.command.Wait()
}

// guard kills a runner that does not answer, so that waiting for it fails. The
// function that it gives ends that.
func (p *process) guard() (done func()) {
	timer := time.AfterFunc(patience, func() { _ = p.command.Process.Kill() })
	return func() { timer.Stop() }
}

// answer is a runner's answer to one line.
type answer struct {
	refusal string // "" if it is ok
	words   []string
	lines   []string
}

// ask sends lines at once and reads the answer to each.
func (p *process) ask(lines ...string) ([]answer, error) {
	for _, line := range lines {
		if _, err := p.in.WriteString(line + "\n"); err != nil {
			return nil, err
		}
	}
	if err := p.in.Flush(); err != nil {
		return nil, err
	}
	answers := make([]answer, len(lines))
	for i, line := range lines {
		var err error
		if answers[i], err = p.answer(); err != nil {
			return nil, fmt.Errorf("%s, asked %.200s: %w", p.command.Path, line, err)
		}
	}
	return answers, nil
}

func (p *process) answer() (a answer, err error) {
	first, err := p.out.ReadString('\n')
	if err != nil {
		return a, err
	}
	words := strings.Split(strings.TrimSuffix(first, "\n"), "\t")
	if len(words) < 3 || (words[1] != "result=ok" && words[1] != "result=refused") {
		return a, fmt.Errorf("it said %.300q", first)
	}
	a.words = words[2 : len(words)-1]
	if words[1] == "result=refused" {
		a.refusal = a.word("error")
	}
	n, err := strconv.Atoi(strings.TrimPrefix(words[len(words)-1], "lines="))
	if err != nil {
		return a, fmt.Errorf("it said %.300q", first)
	}
	for range n {
		line, err := p.out.ReadString('\n')
		if err != nil {
			return a, err
		}
		a.lines = append(a.lines, strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", " "))
	}
	return a, nil
}

// word gives the value of a word, or "" without one.
func (a answer) word(key string) string { return wordOf(a.words, key) }

// number gives the value of a word that is a number.
func (a answer) number(key string) uint64 { return number(a.word(key)) }

func wordOf(words []string, key string) string {
	for _, word := range words {
		if value, ok := strings.CutPrefix(word, key); ok && strings.HasPrefix(value, "=") {
			return value[1:]
		}
	}
	return ""
}

// number reads a number; what is none is 0.
func number(text string) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
