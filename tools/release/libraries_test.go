//go:build release

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// registryOfCrates is a folder of crates as `cargo vendor` makes it: the crates of the release, from their
// files, and their requirements, from cargo's own cache or the network. Cargo has no other registry then.
func registryOfCrates(t *testing.T, r *release) (config string) {
	t.Helper()
	folder := t.TempDir()
	vendored := filepath.Join(folder, "crates")
	does(t, r.source(), nil, "cargo", "vendor", "--quiet", "--locked", "--versioned-dirs", vendored)
	for _, crate := range cratesReleased {
		name := crate + "-" + r.version
		unpack(t, r.file(name+".crate"), vendored)
		text, err := os.ReadFile(r.file(name + ".crate"))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(text)
		write(t, filepath.Join(vendored, name, ".cargo-checksum.json"), `{"files":{},"package":"`+hex.EncodeToString(sum[:])+`"}`)
	}
	config = filepath.Join(folder, "config.toml")
	write(t, config, "[source.crates-io]\nreplace-with = \"here\"\n\n[source.here]\ndirectory = \""+vendored+"\"\n\n[net]\noffline = true\n")
	return config
}

// cargoRuns builds and runs a crate on the crates of the release.
func cargoRuns(t *testing.T, r *release, config, folder string, env ...string) string {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(folder, "Cargo.lock")); err != nil {
		t.Fatal(err)
	}
	env = append(env, "CARGO_TARGET_DIR="+filepath.Join(r.work, "cargo"))
	return does(t, folder, env, "cargo", "--config", config, "run", "--quiet", "--offline")
}

func TestCratesGenerateCompileAndCall(t *testing.T) {
	r := releaseMade(t)
	examples := filepath.Join(sourceFolder(t, r), "examples")
	config, tool := registryOfCrates(t, r), archived(t, r, machine(t))
	version := `"` + r.version + `"`

	built := t.TempDir()
	edited(t, filepath.Join(examples, "rust-build"), built, map[string][]string{
		"Cargo.toml": {`{ path = "../../runtime/rust" }`, version, `{ path = "../../runtime/rust-build" }`, version},
	})
	prints(t, built, cargoRuns(t, r, config, built, "SDP="+tool))
	// Without the tool, sdp-build says where it has looked and how it is installed.
	does(t, built, nil, "touch", "build.rs")
	cargo := strings.TrimSpace(does(t, built, nil, "rustup", "which", "cargo"))
	_, err := outputWith(t.Context(), built, []string{"CARGO_TARGET_DIR=" + filepath.Join(r.work, "cargo"), "PATH=" + filepath.Dir(cargo) + ":/usr/bin:/bin"}, cargo, "--config", config, "build", "--offline")
	if err == nil || !strings.Contains(err.Error(), "the SDP compiler was not found") || !strings.Contains(err.Error(), "cmd/sdp@v"+r.version) {
		t.Errorf("without the tool, it says %v", err)
	}

	services := t.TempDir()
	edited(t, filepath.Join(examples, "services"), services, map[string][]string{
		"sdp.toml": {"runtime = \"::sdp\"\n", "runtime = \"::sdp\"\n"},
		"rust/Cargo.toml": {
			`{ path = "../../../mxp/rust", features`, `{ version = ` + version + `, features`, `{ path = "../../../runtime/rust" }`, version,
		},
	})
	write(t, filepath.Join(services, "go.mod"), "module example.com/desk\n")
	does(t, services, nil, tool, "gen")
	prints(t, services, cargoRuns(t, r, config, filepath.Join(services, "rust")))
}

func TestCMakePackagesGenerateCompileAndCall(t *testing.T) {
	r := releaseMade(t)
	has(t, "cmake")
	unpacked := t.TempDir()
	name := "sdp-cpp_" + r.version
	unpack(t, r.file(name+".tar.gz"), unpacked)
	examples, tool := filepath.Join(sourceFolder(t, r), "examples"), archived(t, r, machine(t))
	cmakeRuns(t, filepath.Join(unpacked, name), examples, tool)
}

// From the archive of sources, both packages are installed by CMake.
func TestSourcesInstallByCMake(t *testing.T) {
	r := releaseMade(t)
	source, prefix := sourceFolder(t, r), t.TempDir()
	does(t, source, nil, "cmake", "-S", "mxp/cpp", "-B", "build")
	does(t, source, nil, "cmake", "--install", "build", "--prefix", prefix)
	cmakeRuns(t, prefix, filepath.Join(source, "examples"), archived(t, r, machine(t)))
}

// cmakeRuns builds and runs examples on the packages below a prefix.
func cmakeRuns(t *testing.T, prefix, examples, tool string) {
	t.Helper()
	options := []string{"-DCMAKE_PREFIX_PATH=" + prefix, "-DSDP_COMPILER=" + tool, "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF"}
	codecs := filepath.Join(examples, "cmake")
	does(t, codecs, nil, append([]string{"cmake", "-S", ".", "-B", "build"}, options...)...)
	does(t, codecs, nil, "cmake", "--build", "build")
	prints(t, codecs, does(t, codecs, nil, filepath.Join("build", "mixer")))

	services := t.TempDir()
	edited(t, filepath.Join(examples, "services"), services, map[string][]string{
		"cpp/CMakeLists.txt": {"add_subdirectory(../../../mxp/cpp mxp)", "find_package(mxp CONFIG REQUIRED COMPONENTS net)"},
	})
	write(t, filepath.Join(services, "go.mod"), "module example.com/desk\n")
	does(t, services, nil, tool, "gen")
	cpp := filepath.Join(services, "cpp")
	does(t, cpp, nil, append([]string{"cmake", "-S", ".", "-B", "build"}, options...)...)
	does(t, cpp, nil, "cmake", "--build", "build")
	prints(t, services, does(t, cpp, nil, filepath.Join("build", "services")))
}
