package main

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// sourcesMade is a release that has only an archive of sources so far: what CMake needs of them.
func sourcesMade(t *testing.T) *release {
	t.Helper()
	version, err := versionOf(root)
	if err != nil {
		t.Fatal(err)
	}
	r := &release{folder: t.TempDir(), work: t.TempDir(), version: version, time: time.Unix(1, 0)}
	all, err := filesOf(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	var files []archiveFile
	for _, file := range all {
		if regexp.MustCompile(`^((mxp|runtime)/cpp/.*|CMakeLists\.txt|VERSION|LICENSE.*)$`).MatchString(file) {
			files = append(files, archiveFile{"sdp_" + version + "_source/" + file, filepath.Join(root, file), 0o644})
		}
	}
	if err := tarred(r.file(r.sourceArchive()), files, r.time); err != nil {
		t.Fatal(err)
	}
	return r
}

// recipeFolder makes the recipes, and is a folder with the files of one.
func recipeFolder(t *testing.T, r *release, kind string) string {
	t.Helper()
	if err := r.recipes(t.Context()); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	unpack(t, r.file(r.recipe(kind)+".tar.gz"), folder)
	return filepath.Join(folder, r.recipe(kind), portName)
}

func content(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRecipesNameTheSources(t *testing.T) {
	r := sourcesMade(t)
	port := recipeFolder(t, r, "vcpkg")
	text := []byte(content(t, r.file(r.sourceArchive())))
	unpack(t, r.file(r.recipe("conan")+".tar.gz"), filepath.Dir(port))
	recipe := filepath.Join(filepath.Dir(port), r.recipe("conan"), portName)
	address := "https://" + repository + "/releases/download/v" + r.version + "/" + r.sourceArchive()
	for file, want := range map[string]string{
		filepath.Join(port, "portfile.cmake"):                   fmt.Sprintf("  URLS \"%s\"\n  FILENAME \"%s\"\n  SHA512 %x)\n", address, r.sourceArchive(), sha512.Sum512(text)),
		filepath.Join(port, "vcpkg.json"):                       fmt.Sprintf("  \"version\": %q,\n", r.version),
		filepath.Join(recipe, "conandata.yml"):                  fmt.Sprintf("  %q:\n    url: %q\n    sha256: \"%x\"\n", r.version, address, sha256.Sum256(text)),
		filepath.Join(recipe, "conanfile.py"):                   fmt.Sprintf("    version = %q\n", r.version),
		filepath.Join(port, "usage"):                            "find_package(mxp CONFIG REQUIRED",
		filepath.Join(recipe, "test_package", "CMakeLists.txt"): "find_package(mxp CONFIG REQUIRED",
	} {
		if got := content(t, file); !strings.Contains(got, want) || hole.MatchString(got) {
			t.Errorf("%s lacks\n%s\nor has a hole:\n%s", file, want, got)
		}
	}
}

// The manifest has fields that vcpkg's documentation of vcpkg.json has, and the features that the portfile asks for.
func TestManifestOfThePortIsOne(t *testing.T) {
	port := recipeFolder(t, sourcesMade(t), "vcpkg")
	var manifest struct {
		Name, Version, Description, Homepage, License string
		Dependencies                                  []json.RawMessage
		DefaultFeatures                               []string `json:"default-features"`
		Features                                      map[string]struct {
			Description  string
			Dependencies []json.RawMessage
		}
	}
	from := json.NewDecoder(strings.NewReader(content(t, filepath.Join(port, "vcpkg.json"))))
	from.DisallowUnknownFields()
	if err := from.Decode(&manifest); err != nil {
		t.Fatal(err)
	}
	identifier := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	dependencies := manifest.Dependencies
	for name, feature := range manifest.Features {
		if !identifier.MatchString(name) || feature.Description == "" {
			t.Errorf("vcpkg takes no feature %q, which says %q", name, feature.Description)
		}
		dependencies = append(dependencies, feature.Dependencies...)
	}
	for _, text := range dependencies {
		one := struct {
			Name            string
			Host            bool
			Features        []string
			DefaultFeatures *bool  `json:"default-features"`
			Minimum         string `json:"version>="`
		}{}
		if err := json.Unmarshal(text, &one.Name); err != nil {
			object := json.NewDecoder(strings.NewReader(string(text)))
			object.DisallowUnknownFields()
			if err := object.Decode(&one); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
		if !identifier.MatchString(one.Name) {
			t.Errorf("vcpkg takes no dependency %q", one.Name)
		}
	}
	asked := regexp.MustCompile(`(?m)^    ([a-z]+) MXP_[A-Z]+\)?$`).FindAllStringSubmatch(content(t, filepath.Join(port, "portfile.cmake")), -1)
	var features []string
	for _, one := range asked {
		features = append(features, one[1])
	}
	if got := slices.Sorted(maps.Keys(manifest.Features)); !slices.Equal(got, slices.Sorted(slices.Values(features))) || manifest.Name != portName || !slices.Contains(got, manifest.DefaultFeatures[0]) {
		t.Errorf("%s has the features %q, by default %q, and the portfile %q", manifest.Name, got, manifest.DefaultFeatures, features)
	}
}

// portInstalled runs the portfile by functions that stand in for vcpkg's.
func portInstalled(t *testing.T, r *release, port string, features ...string) (prefix string, err error) {
	t.Helper()
	work := t.TempDir()
	_, err = output(t.Context(), ".", "cmake", "-D", "PORT_FOLDER="+port, "-D", "DOWNLOADS="+r.folder, "-D", "WORK="+work, "-D", "FEATURES="+strings.Join(features, ";"),
		"-P", filepath.Join("testdata", "vcpkg.cmake"))
	return filepath.Join(work, "packages"), err
}

// trialPrints compiles Conan's test package on the packages below a prefix, and returns what it prints.
func trialPrints(t *testing.T, prefix string, features ...string) string {
	t.Helper()
	folder := t.TempDir()
	options := []string{"-S", filepath.Join("conan", "test_package"), "-B", folder, "-DCMAKE_PREFIX_PATH=" + prefix, "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF"}
	for _, name := range []string{"sockets", "tls", "websocket"} {
		options = append(options, fmt.Sprintf("-D%s=%t", strings.ToUpper(name), slices.Contains(features, name)))
	}
	does(t, ".", nil, append([]string{"cmake"}, options...)...)
	does(t, ".", nil, "cmake", "--build", folder)
	return does(t, folder, nil, filepath.Join(folder, "trial"))
}

func TestPortInstallsItsFeatures(t *testing.T) {
	r := sourcesMade(t)
	port := recipeFolder(t, r, "vcpkg")
	for _, features := range [][]string{nil, {"sockets"}, {"sockets", "tls", "websocket"}} {
		prefix, err := portInstalled(t, r, port, features...)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"include/sdp/sdp.hpp", "include/mxp/net.hpp", "share/mxp/net.cpp", "share/sdp/sdp_generate.cmake", "share/" + portName + "/usage"} {
			if _, err := os.Stat(filepath.Join(prefix, file)); err != nil {
				t.Error(err)
			}
		}
		if text := content(t, filepath.Join(prefix, "share", portName, "copyright")); !strings.Contains(text, "MIT") || !strings.Contains(text, "Apache License") {
			t.Errorf("the copyright is %q", text)
		}
		config := content(t, filepath.Join(prefix, "share", "mxp", "mxpConfig.cmake"))
		for component, name := range map[string]string{"net": "sockets", "tls": "tls", "websocket": "websocket"} {
			want := map[bool]string{true: "ON", false: "OFF"}[slices.Contains(features, name)]
			if line := "set(mxp_" + component + "_FOUND \"" + want + "\")"; !strings.Contains(config, line) {
				t.Errorf("with %q, CMake's package lacks %s", features, line)
			}
		}
		if features == nil {
			if got := trialPrints(t, prefix); got != "hashes\n" {
				t.Errorf("the program prints %q", got)
			}
		}
	}
}

func TestPortRefusesOtherSources(t *testing.T) {
	r := sourcesMade(t)
	port := recipeFolder(t, r, "vcpkg")
	name := r.file(r.sourceArchive())
	text := content(t, name)
	for about, one := range map[string]struct {
		change func() error
		refuse string
	}{
		"changed": {func() error { return os.WriteFile(name, []byte(text+"\x00"), 0o644) }, "_source.tar.gz has the hash"},
		"cut off": {func() error { return os.WriteFile(name, []byte(text[:len(text)/2]), 0o644) }, "_source.tar.gz has the hash"},
		"missing": {func() error { return os.Remove(name) }, "there is no " + r.sourceArchive()},
	} {
		if err := one.change(); err != nil {
			t.Fatal(err)
		}
		// CMake breaks lines of its errors.
		if _, err := portInstalled(t, r, port); err == nil || !strings.Contains(strings.Join(strings.Fields(err.Error()), " "), one.refuse) {
			t.Errorf("%s sources: it says %v", about, err)
		}
	}
}

func TestRecipesRefuseOtherSources(t *testing.T) {
	whole := sourcesMade(t)
	text := content(t, whole.file(whole.sourceArchive()))
	with := func(name, content string) func(*testing.T, *release) {
		return func(t *testing.T, r *release) {
			from := filepath.Join(t.TempDir(), "VERSION")
			write(t, from, content)
			if err := tarred(r.file(r.sourceArchive()), []archiveFile{{name, from, 0o644}}, r.time); err != nil {
				t.Fatal(err)
			}
		}
	}
	folder := "sdp_" + whole.version + "_source/"
	for name, one := range map[string]struct {
		make   func(*testing.T, *release)
		refuse string
	}{
		"missing":      {func(*testing.T, *release) {}, "_source.tar.gz: no such file"},
		"empty":        {func(t *testing.T, r *release) { write(t, r.file(r.sourceArchive()), "") }, "_source.tar.gz: EOF"},
		"cut off":      {func(t *testing.T, r *release) { write(t, r.file(r.sourceArchive()), text[:len(text)/2]) }, "_source.tar.gz: unexpected EOF"},
		"without end":  {func(t *testing.T, r *release) { write(t, r.file(r.sourceArchive()), text[:len(text)-4]) }, "_source.tar.gz: unexpected EOF"},
		"no archive":   {func(t *testing.T, r *release) { write(t, r.file(r.sourceArchive()), strings.Repeat("text", 100)) }, "_source.tar.gz: gzip: invalid header"},
		"of another":   {with(folder+"VERSION", "0.0.1\n"), `_source.tar.gz has version "0.0.1", and the release is ` + whole.version},
		"other folder": {with("sdp/VERSION", whole.version+"\n"), `_source.tar.gz has version "", and`},
		"taken": {func(t *testing.T, r *release) {
			write(t, r.file(r.sourceArchive()), text)
			write(t, r.file(r.recipe("conan")+".tar.gz"), "")
		}, whole.recipe("conan") + ".tar.gz: file exists"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &release{folder: t.TempDir(), work: t.TempDir(), version: whole.version, time: whole.time}
			one.make(t, r)
			if err := r.recipes(t.Context()); err == nil || !strings.Contains(err.Error(), one.refuse) {
				t.Errorf("it says %v, and not %q", err, one.refuse)
			}
		})
	}
}

// Even root writes nothing into /proc.
func TestFilesOfAReleaseSayWhyTheyAreNotWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, strings.Repeat("text", 10000))
	files := []archiveFile{{"file", file, 0o644}}
	for _, pack := range []func(string, []archiveFile, time.Time) error{tarred, zipped} {
		if err := pack(file, files, time.Unix(1, 0)); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), file) {
			t.Errorf("of a name that is taken, it says %v", err)
		}
		if err := pack("/proc/archive", files, time.Unix(1, 0)); err == nil || !strings.Contains(err.Error(), "/proc/archive") {
			t.Errorf("of a folder that takes no files, it says %v", err)
		}
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	if err := tarredInto(full, files, time.Unix(1, 0)); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "/dev/full") {
		t.Errorf("of a full disk, it says %v", err)
	}
	r := &release{folder: filepath.Dir(file)}
	if err := r.refuseTaken("file"); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), file) {
		t.Errorf("of a package that is there, it says %v", err)
	}
	if err := r.refuseTaken("other"); err != nil {
		t.Error(err)
	}
}
