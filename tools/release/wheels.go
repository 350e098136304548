package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// wheelTools pack wheels, with their lists of digests, and build archives of Python's sources.
var wheelTools = []string{"wheel==0.45.1", "setuptools==80.9.0"}

// distribution is what PyPI calls the tool.
const distribution = "sdp_compiler"

// wheel is a package for pip.
type wheel struct {
	// distribution is what PyPI calls it, with underlines.
	distribution string
	// metadata is for PyPI's page, without licences.
	metadata string
	// interpreter and abi are two parts of its tag, such as py3 and none. The third is each of platforms.
	interpreter, abi string
	platforms        []string
	files            []archiveFile
	// papers are licences, by their names.
	papers []archiveFile
}

// wheels makes a wheel of the tool for each target, and wheels of the libraries in Python.
func (r *release) wheels(ctx context.Context) error {
	if _, err := output(ctx, r.work, "python3", "-m", "venv", filepath.Join(r.work, "venv")); err != nil {
		return err
	}
	if _, err := output(ctx, r.work, append([]string{r.python(), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"}, wheelTools...)...); err != nil {
		return err
	}
	for _, t := range targets {
		// pip lays the program where it lays scripts.
		program := archiveFile{distribution + "-" + r.version + ".data/scripts/" + sdp.file(t), r.binary(sdp, t), 0o755}
		tool := wheel{
			distribution: distribution, metadata: r.toolMetadata(), interpreter: "py3", abi: "none", platforms: strings.Split(t.wheel, "."),
			files: []archiveFile{program}, papers: r.licences(r.paper(sdp, thirdParty)),
		}
		if err := r.packWheel(ctx, tool); err != nil {
			return err
		}
	}
	return r.pythonLibraries(ctx)
}

// python is an interpreter with the tools for wheels.
func (r *release) python() string { return filepath.Join(r.work, "venv", "bin", "python") }

// licences are the project's, and the notices of modules or crates in a file, if they have some.
func (r *release) licences(notices string) (files []archiveFile) {
	if notices != "" {
		files = append(files, archiveFile{thirdParty, notices, 0o644})
	}
	for _, paper := range papers {
		files = append(files, archiveFile{paper, r.paper(sdp, paper), 0o644})
	}
	return files
}

// packWheel makes the file of a wheel.
func (r *release) packWheel(ctx context.Context, w wheel) error {
	name := w.distribution + "-" + r.version
	platform := strings.Join(w.platforms, ".")
	folder := filepath.Join(r.work, "wheels", strings.Join([]string{w.distribution, w.interpreter, w.abi, platform}, "-"))
	files := append([]archiveFile(nil), w.files...)
	for _, paper := range w.papers {
		files = append(files, archiveFile{name + ".dist-info/licenses/" + paper.name, paper.from, paper.mode})
	}
	for file, text := range map[string]string{"METADATA": w.about(), "WHEEL": w.tags()} {
		from := folder + "." + strings.ToLower(file)
		if err := os.MkdirAll(filepath.Dir(from), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(from, []byte(text), 0o644); err != nil {
			return err
		}
		files = append(files, archiveFile{name + ".dist-info/" + file, from, 0o644})
	}
	if err := lay(folder, files); err != nil {
		return err
	}
	_, err := outputWith(ctx, r.work, []string{r.epoch()}, r.python(), "-m", "wheel", "pack", "--dest-dir", r.folder, folder)
	return err
}

// epoch is how tools are told of which time all files are.
func (r *release) epoch() string {
	return "SOURCE_DATE_EPOCH=" + strconv.FormatInt(r.time.Unix(), 10)
}

func (r *release) toolMetadata() string {
	return "Metadata-Version: 2.4\nName: " + strings.ReplaceAll(distribution, "_", "-") + "\nVersion: " + r.version + "\n" +
		"Summary: The compiler of SDP, a schema language with a binary format\nLicense-Expression: MIT OR Apache-2.0\n" +
		"Project-URL: Source, https://" + repository + "\nRequires-Python: >=3.8\n"
}

// about is the metadata with the licences, which stand in front of a description.
func (w *wheel) about() string {
	head, description, _ := strings.Cut(w.metadata, "\n\n")
	text := strings.TrimSuffix(head, "\n") + "\n"
	for _, paper := range w.papers {
		text += "License-File: " + paper.name + "\n"
	}
	if description != "" {
		text += "\n" + description
	}
	return text
}

// tags say which interpreters and platforms a wheel is for.
func (w *wheel) tags() string {
	text := fmt.Sprintf("Wheel-Version: 1.0\nGenerator: sdp/tools/release\nRoot-Is-Purelib: %s\n", map[bool]string{true: "true", false: "false"}[w.isPure()])
	for _, platform := range w.platforms {
		text += fmt.Sprintf("Tag: %s-%s-%s\n", w.interpreter, w.abi, platform)
	}
	return text
}

// isPure tells whether a wheel is for all machines.
func (w *wheel) isPure() bool { return len(w.platforms) == 1 && w.platforms[0] == "any" }
