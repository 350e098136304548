package driver

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/internal/places"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/health"
	"github.com/serial-data-protocol/sdp/mxp/go/reflection"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// described is a server that describes three services, and the last of them badly.
type described struct{ health.UnimplementedHealth }

func (described) List(context.Context, *reflection.ListRequest) (*reflection.ServiceList, error) {
	return &reflection.ServiceList{Names: []string{"shop.Shop", "shop.Raw", "shop.Lost"}}, nil
}

func (described) Describe(_ context.Context, asked *reflection.DescribeRequest) (*reflection.Service, error) {
	switch asked.Service {
	case "shop.Shop":
		return &reflection.Service{
			Name: asked.Service,
			Methods: []reflection.Method{
				{Name: "buy", Number: 1, Idempotent: true, Request: reflection.Value{Type: "shop.Wish"}, Response: &reflection.Value{Type: "shop.Ware"}},
				{Name: "order", Number: 3, Kind: reflection.KindStream, Request: reflection.Value{Type: "shop.Wish", Flows: true}, Response: &reflection.Value{Type: "shop.Ware"}},
				{Name: "closed\x1b", Number: 4, Kind: reflection.KindEvent, Request: reflection.Value{Type: "shop.Wish"}},
			},
			Types: []reflection.Type{{Name: "shop.Ware", Fingerprints: []uint64{7}, Layout: "0 struct shop.Ware\n"}},
		}, nil
	case "shop.Raw":
		return &reflection.Service{Name: asked.Service, Methods: []reflection.Method{{Number: 9, Kind: reflection.Kind(7), Response: &reflection.Value{Flows: true}}}}, nil
	}
	return nil, mxp.Refuse(mxp.Failure{Status: session.StatusNotFound, Name: "gone"})
}

func (described) Check(_ context.Context, asked *health.Request) (*health.Report, error) {
	state := map[string]health.State{"": health.StateServing, "shop.Shop": health.StateServing, "shop.Raw": health.StateNotServing}
	return &health.Report{State: state[asked.Service]}, nil
}

// describing serves described at an address, and gives the address that it has.
func describing(t *testing.T, at string, secure *tls.Config) string {
	t.Helper()
	services := mxp.NewServices()
	reflection.RegisterReflection(services, described{})
	health.RegisterHealth(services, described{})
	server := mxp.NewServer(mxp.ServerOptions{Services: services, TLS: secure})
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	if prefix, found := strings.CutSuffix(at, "127.0.0.1:0"); found {
		return prefix + listener.Addr().String()
	}
	return at
}

// asked runs a question, and returns both of its outputs.
func asked(ask func(t *Tool) error) (out, complaint string, err error) {
	var output, complaints bytes.Buffer
	err = ask(&Tool{In: strings.NewReader(""), Out: &output, Err: &complaints})
	return output.String(), complaints.String(), err
}

func TestPeerThatDescribesItselfIsListed(t *testing.T) {
	at := describing(t, places.Address(places.Free(t)), nil)
	options := CallOptions{Address: at, Deadline: -1}
	out, complaint, err := asked(func(t *Tool) error { return t.List(ListOptions{CallOptions: options}) })
	want := `@idempotent call shop.Shop/buy(shop.Wish) -> shop.Ware = 1
stream shop.Shop/order(stream shop.Wish) -> shop.Ware = 3
event shop.Shop/closed\u001b(shop.Wish) = 4
? shop.Raw/?(?) -> stream ? = 9
shop.Lost
`
	if out != want {
		t.Errorf("the list is\n%s\nand not\n%s", out, want)
	}
	if !errors.Is(err, ErrRefused) || complaint != "sdp: --list at "+at+" failed: NotFound (5) gone\n  nobody has acted on the request\n" {
		t.Errorf("the error is %v: %s", err, complaint)
	}
	out, _, _ = asked(func(t *Tool) error { return t.List(ListOptions{CallOptions: options, JSON: true}) })
	for _, says := range []string{
		`{"services":[{"name":"shop.Shop","methods":[{"name":"buy","number":1,"kind":"Call","idempotent":true,"request":{"type":"shop.Wish","flows":false},"response":{"type":"shop.Ware","flows":false}},`,
		`{"name":"closed\u001b","number":4,"kind":"Event","idempotent":false,"request":{"type":"shop.Wish","flows":false},"response":null}`,
		`"types":[{"name":"shop.Ware","fingerprints":["7"],"layout":"0 struct shop.Ware\n"}]}`,
		`{"name":"shop.Lost","methods":[],"types":[]}],"reflection":true}`,
	} {
		if !strings.Contains(out, says) {
			t.Errorf("the JSON is %s\nwithout %s", out, says)
		}
	}
}

