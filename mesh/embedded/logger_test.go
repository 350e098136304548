package embedded

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestLogHelpsWithNamesAndHasNoFalseAlarm(t *testing.T) {
	var b bytes.Buffer
	l := &logger{to: slog.New(slog.NewTextHandler(&b, nil))}
	l.Warnf("TLS certificate chain and hostname of solicited routes will not be verified. DO NOT USE IN PRODUCTION!")
	if b.Len() > 0 {
		t.Errorf("it warns of routes that the node verifies: %s", b.String())
	}
	l.Warnf("slow %s", "disk")
	l.Errorf("Remote server has a duplicate name: %q", "vm")
	text := b.String()
	if strings.Count(text, "level=WARN") != 1 || !strings.Contains(text, "slow disk") || !strings.Contains(text, "--name") {
		t.Errorf("it logs %s", text)
	}
}
