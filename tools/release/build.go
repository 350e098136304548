package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// build makes all files of a release in a folder.
func build(ctx context.Context, root, folder string) error {
	if err := refuse(ctx, root); err != nil {
		return err
	}
	r, err := begin(ctx, root, folder)
	if err != nil {
		return err
	}
	for _, step := range []struct {
		name string
		make func(context.Context) error
	}{
		{"tags", r.tag},
		{"archives", r.binaries},
		{"npm", r.npm},
		{"wheels", r.wheels},
		{"deb, rpm", r.linuxPackages},
		{"crates", r.crates},
		{"C++", r.cpp},
		{"sources", r.sources},
		{"vcpkg, Conan", r.recipes},
		{"formula", r.formula},
		{"winget", r.winget},
		{"SBOM", r.bills},
		{"provenance", r.provenance},
		{"sums", r.sums},
	} {
		start := time.Now()
		if err := step.make(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		fmt.Printf("%-12s %5.1f s\n", step.name, time.Since(start).Seconds())
	}
	fmt.Printf("sdp %s is in %s\n", r.version, r.folder)
	return nil
}

// try installs the files of a release, each where nothing else is, and uses what they install.
func try(ctx context.Context, root, folder string) error {
	c := exec.CommandContext(ctx, "go", "test", "-tags=release", "-count=1", "-timeout=2h", "-v", "./tools/release", "-made="+folder)
	c.Dir, c.Stdout, c.Stderr = root, os.Stdout, os.Stderr
	return c.Run()
}

const sumsFile = "SHA256SUMS"

// sums writes the digests of all files of the release, as sha256sum prints them.
func (r *release) sums(context.Context) error {
	all, err := r.digests()
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, one := range all {
		fmt.Fprintf(&text, "%s  %s\n", one.sum, one.name)
	}
	return os.WriteFile(r.file(sumsFile), []byte(text.String()), 0o644)
}

// digest is a file of the release, and its SHA-256.
type digest struct{ name, sum string }

func (r *release) digests() (list []digest, err error) {
	entries, err := os.ReadDir(r.folder)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if entry.IsDir() || entry.Name() == sumsFile {
			continue
		}
		text, err := os.ReadFile(r.file(entry.Name()))
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		list = append(list, digest{entry.Name(), hex.EncodeToString(sum[:])})
	}
	return list, nil
}
