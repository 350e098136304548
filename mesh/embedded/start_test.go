package embedded

import (
	"net"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A server whose address is taken says so at once, and not that it was slow.
func TestATakenAddressIsNamed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	at := l.Addr().String()
	begin := time.Now()
	s, err := Start(Options{Name: "n1", Folder: t.TempDir(), Cluster: at, Peers: []string{at}, Unsynced: true})
	if err == nil {
		s.Close()
		t.Fatal("it starts at an address that is taken")
	}
	said := "address already in use"
	if runtime.GOOS == "windows" {
		said = at + ": bind: " // and a number
	}
	if !strings.Contains(err.Error(), said) || time.Since(begin) > 5*time.Second {
		t.Errorf("after %v: %v", time.Since(begin), err)
	}
}
