package main

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"
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

// binary is a program for a target.
func (r *release) binary(p program, t target) string {
	return filepath.Join(r.work, "bin", t.String(), p.file(t))
}

// archive is the name of a program's archive for a target.
func (r *release) archive(p program, t target) string {
	ending := ".tar.gz"
	if t.os == "windows" {
		ending = ".zip"
	}
	return p.name + "_" + r.version + "_" + t.String() + ending
}

// binaries builds the programs for each target, and archives of them. A program says by
// itself which commit it is of, what it was made from and by which Go (`go version -m sdp`).
func (r *release) binaries(ctx context.Context) error {
	env, err := r.goEnv(ctx)
	if err != nil {
		return err
	}
	for _, p := range programs {
		start := time.Now()
		if err := r.compile(ctx, p, env); err != nil {
			return err
		}
		fmt.Printf("%-12s %5.1f s\n", p.name, time.Since(start).Seconds())
		if err := r.notices(p); err != nil {
			return err
		}
	}
	if err := r.manual(ctx); err != nil {
		return err
	}
	for _, p := range programs {
		for _, t := range targets {
			if err := r.pack(p, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// compile builds a program for each target, from its module as that is tagged.
func (r *release) compile(ctx context.Context, p program, env []string) error {
	clone, err := r.tagged(ctx, p.module)
	if err != nil {
		return err
	}
	for _, t := range targets {
		built := append(env[:len(env):len(env)], "GOOS="+t.os, "GOARCH="+t.arch)
		if _, err := outputWith(ctx, filepath.Join(clone, p.module), built, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", r.binary(p, t), "./cmd/"+p.name); err != nil {
			return err
		}
		info, err := buildinfo.ReadFile(r.binary(p, t))
		if err != nil {
			return err
		}
		// Go takes it from the tag, and adds to it where the source is changed.
		if info.Main.Version != "v"+r.version {
			return fmt.Errorf("%s says that it is version %s", r.binary(p, t), info.Main.Version)
		}
	}
	return nil
}

// tagged is the repository at the tag of a module.
func (r *release) tagged(ctx context.Context, module string) (string, error) {
	if module == "." {
		return r.source(), nil
	}
	// Go says no version of a tree that `git worktree` made.
	clone := filepath.Join(r.work, "source-"+module)
	if _, err := output(ctx, r.work, "git", "clone", "--quiet", "--no-checkout", r.source(), clone); err != nil {
		return "", err
	}
	_, err := output(ctx, clone, "git", "checkout", "--quiet", "--detach", tagOf(module, r.version))
	return clone, err
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

// papers are the files that lie beside a program wherever it goes.
var papers = []string{"LICENSE", "LICENSE-APACHE", "LICENSE-MIT"}

const thirdParty = "THIRD-PARTY.txt"

func (r *release) paper(p program, name string) string {
	if name == thirdParty {
		return filepath.Join(r.work, p.name+"-"+name)
	}
	return filepath.Join(r.source(), name)
}

// notices gathers the licences of all modules that are in a program for any target, and of Go's library.
func (r *release) notices(p program) error {
	folders := map[string]string{}
	for _, t := range targets {
		info, err := buildinfo.ReadFile(r.binary(p, t))
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
	text.WriteString(p.name + " contains the following, under the licences below.\n")
	for _, name := range names {
		found, err := licences(folders[name])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(&text, "\n---- %s\n\n%s", name, found)
	}
	return os.WriteFile(r.paper(p, thirdParty), []byte(text.String()), 0o644)
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
