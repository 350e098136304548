package house_test

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rustCrates are the crates that programs of users have, and the files of each that may have
// unsafe code.
var rustCrates = map[string][]string{
	"runtime/rust/src/":       {"memory.rs"},
	"runtime/rust-build/src/": nil,
	"mxp/c/src/":              {"exports.rs", "foreign.rs", "owner.rs", "shapes.rs", "signals.rs", "waitable_event.rs"},
	"mxp/rust/src/":           {"net/transport/pipe/event.rs", "net/transport/pipe/instance.rs", "net/transport/pipe/system.rs", "net/transport/shm/memory.rs", "net/transport/shm/posix/mapping.rs", "net/transport/shm/windows/events.rs", "net/transport/shm/windows/handles.rs", "net/transport/shm/windows/mapping.rs", "net/transport/unix/file.rs", "net/trim.rs"},
}

// unsafeLint is an attribute that lets a crate, a module or a function have unsafe code, or not.
var unsafeLint = regexp.MustCompile(`(?s)#!?\[(allow|warn|expect|deny|forbid)\(([^\]]*)\]`)

// TestUnsafeRustStandsInFewFiles keeps the lints that the compiler then keeps the code by: each
// crate refuses unsafe code, but for the few files that say why they have it.
func TestUnsafeRustStandsInFewFiles(t *testing.T) {
	for crate, may := range rustCrates {
		var has []string
		isRefused := false
		for _, name := range files(t) {
			inside, ok := strings.CutPrefix(name, crate)
			if !ok || path.Ext(name) != ".rs" {
				continue
			}
			for _, lint := range unsafeLint.FindAllStringSubmatch(string(read(t, name)), -1) {
				switch {
				case !strings.Contains(lint[2], "unsafe_code"):
				case inside == "lib.rs":
					isRefused = strings.HasPrefix(lint[0], "#![") && (lint[1] == "deny" || lint[1] == "forbid")
				case lint[1] != "expect" || !strings.Contains(lint[2], "reason = "):
					t.Errorf("%s: %q is to be an expectation with a reason", name, lint[0])
				default:
					has = append(has, inside)
				}
			}
		}
		slices.Sort(has)
		has = slices.Compact(has)
		if !isRefused {
			t.Errorf("%slib.rs does not refuse unsafe code", crate)
		}
		if !slices.Equal(has, may) {
			t.Errorf("%s has unsafe code in %q, and may have it in %q", crate, has, may)
		}
	}
	for _, lint := range []string{"unsafe_op_in_unsafe_fn", "undocumented_unsafe_blocks"} {
		if !strings.Contains(string(read(t, "Cargo.toml")), "\n"+lint+" = \"deny\"\n") {
			t.Errorf("Cargo.toml does not deny %s", lint)
		}
	}
}
