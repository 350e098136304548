// Command list prints the sentences of files that cost their readers too much, and how long each page of Markdown is
// read.
package main

import (
	"fmt"
	"os"

	"github.com/serial-data-protocol/sdp/tools/prose"
)

func main() {
	for _, file := range os.Args[1:] {
		text, err := os.ReadFile(file)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if prose.IsSource(file) {
			listSource(file, string(text))
			continue
		}
		page := prose.Read(string(text))
		for _, f := range page.Faults() {
			fmt.Printf("%s:%d: %s\n    %s\n", file, f.Line, f.Reason, f.Text)
		}
		fmt.Printf("%s: %d words, %d min, %.1f words a sentence, %d faults\n", file, page.Words, page.Minutes(), page.Mean(), len(page.Faults()))
	}
}

func listSource(file, text string) {
	comments, texts := prose.ReadSource(file, text)
	for _, s := range append(comments, texts...) {
		if reason := prose.Bent(s.Text); reason != "" {
			fmt.Printf("%s:%d: %s\n    %s\n", file, s.Line, reason, s.Text)
		}
	}
}
