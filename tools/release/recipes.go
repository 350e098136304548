package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// recipeTexts are a port of vcpkg and a recipe of Conan, by which either installs the library for C++
// from the archive of sources.
//
//go:embed conan vcpkg
var recipeTexts embed.FS

// portName is what vcpkg and Conan call the library.
const portName = "serial-data-protocol"

var hole = regexp.MustCompile(`@[A-Z][A-Z0-9_]*@`)

// recipe is the name of an archive of a recipe: kind is vcpkg or conan.
func (r *release) recipe(kind string) string { return "sdp-" + kind + "_" + r.version }

// recipes makes an archive of the port and one of the recipe, with the version and the digests of the sources.
func (r *release) recipes(context.Context) error {
	values, err := r.sourceValues()
	if err != nil {
		return err
	}
	for _, kind := range []string{"vcpkg", "conan"} {
		var files []archiveFile
		err := fs.WalkDir(recipeTexts, kind, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := recipeTexts.ReadFile(path)
			if err != nil {
				return err
			}
			filled := hole.ReplaceAllStringFunc(string(text), func(name string) string {
				value, known := values[name]
				if !known {
					err = errors.Join(err, fmt.Errorf("%s has %s, which nothing fills", path, name))
				}
				return value
			})
			if err != nil {
				return err
			}
			to := filepath.Join(r.work, "recipes", filepath.FromSlash(path))
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			files = append(files, archiveFile{r.recipe(kind) + "/" + portName + strings.TrimPrefix(path, kind), to, 0o644})
			return os.WriteFile(to, []byte(filled), 0o644)
		})
		if err != nil {
			return err
		}
		if err := tarred(r.file(r.recipe(kind)+".tar.gz"), files, r.time); err != nil {
			return err
		}
	}
	return nil
}

// sourceArchive is the name of the archive of sources.
func (r *release) sourceArchive() string { return "sdp_" + r.version + "_source.tar.gz" }

// sourceValues are the values of holes in recipes. The archive of sources is to be whole, and of the
// release's version.
func (r *release) sourceValues() (map[string]string, error) {
	name := r.sourceArchive()
	in, err := os.Open(r.file(name))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	short, long := sha256.New(), sha512.New()
	whole := io.TeeReader(in, io.MultiWriter(short, long))
	version, err := archivedVersion(whole, strings.TrimSuffix(name, ".tar.gz"))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if version != r.version {
		return nil, fmt.Errorf("%s has version %q, and the release is %s", name, version, r.version)
	}
	if _, err := io.Copy(io.Discard, whole); err != nil {
		return nil, err
	}
	return map[string]string{
		"@VERSION@": r.version, "@REPOSITORY@": repository, "@SOURCE@": name, "@SOURCE_ADDRESS@": r.address(name),
		"@SHA256@": hex.EncodeToString(short.Sum(nil)), "@SHA512@": hex.EncodeToString(long.Sum(nil)),
	}, nil
}

// archivedVersion is the text of the file VERSION in an archive, which is read to its end.
func archivedVersion(archive io.Reader, folder string) (version string, err error) {
	text, err := gzip.NewReader(archive)
	if err != nil {
		return "", err
	}
	for files := tar.NewReader(text); ; {
		file, err := files.Next()
		if errors.Is(err, io.EOF) {
			_, err = io.Copy(io.Discard, text)
			return version, err
		}
		if err != nil {
			return "", err
		}
		if file.Name == folder+"/VERSION" {
			said, err := io.ReadAll(files)
			if err != nil {
				return "", err
			}
			version = strings.TrimSpace(string(said))
		}
	}
}