// TestLibraryTellsTheToolWhatItServes asks a server that the library's one line each
// makes serve both.
func TestLibraryTellsTheToolWhatItServes(t *testing.T) {
	services := mxp.NewServices()
	services.Service("shop.Raw").Call(9, func(_ context.Context, r *mxp.Request) ([]byte, error) { return r.Value, nil })
	reports := health.Serve(services)
	reflection.Serve(services)
	at := places.Address(places.Free(t))
	server := mxp.NewServer(mxp.ServerOptions{Services: services})
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	defer server.Close()
	out, complaint, err := asked(func(t *Tool) error { return t.List(ListOptions{CallOptions: CallOptions{Address: at, Deadline: -1}}) })
	want := `call shop.Raw/?(?) -> ? = 9
@idempotent call mxp.health.Health/check(mxp.health.Request) -> mxp.health.Report = 1
stream mxp.health.Health/watch(mxp.health.Request) -> stream mxp.health.Report = 2
@idempotent call mxp.reflection.Reflection/list(mxp.reflection.ListRequest) -> mxp.reflection.ServiceList = 1
@idempotent call mxp.reflection.Reflection/describe(mxp.reflection.DescribeRequest) -> mxp.reflection.Service = 2
`
	if out != want || complaint != "" || err != nil {
		t.Errorf("the list is\n%s\nand not\n%s: %v: %s", out, want, err, complaint)
	}
	for _, state := range []health.State{health.StateServing, health.StateNotServing} {
		reports.Set("shop.Raw", state)
		out, _, err := asked(func(t *Tool) error { return t.Health(CallOptions{Address: at, Deadline: -1}, "shop.Raw") })
		if out != state.String()+"\n" || errors.Is(err, ErrRefused) == (state == health.StateServing) {
			t.Errorf("%v is told as %q, and the error is %v", state, out, err)
		}
	}
}

// TestHealthThatIsNotServedIsTold asks a peer that serves neither Health nor Reflection, since
// nobody has told it to [MXP-13.8, MXP-13.10].
func TestHealthThatIsNotServedIsTold(t *testing.T) {
	services := mxp.NewServices()
	services.Service("shop.Shop")
	at := places.Address(places.Free(t))
	server := mxp.NewServer(mxp.ServerOptions{Services: services})
	listener, err := server.Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	defer server.Close()
	out, complaint, err := asked(func(t *Tool) error { return t.Health(CallOptions{Address: at, Deadline: -1}, "") })
	if out != "" || !errors.Is(err, ErrRefused) || !strings.Contains(complaint, "Unimplemented (12) service_unknown: the peer does not serve mxp.health.Health; it serves shop.Shop") {
		t.Errorf("the output is %q, and the error %v: %s", out, err, complaint)
	}
	out, _, err = asked(func(t *Tool) error {
		return t.List(ListOptions{CallOptions: CallOptions{Address: at, Deadline: -1}, JSON: true})
	})
	if out != `{"services":[{"name":"shop.Shop","methods":[],"types":[]}],"reflection":false}`+"\n" || err != nil {
		t.Errorf("the list is %s, and the error %v", out, err)
	}
}

func TestHealthIsRefusedUnlessServing(t *testing.T) {
	at := describing(t, places.Address(places.Free(t)), nil)
	for service, want := range map[string]string{"": "Serving", "shop.Shop": "Serving", "shop.Raw": "NotServing", "shop.None": "Unknown"} {
		out, complaint, err := asked(func(t *Tool) error { return t.Health(CallOptions{Address: at, Deadline: -1}, service) })
		if out != want+"\n" || complaint != "" || errors.Is(err, ErrRefused) == (want == "Serving") {
			t.Errorf("%q is %q, and the error %v: %s", service, out, err, complaint)
		}
	}
}

// TestNamesOfAPeerOverTLSAreListed has a peer without reflection, whose Hello is read
// on a connection of the tool's own.
func TestNamesOfAPeerOverTLSAreListed(t *testing.T) {
	certificate, authority := certified(t)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, authority, 0o600); err != nil {
		t.Fatal(err)
	}
	services := mxp.NewServices()
	services.Service("shop.Shop")
	server := mxp.NewServer(mxp.ServerOptions{Services: services, TLS: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}})
	listener, err := server.Listen("mxp+tls://127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	defer server.Close()
	at := "mxp+tls://" + listener.Addr().String()
	out, complaint, err := asked(func(t *Tool) error {
		return t.List(ListOptions{CallOptions: CallOptions{Address: at, CA: ca, Deadline: -1}})
	})
	if out != "shop.Shop\n" || err != nil || !strings.Contains(complaint, "does not serve mxp.reflection.Reflection") {
		t.Errorf("the list is %q, and the error %v: %s", out, err, complaint)
	}
	for name, ask := range map[string]func(t *Tool) error{
		"list":   func(t *Tool) error { return t.List(ListOptions{CallOptions: CallOptions{Address: at, Deadline: -1}}) },
		"health": func(t *Tool) error { return t.Health(CallOptions{Address: at, Deadline: -1}, "") },
	} {
		out, complaint, err := asked(ask)
		if out != "" || !errors.Is(err, ErrRefused) || !strings.Contains(complaint, "FailedPrecondition (9) not_connected: TLS: ") {
			t.Errorf("%s: the output is %q, and the error %v: %s", name, out, err, complaint)
		}
	}
}

func TestPeerThatSpeaksNoMXPIsNotListed(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
			go func() { _, _ = io.Copy(io.Discard, conn); conn.Close() }()
		}
	}()
	out, complaint, err := asked(func(t *Tool) error {
		return t.List(ListOptions{CallOptions: CallOptions{Address: "mxp+tcp://" + listener.Addr().String(), Deadline: 20 * time.Second}})
	})
	if out != "" || !errors.Is(err, ErrRefused) || !strings.Contains(complaint, "FailedPrecondition (9) frame_magic") {
		t.Errorf("the output is %q, and the error %v: %s", out, err, complaint)
	}
}
