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

// requirement is a command, or the absolute path of a file, and the package of Debian's
// that has it.
type requirement struct{ name, from string }

var (
	gcc         = requirement{"g++", "g++"}
	cmake       = requirement{"cmake", "cmake"}
	ccache      = requirement{"ccache", "ccache"}
	clang       = requirement{"clang++-16", "clang-16"}
	clangRT     = requirement{"/usr/lib/llvm-16/lib/clang/16/lib/linux/libclang_rt.asan-x86_64.a", "libclang-rt-16-dev"}
	clangFormat = requirement{"clang-format-16", "clang-format-16"}
	googletest  = requirement{"/usr/include/gtest/gtest.h", "libgtest-dev"}
	xxhash      = requirement{"/usr/include/xxhash.h", "libxxhash-dev"}
	asio        = requirement{"/usr/include/asio.hpp", "libasio-dev"}
	boost       = requirement{"/usr/include/boost/asio/deferred.hpp", "libboost1.81-dev"}
	opensslCode = requirement{"/usr/include/openssl/ssl.h", "libssl-dev"}
	openssl     = requirement{"openssl", "openssl"}
	qemu        = requirement{"qemu-s390x", "qemu-user"}
	strace      = requirement{"strace", "strace"}
	java        = requirement{"java", "openjdk-17-jre-headless"}
	maven       = requirement{"mvn", "maven"}
	chromium    = requirement{"chromium", "chromium"}
	firefox     = requirement{"firefox-esr", "firefox-esr"}
	neovim      = requirement{"nvim", "neovim"}
	qemuARM     = requirement{"qemu-aarch64", "qemu-user"}
	gccARM      = requirement{"aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"}
	gxxARM      = requirement{"aarch64-linux-gnu-g++", "g++-aarch64-linux-gnu"}
	rpm         = requirement{"rpm", "rpm"}
	lintian     = requirement{"lintian", "lintian"}
	iproute     = requirement{"ss", "iproute2"}
	ruby        = requirement{"ruby", "ruby"}
	wine        = requirement{"wine", "wine"}
	wine64      = requirement{"/usr/lib/wine/wine64", "wine64"}
	mingw       = requirement{"x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64"}
	mingwCpp    = requirement{"x86_64-w64-mingw32-g++-posix", "g++-mingw-w64-x86-64-posix"}
	protoc      = requirement{"protoc", "protobuf-compiler"}
	flatc       = requirement{"flatc", "flatbuffers-compiler"}
	capnp       = requirement{"capnp", "capnproto"}
	emacs       = requirement{"emacs", "emacs-nox"}
	lua         = requirement{"lua5.4", "lua5.4"}
	eglot       = requirement{"/usr/share/doc/elpa-eglot", "elpa-eglot"}
)

// always are what so many parts need that each has it.
var always = []requirement{gcc, cmake, ccache, clang, clangRT, clangFormat, googletest, xxhash, asio, boost, opensslCode, openssl}

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
	if slices.ContainsFunc(parts, func(p *part) bool { return p.python }) {
		if err := installPython(ctx); err != nil {
			return err
		}
	}
	missing := slices.Clone(always)
	for _, p := range parts {
		missing = append(missing, p.needs...)
	}
	missing = slices.DeleteFunc(missing, requirement.there)
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

func (n requirement) there() bool {
	if n.name[0] == '/' {
		_, err := os.Stat(n.name)
		return err == nil
	}
	_, err := exec.LookPath(n.name)
	return err == nil
}
