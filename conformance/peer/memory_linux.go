package peer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sleep waits until a number that another process writes is another one, for some time at most.
func sleep(place *uint32, number uint32, most time.Duration) {
	left := unix.NsecToTimespec(int64(most))
	unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(place)), 0, uintptr(number), uintptr(unsafe.Pointer(&left)), 0, 0)
}

// rouse wakes the processes that wait for a number.
func rouse(place *uint32) {
	unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(place)), 1, 1<<30, 0, 0, 0)
}

// notice sends bytes on the socket, where there is room for them.
func (s *shared) notice(bytes []byte) {
	if raw, err := s.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) {
			unix.Sendto(int(fd), bytes, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, nil)
		})
	}
}

func unmap(memory []byte) {
	if memory != nil {
		unix.Munmap(memory)
	}
}

const (
	sealShrink  = unix.F_SEAL_SHRINK
	sealGrow    = unix.F_SEAL_GROW
	sealWrite   = unix.F_SEAL_FUTURE_WRITE
	sealSeal    = unix.F_SEAL_SEAL
	sharedSeals = sealShrink | sealGrow | sealWrite | sealSeal
)

// newLent makes memory whose file has so many bytes, of which some are allocated.
func newLent(size, allocated, seals int) (made lent, err error) {
	fd, err := unix.MemfdCreate("peer", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return made, err
	}
	made.file = os.NewFile(uintptr(fd), "peer")
	err = errors.Join(unix.Ftruncate(fd, int64(size)), unix.Fallocate(fd, 0, 0, int64(allocated)))
	if err == nil {
		made.memory, err = unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	if err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals)
	}
	return made, err
}

// lend sends an Offer, with descriptors beside it.
func lend(socket net.Conn, words []byte, files ...*os.File) error {
	var descriptors []int
	for _, file := range files {
		descriptors = append(descriptors, int(file.Fd()))
	}
	_, _, err := socket.(*net.UnixConn).WriteMsgUnix(words, unix.UnixRights(descriptors...), nil)
	return err
}

// borrow takes the peer's Offer and maps its memory, which has to be as the protocol has it.
func borrow(socket net.Conn) ([]byte, error) {
	words, control := make([]byte, offerBytes), make([]byte, 64)
	n, controls, _, _, err := socket.(*net.UnixConn).ReadMsgUnix(words, control)
	if err == nil {
		_, err = io.ReadFull(socket, words[n:])
	}
	if err != nil {
		return nil, err
	}
	ring := int(binary.LittleEndian.Uint64(words[8:]))
	if string(words[:8]) != string(offering(ring)[:8]) || ring < 4096 || ring > 1<<30 || ring&(ring-1) != 0 || string(words[16:]) != string(make([]byte, 16)) {
		return nil, fmt.Errorf("its Offer is %x", words)
	}
	messages, err := unix.ParseSocketControlMessage(control[:controls])
	if err != nil || len(messages) != 1 {
		return nil, fmt.Errorf("%d messages come beside its Offer (%v)", len(messages), err)
	}
	descriptors, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(descriptors) != 1 {
		return nil, fmt.Errorf("%d descriptors come beside its Offer (%v)", len(descriptors), err)
	}
	fd := descriptors[0]
	defer unix.Close(fd)
	seals, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	var file unix.Stat_t
	err = errors.Join(err, unix.Fstat(fd, &file))
	if size := int64(sharedHead + ring); err != nil || seals&sharedSeals != sharedSeals || file.Size != size || file.Blocks*512 < size {
		return nil, fmt.Errorf("its memory has the seals %x, %d bytes, of which %d are allocated, and a ring of %d (%v)", seals, file.Size, file.Blocks*512, ring, err)
	}
	if _, err := unix.Mmap(fd, 0, sharedHead, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err == nil {
		return nil, errors.New("its memory can be written by this side")
	}
	return unix.Mmap(fd, 0, sharedHead+ring, unix.PROT_READ, unix.MAP_SHARED)
}
