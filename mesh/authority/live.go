package authority

import (
	"net"
	"sync"
	"weak"
)

// live are the connections of programs, each with the serial number of its certificate. They are held
// weakly: one that is closed, and forgotten by its server, is forgotten here.
type live struct {
	mu     sync.Mutex
	conns  map[weak.Pointer[net.TCPConn]]string
	sweeps int // at so many, those that are gone are left out
}

// sweepLeast is how many connections there are before the first sweep.
const sweepLeast = 64

func (l *live) add(conn net.Conn, serial string) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conns == nil {
		l.conns, l.sweeps = map[weak.Pointer[net.TCPConn]]string{}, sweepLeast
	}
	if len(l.conns) >= l.sweeps {
		for one := range l.conns {
			if one.Value() == nil {
				delete(l.conns, one)
			}
		}
		l.sweeps = max(2*len(l.conns), sweepLeast)
	}
	l.conns[weak.Make(tcp)] = serial
}

// cut closes the connections of the revoked.
func (l *live) cut(revoked map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for one, serial := range l.conns {
		conn := one.Value()
		if conn != nil && revoked[serial] {
			conn.Close()
		}
		if conn == nil || revoked[serial] {
			delete(l.conns, one)
		}
	}
}
