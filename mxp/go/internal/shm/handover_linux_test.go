package shm

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// sealed is a descriptor of memory with such seals, of so many bytes.
func sealed(t testing.TB, bytes, with int) int { return sealedOf(t, bytes, bytes, with) }

// sealedOf is one of which only so many bytes are allocated.
func sealedOf(t testing.TB, bytes, allocated, with int) int {
	t.Helper()
	fd, err := anonymousFile()
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Ftruncate(fd, int64(bytes)); err != nil {
		t.Fatal(err)
	}
	if allocated > 0 {
		if err := unix.Fallocate(fd, 0, 0, int64(allocated)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, with); err != nil {
		t.Fatal(err)
	}
	return fd
}

// proper is the Offer of a peer that does nothing wrong.
func proper(t testing.TB) (bytes []byte, descriptor int) {
	return offer{ring: ringLeast}.bytes(), sealed(t, headBytes+ringLeast, seals)
}

// hostile is a message of a peer in place of an Offer, and its refusal.
type hostile struct {
	bytes       []byte
	descriptors []int
	want        error
}

func (h hostile) send(t testing.TB, socket *net.UnixConn) {
	t.Helper()
	var rights []byte
	if len(h.descriptors) > 0 {
		rights = unix.UnixRights(h.descriptors...)
	}
	if len(h.bytes) > 0 {
		if _, _, err := socket.WriteMsgUnix(h.bytes, rights, nil); err != nil {
			t.Error(err)
		}
	}
	if len(h.bytes) < offerBytes {
		socket.CloseWrite()
	}
}

// hostiles are the messages that either side refuses.
func hostiles(t *testing.T) map[string]hostile {
	good, memory := proper(t)
	all := map[string]hostile{}
	for cut := 1; cut < offerBytes; cut++ {
		all[fmt.Sprintf("an offer of %d bytes", cut)] = hostile{good[:cut], []int{memory}, session.ErrShmHandover}
	}
	for at := range offerBytes {
		for _, one := range []byte{0xff, good[at] + 3} {
			changed := bytes.Clone(good)
			changed[at] = one
			all[fmt.Sprintf("an offer with %#x at %d", one, at)] = hostile{changed, []int{memory}, session.ErrShmHandover}
		}
	}
	for _, ring := range []uint64{0, 1, ringLeast / 2, ringLeast + 1, 3 * ringLeast, 2 * ringMost, 1 << 63} {
		changed := bytes.Clone(good)
		binary.LittleEndian.PutUint64(changed[atRing:], ring)
		all[fmt.Sprintf("a ring of %d bytes", ring)] = hostile{changed, []int{memory}, session.ErrShmHandover}
	}
	memories := map[string][]int{
		"no descriptor":       nil,
		"two descriptors":     {memory, memory},
		"three descriptors":   {memory, memory, memory},
		"too many":            make([]int, 250),
		"memory too small":    {sealed(t, ringLeast, seals)},
		"memory too large":    {sealed(t, headBytes+2*ringLeast, seals)},
		"memory of no bytes":  {sealed(t, 0, seals)},
		"memory never sealed": {sealed(t, headBytes+ringLeast, 0)},
		"memory of one hole":  {sealedOf(t, headBytes+ringLeast, 0, seals)},
		"memory with a hole":  {sealedOf(t, headBytes+ringLeast, headBytes, seals)},
	}
	for n := range memories["too many"] {
		memories["too many"][n] = memory
	}
	for name, seal := range map[string]int{
		"shrinking": unix.F_SEAL_SHRINK, "growing": unix.F_SEAL_GROW, "later writing": unix.F_SEAL_FUTURE_WRITE, "further seals": unix.F_SEAL_SEAL,
	} {
		memories["memory not sealed against "+name] = []int{sealed(t, headBytes+ringLeast, seals&^seal)}
	}
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "memory"))
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Truncate(headBytes + ringLeast); err != nil {
		t.Fatal(err)
	}
	memories["a pipe"], memories["a regular file"] = pipe[:1], []int{int(file.Fd())}
	for name, descriptors := range memories {
		all[name] = hostile{good, descriptors, session.ErrShmMemory}
	}
	t.Cleanup(func() {
		file.Close()
		closed := map[int]bool{int(file.Fd()): true}
		for _, descriptors := range append([][]int{pipe[:], {memory}}, valuesOf(memories)...) {
			for _, one := range descriptors {
				if !closed[one] {
					unix.Close(one)
				}
				closed[one] = true
			}
		}
	})
	return all
}

func valuesOf(of map[string][]int) (all [][]int) {
	for _, one := range of {
		all = append(all, one)
	}
	return all
}

// open is how many descriptors and mappings of memory this process has.
func open(t testing.TB) (descriptors, mappings int) {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return len(all), strings.Count(string(maps), "/memfd:mxp")
}

