// Command grammar lets LanguageTool read the sentences of pages, and prints its findings, which gate nothing. Without
// arguments it reads README and all pages of docs and spec.
//
//	go run ./tools/grammar [FILE...]
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/tools/prose"
)

const (
	folder    = "tools/grammar"
	libraries = "target/languagetool"
)

// isTable matches pages of numbers, in which there are no sentences.
var isTable = regexp.MustCompile(`endpoints|tables-`)

func main() {
	if err := check(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "grammar:", err)
		os.Exit(1)
	}
}

func check(files []string) error {
	if len(files) == 0 {
		for _, pattern := range []string{"README.md", "docs/*.md", "docs/*/*.md", "spec/*.md"} {
			found, err := filepath.Glob(pattern)
			if err != nil {
				return err
			}
			for _, file := range found {
				if !isTable.MatchString(file) {
					files = append(files, file)
				}
			}
		}
	}
	if err := install(); err != nil {
		return err
	}
	sentences, n, err := read(files)
	if err != nil {
		return err
	}
	command := exec.Command("java", "-cp", libraries+"/*", filepath.Join(folder, "Check.java"), filepath.Join(folder, "words.txt"), filepath.Join(folder, "rules.txt"))
	command.Stdin, command.Stderr = sentences, os.Stderr
	out, err := command.Output()
	if err != nil {
		return fmt.Errorf("LanguageTool: %w", err)
	}
	return report(string(out), len(files), n)
}

// install fetches LanguageTool by Maven, once.
func install() error {
	if found, err := filepath.Glob(libraries + "/language-en-*.jar"); err != nil || len(found) > 0 {
		return err
	}
	out, err := exec.Command("mvn", "-q", "-B", "-f", filepath.Join(folder, "pom.xml"), "dependency:copy-dependencies", "-DoutputDirectory="+absolute(libraries)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("mvn: %w\n%s", err, out)
	}
	return nil
}

func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// read writes each sentence of some pages with its place, for Check.java.
func read(files []string) (*bytes.Buffer, int, error) {
	var b bytes.Buffer
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, 0, err
		}
		for _, s := range prose.Read(string(text)).Sentences {
			n++
			fmt.Fprintf(&b, "%s:%d\t%s\n", file, s.Line, strings.ReplaceAll(s.Text, "CODE", "Code"))
		}
	}
	return &b, n, nil
}

// report prints the findings, and how many each rule has.
func report(out string, files, sentences int) error {
	count := map[string]int{}
	for line := range strings.Lines(out) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 5)
		if len(parts) < 5 {
			return fmt.Errorf("LanguageTool: %q is no finding", line)
		}
		count[parts[1]]++
		fmt.Printf("%s: %s: %q: %s\n    %s\n", parts[0], parts[1], parts[3], parts[2], parts[4])
	}
	var rules []string
	for rule := range count {
		rules = append(rules, rule)
	}
	slices.SortFunc(rules, func(a, b string) int { return count[b] - count[a] })
	total := 0
	for _, rule := range rules {
		total += count[rule]
		fmt.Printf("%5d %s\n", count[rule], rule)
	}
	fmt.Printf("%d findings in %d sentences of %d files\n", total, sentences, files)
	return nil
}
