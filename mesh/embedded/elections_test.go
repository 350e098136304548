package embedded

import (
	"testing"
	"time"
)

// A version of NATS that has other variables leaves the times as they are, and a cluster without a
// leader for up to 9 s.
func TestElectionsAreQuick(t *testing.T) {
	if !found {
		t.Fatal("NATS has no times of elections under these names, or sets them later")
	}
	if minElectionTimeout != time.Second || maxElectionTimeout != 2500*time.Millisecond {
		t.Errorf("elections begin after %v to %v", minElectionTimeout, maxElectionTimeout)
	}
}
