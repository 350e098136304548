package driver

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/internal/places"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// certified makes a certificate for 127.0.0.1, which signs itself, and gives it as
// PEM too.
func certified(t *testing.T) (tls.Certificate, []byte) {
	t.Helper()
	return newCertificate(t, "test")
}

func newCertificate(t *testing.T, name string) (tls.Certificate, []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func TestCallTrustsTheCertificatesOfItsFile(t *testing.T) {
	certificate, authority := certified(t)
	_, stranger := certified(t)
	services := mxp.NewServices()
	services.Service("shop.Shop").Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) { return r.Value, nil })
	server := mxp.NewServer(mxp.ServerOptions{Services: services, TLS: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}})
	listener, err := server.Listen("mxp+tls://127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	defer server.Close()
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	schema := file("shop.sdp", "package shop;\n\nstruct Wish {\n    name: str,\n}\n\nservice Shop {\n    call buy(Wish) -> Wish = 1;\n}\n")
	request := `{"name": "tea"}`
	for name, c := range map[string]struct{ ca, out, says string }{
		"its own":   {file("ca.pem", string(authority)), "{\"name\":\"tea\"}\n", ""},
		"another":   {file("other.pem", string(stranger)), "", "certificate signed by unknown authority"},
		"the usual": {"", "", "certificate signed by unknown authority"},
		"none":      {file("none.pem", "x"), "", "has no certificate in PEM"},
	} {
		var out, complaint bytes.Buffer
		tool := &Tool{In: strings.NewReader(""), Out: &out, Err: &complaint}
		err := tool.Call(CallOptions{
			Schemas: []string{schema}, Address: "mxp+tls://" + listener.Addr().String(), Method: "Shop/buy", JSON: &request, Deadline: 20 * time.Second, CA: c.ca,
		})
		if out.String() != c.out || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error()+complaint.String(), c.says) {
			t.Errorf("%s: the output is %q, and the error %v: %s", name, out.String(), err, complaint.String())
		}
	}
}

// TestTraceTellsWhatTheAnswerSaysBesides calls through an interceptor that adds
// metadata.
func TestTraceTellsWhatTheAnswerSaysBesides(t *testing.T) {
	services := mxp.NewServices()
	services.Service("shop.Shop").Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) { return r.Value, nil })
	services.Intercept(func(ctx context.Context, r *mxp.Request, next mxp.Handler) (mxp.Reply, error) {
		reply, err := next(ctx, r)
		reply.Metadata = append(reply.Metadata, mxp.Metadatum{Key: "seen", Value: []byte("tea\x1b")}, mxp.Metadatum{Key: "raw", Value: []byte{0xff, 1}})
		return reply, err
	})
	server := mxp.NewServer(mxp.ServerOptions{Services: services})
	folder := t.TempDir()
	address := places.Address(places.Free(t))
	listener, err := server.Listen(address)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	defer server.Close()
	schema := filepath.Join(folder, "shop.sdp")
	if err := os.WriteFile(schema, []byte("package shop;\n\nstruct Wish {\n    name: str,\n}\n\nservice Shop {\n    call buy(Wish) -> Wish = 1;\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	request := `{"name": "tea"}`
	var out, told bytes.Buffer
	tool := &Tool{In: strings.NewReader(""), Out: &out, Err: &told}
	if err := tool.Call(CallOptions{Schemas: []string{schema}, Address: address, Method: "Shop/buy", JSON: &request, Deadline: 20 * time.Second, Trace: true}); err != nil {
		t.Fatal(err)
	}
	if want := " later  seen=tea\\u001b  raw=0xff01\n"; !strings.HasSuffix(told.String(), want) {
		t.Errorf("what is told is %q, want %q at its end", told.String(), want)
	}
}

func TestMetadataHasTheLengthsThatFramesCanCarry(t *testing.T) {
	for _, texts := range [][]string{{"=x"}, {"x"}, {strings.Repeat("k", 256) + "="}, {"k=" + strings.Repeat("v", 65536)}, make([]string, 256)} {
		for i := range texts {
			if texts[i] == "" {
				texts[i] = "k=v"
			}
		}
		var usage *UsageError
		if _, err := metadata(texts); !errors.As(err, &usage) {
			t.Errorf("%.20q: the error is %v", texts, err)
		}
	}
	if _, err := metadata([]string{"a=b", "too-long-" + strings.Repeat("k", 256) + "=v"}); err == nil || !strings.Contains(err.Error(), `"too-long-kkk`) {
		t.Errorf("the key that is too long is not named: %v", err)
	}
	all, err := metadata([]string{"k=v=w", strings.Repeat("k", 255) + "="})
	if err != nil || len(all) != 2 || string(all[0].Value) != "v=w" || len(all[1].Value) != 0 {
		t.Errorf("the metadata is %v, %v", all, err)
	}
}

func TestLinesAreCutToTheTerminal(t *testing.T) {
	for _, c := range []struct {
		line    string
		columns int
		want    string
	}{
		{"a line of some words", 0, "a line of some words"},
		{"a line of some words", 20, "a line of some words"},
		{"a line of some words", 19, "a line of some wor…"},
		{"a line of some words", 8, "a line…"},
		{"→ ← →", 5, "→ ← →"},
		{"→ ← →", 4, "→ ←…"},
		{"words", 1, "…"},
	} {
		if got := cut(c.line, c.columns); got != c.want {
			t.Errorf("%q cut to %d columns is %q, want %q", c.line, c.columns, got, c.want)
		}
	}
}
