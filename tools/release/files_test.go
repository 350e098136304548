package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// does runs a program in a folder, with variables besides, and returns what it prints.
func does(t *testing.T, folder string, env []string, command ...string) string {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 15*time.Minute)
	defer stop()
	out, err := outputWith(ctx, folder, env, command...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// unpack unpacks an archive of the release into a folder.
func unpack(t *testing.T, archive, folder string) {
	t.Helper()
	each := func(name string, mode os.FileMode, from io.Reader) {
		to := filepath.Join(folder, filepath.FromSlash(name))
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			t.Fatalf("%s has %s", archive, name)
		}
		text, err := io.ReadAll(from)
		if err != nil {
			t.Fatal(err)
		}
		write(t, to, string(text))
		if err := os.Chmod(to, mode); err != nil {
			t.Fatal(err)
		}
	}
	if strings.HasSuffix(archive, ".zip") {
		packed, err := zip.OpenReader(archive)
		if err != nil {
			t.Fatal(err)
		}
		defer packed.Close()
		for _, one := range packed.File {
			from, err := one.Open()
			if err != nil {
				t.Fatal(err)
			}
			each(one.Name, one.Mode().Perm(), from)
			from.Close()
		}
		return
	}
	packed, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	text, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	for from := tar.NewReader(text); ; {
		one, err := from.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		switch one.Typeflag {
		case tar.TypeReg:
			each(one.Name, os.FileMode(one.Mode).Perm(), from)
		case tar.TypeSymlink:
			to := filepath.Join(folder, filepath.FromSlash(one.Name))
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(one.Linkname, to); err != nil {
				t.Fatal(err)
			}
		}
	}
}
