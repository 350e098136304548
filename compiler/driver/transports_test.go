package driver

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// [MXP-19.1]
func TestCallsGoOverWebSockets(t *testing.T) {
	services := mxp.NewServices()
	services.Service("shop.Shop").Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) { return r.Value, nil })
	server := mxp.NewServer(mxp.ServerOptions{Services: services})
	listener, err := server.Listen("mxp+ws://127.0.0.1:0/shop")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	defer server.Close()
	schema := filepath.Join(t.TempDir(), "shop.sdp")
	if err := os.WriteFile(schema, []byte("package shop;\n\nstruct Wish {\n    name: str,\n}\n\nservice Shop {\n    call buy(Wish) -> Wish = 1;\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	request := `{"name": "tea"}`
	var out, told bytes.Buffer
	tool := &Tool{In: strings.NewReader(""), Out: &out, Err: &told}
	err = tool.Call(CallOptions{
		Schemas: []string{schema}, Address: "mxp+ws://" + listener.Addr().String(), Method: "Shop/buy", JSON: &request, Deadline: 20 * time.Second,
	})
	if err != nil || out.String() != "{\"name\":\"tea\"}\n" {
		t.Errorf("%q, %v, %s", out.String(), err, told.String())
	}
}
