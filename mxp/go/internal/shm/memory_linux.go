package shm

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// seals are put on memory before a peer is given it [MXP-18.2].
const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_FUTURE_WRITE | unix.F_SEAL_SEAL

// newMemory makes memory with a ring of so many bytes, and gives the descriptor to be sent.
func newMemory(ring int) (m memory, fd int, err error) {
	fd, err = anonymousFile()
	if err != nil {
		return nil, -1, fmt.Errorf("memfd_create: %w", err)
	}
	defer func() {
		if err != nil {
			m.unmap()
			unix.Close(fd)
			m, fd = nil, -1
		}
	}()
	size := headBytes + ring
	for err = unix.EINTR; err == unix.EINTR; { // by a signal of this program's
		err = unix.Fallocate(fd, 0, 0, int64(size))
	}
	if err != nil {
		return m, fd, fmt.Errorf("fallocate: %w", err)
	}
	if m, err = unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE); err != nil {
		return m, fd, fmt.Errorf("mmap: %w", err)
	}
	if _, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		return m, fd, fmt.Errorf("F_ADD_SEALS: %w", err)
	}
	return m, fd, nil
}

// anonymousFile can't be executed, where the system knows how to say so.
func anonymousFile() (fd int, err error) {
	const name = "mxp"
	fd, err = unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|unix.MFD_NOEXEC_SEAL)
	if errors.Is(err, unix.EINVAL) {
		return unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	return fd, err
}

// blockBytes is the unit in which the system says how much of a file is allocated.
const blockBytes = 512

// checkMemory refuses a descriptor that is none of memory with such a ring, sealed [MXP-18.4].
func checkMemory(fd, ring int) error {
	has, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	if err != nil {
		return unfit("its descriptor is none of memory: F_GET_SEALS: %v", err)
	}
	if missing := seals &^ has; missing != 0 {
		return unfit("its memory lacks seals: %#x of %#x", missing, seals)
	}
	var of unix.Stat_t
	if err := unix.Fstat(fd, &of); err != nil {
		return unfit("its descriptor is none of memory: fstat: %v", err)
	}
	if of.Size != int64(headBytes+ring) {
		return unfit("its memory has %d bytes, and its ring %d", of.Size, ring)
	}
	if of.Blocks < (of.Size+blockBytes-1)/blockBytes {
		return unfit("its memory has holes: of %d bytes %d are allocated", of.Size, of.Blocks*blockBytes)
	}
	return nil
}

// mapMemory maps a peer's memory for reading.
func mapMemory(fd, ring int) (memory, error) {
	m, err := unix.Mmap(fd, 0, headBytes+ring, unix.PROT_READ, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		return nil, fmt.Errorf("mmap: %w", err)
	}
	return m, nil
}

func (m memory) unmap() {
	if m != nil {
		_ = unix.Munmap(m) // it fails only where it is none
	}
}
