package main

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// target is a machine that the tool is built for, with its names in the channels.
type target struct {
	os, arch       string // as Go calls them
	npmOS, npmArch string
	wheel          string // the platform tag of a wheel
	debArch        string // "" where there is no such package
}

var targets = []target{
	// A static program runs on any Linux, be its C library glibc or musl.
	{"linux", "amd64", "linux", "x64", "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64", "amd64"},
	{"linux", "arm64", "linux", "arm64", "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64", "arm64"},
	{"darwin", "amd64", "darwin", "x64", "macosx_12_0_x86_64", ""},
	{"darwin", "arm64", "darwin", "arm64", "macosx_12_0_arm64", ""},
	{"windows", "amd64", "win32", "x64", "win_amd64", ""},
	{"windows", "arm64", "win32", "arm64", "win_arm64", ""},
}

func (t target) String() string { return t.os + "_" + t.arch }

// program is the name of the tool's file there.
func (t target) program() string {
	if t.os == "windows" {
		return "sdp.exe"
	}
	return "sdp"
}

// binary is the tool for a target.
func (r *release) binary(t target) string {
	return filepath.Join(r.work, "bin", t.String(), t.program())
}

// archive is the name of the archive for a target.
func (r *release) archive(t target) string {
	ending := ".tar.gz"
	if t.os == "windows" {
		ending = ".zip"
	}
	return "sdp_" + r.version + "_" + t.String() + ending
}

// binaries builds the tool for each target, and an archive of it. The tool says by
// itself which commit it is of, what it was made from and by which Go (`go version -m sdp`).
func (r *release) binaries(ctx context.Context) error {
	env, err := r.goEnv(ctx)
	if err != nil {
		return err
	}
	for _, t := range targets {
		built := append(env[:len(env):len(env)], "GOOS="+t.os, "GOARCH="+t.arch)
		if _, err := outputWith(ctx, r.source(), built, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", r.binary(t), "./cmd/sdp"); err != nil {
			return err
		}
		info, err := buildinfo.ReadFile(r.binary(t))
		if err != nil {
			return err
		}
		// Go takes it from the tag, and adds to it where the source is changed.
		if info.Main.Version != "v"+r.version {
			return fmt.Errorf("%s says that it is version %s", r.binary(t), info.Main.Version)
		}
	}
	if err := r.notices(); err != nil {
		return err
	}
	if err := r.manual(ctx); err != nil {
		return err
	}
	for _, t := range targets {
		if err := r.pack(t); err != nil {
			return err
		}
	}
	return nil
}

// manual lets the tool for this machine write its man pages, which are the same for every machine.
func (r *release) manual(ctx context.Context) error {
	program, err := r.native(ctx)
	if err != nil {
		return err
	}
	_, err = output(ctx, r.work, program, "help", "man", r.manFolder())
	return err
}

// manFolder is where the man pages are made, and manPlace where they lie below a prefix.
func (r *release) manFolder() string { return filepath.Join(r.work, "man1") }

const manPlace = "share/man/man1"

// papers are the files that lie beside the tool wherever it goes.
var papers = []string{"LICENSE", "LICENSE-APACHE", "LICENSE-MIT"}

const thirdParty = "THIRD-PARTY.txt"

func (r *release) paper(name string) string {
	if name == thirdParty {
		return filepath.Join(r.work, name)
	}
	return filepath.Join(r.source(), name)
}

// notices gathers the licences of all modules that are in one of the programs, and of Go's library.
func (r *release) notices() error {
	folders := map[string]string{}
	for _, t := range targets {
		info, err := buildinfo.ReadFile(r.binary(t))
		if err != nil {
			return err
		}
		for _, module := range info.Deps {
			if strings.HasPrefix(module.Path, repository) {
				continue
			}
			escaped, err := escape(module.Path, module.Version)
			if err != nil {
				return err
			}
			folders[module.Path+" "+module.Version] = filepath.Join(r.modcache(), escaped)
		}
		root, err := output(context.Background(), r.work, "go", "env", "GOROOT")
		if err != nil {
			return err
		}
		folders["Go "+info.GoVersion] = strings.TrimSpace(root)
	}
	var names []string
	for name := range folders {
		names = append(names, name)
	}
	sort.Strings(names)
	var text strings.Builder
	text.WriteString("sdp contains the following, under the licences below.\n")
	for _, name := range names {
		found, err := licences(folders[name])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(&text, "\n---- %s\n\n%s", name, found)
	}
	return os.WriteFile(r.paper(thirdParty), []byte(text.String()), 0o644)
}

// licences are the texts of a folder's licences and notices.
func licences(folder string) (string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	var all strings.Builder
	for _, entry := range entries {
		name := strings.ToUpper(entry.Name())
		isOne := strings.HasPrefix(name, "LICENSE") || strings.HasPrefix(name, "LICENCE") || strings.HasPrefix(name, "COPYING") || strings.HasPrefix(name, "NOTICE")
		if !isOne || !entry.Type().IsRegular() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return "", err
		}
		all.Write(text)
		if !strings.HasSuffix(all.String(), "\n") {
			all.WriteByte('\n')
		}
	}
	if all.Len() == 0 {
		return "", fmt.Errorf("%s has no licence", folder)
	}
	return all.String(), nil
}
