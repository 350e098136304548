package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// report is the measured results.
type report struct {
	Date       string   `json:"date"`
	Commit     string   `json:"commit"`
	Seed       uint64   `json:"seed"`
	Namespaces bool     `json:"namespaces"`
	Nodes      int      `json:"nodes"`
	Agents     int      `json:"agents"`
	Faults     []fault  `json:"faults"`
	Epochs     int      `json:"epochs"`
	Wrong      []string `json:"wrong,omitempty"`
}

// fault is one disturbance, from when all is well until it is again.
type fault struct {
	Kind   string `json:"kind"`
	Target string `json:"target,omitempty"`
	// Noticed is when no other node knew the agents any longer, Restored when all knew all again;
	// both since the fault, in seconds.
	Noticed    float64 `json:"noticed_seconds,omitempty"`
	Restored   float64 `json:"restored_seconds,omitempty"`
	Capability counts  `json:"by_capability"`
	Name       counts  `json:"by_name"`
}

// rounded is a time in seconds, to a millisecond.
func rounded(took time.Duration) float64 {
	return float64(took.Round(time.Millisecond).Milliseconds()) / 1000
}

// disturb does all that is to be survived.
func (m *mesh) disturb() (*report, error) {
	r := &report{Date: time.Now().UTC().Format(time.DateOnly), Seed: m.seed, Namespaces: m.inside, Nodes: nodes, Agents: len(m.agents)}
	if text, err := exec.Command("git", "describe", "--always", "--dirty=+changes", "--abbrev=12", "--exclude=*").Output(); err == nil {
		r.Commit = strings.TrimSpace(string(text))
	}
	time.Sleep(settling) // the first connections
	m.load.take()
	step := func(kind, target string, do func(f *fault) error) error {
		f := fault{Kind: kind, Target: target}
		if err := do(&f); err != nil {
			return fmt.Errorf("%s %s: %w\n%s", kind, target, err, m.logs())
		}
		time.Sleep(settling)
		var odd []string
		f.Name, f.Capability, odd = m.load.take()
		r.Wrong = append(r.Wrong, odd...)
		if limit := (lease + time.Second).Seconds(); f.Noticed > limit {
			r.Wrong = append(r.Wrong, fmt.Sprintf("%s %s is noticed after %.1f s", kind, target, f.Noticed))
		}
		for kind, c := range map[string]counts{"capability": f.Capability, "name": f.Name} {
			for what, n := range c.Failed {
				r.Wrong = append(r.Wrong, fmt.Sprintf("%s %s: %d calls by %s fail as %s", f.Kind, target, n, kind, what))
			}
		}
		log.Printf("%s %s: noticed %.2f s, restored %.2f s", kind, target, f.Noticed, f.Restored)
		r.Faults = append(r.Faults, f)
		return nil
	}
	err := step("none", "", func(*fault) error { time.Sleep(5 * time.Second); return nil })
	for _, i := range m.random.Perm(len(m.agents))[:6] {
		err = errors.Join(err, step("kill a program", m.agents[i].name, func(f *fault) error { return m.killAgent(f, m.agents[i]) }))
	}
	order := m.random.Perm(nodes)
	if err == nil {
		err = step("kill a node", nodeName(order[0]), func(f *fault) error { return m.killNode(f, order[0]) })
	}
	if err == nil {
		err = step("stop a node", nodeName(order[1]), func(f *fault) error { return m.stopNode(f, order[1]) })
	}
	for i := 0; i < nodes && err == nil; i++ {
		err = step("restart a node", nodeName(i), func(f *fault) error { return m.restartNode(f, i) })
	}
	if m.inside && err == nil {
		err = step("cut off a node", nodeName(order[2]), func(f *fault) error { return m.cut(f, order[2]) })
	}
	if err != nil {
		return nil, err
	}
	if err := m.complete(); err != nil {
		r.Wrong = append(r.Wrong, err.Error())
	}
	var odd []string
	r.Epochs, odd = m.epochs.seen()
	r.Wrong = append(r.Wrong, odd...)
	return r, nil
}

// of are the names of the agents of a machine.
func (m *mesh) of(machine int) (names []string) {
	for _, a := range m.agents {
		if a.machine == machine {
			names = append(names, a.name)
		}
	}
	return names
}

// unknown waits until no other node knows an agent of some.
func (m *mesh) unknown(since time.Time, except int, names ...string) (float64, error) {
	err := m.until("the agents are gone", func() bool {
		for i := range nodes {
			if i == except {
				continue
			}
			l, err := m.listing(i)
			if err != nil || slices.ContainsFunc(l.Agents, func(a session.Agent) bool { return slices.Contains(names, a.Name) }) {
				return false
			}
		}
		return true
	})
	return rounded(time.Since(since)), err
}

