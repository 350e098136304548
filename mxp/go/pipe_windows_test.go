package mxp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/pipe"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// [MXP-21.1]
func TestPipesHaveNames(t *testing.T) {
	for _, name := range []string{"", "a b", `a\b`, "a/b", "ü", strings.Repeat("x", 201)} {
		if at, err := mxp.ParseAddress("mxp+pipe://" + name); !errors.Is(err, session.ErrAddressInvalid) {
			t.Errorf("%q is %+v", name, at)
		}
	}
	for _, name := range []string{"x", "A-z_0.9", strings.Repeat("x", 200)} {
		if _, err := mxp.ParseAddress("mxp+pipe://" + name); err != nil {
			t.Error(err)
		}
	}
}

// [MXP-21.2]
func TestANameIsServedByOneServer(t *testing.T) {
	server, at := open(t, "pipe", mxp.ServerOptions{})
	// Until Serve has begun, Close leaves the listener to it.
	if err := dialled(t, at, mxp.ClientOptions{}).Ready(within(t, patience*10*time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := mxp.NewServer(mxp.ServerOptions{}).Listen(at); err == nil || !strings.Contains(err.Error(), "somebody listens") {
		t.Errorf("a second server is told %v", err)
	}
	server.Close()
	next := mxp.NewServer(mxp.ServerOptions{})
	t.Cleanup(next.Close)
	if _, err := next.Listen(at); err != nil {
		t.Error(err)
	}
}

// [MXP-21.2]
func TestAnInstanceWaitsBeforeAConnectionIsGiven(t *testing.T) {
	name, listener := listened(t, false)
	for range 3 {
		ctx := within(t, patience*time.Second) // nobody accepts meanwhile
		client, err := pipe.Dial(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		server, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
	}
}

// [MXP-21.2]
func TestPipesAreForTheOwnUserUnlessOthersAreLetIn(t *testing.T) {
	own, err := pipe.OwnUser()
	if err != nil {
		t.Fatal(err)
	}
	for anyUser, want := range map[bool]string{
		false: fmt.Sprintf(`^O:%[1]sD:P?\(A;;\w+;;;%[1]s\)$`, own),
		true:  fmt.Sprintf(`^O:%[1]sD:P?\(A;;\w+;;;%[1]s\)\(A;;0x12019b;;;AU\)$`, own),
	} {
		name, _ := listened(t, anyUser)
		client, err := pipe.Dial(within(t, patience*time.Second), name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { client.Close() })
		facts, err := windows.GetSecurityInfo(windows.Handle(client.Fd()), windows.SE_KERNEL_OBJECT, windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
		if err != nil {
			t.Fatal(err)
		}
		if list := facts.String(); !regexp.MustCompile(want).MatchString(list) {
			t.Errorf("AnyUser %t: %s", anyUser, list)
		}
	}
}

// listened is the listener of a pipe, and its name.
func listened(t *testing.T, anyUser bool) (string, *pipe.Listener) {
	name := strings.TrimPrefix(places.Free(t), "mxp+pipe://")
	listener, err := pipe.Listen(name, anyUser)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return name, listener
}

// [MXP-21.4] [MXP-16.4]
func TestPipesTellTheUserOfAPeer(t *testing.T) {
	own, err := pipe.OwnUser()
	if err != nil {
		t.Fatal(err)
	}
	for _, anyUser := range []bool{false, true} {
		services, peers := asked()
		server, at := open(t, "pipe", mxp.ServerOptions{Services: services, AnyUser: anyUser})
		ctx := within(t, patience*10*time.Second)
		if _, err := dialled(t, at, mxp.ClientOptions{}).Call(ctx, "demo.Who", 1, nil); err != nil {
			t.Fatal(err)
		}
		want := mxp.Process{User: -1, Group: -1, ID: os.Getpid(), SID: own.String()}
		if p := <-peers; p.Process == nil || *p.Process != want {
			t.Errorf("got %+v, and not %+v", p.Process, want)
		}
		server.RunAs(-1) // the number of every user of Windows
		_, err = dialled(t, at, mxp.ClientOptions{}).Call(ctx, "demo.Who", 1, nil)
		var f *mxp.Failure
		if anyUser != (err == nil) || err != nil && (!errors.As(err, &f) || f.Name != "not_admitted" || !strings.Contains(f.Text, own.String())) {
			t.Errorf("a peer of another user than the server's, AnyUser %t: %v", anyUser, err)
		}
	}
}

// A name that another user serves is not for this program [MXP-21.3].
func TestPipesOfOthersAreRefused(t *testing.T) {
	const nobody = "S-1-5-21-1-2-3-1000"
	name := strings.TrimPrefix(places.Free(t), "mxp+pipe://")
	if err := serve(t, name, nobody); err != nil {
		t.Log("this system lets nobody make pipes of others: ", err)
		return
	}
	_, err := dialled(t, "mxp+pipe://"+name, mxp.ClientOptions{}).Call(within(t, patience*10*time.Second), "demo.Who", 1, nil)
	var f *mxp.Failure
	if !errors.As(err, &f) || f.Status != session.StatusFailedPrecondition || !strings.Contains(f.Text, nobody) {
		t.Errorf("it is told %v", err)
	}
	if _, err := mxp.NewServer(mxp.ServerOptions{}).Listen("mxp+pipe://" + name); err == nil {
		t.Error("a server takes the name over")
	}
}

// serve makes two instances of a pipe of another user's.
func serve(t *testing.T, name, owner string) error {
	path, _ := windows.UTF16PtrFromString(pipe.Path(name))
	descriptor, err := windows.SecurityDescriptorFromString("O:" + owner + "D:(A;;GA;;;WD)")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // one for a client, and one for a server that looks
		made, err := windows.CreateNamedPipe(path, windows.PIPE_ACCESS_DUPLEX|windows.FILE_FLAG_OVERLAPPED, 0, 2, 0, 0, 0,
			&windows.SecurityAttributes{Length: 24, SecurityDescriptor: descriptor})
		if err != nil {
			return err
		}
		t.Cleanup(func() { windows.CloseHandle(made) })
	}
	return nil
}

// [MXP-21.4]
func TestBytesBeforeTheEndOfAPipeAreRead(t *testing.T) {
	name, listener := listened(t, false)
	client, err := pipe.Dial(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	server, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	for _, ends := range [][2]io.ReadWriteCloser{{server, client}} {
		if _, err := ends[0].Write([]byte("all of it")); err != nil {
			t.Fatal(err)
		}
		ends[0].Close()
		if got, err := io.ReadAll(ends[1]); string(got) != "all of it" || err != nil {
			t.Errorf("%q was read, and %v", got, err)
		}
		if _, err := ends[1].Write([]byte("late")); err == nil {
			t.Error("it is written behind the end")
		}
	}
}
