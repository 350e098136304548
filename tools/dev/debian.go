package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// needed is a command, or the absolute path of a file, and the package of Debian's
// that has it.
type needed struct{ name, from string }

var (
	gcc         = needed{"g++", "g++"}
	cmake       = needed{"cmake", "cmake"}
	ccache      = needed{"ccache", "ccache"}
	clang       = needed{"clang++-16", "clang-16"}
	clangRT     = needed{"/usr/lib/llvm-16/lib/clang/16/lib/linux/libclang_rt.asan-x86_64.a", "libclang-rt-16-dev"}
	clangFormat = needed{"clang-format-16", "clang-format-16"}
	googletest  = needed{"/usr/include/gtest/gtest.h", "libgtest-dev"}
	xxhash      = needed{"/usr/include/xxhash.h", "libxxhash-dev"}
	asio        = needed{"/usr/include/asio.hpp", "libasio-dev"}
	boost       = needed{"/usr/include/boost/asio/deferred.hpp", "libboost1.81-dev"}
	opensslCode = needed{"/usr/include/openssl/ssl.h", "libssl-dev"}
	openssl     = needed{"openssl", "openssl"}
	qemu        = needed{"qemu-s390x", "qemu-user"}
	strace      = needed{"strace", "strace"}
	chromium    = needed{"chromium", "chromium"}
	firefox     = needed{"firefox-esr", "firefox-esr"}
	neovim      = needed{"nvim", "neovim"}
	qemuARM     = needed{"qemu-aarch64", "qemu-user"}
	rpm         = needed{"rpm", "rpm"}
	ruby        = needed{"ruby", "ruby"}
	wine        = needed{"wine", "wine"}
	wine64      = needed{"/usr/lib/wine/wine64", "wine64"}
	mingw       = needed{"x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64"}
	protoc      = needed{"protoc", "protobuf-compiler"}
	flatc       = needed{"flatc", "flatbuffers-compiler"}
	capnp       = needed{"capnp", "capnproto"}
	emacs       = needed{"emacs", "emacs-nox"}
	lua         = needed{"lua5.4", "lua5.4"}
	eglot       = needed{"/usr/share/doc/elpa-eglot", "elpa-eglot"}
)

// always are what so many parts need that each has it.
var always = []needed{gcc, cmake, ccache, clang, clangRT, clangFormat, googletest, xxhash, asio, boost, opensslCode, openssl}

// install looks for the languages, which nobody can install here, and installs
// packages of Debian's that are missing.
func install(ctx context.Context, parts []*part) error {
	for _, language := range []struct{ command, where string }{{"cargo", "https://rustup.rs"}, {"git", "https://git-scm.com"}, {"python3", "https://python.org"}, {"npm", "https://nodejs.org"}} {
		if _, err := exec.LookPath(language.command); err != nil {
			return fmt.Errorf("%s is missing; see %s", language.command, language.where)
		}
	}
	if exec.CommandContext(ctx, "python3", "-c", "import tomllib").Run() != nil {
		return errors.New("python3 is missing, or older than 3.11")
	}
	if exec.CommandContext(ctx, "node", "-e", "process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)").Run() != nil {
		return errors.New("node is missing, or older than 20; see https://nodejs.org")
	}
	folders := []string{typescriptFolder}
	for _, p := range parts {
		if p.packages != "" && !slices.Contains(folders, p.packages) {
			folders = append(folders, p.packages)
		}
	}
	for _, folder := range folders {
		if err := installPackages(ctx, folder); err != nil {
			return err
		}
	}
	missing := slices.Clone(always)
	for _, p := range parts {
		missing = append(missing, p.needs...)
	}
	missing = slices.DeleteFunc(missing, needed.there)
	if len(missing) == 0 {
		return nil
	}
	arguments := []string{missing[0].name}
	for _, n := range missing {
		if !slices.Contains(arguments[1:], n.from) {
			arguments = append(arguments, n.from)
		}
	}
	c := exec.CommandContext(ctx, "tools/from-debian", arguments...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c.Run()
}

// typescriptFolder has the packages that TypeScript is compiled and linted with, in the versions of its
// lock file.
const typescriptFolder = "runtime/typescript"

// installPackages installs the packages of npm's that a folder's lock file names, unless they
// are there.
func installPackages(ctx context.Context, folder string) error {
	wanted, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
	if err != nil {
		return err
	}
	mark := filepath.Join(folder, "node_modules", ".installed-lock.json")
	if there, err := os.ReadFile(mark); err == nil && bytes.Equal(there, wanted) {
		return nil
	}
	c := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund")
	c.Dir = folder
	if output, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, output)
	}
	return os.WriteFile(mark, wanted, 0o666)
}

func (n needed) there() bool {
	if n.name[0] == '/' {
		_, err := os.Stat(n.name)
		return err == nil
	}
	_, err := exec.LookPath(n.name)
	return err == nil
}
