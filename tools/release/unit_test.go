package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// exposureAtMost is what `systemd-analyze security` says of the node's unit, in tenths: from 0 to 100.
const exposureAtMost = "15"

// The unit is verified in a system that has the files of the package, and targets of systemd's.
func TestUnitOfTheNodeIsHardened(t *testing.T) {
	r := &release{work: t.TempDir(), version: "1.2.3"}
	clone, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(clone, r.source()); err != nil {
		t.Fatal(err)
	}
	files, err := r.packaged(t.Context(), sdpMesh)
	if err != nil {
		t.Fatal(err)
	}
	system := t.TempDir()
	for _, file := range files {
		if !strings.HasPrefix(file.name, "/usr/share/") {
			write(t, filepath.Join(system, file.name), content(t, file.from))
		}
	}
	for _, name := range []string{"sysinit", "basic", "shutdown", "network-online"} {
		write(t, filepath.Join(system, "usr/lib/systemd/system", name+".target"), "[Unit]\nDescription="+name+"\n")
	}
	for _, program := range []string{"usr/bin/sdp-mesh", "bin/kill"} {
		write(t, filepath.Join(system, program), "#!/bin/sh\n")
		if err := os.Chmod(filepath.Join(system, program), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Logf("systemd does not verify the unit: %v", err)
	} else {
		does(t, ".", nil, "systemd-analyze", "verify", "--root="+system, "sdp-mesh.service")
		does(t, ".", nil, "systemd-analyze", "security", "--offline=true", "--threshold="+exposureAtMost, "--root="+system, "sdp-mesh.service")
	}

	unit := content(t, filepath.Join(system, "usr/lib/systemd/system/sdp-mesh.service"))
	for _, want := range []string{"User=sdp-mesh", "NoNewPrivileges=yes", "ProtectSystem=strict", "StateDirectory=sdp-mesh", "RuntimeDirectory=sdp-mesh"} {
		if !strings.Contains(unit, "\n"+want+"\n") {
			t.Errorf("the unit lacks %s", want)
		}
	}
	_, start, _ := strings.Cut(unit, "\nExecStart=")
	start, _, _ = strings.Cut(start, "\n")
	for _, word := range strings.Fields(start) {
		if _, err := os.Stat(filepath.Join(system, word)); strings.HasPrefix(word, "/") && err != nil {
			t.Errorf("the unit names a file that no package has: %v", err)
		}
	}
	if account := content(t, filepath.Join(system, "usr/lib/sysusers.d/sdp-mesh.conf")); !strings.HasPrefix(account, "u sdp-mesh ") {
		t.Errorf("the account is %q", account)
	}
	for _, script := range []string{"postinstall", "preremove"} {
		does(t, ".", nil, "sh", "-n", r.meshPackaging(script))
	}
}
