package pipe

import (
	"errors"
	"net"
	"sync"
	"unsafe"

	"github.com/Microsoft/go-winio"
	"golang.org/x/sys/windows"
)

// bufferBytes is how much of a direction the system keeps for the reader.
const bufferBytes = 64 << 10

// Path is the system's name of a pipe.
func Path(name string) string { return `\\.\pipe\` + name }

// readWrite is all rights of reading and writing but that to make instances, which the right to append
// stands for.
const readWrite = (windows.FILE_GENERIC_READ | windows.FILE_GENERIC_WRITE) &^ windows.FILE_APPEND_DATA

// Listener makes the instances of a pipe, each for one client.
type Listener struct {
	name    string
	access  *windows.SECURITY_DESCRIPTOR
	closing windows.Handle // an event

	accepting sync.Mutex
	next      windows.Handle // an instance that nobody has connected to; 0 if there is none
	closed    bool
	once      sync.Once
}

// Listen serves a pipe, unless another process does.
func Listen(name string, anyUser bool) (*Listener, error) {
	access, err := accessList(anyUser)
	if err != nil {
		return nil, err
	}
	l := &Listener{name: name, access: access}
	if l.closing, err = windows.CreateEvent(nil, 1, 0, nil); err != nil {
		return nil, err
	}
	if l.next, err = l.first(); err != nil {
		windows.CloseHandle(l.closing)
		return nil, err
	}
	return l, nil
}

// waitNamedPipe is not in x/sys.
var waitNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("WaitNamedPipeW")

// first makes the first instance of this server. A name stays as long as its connections, also where a server
// drains: nobody waits for clients then, and a server of the same user may take the name over.
func (l *Listener) first() (windows.Handle, error) {
	path, err := windows.UTF16PtrFromString(Path(l.name))
	if err != nil {
		return 0, err
	}
	const noWait = 1 // ms
	found, _, why := waitNamedPipe.Call(uintptr(unsafe.Pointer(path)), noWait)
	if found != 0 {
		return 0, windows.ERROR_PIPE_BUSY
	}
	made, err := l.instance(windows.FILE_FLAG_FIRST_PIPE_INSTANCE)
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) && errors.Is(why, windows.ERROR_SEM_TIMEOUT) {
		made, err = l.instance(0)
	}
	if err != nil {
		return 0, err
	}
	if err := checkOwner(made, false); err != nil {
		windows.CloseHandle(made)
		return 0, err
	}
	return made, nil
}

func (l *Listener) instance(flags uint32) (windows.Handle, error) {
	path, err := windows.UTF16PtrFromString(Path(l.name))
	if err != nil {
		return 0, err
	}
	attributes := windows.SecurityAttributes{SecurityDescriptor: l.access}
	attributes.Length = uint32(unsafe.Sizeof(attributes))
	return windows.CreateNamedPipe(path, windows.PIPE_ACCESS_DUPLEX|windows.FILE_FLAG_OVERLAPPED|flags,
		windows.PIPE_TYPE_BYTE|windows.PIPE_REJECT_REMOTE_CLIENTS, windows.PIPE_UNLIMITED_INSTANCES, bufferBytes, bufferBytes, 0, &attributes)
}

// Accept waits for a client.
func (l *Listener) Accept() (net.Conn, error) {
	l.accepting.Lock()
	defer l.accepting.Unlock()
	for {
		if l.closed {
			return nil, l.failed(net.ErrClosed)
		}
		if l.next == 0 { // it could not be made
			var err error
			if l.next, err = l.instance(0); err != nil {
				return nil, l.failed(err)
			}
		}
		err := l.connect()
		if errors.Is(err, net.ErrClosed) {
			return nil, l.failed(err)
		}
		connected := l.next
		// Before this one is given away, so that the name always has an instance.
		l.next, _ = l.instance(0)
		if err != nil { // its client is gone already, or no client could be waited for
			windows.CloseHandle(connected)
			if errors.Is(err, windows.ERROR_NO_DATA) {
				continue
			}
			return nil, l.failed(err)
		}
		file, err := winio.NewOpenFile(connected)
		if err != nil {
			windows.CloseHandle(connected)
			return nil, l.failed(err)
		}
		return &Conn{File: file.(File), name: address(l.name)}, nil
	}
}

// connect waits until a client has connected to the next instance.
func (l *Listener) connect() error {
	event, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(event)
	waiting := windows.Overlapped{HEvent: event}
	switch err := windows.ConnectNamedPipe(l.next, &waiting); {
	case errors.Is(err, windows.ERROR_PIPE_CONNECTED):
		return nil
	case !errors.Is(err, windows.ERROR_IO_PENDING):
		return err
	}
	which, err := windows.WaitForMultipleObjects([]windows.Handle{event, l.closing}, false, windows.INFINITE)
	if which != windows.WAIT_OBJECT_0 {
		windows.CancelIoEx(l.next, &waiting)
		if err == nil {
			err = net.ErrClosed
		}
	}
	var none uint32
	return errors.Join(err, windows.GetOverlappedResult(l.next, &waiting, &none, true))
}

func (l *Listener) failed(err error) error {
	return &net.OpError{Op: "accept", Net: l.Addr().Network(), Addr: l.Addr(), Err: err}
}

// Addr is the pipe's name.
func (l *Listener) Addr() net.Addr { return address(l.name) }

// Close ends Accept. Connections that it has given stay.
func (l *Listener) Close() error {
	l.once.Do(func() {
		windows.SetEvent(l.closing)
		l.accepting.Lock()
		defer l.accepting.Unlock()
		l.closed = true
		if l.next != 0 {
			windows.CloseHandle(l.next)
		}
		windows.CloseHandle(l.closing)
	})
	return nil
}
