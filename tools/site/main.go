// Package main makes the project's site of its documents: chapters of a book with a search,
// and pages of its schemas.
//
//	go run ./tools/site          makes target/site
//	go run ./tools/site check    follows all links within it
//
// The book is made by mdBook, which cargo builds in the version below the first time.
package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/tools/prose"
)

const (
	mdbookVersion = "0.5.4"
	toolFolder    = "target/mdbook"
	bookFolder    = "target/site-book"
	siteFolder    = "target/site"
	playground    = "target/playground"
	// playgroundAt is where it lies in the site: playground/ has the chapter about it.
	playgroundAt = "try"
	// repository is where files are that the site does not have.
	repository = "https://github.com/serial-data-protocol/sdp"
)

func main() {
	work := build
	if len(os.Args) == 2 && os.Args[1] == "check" {
		work = check
	} else if len(os.Args) > 1 {
		fmt.Fprintln(os.Stderr, "usage: site [check]")
		os.Exit(2)
	}
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

// build makes the site anew.
func build() error {
	program, err := mdbook()
	if err != nil {
		return err
	}
	tracked, err := trackedFiles()
	if err != nil {
		return err
	}
	for _, folder := range []string{bookFolder, siteFolder} {
		if err := os.RemoveAll(folder); err != nil {
			return err
		}
	}
	b := newBook(tracked)
	if err := b.write(filepath.Join(bookFolder, "src")); err != nil {
		return err
	}
	for _, name := range []string{"book.toml", "site.css", "tabs.js", "schema.js"} {
		text, err := os.ReadFile(filepath.Join("tools/site", name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(bookFolder, name), text, 0o644); err != nil {
			return err
		}
	}
	if err := run(program, "build", bookFolder); err != nil {
		return err
	}
	if err := run("go", "run", "./cmd/sdp", "doc", "--config", "spec/sdp.toml", "--out", "html="+filepath.Join(siteFolder, "schemas")); err != nil {
		return err
	}
	if _, err := os.Stat(playground); err == nil {
		if err := os.CopyFS(filepath.Join(siteFolder, playgroundAt), os.DirFS(playground)); err != nil {
			return err
		}
	}
	fmt.Printf("%d chapters → %s\n", len(b.chapters), filepath.Join(siteFolder, "index.html"))
	return b.printLengths()
}

// printLengths prints how long each page of the documentation is read, and the length of its sentences.
func (b *book) printLengths() error {
	words := 0
	for _, file := range slices.Sorted(maps.Keys(b.chapters)) {
		if file != "README.md" && !strings.HasPrefix(file, "docs/") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		page := prose.Read(string(text))
		words += page.Words
		fmt.Printf("%6d words %3d min %5.1f words a sentence  %s\n", page.Words, page.Minutes(), page.Mean(), file)
	}
	fmt.Printf("%6d words in all\n", words)
	return nil
}

// mdbook is the program in its version; it is built if it is not there.
func mdbook() (string, error) {
	program := filepath.Join(toolFolder, "bin", "mdbook")
	if said, err := exec.Command(program, "--version").Output(); err == nil && strings.TrimSpace(string(said)) == "mdbook v"+mdbookVersion {
		return program, nil
	}
	return program, run("cargo", "install", "mdbook", "--version", mdbookVersion, "--locked", "--no-default-features", "--features", "search", "--root", toolFolder, "--force")
}

// run shows what a command prints if it fails.
func run(name string, args ...string) error {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// trackedFiles are the repository's files and folders.
func trackedFiles() (map[string]bool, error) {
	out, err := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return nil, err
	}
	all := map[string]bool{}
	for name := range bytes.SplitSeq(bytes.TrimRight(out, "\x00"), []byte{0}) {
		for at := string(name); at != "."; at = filepath.Dir(at) {
			all[at] = true
		}
	}
	return all, nil
}
