package mcp_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/serial-data-protocol/sdp/mcp"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// watched sends wares until there are so many, and then waits if it is told to.
func watched(count int, waits bool) func(*mxp.Service) {
	return func(s *mxp.Service) {
		s.Stream(2, func(ctx context.Context, _ *mxp.Request, s *mxp.Stream) error {
			for i := range count {
				if err := s.Send(ctx, ware(byte(i))); err != nil {
					return err
				}
			}
			if waits {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		})
		s.Stream(3, func(ctx context.Context, _ *mxp.Request, s *mxp.Stream) error {
			for n := byte(0); ; n++ {
				if _, err := s.Recv(ctx); errors.Is(err, io.EOF) {
					return s.Send(ctx, ware(n))
				} else if err != nil {
					return err
				}
			}
		})
	}
}

func TestStreamsAreLists(t *testing.T) {
	_, address := served(t, watched(3, false))
	var messages []string
	told := make(chan struct{}, 10)
	c := client(t, address, nil, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
		messages = append(messages, fmt.Sprint(r.Params.Progress, " ", r.Params.Message))
		told <- struct{}{}
	}})
	params := &sdk.CallToolParams{Name: "Shop-watch", Arguments: json.RawMessage(`{"name":""}`)}
	params.SetProgressToken("token")
	result, err := c.CallTool(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	text := result.Content[0].(*sdk.TextContent).Text
	if want := `{"responses":[{"price":0,"parts":[],"note":""},{"price":1,"parts":[],"note":""},{"price":2,"parts":[],"note":""}]}`; text != want {
		t.Errorf("the result is %s", text)
	}
	if err := resolved(t, tools(t, c)["Shop-watch"].OutputSchema).Validate(result.StructuredContent); err != nil {
		t.Error(err)
	}
	for range 3 {
		<-told
	}
	if got := strings.Join(messages, "\n"); !strings.HasPrefix(got, `1 {"price":0`) || !strings.HasPrefix(messages[2], `3 {"price":2`) {
		t.Errorf("progress is %s", got)
	}
	if result, text = called(t, c, "Shop-order", `{"requests":[{"name":"a"},{"name":"b"}]}`); result.IsError || !strings.HasPrefix(text, `{"price":2`) {
		t.Errorf("a list of requests gives %q", text)
	}
	if result, text = called(t, c, "Shop-order", `{"requests":[]}`); result.IsError || !strings.HasPrefix(text, `{"price":0`) {
		t.Errorf("no requests give %q", text)
	}
}

func TestResultsThatAreCutSaySo(t *testing.T) {
	_, address := served(t, watched(6, false))
	c := client(t, address, nil, nil)
	result, text := called(t, c, "Shop-watch", `{"name":""}`)
	if result.IsError || strings.Count(text, "price") != 5 || !strings.Contains(text, `"cut":"results have 5 responses at most"`) {
		t.Errorf("too many responses give %q", text)
	}
	if err := resolved(t, tools(t, c)["Shop-watch"].OutputSchema).Validate(result.StructuredContent); err != nil {
		t.Error(err)
	}
	_, text = called(t, client(t, address, func(o *mcp.Options) { o.ResultBytes = 80 }, nil), "Shop-watch", `{"name":""}`)
	if strings.Count(text, "price") != 2 || !strings.Contains(text, `"cut":"the next response has 32 bytes of JSON, and results have 80 at most"`) {
		t.Errorf("too large responses give %q", text)
	}
}

func TestStreamsEndWithTheirTime(t *testing.T) {
	_, address := served(t, watched(2, true))
	c := client(t, address, func(o *mcp.Options) { o.Deadline = 300 * time.Millisecond }, nil)
	if result, text := called(t, c, "Shop-watch", `{"name":""}`); result.IsError || strings.Count(text, "price") != 2 || !strings.Contains(text, `"cut":"no more came within 300ms"`) {
		t.Errorf("a stream without an end gives %q", text)
	}
	_, address = served(t, watched(0, true))
	c = client(t, address, func(o *mcp.Options) { o.Deadline = 300 * time.Millisecond }, nil)
	if result, text := called(t, c, "Shop-watch", `{"name":""}`); !result.IsError || !strings.Contains(text, "deadline_exceeded") {
		t.Errorf("a stream of nothing gives %q", text)
	}
}

func TestResultsHaveAnEnd(t *testing.T) {
	_, address := served(t, func(s *mxp.Service) {
		s.Call(6, func(_ context.Context, r *mxp.Request) ([]byte, error) {
			size := 10 << 20
			if string(r.Value[4:]) == "less" {
				size = 2 << 20
			}
			return append(binary.LittleEndian.AppendUint32(nil, uint32(size)), strings.Repeat("x", size)...), nil
		})
	})
	c := client(t, address, nil, nil)
	result, text := called(t, c, "Shop-slow", `{"name":""}`)
	if !result.IsError || text != "shop.Shop/slow has answered with 10485771 bytes of JSON, and results have 1048576 at most; somebody has acted on the request" {
		t.Errorf("10 MiB give %.200q", text)
	}
	c = client(t, address, func(o *mcp.Options) { o.ResultBytes = 3 << 20 }, nil)
	if result, text = called(t, c, "Shop-slow", `{"name":"less"}`); result.IsError || len(text) != 2<<20+len(`{"name":""}`) {
		t.Errorf("with room for it 2 MiB give %.200q", text)
	}
}

func TestServersThatDieEndTheirCalls(t *testing.T) {
	asked := make(chan struct{}, 2)
	slow := func(s *mxp.Service) {
		s.Call(6, func(ctx context.Context, _ *mxp.Request) ([]byte, error) {
			asked <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		})
	}
	server, address := served(t, slow)
	c := client(t, address, func(o *mcp.Options) { o.Deadline = 2 * time.Second }, nil)
	go func() { <-asked; server.Close() }()
	result, text := called(t, c, "Shop-slow", `{"name":""}`)
	if !result.IsError || !strings.Contains(text, "shop.Shop/slow failed: ") || !strings.Contains(text, "acted on the request") {
		t.Errorf("a server that dies gives %q", text)
	}
	if result, text = called(t, c, "Shop-slow", `{"name":""}`); !result.IsError || !strings.Contains(text, "nobody has acted") {
		t.Errorf("a server that is gone gives %q", text)
	}
	// The client connects again when there is a server.
	again := mxp.NewServices()
	again.Service("shop.Shop").Call(6, func(_ context.Context, r *mxp.Request) ([]byte, error) { return r.Value, nil })
	other := mxp.NewServer(mxp.ServerOptions{Services: again})
	listener, err := other.Listen(address)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	go other.Serve(listener)
	if result, text = called(t, c, "Shop-slow", `{"name":"back"}`); result.IsError || text != `{"name":"back"}` {
		t.Errorf("a server that is back gives %q", text)
	}
}

func TestCancellingEndsTheCall(t *testing.T) {
	asked, cancelled := make(chan struct{}), make(chan struct{})
	_, address := served(t, func(s *mxp.Service) {
		s.Call(6, func(ctx context.Context, _ *mxp.Request) ([]byte, error) {
			close(asked)
			<-ctx.Done()
			close(cancelled)
			return nil, ctx.Err()
		})
	})
	c := client(t, address, nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if _, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "Shop-slow", Arguments: json.RawMessage(`{"name":""}`)}); !errors.Is(err, context.Canceled) {
		t.Errorf("the call ends with %v", err)
	}
	select {
	case <-cancelled:
	case <-time.After(5 * time.Second):
		t.Error("the server was not told")
	}
}
