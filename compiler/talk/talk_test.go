package talk_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/internal/places"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
	"github.com/serial-data-protocol/sdp/compiler/talk"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

const shop = `
package shop;
struct Wish { name: str }
message Ware { price: u32, @since(2) note: str }
struct Never { name: str }
service Shop {
	call buy(Wish) -> Ware = 1;
	stream watch(Wish) -> stream Ware = 2;
	stream order(stream Wish) -> Ware = 3;
	event closed(Wish) = 4;
}
service Yard { call buy(Wish) -> Wish = 1; }
`

const other = `
package other;
import "shop.sdp" as shop;
service Shop { call swap(shop.Wish) -> shop.Ware = 1; }
`

func catalogOf(t testing.TB, files check.Memory, root string) *talk.Catalog {
	t.Helper()
	schema, problems := check.Program(files, []string{root}, func(*syntax.File) string { return "" })
	if schema == nil {
		t.Fatalf("%+v", problems.Sorted()[0])
	}
	catalog, err := talk.NewCatalog(plan.New(schema))
	if err != nil {
		t.Fatal(err)
	}
	return catalog
}

func shopCatalog(t testing.TB) *talk.Catalog {
	return catalogOf(t, check.Memory{"shop.sdp": shop}, "shop.sdp")
}

func method(t testing.TB, catalog *talk.Catalog, name string) *talk.Method {
	t.Helper()
	m, err := catalog.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestNamesMeanOneMethodOrNone(t *testing.T) {
	catalog := catalogOf(t, check.Memory{"shop.sdp": shop, "other.sdp": other}, "other.sdp")
	for name, want := range map[string]string{
		"Yard/buy":        "shop.Yard/buy",
		"shop.Shop/watch": "shop.Shop/watch",
		"other.Shop/swap": "other.Shop/swap",
	} {
		if got := method(t, catalog, name).FullName(); got != want {
			t.Errorf("%s means %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"Shop/swap":      `"Shop" is each of shop.Shop and other.Shop`,
		"Yard":           `is no method`,
		"Yard/by":        `shop.Yard has no method "by"`,
		"Mill/buy":       `there is no service "Mill"`,
		"shop.Shop/swap": `shop.Shop has no method "swap"`,
		"":               `is no method`,
	} {
		if _, err := catalog.Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: the error is %v, want %s", name, err, want)
		}
	}
}

// TestHelloListsTypesOfRequestsAndResponses is for [MXP-13.3].
func TestHelloListsTypesOfRequestsAndResponses(t *testing.T) {
	types := shopCatalog(t).Types("shop.Shop")
	if len(types) != 2 || types[0].Name != "shop.Ware" || types[1].Name != "shop.Wish" {
		t.Fatalf("the types are %+v", types)
	}
	if len(types[0].Fingerprints) != 2 || !strings.HasPrefix(types[0].Layout, "0 message shop.Ware\n") {
		t.Errorf("the type is %+v", types[0])
	}
}

// ask makes a request of the schema's, and gives the lines of its answers.
func ask(t *testing.T, address, name, in string) ([]string, error) {
	t.Helper()
	catalog := shopCatalog(t)
	var lines []string
	request := &talk.Request{
		Address: address, Catalog: catalog, Method: method(t, catalog, name), In: strings.NewReader(in), InName: "in", Deadline: 20 * time.Second,
		Answered: func(line string) error { lines = append(lines, line); return nil }, Connected: func() {}, Replied: func([]session.Metadatum) {},
	}
	return lines, request.Do(context.Background())
}

// serve serves handlers of the shop on a socket.
func serve(t *testing.T, handlers func(*mxp.Service)) string {
	t.Helper()
	services := mxp.NewServices()
	handlers(services.Service("shop.Shop"))
	server := mxp.NewServer(mxp.ServerOptions{Services: services})
	address := places.Address(places.Free(t))
	listener, err := server.Listen(address)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	t.Cleanup(server.Close)
	return address
}

// TestAnswersThatAreNoneAreRefused is for [MXP-13.5] and [MXP-13.6].
func TestAnswersThatAreNoneAreRefused(t *testing.T) {
	address := serve(t, func(s *mxp.Service) {
		s.Call(1, func(context.Context, *mxp.Request) ([]byte, error) { return []byte{1, 2, 3}, nil })
		s.Stream(2, func(ctx context.Context, _ *mxp.Request, s *mxp.Stream) error {
			if err := s.Send(ctx, []byte{7, 0, 0, 0, 0, 0, 0, 0}); err != nil {
				return err
			}
			return s.Send(ctx, []byte{7, 0, 0, 0, 255, 0, 0, 0})
		})
		s.Stream(3, func(ctx context.Context, r *mxp.Request, s *mxp.Stream) error {
			first, err := s.Recv(ctx)
			if err != nil {
				return err
			}
			for range int(first[4] - '0') { // the wish for so many wares
				if err := s.Send(ctx, []byte{7, 0, 0, 0, 0, 0, 0, 0}); err != nil {
					return err
				}
			}
			return nil
		})
	})
	for _, c := range []struct {
		name, in, failure, text string
		status                  session.Status
		lines                   int
	}{
		{"Shop/buy", `{"name": "x"}`, "segment_partial", "at byte 0 in price", session.StatusDataLoss, 0},
		{"Shop/watch", `{"name": "x"}`, "length_exceeds_input", "at byte 4 in note", session.StatusDataLoss, 1},
		{"Shop/order", `{"name": "0"}`, "stream_responses", "without a response", session.StatusInternal, 0},
		{"Shop/order", `{"name": "2"}`, "stream_responses", "more than one", session.StatusInternal, 0},
	} {
		lines, err := ask(t, address, c.name, c.in)
		var f *mxp.Failure
		if !errors.As(err, &f) {
			t.Errorf("%s: the error is %v", c.name, err)
			continue
		}
		if f.Name != c.failure || f.Status != c.status || !f.Acted || !strings.Contains(f.Text, c.text) || len(lines) != c.lines {
			t.Errorf("%s: the failure is %+v after %q", c.name, f, lines)
		}
	}
	if lines, err := ask(t, address, "Shop/order", `{"name": "1"}`); err != nil || len(lines) != 1 || lines[0] != `{"price":7,"note":""}` {
		t.Errorf("the answer is %q, %v", lines, err)
	}
}

// TestEventThatNobodyWaitsForComes sends events and leaves at once.
func TestEventThatNobodyWaitsForComes(t *testing.T) {
	came := make(chan struct{}, 100)
	address := serve(t, func(s *mxp.Service) {
		s.Event(4, func(context.Context, *mxp.Request) error { came <- struct{}{}; return nil })
	})
	for range 20 {
		if _, err := ask(t, address, "Shop/closed", `{"name": "x"}`); err != nil {
			t.Fatal(err)
		}
		select {
		case <-came:
		case <-time.After(20 * time.Second):
			t.Fatal("the event has not come")
		}
	}
}

// TestMethodsThatThePeerDoesNotHaveAreSaid asks a server of less.
func TestMethodsThatThePeerDoesNotHaveAreSaid(t *testing.T) {
	address := serve(t, func(*mxp.Service) {})
	var f *mxp.Failure
	if _, err := ask(t, address, "Shop/buy", `{"name": "x"}`); !errors.As(err, &f) || f.Name != "method_unknown" || f.Acted {
		t.Errorf("the error is %+v", err)
	}
	if _, err := ask(t, address, "Yard/buy", `{"name": "x"}`); !errors.As(err, &f) || f.Name != "service_unknown" || f.Acted {
		t.Errorf("the error is %+v", err)
	}
}

// TestPeersThatSpeakOtherwiseAreSaid connects to peers that speak no MXP, or stop
// in the middle of it.
func TestPeersThatSpeakOtherwiseAreSaid(t *testing.T) {
	for name, c := range map[string]struct{ says, want string }{
		"HTTP":             {"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", "frame_magic"},
		"nothing":          {"", "not_connected"},
		"a header's half":  {"1PXM\x80\x00\x00\x00", "not_connected"},
		"a length of 4 GB": {"1PXM\x80\x00\x00\x00" + strings.Repeat("\x00", 16) + "\xff\xff\xff\xff\x00\x00\x00\x00", "frame_too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			place := places.Free(t)
			listener, err := net.Listen(places.Network, place)
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
					// The peer's bytes are read, or closing would take back what was said.
					go io.Copy(io.Discard, conn)
					io.WriteString(conn, c.says)
					conn.(places.Conn).CloseWrite()
				}
			}()
			_, err = ask(t, places.Address(place), "Shop/buy", `{"name": "x"}`)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), places.Address(place)+": ") {
				t.Errorf("the error is %v, want %s and the address", err, c.want)
			}
		})
	}
}