// restored waits until all nodes know all agents, and ends the excuse of one.
func (m *mesh) restored(f *fault, since time.Time, name string) error {
	err := m.until("all are known again", func() bool { return m.complete() == nil })
	f.Restored = rounded(time.Since(since))
	m.load.comes(name)
	return err
}

func (m *mesh) killAgent(f *fault, a *program) (err error) {
	m.load.goes(a.name)
	begun := time.Now()
	a.kill()
	if f.Noticed, err = m.unknown(begun, -1, a.name); err != nil {
		return err
	}
	if err := m.start(a); err != nil {
		return err
	}
	return m.restored(f, begun, a.name)
}

func (m *mesh) killNode(f *fault, i int) (err error) {
	m.load.goes(nodeName(i))
	begun := time.Now()
	m.nodes[i].kill()
	if f.Noticed, err = m.unknown(begun, i, m.of(i)...); err != nil {
		return err
	}
	if err := m.start(m.nodes[i]); err != nil {
		return err
	}
	return m.restored(f, begun, nodeName(i))
}

func (m *mesh) stopNode(f *fault, i int) (err error) {
	m.load.goes(nodeName(i))
	begun := time.Now()
	m.nodes[i].process.Process.Signal(syscall.SIGSTOP)
	if f.Noticed, err = m.unknown(begun, i, m.of(i)...); err != nil {
		return err
	}
	time.Sleep(time.Until(begun.Add(2 * lease)))
	m.nodes[i].process.Process.Signal(syscall.SIGCONT)
	return m.restored(f, begun, nodeName(i))
}

func (m *mesh) restartNode(f *fault, i int) error {
	m.load.goes(nodeName(i))
	begun := time.Now()
	m.nodes[i].process.Process.Signal(syscall.SIGTERM)
	if err := m.nodes[i].process.Wait(); err != nil {
		return err
	}
	if err := m.start(m.nodes[i]); err != nil {
		return err
	}
	return m.restored(f, begun, nodeName(i))
}

// cut takes a node's link away for two leases: it is a minority, which refuses registrations by a name
// that nobody has, and says how old its answers are [MESH-2.6].
func (m *mesh) cut(f *fault, i int) (err error) {
	m.load.goes(nodeName(i))
	begun := time.Now()
	if err := ip("link set " + link(i) + " down"); err != nil {
		return err
	}
	if f.Noticed, err = m.unknown(begun, i, m.of(i)...); err != nil {
		return err
	}
	time.Sleep(time.Until(begun.Add(2 * lease)))
	ctx, cancel := context.WithTimeout(m.ctx, 5*time.Second)
	_, err = m.watching[i].RegisterBy(ctx, &session.Registration{Name: "of-a-minority", Lease: uint64(lease.Microseconds())})
	cancel()
	var failure *mxp.Failure
	if !errors.As(err, &failure) || failure.Name != session.ErrMeshUnavailable.String() {
		return fmt.Errorf("a registration at a minority ends with %w", err)
	}
	l, err := m.listing(i)
	if err != nil {
		return fmt.Errorf("a minority answers no query: %w", err)
	}
	age := time.Duration(l.Age) * time.Microsecond
	log.Printf("cut off for %v, it says that its answers are %v old", time.Since(begun).Round(time.Millisecond), age.Round(time.Millisecond))
	if cut := time.Since(begun); age < cut-5*time.Second || age > cut+time.Second {
		return fmt.Errorf("a minority that is cut off since %v says that its answers are %v old", cut, age)
	}
	if err := ip("link set " + link(i) + " up"); err != nil {
		return err
	}
	return m.restored(f, begun, nodeName(i))
}

func (r *report) print(to io.Writer) {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "fault\t\tnoticed, s\tall is back, s\tcalls by capability\tfailed\tslowest, s\tcalls by name\tfailed\texcused\tas")
	sum := func(of map[string]int) (n int) {
		for _, one := range of {
			n += one
		}
		return n
	}
	for _, f := range r.Faults {
		var as []string
		for _, what := range slices.Sorted(maps.Keys(f.Name.Excused)) {
			as = append(as, fmt.Sprint(what, " ", f.Name.Excused[what]))
		}
		fmt.Fprintf(table, "%s\t%s\t%.2f\t%.2f\t%d\t%d\t%.2f\t%d\t%d\t%d\t%s\n", f.Kind, f.Target, f.Noticed, f.Restored,
			f.Capability.Calls, sum(f.Capability.Failed), f.Capability.Slowest, f.Name.Calls, sum(f.Name.Failed), sum(f.Name.Excused), strings.Join(as, ", "))
	}
	table.Flush()
	fmt.Fprintf(to, "%d epochs, each held by one; %d agents at the end\n", r.Epochs, r.Agents)
	for _, one := range r.Wrong {
		fmt.Fprintln(to, "wrong:", one)
	}
}

func (r *report) failed() error {
	if len(r.Wrong) == 0 {
		return nil
	}
	return fmt.Errorf("%d things are wrong, with seed %d", len(r.Wrong), r.Seed)
}
