package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
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
	opensslCode = needed{"/usr/include/openssl/ssl.h", "libssl-dev"}
	openssl     = needed{"openssl", "openssl"}
	qemu        = needed{"qemu-s390x", "qemu-user"}
	strace      = needed{"strace", "strace"}
)

// always are what so many parts need that each has it.
var always = []needed{gcc, cmake, ccache, clang, clangRT, clangFormat, googletest, xxhash, asio, opensslCode, openssl}

// install looks for the languages, which nobody can install here, and installs
// packages of Debian's that are missing.
func install(ctx context.Context, parts []*part) error {
	for _, language := range []struct{ command, where string }{{"cargo", "https://rustup.rs"}, {"git", "https://git-scm.com"}, {"python3", "https://python.org"}} {
		if _, err := exec.LookPath(language.command); err != nil {
			return fmt.Errorf("%s is missing; see %s", language.command, language.where)
		}
	}
	if exec.CommandContext(ctx, "python3", "-c", "import tomllib").Run() != nil {
		return errors.New("python3 is missing, or older than 3.11")
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

func (n needed) there() bool {
	if n.name[0] == '/' {
		_, err := os.Stat(n.name)
		return err == nil
	}
	_, err := exec.LookPath(n.name)
	return err == nil
}
