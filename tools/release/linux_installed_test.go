//go:build release

package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// debianSystem is an empty one, and dpkg in it.
func debianSystem(t *testing.T) (system string, dpkg func(arguments ...string) string) {
	t.Helper()
	has(t, "dpkg")
	system = t.TempDir()
	for _, folder := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers"} {
		if err := os.MkdirAll(filepath.Join(system, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(system, "var/lib/dpkg/status"), "")
	write(t, filepath.Join(system, "var/lib/dpkg/available"), "")
	write(t, filepath.Join(system, "var/lib/dpkg/arch"), "amd64\narm64\n")
	return system, func(arguments ...string) string {
		t.Helper()
		options := []string{"dpkg", "--root=" + system, "--force-not-root", "--force-architecture", "--force-script-chrootless", "--log=" + filepath.Join(system, "log")}
		return does(t, system, nil, append(options, arguments...)...)
	}
}

func TestDebianPackageInstalls(t *testing.T) {
	r := releaseMade(t)
	for _, on := range targets[:2] {
		system, dpkg := debianSystem(t)
		dpkg("--install", r.file(r.deb(sdp, on)))
		generates(t, r, runsHere(t, on, filepath.Join(system, "usr/bin/sdp"))...)
		hasManual(t, filepath.Join(system, "usr"), ".gz")
		if out := dpkg("--audit"); out != "" {
			t.Errorf("dpkg says %s", out)
		}
		dpkg("--remove", "sdp")
		if _, err := os.Stat(filepath.Join(system, "usr/bin/sdp")); err == nil {
			t.Error("the tool is still there when its package is removed")
		}
	}
}

// says fails unless a program says that it is of the release.
func says(t *testing.T, r *release, p program, command ...string) {
	t.Helper()
	if out := does(t, t.TempDir(), nil, append(command, "--version")...); !strings.Contains(out, p.name) || !strings.Contains(out, r.version) {
		t.Errorf("%s says %q", p.name, out)
	}
}

func TestArchivesOfProgramsBesideTheToolRun(t *testing.T) {
	r := releaseMade(t)
	for _, p := range programs[1:] {
		for _, on := range targets {
			file := archivedProgram(t, r, p, on)
			if on == machine(t) || emulators[on.String()] != "" {
				says(t, r, p, runsHere(t, on, file)...)
			}
		}
	}
}

func TestDebianPackagesOfProgramsBesideTheToolInstall(t *testing.T) {
	r := releaseMade(t)
	for _, on := range targets[:2] {
		system, dpkg := debianSystem(t)
		write(t, filepath.Join(system, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n")
		write(t, filepath.Join(system, "etc/group"), "root:x:0:\n")
		for _, p := range programs[1:] {
			dpkg("--install", r.file(r.deb(p, on)))
			says(t, r, p, runsHere(t, on, filepath.Join(system, "usr/bin", p.name))...)
		}
		if out := dpkg("--audit"); out != "" {
			t.Errorf("dpkg says %s", out)
		}
		if _, err := exec.LookPath("systemd-sysusers"); err != nil {
			t.Logf("the account of the node is not tried: %v", err)
		} else if accounts := content(t, filepath.Join(system, "etc/passwd")); !strings.Contains(accounts, "\nsdp-mesh:") {
			t.Errorf("there is no account of the node in %q", accounts)
		}
		// An administrator's text stays, also when the package goes.
		config := filepath.Join(system, "etc/sdp-mesh/node.toml")
		write(t, config, "name = \"mine\"\n")
		dpkg("--install", "--force-confold", r.file(r.deb(sdpMesh, on)))
		dpkg("--remove", "sdp-mesh", "sdp-mcp")
		if text := content(t, config); text != "name = \"mine\"\n" {
			t.Errorf("the configuration is %q", text)
		}
		if started, err := filepath.Glob(filepath.Join(system, "etc/systemd/system/*.wants/*")); len(started) > 0 {
			t.Errorf("%q would start unasked (%v)", started, err)
		}
		dpkg("--purge", "sdp-mesh")
		for _, file := range []string{"usr/bin/sdp-mesh", "usr/bin/sdp-mcp", "etc/sdp-mesh/node.toml"} {
			if _, err := os.Stat(filepath.Join(system, file)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s is still there (%v)", file, err)
			}
		}
	}
}

// The node runs by the configuration of its package, and nobody but this machine reaches it.
func TestPackagedNodeListensOnThisMachineAlone(t *testing.T) {
	r := releaseMade(t)
	system := t.TempDir()
	does(t, system, nil, "dpkg-deb", "--extract", r.file(r.deb(sdpMesh, machine(t))), system)
	config := filepath.Join(system, "etc/sdp-mesh/node.toml")
	text := content(t, config)
	for _, place := range []string{"/var/lib/sdp-mesh", "/run/sdp-mesh/"} {
		if !strings.Contains(text, `"`+place) {
			t.Fatalf("the configuration does not say %s, which the unit has", place)
		}
		text = strings.ReplaceAll(text, `"`+place, `"`+system+place)
	}
	write(t, config, strings.ReplaceAll(text, "127.0.0.1:7480", "127.0.0.1:0"))
	node := exec.Command(filepath.Join(system, "usr/bin/sdp-mesh"), "up", "--config", config)
	var problems strings.Builder
	node.Stderr = &problems
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	defer node.Process.Kill()
	socket := filepath.Join(system, "run/sdp-mesh/node.sock")
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if _, err := outputWith(t.Context(), system, nil, node.Path, "status", "--node", "mxp+unix://"+socket); err == nil {
			break
		} else if time.Now().After(end) {
			t.Fatalf("the node does not answer: %v\n%s", err, problems.String())
		}
	}
	has(t, "ss")
	mine := regexp.MustCompile(`\bpid=` + strconv.Itoa(node.Process.Pid) + `,`)
	count := 0
	for _, line := range strings.Split(does(t, system, nil, "ss", "-Hltnp"), "\n") {
		if !mine.MatchString(line) {
			continue
		}
		count++
		if at := strings.Fields(line)[3]; !strings.HasPrefix(at, "127.0.0.1:") && !strings.HasPrefix(at, "[::1]:") {
			t.Errorf("the node listens on %s", at)
		}
	}
	if count == 0 {
		t.Error("the node's /healthz listens nowhere")
	}
	if err := node.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := node.Wait(); err != nil {
		t.Errorf("%v\n%s", err, problems.String())
	}
}

func TestDebianPackagesHaveNoErrorsOfLintian(t *testing.T) {
	r := releaseMade(t)
	has(t, "lintian")
	for _, p := range programs {
		for _, on := range targets[:2] {
			does(t, ".", nil, "lintian", "--allow-root", "--fail-on", "error", r.file(r.deb(p, on)))
		}
	}
}

func TestRPMInstalls(t *testing.T) {
	r := releaseMade(t)
	has(t, "rpm")
	for _, on := range targets[:2] {
		system := t.TempDir()
		rpm := func(arguments ...string) string {
			t.Helper()
			return does(t, system, nil, append([]string{"rpm", "--root", system, "--dbpath", "/db"}, arguments...)...)
		}
		for _, p := range programs {
			file := r.file(r.rpm(p, on))
			if host := does(t, system, nil, "rpm", "--query", "--package", "--queryformat", "%{BUILDHOST}", file); host != buildHost {
				t.Errorf("the package says that %s made it", host)
			}
			// A script would run where there is no shell.
			rpm("--ignorearch", "--nodeps", "--noscripts", "--install", file)
			rpm("--verify", "--nodeps", "--noscripts", p.name)
			says(t, r, p, runsHere(t, on, filepath.Join(system, "usr/bin", p.name))...)
		}
		generates(t, r, runsHere(t, on, filepath.Join(system, "usr/bin/sdp"))...)
		hasManual(t, filepath.Join(system, "usr"), ".gz")
		if configs := strings.Fields(rpm("--query", "--configfiles", "sdp-mesh")); !slices.Equal(configs, []string{"/etc/sdp-mesh/node.toml"}) {
			t.Errorf("the configuration is %q", configs)
		}
	}
}
