// Package policy says what each identity may do in a mesh: which names it registers, and which
// subjects it publishes and subscribes to [MESH-6.3].
package policy

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/pelletier/go-toml/v2"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Grant is what some identities may do. An entry of a list is a text, or a text with `*` for any
// rest at its end.
type Grant struct {
	Identities []string `toml:"identities"`
	// Register has names of agents.
	Register []string `toml:"register"`
	// Publish and Subscribe have services, or a service, a slash and the number of a method.
	Publish   []string `toml:"publish"`
	Subscribe []string `toml:"subscribe"`
}

type rules struct {
	Grants []Grant `toml:"grant"`
}

// Policy is a file of grants, which may be read anew at any time. One without a file grants all.
type Policy struct {
	file string
	now  atomic.Pointer[rules]
}

// Load reads a file; an empty name is no policy.
func Load(file string) (*Policy, error) {
	p := &Policy{file: file}
	return p, p.Reload()
}

// File is the file that is read, or empty.
func (p *Policy) File() string { return p.file }

// Reload reads the file anew. Where it is wrong, all stays as it was.
func (p *Policy) Reload() error {
	if p.file == "" {
		return nil
	}
	text, err := os.ReadFile(p.file)
	if err != nil {
		return err
	}
	var read rules
	decoder := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	if err := decoder.Decode(&read); err != nil {
		return fmt.Errorf("%s: %w", p.file, err)
	}
	for i := range read.Grants {
		if err := read.Grants[i].check(); err != nil {
			return fmt.Errorf("%s: grant %d: %w", p.file, i+1, err)
		}
	}
	p.now.Store(&read)
	return nil
}

func (g *Grant) check() error {
	if len(g.Identities) == 0 {
		return fmt.Errorf("it names no identities")
	}
	for _, list := range [][]string{g.Identities, g.Register, g.Publish, g.Subscribe} {
		for _, one := range list {
			if at := strings.IndexByte(one, '*'); one == "" || at >= 0 && at != len(one)-1 {
				return fmt.Errorf("%q has to be a text, of which the last character may be *", one)
			}
		}
	}
	return nil
}

func matches(patterns []string, text string) bool {
	for _, one := range patterns {
		prefix, open := strings.CutSuffix(one, "*")
		if one == text || open && strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}

// Denial is the refusal of a policy: an error that is session.ErrMeshDenied.
type Denial struct{ Identity, What string }

// Error is the refusal's name and the denied action.
func (d *Denial) Error() string {
	return fmt.Sprintf("%s: %s may not %s", session.ErrMeshDenied, d.Identity, d.What)
}

// Unwrap is the refusal.
func (d *Denial) Unwrap() error { return session.ErrMeshDenied }

// grants reports whether a grant has an identity, and a text in one of its lists.
func (p *Policy) grants(identity string, list func(*Grant) []string, texts ...string) bool {
	now := p.now.Load()
	if now == nil {
		return true
	}
	for i := range now.Grants {
		g := &now.Grants[i]
		if !matches(g.Identities, identity) {
			continue
		}
		for _, text := range texts {
			if matches(list(g), text) {
				return true
			}
		}
	}
	return false
}

// Register refuses a name that an identity may not have.
func (p *Policy) Register(identity, name string) error {
	if p.grants(identity, func(g *Grant) []string { return g.Register }, name) {
		return nil
	}
	return &Denial{identity, fmt.Sprintf("register %q", name)}
}

// Publish refuses a subject that an identity may not publish to.
func (p *Policy) Publish(identity, service string, method uint16) error {
	if p.grants(identity, func(g *Grant) []string { return g.Publish }, subjects(service, method)...) {
		return nil
	}
	return &Denial{identity, fmt.Sprintf("publish events of %s/%d", service, method)}
}

// Subscribe refuses a subject that an identity may not subscribe to.
func (p *Policy) Subscribe(identity, service string, method uint16) error {
	if p.grants(identity, func(g *Grant) []string { return g.Subscribe }, subjects(service, method)...) {
		return nil
	}
	return &Denial{identity, fmt.Sprintf("subscribe to events of %s/%d", service, method)}
}

func subjects(service string, method uint16) []string {
	return []string{service, service + "/" + strconv.Itoa(int(method))}
}

// User reports whether a user of this machine is let in [MESH-6.2]: the node's own user, and the
// users that a grant names. Both are identities.
func (p *Policy) User(user, own string) bool {
	now := p.now.Load()
	if user == own {
		return true
	}
	if now == nil {
		return false
	}
	for i := range now.Grants {
		for _, one := range now.Grants[i].Identities {
			if one == user {
				return true
			}
		}
	}
	return false
}

// The beginnings of identities of users of this machine [MESH-6.1].
const (
	byNumber = "uid:"
	bySID    = "sid:"
)

// Local is the identity of a user of this machine who has a number [MESH-6.1].
func Local(user int) string { return byNumber + strconv.Itoa(user) }

// LocalSID is the identity of a user of this machine who has a SID instead.
func LocalSID(sid string) string { return bySID + sid }

// IsLocal reports whether an identity is one of a user of this machine.
func IsLocal(identity string) bool {
	return strings.HasPrefix(identity, byNumber) || strings.HasPrefix(identity, bySID)
}