// nothingStays is a test that leaves as many descriptors and mappings as there were.
func nothingStays(t testing.TB, test func()) {
	t.Helper()
	descriptors, mappings := open(t)
	test()
	if d, m := open(t); d != descriptors || m != mappings {
		t.Errorf("%d descriptors and %d mappings were there, and now there are %d and %d", descriptors, mappings, d, m)
	}
}

func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// An opener whose offer can't be taken is told that it is refused. [MXP-18.4]
func TestAcceptorRefusesByName(t *testing.T) {
	for name, one := range hostiles(t) {
		t.Run(name, func(t *testing.T) {
			from, to := sockets(t)
			o := options(ringLeast, 0)
			nothingStays(t, func() {
				one.send(t, from)
				c, err := Accept(soon(t), to, o)
				if leftToTheSession(one) {
					if c != nil || err != nil {
						t.Errorf("it is %v, %v", c, err)
					}
					return
				}
				if c != nil || !errors.Is(err, one.want) {
					t.Errorf("it is %v, %v", c, err)
				}
				if answer, err := receive(from); err != nil || !bytes.Equal(answer.data, offer{verdict: connectionRefused}.bytes()) || answer.came != 0 {
					t.Errorf("it answers %x, %v", answer.data, err)
				}
			})
			if o.Rings.bytes != 0 {
				t.Errorf("%d bytes of rings are counted", o.Rings.bytes)
			}
		})
	}
}

// leftToTheSession are the messages that begin with another byte than an Offer: the session refuses
// them.
func leftToTheSession(one hostile) bool { return one.bytes[0] != offerMagic[0] }

// An acceptor's offer that can't be taken is refused by the same names. [MXP-18.4]
func TestOpenerRefusesByName(t *testing.T) {
	for name, one := range hostiles(t) {
		t.Run(name, func(t *testing.T) {
			from, to := sockets(t)
			o := options(ringLeast, 0)
			nothingStays(t, func() {
				one.send(t, to)
				if c, err := Open(soon(t), from, o); c != nil || !errors.Is(err, one.want) {
					t.Errorf("it is %v, %v", c, err)
				}
				r, err := receive(to)
				if r.close(); err != nil || r.came != 1 {
					t.Errorf("%d descriptors came, %v", r.came, err)
				}
			})
			if o.Rings.bytes != 0 {
				t.Errorf("%d bytes of rings are counted", o.Rings.bytes)
			}
		})
	}
}

