//go:build release

package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// registry serves the npm packages of a release as npm's registry does, and says which
// archives were asked for. There is no other network.
func registry(t *testing.T, r *release) (address string, asked func() []string) {
	t.Helper()
	files, err := filepath.Glob(r.file("*.tgz"))
	if err != nil || len(files) != len(targets)+3 {
		t.Fatalf("there are %d packages of npm's (%v)", len(files), err)
	}
	about, archives := map[string]map[string]any{}, map[string][]byte{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		manifest := manifestIn(t, file)
		about[manifest["name"].(string)] = manifest
		archives["/-/"+filepath.Base(file)] = text
		sum := sha512.Sum512(text)
		manifest["dist"] = map[string]string{"tarball": filepath.Base(file), "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
	}
	var lock sync.Mutex
	var fetched []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if text, ok := archives[q.URL.Path]; ok {
			lock.Lock()
			fetched = append(fetched, strings.TrimPrefix(q.URL.Path, "/-/"))
			lock.Unlock()
			w.Write(text)
			return
		}
		manifest, ok := about[strings.TrimPrefix(q.URL.Path, "/")]
		if !ok {
			http.NotFound(w, q)
			return
		}
		one := map[string]any{}
		for name, value := range manifest {
			one[name] = value
		}
		dist := manifest["dist"].(map[string]string)
		one["dist"] = map[string]string{"tarball": "http://" + q.Host + "/-/" + dist["tarball"], "integrity": dist["integrity"]}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{"name": manifest["name"], "dist-tags": map[string]string{"latest": r.version}, "versions": map[string]any{r.version: one}})
	}))
	t.Cleanup(server.Close)
	return server.URL, func() []string {
		lock.Lock()
		defer lock.Unlock()
		slices.Sort(fetched)
		return slices.Compact(fetched)
	}
}

// manifestIn is the package.json in a package.
func manifestIn(t *testing.T, file string) (manifest map[string]any) {
	t.Helper()
	packed, err := os.Open(file)
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
		if err != nil {
			t.Fatalf("%s has no package.json: %v", file, err)
		}
		if one.Name != "package/package.json" {
			continue
		}
		text, err := io.ReadAll(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &manifest); err != nil {
			t.Fatal(err)
		}
		return manifest
	}
}

// npm installs packages of the release alone in a project.
func npmInstall(t *testing.T, folder, address string, names ...string) {
	t.Helper()
	write(t, filepath.Join(folder, "package.json"), `{"type": "module", "private": true}`)
	does(t, folder, []string{"npm_config_cache=" + t.TempDir(), "npm_config_registry=" + address, "npm_config_userconfig=/dev/null"},
		append([]string{"npm", "install", "--no-audit", "--no-fund", "--no-update-notifier"}, names...)...)
}

func TestNPMInstallsTheProgramOfThisMachineAlone(t *testing.T) {
	r, on := releaseMade(t), machine(t)
	address, asked := registry(t, r)
	folder := t.TempDir()
	npmInstall(t, folder, address, scope+"sdp")
	platform := "serial-data-protocol-sdp-" + on.npmOS + "-" + on.npmArch + "-" + r.version + ".tgz"
	if got := asked(); !slices.Equal(got, []string{"serial-data-protocol-sdp-" + r.version + ".tgz", platform}) {
		t.Errorf("npm has fetched %q", got)
	}
	tool := filepath.Join(folder, "node_modules", ".bin", "sdp")
	generates(t, r, tool)
	// The exit code of the program comes through.
	if out, err := output(t.Context(), folder, tool, "check", "missing.sdp"); err == nil || !strings.Contains(err.Error(), "exit status") {
		t.Errorf("a failure ends well, with %q", out)
	}
	if err := os.RemoveAll(filepath.Join(folder, "node_modules", scope, "sdp-"+on.npmOS+"-"+on.npmArch)); err != nil {
		t.Fatal(err)
	}
	if _, err := output(t.Context(), folder, tool, "--version"); err == nil || !strings.Contains(err.Error(), "the package "+scope+"sdp-"+on.npmOS) {
		t.Errorf("without the program's package it says %v", err)
	}
}

// Both files, as docs/install.md has it, without any registry.
func TestNPMInstallsFromFilesAlone(t *testing.T) {
	r, on := releaseMade(t), machine(t)
	folder := t.TempDir()
	write(t, filepath.Join(folder, "package.json"), `{"private": true}`)
	platform := r.file("serial-data-protocol-sdp-" + on.npmOS + "-" + on.npmArch + "-" + r.version + ".tgz")
	does(t, folder, []string{"npm_config_cache=" + t.TempDir(), "npm_config_userconfig=/dev/null"}, "npm", "install", "--offline", "--no-audit", "--no-fund",
		"--omit=optional", r.file("serial-data-protocol-sdp-"+r.version+".tgz"), platform)
	generates(t, r, filepath.Join(folder, "node_modules", ".bin", "sdp"))
}

func TestNPMPackagesCompileAndCall(t *testing.T) {
	r := releaseMade(t)
	address, _ := registry(t, r)
	folder := t.TempDir()
	npmInstall(t, folder, address, scope+"sdp", "serial-data-protocol", "mesh-exchange-protocol")
	source := sourceFolder(t, r)
	if err := copyFile(filepath.Join(source, "examples", "services", "mixer.sdp"), filepath.Join(folder, "mixer.sdp"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := copyFile(filepath.Join("testdata", "service.ts"), filepath.Join(folder, "src", "main.ts"), 0o644); err != nil {
		t.Fatal(err)
	}
	does(t, folder, nil, "node_modules/.bin/sdp", "gen", "mixer.sdp", "--services", "--out", "ts=src", "--typescript-runtime", "serial-data-protocol")
	// TypeScript itself is the repository's.
	packages := filepath.Join(r.source(), "runtime", "typescript", "node_modules")
	does(t, folder, nil, filepath.Join(packages, ".bin", "tsc"), "--strict", "--target", "es2022", "--lib", "es2022,dom,dom.asynciterable", "--module", "nodenext", "--exactOptionalPropertyTypes",
		"--types", "node", "--typeRoots", filepath.Join(packages, "@types"), "--outDir", "out", "src/main.ts")
	if out := does(t, folder, nil, "node", "out/main.js"); out != "-6\n4\n5\n6\n" {
		t.Errorf("it prints %q", out)
	}
}
