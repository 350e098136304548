//go:build unix

package mxp_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// A failure that may heal is logged once, and once more when it turns out to be final.
func TestFinalFailureIsLoggedOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sock")
	var log lines
	client, err := mxp.Dial("mxp+unix://"+path, mxp.ClientOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	eventually(t, func() bool { return log.count("no such file") == 1 })
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return log.count("no socket") == 1 })
	time.Sleep(50 * time.Millisecond)
	if n := log.count("\n"); n != 2 {
		t.Errorf("%d lines were logged: %s", n, log.text.String())
	}
}
