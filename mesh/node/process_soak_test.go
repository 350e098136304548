//go:build soak && linux

package node_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/mesh/config"
	"github.com/serial-data-protocol/sdp/mesh/internal/port"
	"github.com/serial-data-protocol/sdp/mesh/node"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// asNode is the variable of processes of this test's that are nodes.
const asNode = "MESH_TEST_NODE"

// asUnsynced, if it has a value, lets a node acknowledge before the disk has it.
const asUnsynced = "MESH_TEST_UNSYNCED"

// asAgent is that of a process that registers, and holds the name until it is killed.
const asAgent = "MESH_TEST_AGENT"

func TestMain(m *testing.M) {
	if at := os.Getenv(asAgent); at != "" {
		client, err := mxp.Dial(at, mxp.ClientOptions{})
		if err != nil {
			panic(err)
		}
		ctx, cancel := contextOf(20 * time.Second)
		defer cancel()
		if _, err := client.RegisterBy(ctx, &session.Registration{Name: "killed", Lease: 3_600_000_000}); err != nil {
			panic(err)
		}
		select {}
	}
	text := os.Getenv(asNode)
	if text == "" {
		os.Exit(m.Run())
	}
	// It ends with its parent, which may be a tracer.
	syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0)
	parts := strings.Split(text, " ")
	c := config.Default()
	c.Name, c.Data, c.Socket, c.Unsynced = parts[0], parts[1], parts[2], os.Getenv(asUnsynced) != ""
	if len(parts) > 3 { // it is not alone
		c.Cluster, c.Join = parts[3], strings.Split(parts[4], ",")
	}
	told, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	n, err := node.Start(*c, "test", silent)
	if err != nil {
		panic(err)
	}
	select {
	case <-n.Ended():
	case <-told.Done():
		ctx, cancel := contextOf(10 * time.Second)
		defer cancel()
		n.Shutdown(ctx)
	}
}

// process is a node in a process of its own.
type process struct {
	*exec.Cmd
	at string
}

// spawn runs this program again with a variable, under another program if there are words of one.
func spawn(t *testing.T, variable string, words ...string) *exec.Cmd {
	t.Helper()
	words = append(words, os.Args[0])
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env, cmd.Stderr = append(os.Environ(), variable), os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd
}

// onFolders are nodes of one mesh, or one alone, with folders of data, each under another program if
// there are words of one.
func onFolders(t *testing.T, folders []string, under func(i int) []string) (list []*process) {
	t.Helper()
	sockets, peers := t.TempDir(), port.Free(t, len(folders))
	for i, data := range folders {
		name := fmt.Sprintf("n%d", i+1)
		socket := filepath.Join(sockets, name+".sock")
		variable := fmt.Sprintf("%s=%s %s %s", asNode, name, data, socket)
		if len(folders) > 1 {
			variable += " " + peers[i] + " " + strings.Join(peers, ",")
		}
		var words []string
		if under != nil {
			words = under(i)
		}
		list = append(list, &process{spawn(t, variable, words...), "mxp+unix://" + socket})
	}
	return list
}

// processes are three nodes of one mesh.
func processes(t *testing.T) (list []*process) {
	t.Helper()
	folder := t.TempDir()
	list = onFolders(t, []string{filepath.Join(folder, "n1"), filepath.Join(folder, "n2"), filepath.Join(folder, "n3")}, nil)
	for _, p := range list {
		client := p.dial(t)
		until(t, "a node answers", func() bool {
			ctx, cancel := contextOf(time.Second)
			defer cancel()
			_, err := client.Discover(ctx, "")
			return err == nil
		})
	}
	return list
}

func (p *process) dial(t *testing.T) *mxp.Client {
	t.Helper()
	return dial(t, &running{at: p.at})
}

func register(t *testing.T, client *mxp.Client, name string, lease time.Duration) session.Lease {
	t.Helper()
	var got session.Lease
	until(t, name+" is registered", func() (ok bool) {
		ctx, cancel := contextOf(5 * time.Second)
		defer cancel()
		var err error
		got, err = client.RegisterBy(ctx, &session.Registration{Name: name, Lease: uint64(lease.Microseconds())})
		return err == nil
	})
	return got
}

