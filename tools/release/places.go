package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// place is where the repository says its version.
type place struct {
	files *regexp.Regexp // by their paths from the root
	text  *regexp.Regexp // its one group is what is said
	// series is set where it is not the version, but that of all releases that fit it: 0.4.
	series bool
}

func at(files, text string) place {
	return place{files: regexp.MustCompile("^(" + files + ")$"), text: regexp.MustCompile("(?m)" + text)}
}

func seriesAt(files, text string) place {
	p := at(files, text)
	p.series = true
	return p
}

const (
	number  = `([0-9]+\.[0-9]+\.[0-9]+)`
	numbers = `([0-9]+(?:\.[0-9]+)?)`
	crates  = `(?:sdp|serial-data-protocol|sdp-build|mesh-exchange-protocol)`
)

// places are all where it stands. Results of benchmarks say which release was measured,
// and what tells of an older release says which.
var places = []place{
	at(`VERSION`, `\A`+number+`\n\z`),
	at(`compiler/version/version\.go`, `^const Project = "`+number+`"$`),
	at(`cmd/sdp/testdata/script/version\.txtar`, `^sdp `+number+`$`),
	at(`Cargo\.toml`, `^version = "`+number+`"$`),
	at(`mxp/rust/Cargo\.toml`, `^serial-data-protocol = \{ version = "`+number+`", path`),
	at(`runtime/python/native/Cargo\.toml`, `^version = "`+number+`"$`),
	at(`runtime/python/native/Cargo\.lock`, `^name = "serial-data-protocol-native"\nversion = "`+number+`"$`),
	at(`(.*/)?Cargo\.lock`, `^name = "(?:`+crates+`|mxp-c|registry-example)"\nversion = "`+number+`"$`),
	at(`(runtime|mxp)/python/pyproject\.toml`, `^version = "`+number+`"$`),
	at(`mxp/python/pyproject\.toml`, `^dependencies = \["serial-data-protocol==`+number+`"\]$`),
	at(`(runtime|mxp)/typescript/package\.json`, `^  "version": "`+number+`",$`),
	at(`runtime/typescript/package-lock\.json`, `\A\{\n  "name": "serial-data-protocol",\n  "version": "`+number+`",$`),
	at(`runtime/typescript/package-lock\.json`, `^    "": \{\n      "name": "serial-data-protocol",\n      "version": "`+number+`",$`),
	at(`mxp/typescript/package-lock\.json`, `\A\{\n  "name": "mesh-exchange-protocol",\n  "version": "`+number+`",$`),
	at(`mxp/typescript/package-lock\.json`, `^    "": \{\n      "name": "mesh-exchange-protocol",\n      "version": "`+number+`",$`),
	at(`examples/(mxp/typescript|web)/package-lock\.json`, `^      "name": "mesh-exchange-protocol",\n      "version": "`+number+`",$`),
	at(`editors/(vscode|tree-sitter-sdp)/package\.json`, `^  "version": "`+number+`",$`),
	at(`editors/vscode/package-lock\.json`, `\A\{\n  "name": "[^"]*",\n  "version": "`+number+`",$`),
	at(`editors/vscode/package-lock\.json`, `^    "": \{\n      "name": "[^"]*",\n      "version": "`+number+`",$`),
	at(`editors/tree-sitter-sdp/tree-sitter\.json`, `^    "version": "`+number+`",$`),
	at(`editors/zed/(Cargo|extension)\.toml`, `^version = "`+number+`"$`),
	at(`editors/zed/Cargo\.lock`, `^name = "zed-sdp"\nversion = "`+number+`"$`),
	// The first line of generated code. Code that tests compare as a whole names no version.
	at(`(bench|compiler|conformance|examples|mesh|mxp|playground)/.*`, `\A[^\n]*enerated by sdp `+number+` from [^\n]*\n`),
	at(`cmd/sdp/testdata/script/services\.txtar`, `^require github\.com/serial-data-protocol/sdp/mxp/go v`+number+`$`),
	at(`cmd/sdp/testdata/script/services\.txtar`, `"serial-data-protocol": "`+number+`"`),
	seriesAt(`(docs|mxp/rust|runtime/rust(-build)?|cmd/sdp/testdata/script)/.*\.(md|rs|txtar)`, `^[^\n]*\b`+crates+` = (?:\{ version = )?"`+numbers+`"`),
	seriesAt(`cmd/sdp/testdata/script/.*\.txtar`, `package = "`+crates+`", version = "`+numbers+`"`),
	seriesAt(`(docs|examples)/.*(\.md|\.go|CMakeLists\.txt)`, `find_package\((?:sdp|mxp) `+numbers+`\b`),
}

