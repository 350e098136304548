//go:build soak && linux

package node_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// As many agents as a mesh has are registered at one node, and the next is refused by name.
func TestAHundredThousandAgentsAndNoMore(t *testing.T) {
	const many, clients = 100_000, 20
	n := onFolders(t, []string{t.TempDir()}, nil)[0]
	begun := time.Now()
	var running sync.WaitGroup
	for c := range clients {
		client := n.dial(t)
		running.Go(func() {
			for n := c; n < many; n += clients {
				r := session.Registration{
					Name: fmt.Sprintf("agent-%d", n), Capabilities: []string{"all", fmt.Sprintf("can-%d", n/10)}, Lease: 3_600_000_000,
					Addresses: []string{fmt.Sprintf("mxp+tls://h%d.example:7000", n)}, Services: []string{"desk.Mixer"},
				}
				ctx, cancel := contextOf(20 * time.Second)
				_, err := client.RegisterBy(ctx, &r)
				cancel()
				if err != nil {
					t.Errorf("after %v: %v", time.Since(begun), err)
					return
				}
			}
		})
	}
	running.Wait()
	t.Logf("registered in %v, %d MB", time.Since(begun), rss(t, n.Process.Pid)/1_000_000)
	until(t, "the next is refused", func() bool {
		_, err := n.dial(t).RegisterBy(soon(t), &session.Registration{Name: "one-more", Lease: 3_600_000_000})
		return errors.Is(err, session.ErrLimitAgents)
	})
}