func TestPeerThatDiesDuringACallIsSaid(t *testing.T) {
	var server *mxp.Server
	services := mxp.NewServices()
	services.Service("shop.Shop").Call(1, func(ctx context.Context, _ *mxp.Request) ([]byte, error) {
		go server.Close()
		<-ctx.Done()
		return nil, ctx.Err()
	})
	server = mxp.NewServer(mxp.ServerOptions{Services: services})
	address := places.Address(places.Free(t))
	listener, err := server.Listen(address)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	var f *mxp.Failure
	if _, err := ask(t, address, "Shop/buy", `{"name": "x"}`); !errors.As(err, &f) || f.Name != "session_lost" || !f.Acted {
		t.Errorf("the error is %+v", err)
	}
}

// TestMockRefusesRequestsThatAreNone is for [MXP-13.4].
func TestMockRefusesRequestsThatAreNone(t *testing.T) {
	catalog := shopCatalog(t)
	var mu sync.Mutex
	var seen []string
	mock, err := talk.NewMock(catalog, nil, 0, func(what, method, text string) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, what+" "+method+" "+text)
	})
	if err != nil {
		t.Fatal(err)
	}
	server := mxp.NewServer(mxp.ServerOptions{Services: mock.Services()})
	address := places.Address(places.Free(t))
	listener, err := server.Listen(address)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	defer server.Close()
	client, err := mxp.Dial(address, mxp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_, err = client.Call(t.Context(), "shop.Shop", 1, []byte{9, 0, 0, 0, 'x'})
	var f *mxp.Failure
	if !errors.As(err, &f) || f.Status != session.StatusInvalidArgument || f.Name != "length_exceeds_input" || !strings.Contains(f.Text, "at byte 0 in name") || f.Acted {
		t.Errorf("the error is %+v", err)
	}
	if err := client.Event(t.Context(), "shop.Shop", 4, nil, mxp.WithAck()); !errors.As(err, &f) || f.Name != "truncated" || f.Acted {
		t.Errorf("the error is %+v", err)
	}
	s, err := client.Open(t.Context(), "shop.Shop", 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Send(t.Context(), []byte{9, 0, 0, 0, 'x'}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Recv(t.Context()); !errors.As(err, &f) || f.Name != "length_exceeds_input" || !f.Acted {
		t.Errorf("the error is %+v", err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(seen) < 4 || !strings.HasPrefix(seen[0], "call shop.Shop/buy refused: InvalidArgument (3) length_exceeds_input: at byte 0 in name") {
		t.Errorf("the lines are %q", seen)
	}
}

func TestLineIsSafeToPrint(t *testing.T) {
	codec := method(t, shopCatalog(t), "Yard/buy").Request
	value, err := codec.ParseJSON([]byte(`{"name": "é\u009b[31m\u202e\ud83d\ude00\udb40\udc01\u0007"}`), 0)
	if err != nil {
		t.Fatal(err)
	}
	line, err := talk.Line(codec, value)
	if want := `{"name":"é\u009b[31m\u202e😀\udb40\udc01\u0007"}`; err != nil || line != want {
		t.Errorf("the line is %s, %v, want %s", line, err, want)
	}
	again, err := codec.ParseJSON([]byte(line), 0)
	if err != nil || string(again) != string(value) {
		t.Errorf("the line is another value: %q, %v", again, err)
	}
}

// FuzzReadAnswers looks for files of answers that make the reader panic.
func FuzzReadAnswers(f *testing.F) {
	for _, text := range []string{
		`{"Shop/buy": {"answer": {"price": 1, "note": ""}}}`, `{"Shop/watch": {"answers": [], "error": {"status": 5}}}`,
		`{"Shop/buy": {"error": {"status": "NotFound", "details": "AQI="}}`, `[]`, `{"Shop/buy"`, `{"Shop/buy": 1} x`, `{"a":{},"a":{}}`, "",
	} {
		f.Add(text)
	}
	catalog := shopCatalog(f)
	f.Fuzz(func(t *testing.T, text string) {
		answers, err := catalog.ReadAnswers("f", []byte(text))
		if err != nil && !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("the error has no place: %v", err)
		}
		if err == nil {
			if _, err := talk.NewMock(catalog, answers, 0, func(_, _, _ string) {}); err != nil {
				t.Errorf("answers that were read make no mock: %v", err)
			}
		}
	})
}
