//go:build soak && linux

package node_test

import (
	"fmt"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Agents at nodes that go on keep their names, and their epochs, while another node is stopped: one
// of the three leads the directory. [MESH-2.9]
func TestAStoppedNodeTakesNoNamesOfOthers(t *testing.T) {
	const lease, stopped = 5 * time.Second, 12 * time.Second
	nodes := processes(t)
	var lost [3]atomic.Int64
	var kept [3][]*mxp.Announcement
	for i, n := range nodes {
		for j := range 6 {
			name := fmt.Sprintf("agent-%d-%d", i, j)
			a, err := mxp.Announce(session.Registration{Name: name, Lease: uint64(lease.Microseconds())}, mxp.AnnounceOptions{
				Node: n.at,
				Changed: func(epoch uint64, why error) {
					if epoch == 0 {
						lost[i].Add(1)
						t.Logf("%s is lost: %v", name, why)
					}
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			kept[i] = append(kept[i], a)
		}
	}
	for i, n := range nodes {
		until(t, "all have their names", func() bool { return held(kept[0]) && held(kept[1]) && held(kept[2]) })
		time.Sleep(lease)
		before, epochs := [3]int64{lost[0].Load(), lost[1].Load(), lost[2].Load()}, epochsOf(kept)
		n.Process.Signal(syscall.SIGSTOP)
		time.Sleep(stopped)
		for j := range nodes {
			if j != i && lost[j].Load() != before[j] {
				t.Errorf("while node %d was stopped, agents of node %d lost their names %d times", i, j, lost[j].Load()-before[j])
			}
			if now := epochsOf(kept); j != i && now[j] != epochs[j] {
				t.Errorf("while node %d was stopped, the epochs of node %d came to be %s, which were %s", i, j, now[j], epochs[j])
			}
		}
		n.Process.Signal(syscall.SIGCONT)
	}
}

func held(all []*mxp.Announcement) bool {
	for _, a := range all {
		if a.Epoch() == 0 {
			return false
		}
	}
	return true
}

func epochsOf(all [3][]*mxp.Announcement) (texts [3]string) {
	for i := range all {
		for _, a := range all[i] {
			texts[i] += fmt.Sprint(a.Epoch(), " ")
		}
	}
	return texts
}
