package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// wholeTransport answers all requests of its input before it reports the input's end, at which the library drops
// requests in flight: a client may write its requests to a pipe and close it.
type wholeTransport struct{ sdk.Transport }

// Connect implements sdk.Transport.
func (t wholeTransport) Connect(ctx context.Context) (sdk.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &wholeConn{Connection: conn, open: map[jsonrpc.ID]bool{}, idle: make(chan struct{}), closed: make(chan struct{})}, nil
}

// wholeConn knows the requests that it has read and not answered.
type wholeConn struct {
	sdk.Connection
	mu   sync.Mutex
	open map[jsonrpc.ID]bool
	// ended tells that the input has ended, and idle is closed when no request is open then.
	ended  bool
	idle   chan struct{}
	once   sync.Once
	closed chan struct{}
}

// Read implements sdk.Connection.
func (c *wholeConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	if errors.Is(err, io.EOF) {
		c.mu.Lock()
		if !c.ended {
			c.ended = true
			c.settle()
		}
		c.mu.Unlock()
		select {
		case <-c.idle:
		case <-c.closed:
		case <-ctx.Done():
		}
	}
	if request, ok := message.(*jsonrpc.Request); ok && err == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if request.IsCall() {
			c.open[request.ID] = true
		} else if id, ok := cancelled(request); ok {
			delete(c.open, id)
		}
	}
	return message, err
}

// Write implements sdk.Connection.
func (c *wholeConn) Write(ctx context.Context, message jsonrpc.Message) error {
	err := c.Connection.Write(ctx, message)
	if response, ok := message.(*jsonrpc.Response); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.open, response.ID)
		c.settle()
	}
	return err
}

// Close implements sdk.Connection.
func (c *wholeConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
}

// settle closes idle once, with the lock held.
func (c *wholeConn) settle() {
	if !c.ended || len(c.open) > 0 {
		return
	}
	select {
	case <-c.idle:
	default:
		close(c.idle)
	}
}

// cancelled is the id of the request that a notification takes back: it may get no response.
func cancelled(request *jsonrpc.Request) (id jsonrpc.ID, ok bool) {
	var params struct {
		RequestID any `json:"requestId"`
	}
	if request.Method != "notifications/cancelled" || json.Unmarshal(request.Params, &params) != nil {
		return id, false
	}
	id, err := jsonrpc.MakeID(params.RequestID)
	return id, err == nil
}
