package embedded

import (
	"fmt"
	"log/slog"
)

// logger writes what the server says to a structured log.
type logger struct{ to *slog.Logger }

func (l *logger) Noticef(format string, v ...any) { l.to.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l *logger) Debugf(format string, v ...any)  { l.to.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l *logger) Tracef(format string, v ...any)  { l.to.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l *logger) Warnf(format string, v ...any)   { l.to.Warn("nats: " + fmt.Sprintf(format, v...)) }
func (l *logger) Errorf(format string, v ...any)  { l.to.Error("nats: " + fmt.Sprintf(format, v...)) }
func (l *logger) Fatalf(format string, v ...any)  { l.to.Error("nats: " + fmt.Sprintf(format, v...)) }
