//go:build !linux

package peer

import (
	"errors"
	"net"
	"os"
	"time"
)

var errNoMemory = errors.New("shared memory is tested on Linux alone")

func newLent(int, int, int) (lent, error)           { return lent{}, errNoMemory }
func lend(net.Conn, []byte, ...*os.File) error      { return errNoMemory }
func borrow(net.Conn) ([]byte, error)               { return nil, errNoMemory }
func sleep(_ *uint32, _ uint32, most time.Duration) { time.Sleep(most) }
func rouse(*uint32)                                 {}
func unmap([]byte)                                  {}
func (s *shared) notice([]byte)                     {}

const sealShrink, sealGrow, sealWrite, sealSeal, sharedSeals = 1, 2, 4, 8, 15