// Descriptors beside each byte of an offer are not kept, and are counted. [MXP-18.4]
func TestNoMoreDescriptorsAreKeptThanOne(t *testing.T) {
	from, to := sockets(t)
	good, memory := proper(t)
	defer unix.Close(memory)
	before, _ := open(t)
	refused := make(chan error, 1)
	go func() {
		_, err := Accept(soon(t), to, options(ringLeast, 0))
		refused <- err
	}()
	for at := range good[1:] {
		if _, _, err := from.WriteMsgUnix(good[at:at+1], unix.UnixRights(memory, memory), nil); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(20 * time.Millisecond)
	if now, _ := open(t); now > before+1 {
		t.Errorf("%d descriptors were there, and now there are %d", before, now)
	}
	if _, err := from.Write(good[offerBytes-1:]); err != nil {
		t.Fatal(err)
	}
	if err := <-refused; !errors.Is(err, session.ErrShmMemory) || !strings.Contains(err.Error(), "62 descriptors came") {
		t.Error(err)
	}
}

// An opener has no verdict but that it offers memory. [MXP-18.4]
func TestOpenerWithAVerdictIsRefused(t *testing.T) {
	for _, said := range []verdict{overSocket, connectionRefused} {
		from, to := sockets(t)
		hostile{bytes: offer{verdict: said}.bytes()}.send(t, from)
		if c, err := Accept(soon(t), to, options(ringLeast, 0)); c != nil || !errors.Is(err, session.ErrShmHandover) {
			t.Errorf("%d: %v, %v", said, c, err)
		}
	}
}

// An offer may come in pieces. [MXP-18.3]
func TestOfferMayComeInPieces(t *testing.T) {
	from, to := sockets(t)
	good, memory := proper(t)
	defer unix.Close(memory)
	go func() {
		for at := range good {
			var rights []byte
			if at == 0 {
				rights = unix.UnixRights(memory)
			}
			if _, _, err := from.WriteMsgUnix(good[at:at+1], rights, nil); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Millisecond / 4)
		}
	}()
	c, err := Accept(soon(t), to, options(ringLeast, 0))
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

// Where there is no room for rings, the connection goes on over its socket. [MXP-18.5] [MXP-18.11]
func TestRingsBeyondTheirBoundAreNotMade(t *testing.T) {
	for name, room := range map[string]int{"of either side": ringLeast - 1, "of the second side": 2*ringLeast - 1} {
		t.Run(name, func(t *testing.T) {
			from, to := sockets(t)
			narrow := Options{RingBytes: ringLeast, Rings: NewRings(room)}
			nothingStays(t, func() {
				failed := make(chan error, 1)
				go func() {
					_, err := Accept(soon(t), to, narrow)
					failed <- err
				}()
				_, err := Open(soon(t), from, options(ringLeast, 0))
				var here, there *Fallback
				if !errors.As(err, &here) || here.Again || !errors.As(<-failed, &there) || !strings.Contains(there.Reason, "shm_bytes") {
					t.Errorf("%v, %v", err, there)
				}
			})
			if narrow.Rings.bytes != 0 {
				t.Errorf("%d bytes are counted", narrow.Rings.bytes)
			}
		})
	}
	from, _ := sockets(t)
	var over *Fallback
	if _, err := Open(soon(t), from, Options{RingBytes: ringLeast, Rings: NewRings(0)}); !errors.As(err, &over) || over.Again {
		t.Error(err)
	}
}

// Room for rings is there again when a connection is closed. [MXP-18.11]
func TestClosedConnectionsGiveTheirRingsBack(t *testing.T) {
	few := Options{RingBytes: ringLeast, Rings: NewRings(2 * ringLeast)}
	for range 5 {
		nothingStays(t, func() {
			a, b := pair(t, options(ringLeast, 0), few)
			a.Close()
			b.Close()
		})
	}
}

// An acceptor of an earlier release answers with a frame. [MXP-18.5]
func TestEarlierReleasesAreKnownByTheirFrames(t *testing.T) {
	from, to := sockets(t)
	if _, err := to.Write([]byte("1PXM and more of it")); err != nil {
		t.Fatal(err)
	}
	var over *Fallback
	if _, err := Open(soon(t), from, options(ringLeast, 0)); !errors.As(err, &over) || !over.Again {
		t.Error(err)
	}
}

// An opener that sends frames has a plain session, of which nothing is read. [MXP-18.1]
func TestFramesInPlaceOfAnOfferAreLeftAlone(t *testing.T) {
	from, to := sockets(t)
	if _, err := from.Write([]byte("1PXM")); err != nil {
		t.Fatal(err)
	}
	if c, err := Accept(soon(t), to, options(ringLeast, 0)); c != nil || err != nil {
		t.Fatal(c, err)
	}
	got := make([]byte, 8)
	if n, err := to.Read(got); err != nil || string(got[:n]) != "1PXM" {
		t.Errorf("%q, %v", got[:n], err)
	}
}

// A peer that says nothing is waited for as long as the context says.
func TestHandoverEndsWithItsContext(t *testing.T) {
	from, to := sockets(t)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := Accept(ctx, to, options(ringLeast, 0)); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, err := Open(ctx, from, options(ringLeast, 0)); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// Where files may not be so long (ulimit -f) there is no memory, and the program is not ended, by the
// signal that other languages have to mind. [MXP-18.5]
func TestFilesThatMayNotBeSoLongAreNotMade(t *testing.T) {
	if os.Getenv("MXP_SHORT_FILES") == "" {
		// An emulator that runs this program runs its process too.
		words := append(strings.Fields(os.Getenv("MXP_EMULATOR")), os.Args[0], "-test.run=^"+t.Name()+"$")
		command := exec.Command(words[0], words[1:]...)
		command.Env = append(os.Environ(), "MXP_SHORT_FILES=1")
		if said, err := command.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, said)
		}
		return
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: headBytes + ringLeast, Max: unix.RLIM_INFINITY}); err != nil {
		t.Fatal(err)
	}
	if m, fd, err := newMemory(ringLeast); err != nil {
		t.Error(err)
	} else {
		m.unmap()
		unix.Close(fd)
	}
	if _, _, err := newMemory(2 * ringLeast); !errors.Is(err, unix.EFBIG) {
		t.Error(err)
	}
}

// The peer can't write into memory, map it for writing, or change its size. [MXP-18.2]
func TestPeersCanOnlyReadMemory(t *testing.T) {
	m, fd, err := newMemory(ringLeast)
	if err != nil {
		t.Fatal(err)
	}
	defer m.unmap()
	defer unix.Close(fd)
	size := int64(headBytes + ringLeast)
	if _, err := unix.Mmap(fd, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err == nil {
		t.Error("it can be mapped for writing")
	}
	if _, err := unix.Pwrite(fd, []byte{1}, 0); err == nil {
		t.Error("it can be written")
	}
	for _, bytes := range []int64{0, size - 1, size + 1} {
		if err := unix.Ftruncate(fd, bytes); err == nil {
			t.Errorf("it can have %d bytes", bytes)
		}
	}
	if err := unix.Fallocate(fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 0, size); err == nil {
		t.Error("it can have holes")
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_WRITE); err == nil {
		t.Error("it can be sealed again")
	}
	peers, err := mapMemory(fd, ringLeast)
	if err != nil {
		t.Fatal(err)
	}
	defer peers.unmap()
	if err := unix.Mprotect(peers, unix.PROT_READ|unix.PROT_WRITE); err == nil {
		t.Error("a mapping can become one for writing")
	}
	m[headBytes] = 7
	if peers[headBytes] != 7 {
		t.Error("it is other memory")
	}
}
