package shm

import (
	"fmt"
	"sync"
)

// Rings counts the bytes of the rings of all connections of a server, or of a client, of both
// sides of each [MXP-18.11].
type Rings struct {
	mu         sync.Mutex
	bytes, max int
}

// NewRings counts to so many bytes.
func NewRings(most int) *Rings { return &Rings{max: most} }

// take counts bytes of a ring that is about to be made, or mapped, if that many may be.
func (r *Rings) take(bytes int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if bytes > r.max-r.bytes {
		return fmt.Errorf("shm_bytes: rings have %d bytes, and may have %d: there is no room for %d", r.bytes, r.max, bytes)
	}
	r.bytes += bytes
	return nil
}

func (r *Rings) give(bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bytes -= bytes
}
