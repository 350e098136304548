//go:build unix

package mxp_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Where there is no connection, each address is told with its cause: at once if no later
// attempt can succeed with any, else when the time is over. [MXP-14.9]
func TestFailureTellsEachAddress(t *testing.T) {
	folder := t.TempDir()
	file, missing := filepath.Join(folder, "file"), filepath.Join(folder, "missing")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fails := func(timeout time.Duration, status session.Status, text string, paths ...string) {
		t.Helper()
		var addresses []string
		for _, path := range paths {
			addresses = append(addresses, "mxp+unix://"+path)
		}
		client, err := mxp.DialAny(addresses, mxp.ClientOptions{ConnectTimeout: timeout, Connections: 2})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		_, err = client.Call(within(t, patience*10*time.Second), "demo.Echo", 1, nil)
		var f *mxp.Failure
		if !errors.As(err, &f) || f.Status != status || f.Acted || f.Text != text || f.Method != "demo.Echo/1" {
			t.Errorf("it ends with %v", err)
		}
		if err := client.Ready(within(t, patience*10*time.Second)); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("it is not ready, since %v", err)
		}
	}
	no := func(path string) string { return "mxp+unix://" + path + ": this is no socket" }
	fails(time.Minute, session.StatusFailedPrecondition, no(file)+"; "+no(folder), file, folder)
	fails(short, session.StatusUnavailable, no(file)+"; mxp+unix://"+missing+": connect: no such file or directory", file, missing)
}