func names(t *testing.T, client *mxp.Client) (list []string) {
	t.Helper()
	found, err := client.DiscoverBy(soon(t), &session.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range found.Agents {
		list = append(list, one.Name)
	}
	return list
}

// Each of three nodes is killed in its own round, also the leader: its agents are gone within their
// lease and a second, and the others keep theirs. [MESH-2.5]
func TestAKilledNodeIsNoticedAndTheOthersGoOn(t *testing.T) {
	const lease = 6 * time.Second
	for victim := range 3 {
		nodes := processes(t)
		dying, living, asking := nodes[victim], nodes[(victim+1)%3], nodes[(victim+2)%3].dial(t)
		first := register(t, living.dial(t), "first", time.Hour)
		agent := living.dial(t)
		kept := register(t, agent, "kept", lease)
		register(t, dying.dial(t), "gone", lease)
		until(t, "all are known", func() bool { return len(names(t, asking)) >= 2 })
		dying.Process.Kill()
		killed := time.Now()
		missed := 0
		for noticed := false; !noticed; time.Sleep(100 * time.Millisecond) {
			if time.Since(killed) > lease+time.Second {
				t.Fatalf("victim %d: %v after the kill there are %v", victim, time.Since(killed), names(t, asking))
			}
			ctx, cancel := contextOf(3 * time.Second)
			beat, err := agent.HeartbeatOf(ctx, "kept")
			cancel()
			switch {
			case err == nil && beat.Epoch != kept.Epoch:
				t.Errorf("its epoch is %d, and was %d", beat.Epoch, kept.Epoch)
			case err != nil:
				refused(t, err, session.ErrMeshUnavailable)
				missed++
			}
			noticed = true
			for _, name := range names(t, asking) {
				noticed = noticed && name != "gone"
			}
		}
		t.Logf("victim %d: noticed after %v; %d heartbeats found no majority", victim, time.Since(killed).Round(time.Millisecond), missed)
		ctx, cancel := contextOf(3 * time.Second)
		if beat, err := agent.HeartbeatOf(ctx, "kept"); err != nil || beat.Epoch != kept.Epoch {
			t.Errorf("victim %d: the other has %+v, %v", victim, beat, err)
		}
		cancel()
		_ = first
	}
}

func TestAKilledAgentIsNoticedAtOnce(t *testing.T) {
	n := start(t)
	agent := spawn(t, asAgent+"="+n.at)
	asker := dial(t, n)
	until(t, "it is there", func() bool { return len(names(t, asker)) == 1 })
	agent.Process.Kill()
	killed := time.Now()
	until(t, "it is gone", func() bool { return len(names(t, asker)) == 0 })
	t.Logf("noticed after %v", time.Since(killed).Round(time.Millisecond))
	if took := time.Since(killed); took > time.Second {
		t.Errorf("it took %v", took)
	}
}

// A node that is stopped for two leases does not hold what another has then. [MESH-2.3, MESH-2.5]
func TestAStoppedNodeHoldsNothingWhenItGoesOn(t *testing.T) {
	const lease = 3 * time.Second
	nodes := processes(t)
	old, other := nodes[0].dial(t), nodes[1].dial(t)
	first := register(t, old, "fenced", lease)
	begun := time.Now()
	nodes[0].Process.Signal(syscall.SIGSTOP)
	second := register(t, other, "fenced", time.Minute)
	if took := time.Since(begun); took < lease-500*time.Millisecond {
		t.Errorf("another had it %v after it was stopped", took)
	}
	if second.Epoch <= first.Epoch {
		t.Errorf("epoch %d follows %d", second.Epoch, first.Epoch)
	}
	time.Sleep(time.Until(begun.Add(2 * lease)))
	nodes[0].Process.Signal(syscall.SIGCONT)
	ctx, cancel := contextOf(10 * time.Second)
	defer cancel()
	_, err := old.HeartbeatOf(ctx, "fenced")
	if f, ok := err.(*mxp.Failure); !ok || f.Name == session.ErrMeshUnavailable.String() {
		until(t, "the old owner is refused", func() bool {
			_, err = old.HeartbeatOf(soon(t), "fenced")
			f, ok := err.(*mxp.Failure)
			return ok && f.Name != session.ErrMeshUnavailable.String()
		})
	}
	if f := err.(*mxp.Failure); f.Name != session.ErrAgentUnknown.String() && f.Name != session.ErrLost.String() {
		t.Errorf("the old owner's heartbeat ends with %v", err)
	}
	until(t, "the old epoch is refused as taken", func() bool {
		_, err := old.RegisterBy(soon(t), &session.Registration{Name: "fenced", Lease: 1_000_000, Epoch: first.Epoch})
		f, ok := err.(*mxp.Failure)
		if err == nil {
			t.Fatal("the old owner has it again")
		}
		return ok && f.Name == session.ErrAgentTaken.String()
	})
	if beat, err := other.HeartbeatOf(soon(t), "fenced"); err != nil || beat.Epoch != second.Epoch {
		t.Errorf("the new owner has %+v, %v", beat, err)
	}
}
