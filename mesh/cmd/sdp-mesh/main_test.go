package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/mesh/internal/place"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// asProgram is the variable of processes of this test's that are the program.
const asProgram = "SDP_MESH_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func program(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], arguments...)
	cmd.Env, cmd.Stderr = append(os.Environ(), asProgram+"=1"), t.Output()
	return cmd
}

func prints(t *testing.T, arguments ...string) []byte {
	t.Helper()
	out, err := program(t, arguments...).Output()
	if err != nil {
		t.Fatalf("%v: %v", arguments, err)
	}
	return out
}

func TestVersionIsThatOfTheProject(t *testing.T) {
	text, err := os.ReadFile("../../../VERSION")
	if err != nil {
		t.Fatal(err)
	}
	if out := prints(t, "--version"); string(out) != "sdp-mesh "+string(text) {
		t.Errorf("it says %q, and the file VERSION %q", out, text)
	}
}

// Two commands: a node, and what finds the agents of it.
func TestAnAgentIsFoundSoonAfterUp(t *testing.T) {
	folder := t.TempDir()
	at := place.Address(folder, "n.sock")
	begun := time.Now()
	up := program(t, "up", "--name", "n1", "--data", filepath.Join(folder, "data"), "--socket", place.Local(folder, "n.sock"))
	if err := up.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { up.Process.Kill(); up.Wait() })
	client, err := mxp.Dial(at, mxp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	for {
		_, err := client.RegisterBy(t.Context(), &session.Registration{Name: "mixer", Capabilities: []string{"mix"}, Lease: 30_000_000})
		if err == nil {
			break
		}
		if time.Since(begun) > 30*time.Second {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	var found listingView
	if err := json.Unmarshal(prints(t, "agents", "--node", at, "--json", "--capability", "mix"), &found); err != nil || len(found.Agents) != 1 || found.Agents[0].Name != "mixer" {
		t.Errorf("it finds %+v, %v", found, err)
	}
	if lease := found.Agents[0].Lease; lease <= 0 || lease > 30 || found.Age < 0 || found.Age > 60 {
		t.Errorf("the lease is %v s of 30, and what is known is %v s old", lease, found.Age)
	}
	t.Logf("found after %v", time.Since(begun).Round(time.Millisecond))
	var how statusView
	for len(how.Nodes) == 0 {
		if err := json.Unmarshal(prints(t, "status", "--node", at, "--json"), &how); err != nil || !how.Available || how.Agents != 1 {
			t.Fatalf("it is %+v, %v", how, err)
		}
	}
	if text := string(prints(t, "status", "--node", at)); !strings.Contains(text, "node n1") {
		t.Errorf("it prints %q", text)
	}
	prints(t, "drain", "--node", at)
	if err := up.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
}

func TestADirectoryThatWasNeverReadHasNoAge(t *testing.T) {
	for us, want := range map[uint64]string{0: "0s old", 1_500_000: "1.5s old", uint64(time.Duration(math.MaxInt64).Microseconds()): "not known yet", math.MaxUint64: "not known yet"} {
		if got := directoryAge(us); got != want {
			t.Errorf("%d µs are %q, and should be %q", us, got, want)
		}
	}
}

func TestAnAuthorityIsMadeByCommands(t *testing.T) {
	folder := t.TempDir()
	authority := "--authority=" + filepath.Join(folder, "ca")
	prints(t, "ca", "init", authority)
	prints(t, "ca", "issue", authority, "--out", folder, "--for-node", "--host", "desk-1", "desk-1")
	prints(t, "ca", "issue", authority, "--out", folder, "mixer")
	prints(t, "ca", "revoke", authority, "mixer")
	var list []struct {
		Name    string
		Node    bool
		Revoked *time.Time
	}
	if err := json.Unmarshal(prints(t, "ca", "list", authority, "--json"), &list); err != nil || len(list) != 2 {
		t.Fatalf("there are %+v, %v", list, err)
	}
	if !list[0].Node || list[0].Revoked != nil || list[1].Node || list[1].Revoked == nil {
		t.Errorf("there are %+v", list)
	}
	for _, key := range []string{"ca/authority.key", "desk-1.key", "mixer.key"} {
		info, err := os.Stat(filepath.Join(folder, key))
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", key, info, err)
		}
	}
	if err := program(t, "ca", "init", authority).Run(); err == nil {
		t.Error("an authority is made over another")
	}
}

func TestWhatOthersCouldReachIsRefusedWithoutCertificates(t *testing.T) {
	folder := t.TempDir()
	cmd := program(t, "up", "--data", folder, "--socket", place.Local(folder, "n.sock"), "--listen", "0.0.0.0:0")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err == nil || !strings.Contains(said.String(), "sdp-mesh ca") {
		t.Errorf("it ends with %v, and says %q", err, said.String())
	}
}
