package embedded

import (
	"time"
	_ "unsafe" // for go:linkname
)

// The times after which the servers of a cluster elect another leader of a stream. NATS has 4 to
// 9 s, and no option for them: as long nobody could write to the directory when a node is killed,
// so that all leases shorter than that would end together. These variables are its own, under its
// names; TestElectionsAreQuick fails where a version of it has others.
//
//go:linkname minElectionTimeout github.com/nats-io/nats-server/v2/server.minElectionTimeout
//go:linkname maxElectionTimeout github.com/nats-io/nats-server/v2/server.maxElectionTimeout
//go:linkname hbInterval github.com/nats-io/nats-server/v2/server.hbInterval
//go:linkname lostQuorumInterval github.com/nats-io/nats-server/v2/server.lostQuorumInterval
//go:linkname lostQuorumCheck github.com/nats-io/nats-server/v2/server.lostQuorumCheck
var minElectionTimeout, maxElectionTimeout, hbInterval, lostQuorumInterval, lostQuorumCheck time.Duration

// found says that the variables are there: they had values before.
var found = minElectionTimeout > 0 && maxElectionTimeout > 0 && hbInterval > 0 && lostQuorumInterval > 0 && lostQuorumCheck > 0

func init() {
	if !found {
		return
	}
	minElectionTimeout, maxElectionTimeout = time.Second, 2500*time.Millisecond
	hbInterval = 200 * time.Millisecond
	lostQuorumInterval, lostQuorumCheck = 2*time.Second, time.Second
}
