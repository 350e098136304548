package main

import (
	"errors"
	"fmt"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// hub is the directory that the runner holds.
type hub struct {
	directory *session.Directory
	now       uint64
}

// answer does what a line says.
func (h *hub) answer(verb string, w *words) string {
	if _, there := w.named["now"]; there {
		h.now = w.number("now")
	}
	if verb == "new" {
		h.directory = session.NewDirectory(session.DirectoryLimits{
			Agents: int(w.number("agents")), Capabilities: int(w.number("agent_capabilities")),
			LeaseMin: w.number("lease_min_us"), LeaseMax: w.number("lease_max_us"),
		})
		return done(w, "directory")
	}
	if h.directory == nil {
		return "error\tthere is no directory"
	}
	switch verb {
	case "register":
		lease, err := h.directory.Enter(w.number("owner"), w.registration(), h.now)
		return leased(w, lease, err)
	case "heartbeat":
		lease, err := h.directory.Renew(w.number("owner"), w.text("name"), h.now)
		return leased(w, lease, err)
	case "release":
		h.directory.Release(w.number("owner"))
		return done(w, "directory")
	case "discover":
		var lines []string
		for _, agent := range h.directory.Find(w.query(), h.now) {
			lines = append(lines, fmt.Sprintf("agent\tname=%s\tcapabilities=%s\tlease=%d\taddresses=%s\tservices=%s\tepoch=%d",
				shownBytes([]byte(agent.Name)), shownTexts(agent.Capabilities), agent.Lease, shownTexts(agent.Addresses), shownTexts(agent.Services), agent.Epoch))
		}
		return done(w, "directory", lines...)
	case "timeout":
		if at, ok := h.directory.NextTimeout(); ok {
			return done(w, "directory"+field("timeout", at))
		}
		return done(w, "directory\ttimeout=-")
	}
	w.fail(errors.New("no such verb"))
	return done(w, "directory")
}

func leased(w *words, lease session.Lease, err error) string {
	if w.err == nil && err != nil {
		return "directory\tresult=refused\terror=" + err.Error() + "\tlines=0"
	}
	return done(w, "directory"+field("lease", lease.Lease)+field("epoch", lease.Epoch))
}
