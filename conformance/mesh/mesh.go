package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

const (
	nodes     = 3
	perNode   = 10
	lease     = 10 * time.Second // that of an announcement that asks for none, in each language
	patience  = time.Minute
	languages = "go rust cpp"
)

// program is an agent or a node. A node's machine is its number.
type program struct {
	name    string
	machine int
	words   []string
	env     []string
	process *exec.Cmd
}

// mesh is what runs.
type mesh struct {
	settings
	ctx      context.Context
	random   *rand.Rand
	nodes    []*program
	agents   []*program
	watching []*mxp.Client // one of each node
	load     *load
	epochs   *epochs
}

func nodeName(i int) string           { return fmt.Sprint("n", i+1) }
func (m *mesh) program() string       { return filepath.Join(m.built, "bin/sdp-mesh") }
func (m *mesh) socket(i int) string   { return filepath.Join(m.folder, nodeName(i), "node.sock") }
func (m *mesh) address(i int) string  { return "mxp+unix://" + m.socket(i) }
func (m *mesh) log(p *program) string { return filepath.Join(m.folder, p.name+".log") }

func newMesh(ctx context.Context, s settings) (*mesh, error) {
	m := &mesh{settings: s, ctx: ctx, random: rand.New(rand.NewPCG(s.seed, 0))}
	if s.inside {
		if err := wire(); err != nil {
			return nil, err
		}
		fmt.Println("each node has a network namespace of its own")
	} else {
		fmt.Println("nodes have loopback addresses, and no link is cut: namespaces take root, `ip`, and no -loopback")
	}
	if err := m.certify(ctx); err != nil {
		return nil, err
	}
	var joined []string
	for i := range nodes {
		joined = append(joined, host(s.inside, i)+":7422")
	}
	ca := filepath.Join(s.folder, "ca")
	for i := range nodes {
		name := nodeName(i)
		if err := os.Mkdir(filepath.Join(s.folder, name), 0o700); err != nil {
			return nil, err
		}
		m.nodes = append(m.nodes, &program{name: name, machine: i, words: []string{
			m.program(), "up", "--name", name, "--data", filepath.Join(s.folder, name, "data"), "--socket", m.socket(i),
			"--cluster", joined[i], "--join", strings.Join(joined, ","), "--relay", host(s.inside, i) + ":7444",
			"--cert", filepath.Join(ca, name+".pem"), "--key", filepath.Join(ca, name+".key"),
			"--authority", filepath.Join(ca, "authority.pem"), "--revoked", filepath.Join(ca, "revoked.pem"),
		}})
		for k := range perNode {
			language := strings.Fields(languages)[(i+k)%3]
			agent := fmt.Sprintf("%s-%s-%d", name, language, k)
			m.agents = append(m.agents, &program{
				name: agent, machine: i, env: []string{"MXP_MESH=" + m.address(i)},
				words: []string{effects(s.built)[language], "plugin", agent, "mxp+unix://" + filepath.Join(s.folder, name, agent+".sock")},
			})
		}
	}
	return m, nil
}

// start runs a program, for the first time or again.
func (m *mesh) start(p *program) error {
	out, err := os.OpenFile(m.log(p), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	p.process = command(m.inside, p.machine, p.words...)
	p.process.Env, p.process.Stdout, p.process.Stderr = append(os.Environ(), p.env...), out, out
	return p.process.Start()
}

// kill ends it at once.
func (p *program) kill() {
	if p.process != nil && p.process.Process != nil {
		p.process.Process.Kill()
		p.process.Wait()
	}
}

// begin runs nodes, agents and callers.
func (m *mesh) begin() error {
	for _, n := range m.nodes {
		if err := m.start(n); err != nil {
			return err
		}
		client, err := mxp.Dial(m.address(n.machine), mxp.ClientOptions{})
		if err != nil {
			return err
		}
		m.watching = append(m.watching, client)
	}
	for _, a := range m.agents {
		if err := m.start(a); err != nil {
			return err
		}
	}
	begun := time.Now()
	if err := m.until("all agents are known at all nodes", func() bool { return m.complete() == nil }); err != nil {
		return fmt.Errorf("%w: %w\n%s", err, m.complete(), m.logs())
	}
	log.Printf("%d agents are known at %d nodes after %v", len(m.agents), nodes, time.Since(begun).Round(time.Millisecond))
	m.epochs = watchEpochs(m)
	var err error
	m.load, err = beginLoad(m)
	return err
}

// end ends all.
func (m *mesh) end() {
	if m.load != nil {
		m.load.end()
	}
	if m.epochs != nil {
		m.epochs.end()
	}
	for _, client := range m.watching {
		client.Close()
	}
	for _, p := range append(m.agents, m.nodes...) {
		if p.process != nil && p.process.Process != nil {
			p.process.Process.Signal(syscall.SIGCONT)
		}
		p.kill()
	}
}

// until waits for a condition.
func (m *mesh) until(what string, is func() bool) error {
	for end := time.Now().Add(patience); !is(); time.Sleep(20 * time.Millisecond) {
		if m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		if time.Now().After(end) {
			return fmt.Errorf("it has not come in %v that %s", patience, what)
		}
	}
	return nil
}

// listing is the list of a node's known agents.
func (m *mesh) listing(node int) (*session.Listing, error) {
	ctx, cancel := context.WithTimeout(m.ctx, 2*time.Second)
	defer cancel()
	l, err := m.watching[node].DiscoverBy(ctx, &session.Query{Capability: "effect"})
	return &l, err
}

// complete reports whether each node knows all agents and no other, each by the same epoch, which no
// other has.
func (m *mesh) complete() error {
	first := map[string]uint64{}
	for i := range nodes {
		l, err := m.listing(i)
		if err != nil {
			return err
		}
		if len(l.Agents) != len(m.agents) {
			return fmt.Errorf("node %d knows %d agents", i+1, len(l.Agents))
		}
		holders := map[uint64]string{}
		for _, a := range l.Agents {
			if other, held := holders[a.Epoch]; held || a.Epoch == 0 {
				return fmt.Errorf("%s and %s have epoch %d", other, a.Name, a.Epoch)
			}
			holders[a.Epoch] = a.Name
			if i == 0 {
				first[a.Name] = a.Epoch
			} else if first[a.Name] != a.Epoch {
				return fmt.Errorf("%s has epoch %d at node 1 and %d at node %d", a.Name, first[a.Name], a.Epoch, i+1)
			}
		}
	}
	return nil
}

// logs are the last lines of each program's.
func (m *mesh) logs() string {
	var all strings.Builder
	for _, p := range append(m.nodes, m.agents...) {
		text, _ := os.ReadFile(m.log(p))
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		fmt.Fprintf(&all, "%s: %s\n", p.name, strings.Join(lines[max(0, len(lines)-3):], "\n  "))
	}
	return all.String()
}
