package websocket_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/websocket"
)

// open serves handshakes by another's HTTP server, and gives its address.
func open(t *testing.T, o websocket.Options) string {
	t.Helper()
	listener := websocket.NewListener("ws", o)
	web := httptest.NewServer(listener)
	t.Cleanup(web.Close)
	server := mxp.NewServer(mxp.ServerOptions{Services: echo()})
	go server.Serve(listener)
	t.Cleanup(server.Close)
	return "mxp+ws" + strings.TrimPrefix(web.URL, "http") + "/"
}

// header is a line of a head: a dot leaves it out, and a dash has it empty.
func header(name, value string) string {
	if value == "." {
		return ""
	}
	return name + ": " + strings.TrimPrefix(value, "-") + "\r\n"
}

// [MXP-19.2] [MXP-19.5]
func TestHandshakesOfOthersAreRefused(t *testing.T) {
	table, err := os.ReadFile("../../testdata/handshakes.txt")
	if err != nil {
		t.Fatal(err)
	}
	servers := map[string]string{
		"usual":  open(t, websocket.Options{}),
		"listed": open(t, websocket.Options{Hosts: []string{"studio.example"}, Origins: []string{"https://studio.example"}, Token: "abc-1"}),
	}
	cases := 0
	for line := range strings.Lines(string(table)) {
		words := strings.Fields(line)
		if len(words) != 5 || servers[words[0]] == "" {
			continue
		}
		cases++
		want, _ := strconv.Atoi(words[4])
		lines := header("Host", words[1]) + header("Origin", words[2]) + header("Sec-WebSocket-Protocol", words[3])
		if _, got := shake(t, servers[words[0]], key+lines, ""); got != want {
			t.Errorf("%s: %d", strings.TrimSpace(line), got)
		}
	}
	if cases < 50 {
		t.Errorf("%d cases", cases)
	}
}

// [MXP-19.6]
func TestPagesOfAnOriginHaveFewConnections(t *testing.T) {
	at := open(t, websocket.Options{OriginConnections: 2})
	page := key + header("Origin", "http://127.0.0.1")
	first, status := ask(t, at, page, "")
	_, second := ask(t, at, page, "")
	_, third := ask(t, at, page, "")
	_, other := ask(t, at, key+header("Origin", "http://127.0.0.1:1"), "")
	if status != 101 || second != 101 || third != 429 || other != 101 {
		t.Error(status, second, third, other)
	}
	for range 3 {
		if _, program := ask(t, at, key, ""); program != 101 {
			t.Errorf("a program is answered with %d", program)
		}
	}
	first.Close()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, again := ask(t, at, page, ""); again == 101 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("its place is never free again")
		}
	}
}

// [MXP-19.2] [MXP-19.5]
func TestHandshakesThatAreNoneAreRefused(t *testing.T) {
	_, at := serve(t, "mxp+ws://127.0.0.1:0/", mxp.ServerOptions{})
	for _, one := range []struct {
		name, lines, behind string
		want                int
	}{
		{"one Origin", key + "Origin: http://127.0.0.1\r\n", "", 101},
		{"two Origins", key + "Origin: http://127.0.0.1\r\nOrigin: https://evil.example\r\n", "", 403},
		{"a body of nothing", key + "Content-Length: 0\r\n", "", 101},
		{"a body", key + "Content-Length: 10\r\n", "", 400},
		{"a body in chunks", key + "Transfer-Encoding: chunked\r\n", "", 400},
		{"a body that is there", key + "Content-Length: 2\r\n", "ab", 400},
		{"no key", "", "", 400},
		{"two keys", key + key, "", 400},
		{"a key that is no base64", header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ!!"), "", 400},
		{"a key of 15 bytes", header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25j"), "", 400},
		{"a key without its end", header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ"), "", 400},
		{"a key that has bits left", header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZR=="), "", 400},
	} {
		began := time.Now()
		r, got := ask(t, at, one.lines, one.behind)
		if got != one.want {
			t.Errorf("%s: %d, and not %d", one.name, got, one.want)
		}
		if got != http.StatusSwitchingProtocols {
			if _, err := io.Copy(io.Discard, r.in); err != nil && !strings.Contains(err.Error(), "reset") || time.Since(began) > time.Second {
				t.Errorf("%s: the connection ends after %v, %v", one.name, time.Since(began), err)
			}
		}
	}
}
