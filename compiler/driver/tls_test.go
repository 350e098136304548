package driver

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/internal/places"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

func TestCallShowsItsCertificateToServersThatAsk(t *testing.T) {
	certificate, authority := certified(t)
	own, ownAuthority := certified(t)
	foreign, foreignAuthority := newCertificate(t, "another authority")
	clients := x509.NewCertPool()
	clients.AppendCertsFromPEM(ownAuthority)
	services := mxp.NewServices()
	services.Service("shop.Shop").Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) { return r.Value, nil })
	server := mxp.NewServer(mxp.ServerOptions{Services: services, TLS: &tls.Config{
		Certificates: []tls.Certificate{certificate}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients, MinVersion: tls.VersionTLS12,
	}})
	listener, err := server.Listen("mxp+tls://127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	defer server.Close()
	folder := t.TempDir()
	file := func(name string, text []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	keyOf := func(c tls.Certificate) []byte {
		der, err := x509.MarshalECPrivateKey(c.PrivateKey.(*ecdsa.PrivateKey))
		if err != nil {
			t.Fatal(err)
		}
		return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
	}
	cert, key := file("own.pem", ownAuthority), file("own.key", keyOf(own))
	schema := file("shop.sdp", []byte("package shop;\n\nstruct Wish {\n    name: str,\n}\n\nservice Shop {\n    call buy(Wish) -> Wish = 1;\n}\n"))
	request := `{"name": "tea"}`
	at := "mxp+tls://" + listener.Addr().String()
	for name, c := range map[string]struct{ at, cert, key, out, says string }{
		"its own":         {at, cert, key, "{\"name\":\"tea\"}\n", ""},
		"none":            {at, "", "", "", "certificate required"},
		"a foreign one":   {at, file("foreign.pem", foreignAuthority), file("foreign.key", keyOf(foreign)), "", "unknown certificate authority"},
		"a key alone":     {at, "", key, "", "--key is there without --cert"},
		"no key":          {at, cert, "", "", "--cert is there without --key"},
		"another's key":   {at, cert, file("server.key", keyOf(certificate)), "", "cannot read the certificate and its key"},
		"no file":         {at, filepath.Join(folder, "x.pem"), key, "", "cannot read the certificate and its key"},
		"unencrypted":     {"mxp+tcp://127.0.0.1:1", cert, key, "", "is for mxp+tls"},
		"unencrypted key": {"mxp+tcp://127.0.0.1:1", "", key, "", "--key is there without --cert"},
	} {
		ca := file("ca.pem", authority)
		if c.at != at {
			ca = ""
		}
		var out, complaint bytes.Buffer
		tool := &Tool{In: strings.NewReader(""), Out: &out, Err: &complaint}
		err := tool.Call(CallOptions{
			Schemas: []string{schema}, Address: c.at, Method: "Shop/buy", JSON: &request, Deadline: 5 * time.Second, CA: ca, Cert: c.cert, Key: c.key,
		})
		if out.String() != c.out || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error()+complaint.String(), c.says) {
			t.Errorf("%s: the output is %q, and the error %v: %s", name, out.String(), err, complaint.String())
		}
	}
}

func TestCallOfAMeshWithoutANodeSaysHowToHaveOne(t *testing.T) {
	folder := t.TempDir()
	node := places.Address(places.Free(t))
	t.Setenv("MXP_MESH", node)
	schema := filepath.Join(folder, "shop.sdp")
	if err := os.WriteFile(schema, []byte("package shop;\n\nstruct Wish {\n    name: str,\n}\n\nservice Shop {\n    call buy(Wish) -> Wish = 1;\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	request := `{"name": "tea"}`
	var complaint bytes.Buffer
	tool := &Tool{In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: &complaint}
	err := tool.Call(CallOptions{Schemas: []string{schema}, Address: "mesh:///shop", Method: "Shop/buy", JSON: &request, Deadline: 300 * time.Millisecond})
	if err != ErrRefused {
		t.Fatal(err)
	}
	for _, part := range []string{node, "MXP_MESH", "sdp-mesh up"} {
		if !strings.Contains(complaint.String(), part) {
			t.Errorf("%q is not in %q", part, complaint.String())
		}
	}
}
