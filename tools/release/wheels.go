package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// wheelTool packs wheels, with their lists of digests.
const wheelTool = "wheel==0.45.1"

// distribution is what PyPI calls the tool.
const distribution = "sdp_compiler"

// wheels makes a wheel for each target, which has nothing but the program: pip lays it
// where it lays scripts.
func (r *release) wheels(ctx context.Context) error {
	venv := filepath.Join(r.work, "venv")
	if _, err := output(ctx, r.work, "python3", "-m", "venv", venv); err != nil {
		return err
	}
	python := filepath.Join(venv, "bin", "python")
	if _, err := output(ctx, r.work, python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheelTool); err != nil {
		return err
	}
	for _, t := range targets {
		folder := filepath.Join(r.work, "wheels", t.String())
		name := distribution + "-" + r.version
		about := filepath.Join(r.work, "wheels", t.String()+".metadata")
		tags := filepath.Join(r.work, "wheels", t.String()+".tags")
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(about, []byte(r.metadata()), 0o644); err != nil {
			return err
		}
		if err := os.WriteFile(tags, []byte(wheelTags(t)), 0o644); err != nil {
			return err
		}
		files := []archiveFile{
			{name + ".data/scripts/" + t.program(), r.binary(t), 0o755},
			{name + ".dist-info/METADATA", about, 0o644}, {name + ".dist-info/WHEEL", tags, 0o644},
		}
		for _, paper := range append([]string{thirdParty}, papers...) {
			files = append(files, archiveFile{name + ".dist-info/licenses/" + paper, r.paper(paper), 0o644})
		}
		if err := lay(folder, files); err != nil {
			return err
		}
		if _, err := outputWith(ctx, r.work, []string{r.epoch()}, python, "-m", "wheel", "pack", "--dest-dir", r.folder, folder); err != nil {
			return err
		}
	}
	return nil
}

// epoch is how tools are told of which time all files are.
func (r *release) epoch() string {
	return "SOURCE_DATE_EPOCH=" + strconv.FormatInt(r.time.Unix(), 10)
}

func (r *release) metadata() string {
	var text strings.Builder
	text.WriteString("Metadata-Version: 2.4\nName: " + strings.ReplaceAll(distribution, "_", "-") + "\nVersion: " + r.version + "\n")
	text.WriteString("Summary: The compiler of SDP, a schema language with a binary format\nLicense-Expression: MIT OR Apache-2.0\n")
	for _, paper := range append([]string{thirdParty}, papers...) {
		text.WriteString("License-File: " + paper + "\n")
	}
	text.WriteString("Project-URL: Source, https://" + repository + "\nRequires-Python: >=3.8\n")
	return text.String()
}

// wheelTags say what a wheel runs on: any Python, and one or several platforms.
func wheelTags(t target) string {
	text := "Wheel-Version: 1.0\nGenerator: sdp/tools/release\nRoot-Is-Purelib: false\n"
	for _, platform := range strings.Split(t.wheel, ".") {
		text += fmt.Sprintf("Tag: py3-none-%s\n", platform)
	}
	return text
}
