// Command list prints, of pages of Markdown, the sentences that cost their readers too much, and how long each page is
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
		page := prose.Read(string(text))
		for _, f := range page.Faults() {
			fmt.Printf("%s:%d: %s\n    %s\n", file, f.Line, f.Reason, f.Text)
		}
		fmt.Printf("%s: %d words, %d min, %.1f words a sentence, %d faults\n", file, page.Words, page.Minutes(), page.Mean(), len(page.Faults()))
	}
}
