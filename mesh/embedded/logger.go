package embedded

import (
	"fmt"
	"log/slog"
	"strings"
)

// logger writes the server's messages to a structured log.
type logger struct {
	to    *slog.Logger
	fatal chan string // the first reason for which the server gives up
}

func (l *logger) Noticef(format string, v ...any) { l.to.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l *logger) Debugf(format string, v ...any)  { l.to.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l *logger) Tracef(format string, v ...any)  { l.to.Debug("nats: " + fmt.Sprintf(format, v...)) }

// Fatalf hands on the reason: the server itself expects the process to end here, and goes on.
func (l *logger) Fatalf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	l.to.Error("nats: " + text)
	select {
	case l.fatal <- text:
	default:
	}
}

// Warnf leaves out the warning that routes are not verified: the server's own check is off, since the node verifies
// their certificates itself, by its authority and the list of revoked certificates.
func (l *logger) Warnf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	if strings.Contains(text, "of solicited routes will not be verified") {
		l.to.Debug("nats: " + text)
		return
	}
	l.to.Warn("nats: " + text)
}

// Errorf says what to do about two nodes of one name, which the server reports for ever.
func (l *logger) Errorf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	if strings.Contains(text, "duplicate name") {
		text += "; another node of the mesh has this name: give each its own by --name"
	}
	l.to.Error("nats: " + text)
}