// versionPlace is one place in one file.
type versionPlace struct {
	place      *place
	file       string
	start, end int
	text       string
}

// sayings are all that files of the repository say of its version.
func sayings(ctx context.Context, root string) (result []versionPlace, err error) {
	files, err := filesOf(ctx, root)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		var text []byte
		for i := range places {
			p := &places[i]
			if !p.files.MatchString(file) {
				continue
			}
			if text == nil {
				if text, err = os.ReadFile(filepath.Join(root, file)); err != nil {
					return nil, err
				}
			}
			for _, match := range p.text.FindAllSubmatchIndex(text, -1) {
				start, end := match[len(match)-2], match[len(match)-1]
				result = append(result, versionPlace{p, file, start, end, string(text[start:end])})
			}
		}
	}
	return result, nil
}

// filesOf are the regular files that the repository has, by their paths from the root.
func filesOf(ctx context.Context, root string) ([]string, error) {
	out, err := output(ctx, root, "git", "ls-files", "-z", "--format=%(objectmode) %(path)")
	if err != nil {
		return nil, err
	}
	var files []string
	for _, line := range strings.Split(strings.TrimSuffix(out, "\x00"), "\x00") {
		if path, ok := strings.CutPrefix(line, "100644 "); ok {
			files = append(files, path)
		}
	}
	return files, nil
}

// versionOf is the content of the file VERSION.
func versionOf(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "VERSION"))
	if err != nil {
		return "", err
	}
	return parseVersion(strings.TrimSuffix(string(text), "\n"))
}

var wholeVersion = regexp.MustCompile(`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$`)

func parseVersion(text string) (string, error) {
	if !wholeVersion.MatchString(text) {
		return "", fmt.Errorf("%q is no version: it is three numbers, as 0.4.0", text)
	}
	return text, nil
}

// seriesOf are the first numbers of a version, which all releases have that fit each other.
func seriesOf(version string) string {
	parts := strings.Split(version, ".")
	if parts[0] == "0" {
		return parts[0] + "." + parts[1]
	}
	return parts[0]
}

func (p *place) wants(version string) string {
	if p.series {
		return seriesOf(version)
	}
	return version
}

// drift is the places with another version than the file VERSION.
func drift(ctx context.Context, root string) error {
	version, err := versionOf(root)
	if err != nil {
		return err
	}
	all, err := sayings(ctx, root)
	if err != nil {
		return err
	}
	var wrong []error
	for _, s := range all {
		if want := s.place.wants(version); s.text != want {
			wrong = append(wrong, fmt.Errorf("%s says %s, and VERSION %s: `go run ./tools/release version %s` writes it everywhere", s.file, s.text, want, version))
		}
	}
	return errors.Join(wrong...)
}

var unreleased = regexp.MustCompile(`(?m)^## Unreleased$`)

// setVersion writes a version into all places, and names the changelog's section of unreleased
// changes after it.
func setVersion(ctx context.Context, root, version string) error {
	version, err := parseVersion(version)
	if err != nil {
		return err
	}
	all, err := sayings(ctx, root)
	if err != nil {
		return err
	}
	of := map[string][]versionPlace{}
	for _, s := range all {
		of[s.file] = append(of[s.file], s)
	}
	for file, here := range of {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return err
		}
		// From the end, so that places before stay where they are; places of one file are in the
		// order of their patterns.
		for len(here) > 0 {
			last := 0
			for i := range here {
				if here[i].start > here[last].start {
					last = i
				}
			}
			s := here[last]
			text = append(text[:s.start:s.start], append([]byte(s.place.wants(version)), text[s.end:]...)...)
			here = append(here[:last], here[last+1:]...)
		}
		if err := os.WriteFile(filepath.Join(root, file), text, 0o644); err != nil {
			return err
		}
	}
	changelog := filepath.Join(root, "CHANGELOG.md")
	text, err := os.ReadFile(changelog)
	if err != nil {
		return err
	}
	return os.WriteFile(changelog, unreleased.ReplaceAll(text, []byte("## "+version)), 0o644)
}
