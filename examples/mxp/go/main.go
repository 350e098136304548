// Command mxp_demo serves demo.Echo, and calls it: in another process, in
// another language.
//
//	mxp_demo serve  mxp+unix:///tmp/echo.sock [MEMORY_BYTES]
//	mxp_demo call   mxp+unix:///tmp/echo.sock 1 hello [DEADLINE_MS]
//	mxp_demo stream mxp+unix:///tmp/echo.sock some words
//	mxp_demo event  mxp+unix:///tmp/echo.sock tick
//	mxp_demo load   mxp+unix:///tmp/echo.sock CALLERS [BYTES [CHUNK]]
//	mxp_demo scripts                               what clients do: a line of the input each
//
// For mxp+tls:// MXP_DEMO_CERTIFICATE and MXP_DEMO_KEY name the files of a server, and
// MXP_DEMO_AUTHORITY the certificate that a client checks the server's by.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/websocket"
)

// The methods of demo.Echo.
const (
	echo   = 1 // a call: gives the value back
	refuse = 2 // a call: fails with the value as text
	upper  = 3 // a stream: gives each chunk back in upper case
	tick   = 4 // an event: is counted
	count  = 5 // a call: how many events there were, 8 bytes
)

const service = "demo.Echo"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		var f *mxp.Failure
		if errors.As(err, &f) {
			fmt.Printf("failed: %s: %s\n", f.Name, f.Text)
		} else {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	websocket.Register(websocket.Options{})
	if (len(args) == 2 || len(args) == 3) && args[0] == "serve" {
		return serve(ctx, args[1], args[2:])
	}
	config, err := clientTLS()
	if err != nil {
		return err
	}
	if len(args) == 1 && args[0] == "scripts" {
		return scripts(ctx, os.Stdin, mxp.ClientOptions{TLS: config})
	}
	if len(args) < 3 {
		return errors.New("usage: mxp_demo serve ADDRESS [MEMORY_BYTES] | call ADDRESS METHOD TEXT [DEADLINE_MS] | stream ADDRESS WORD... | event ADDRESS TEXT | load ADDRESS CALLERS [BYTES [CHUNK]] | scripts")
	}
	client, err := mxp.Dial(args[1], mxp.ClientOptions{TLS: config})
	if err != nil {
		return err
	}
	defer client.Close()
	if args[0] == "load" {
		return load(ctx, client, args[2:])
	}
	ctx, cancel := context.WithTimeout(ctx, deadline(args))
	defer cancel()
	switch args[0] {
	case "call":
		return call(ctx, client, args[2:])
	case "stream":
		return stream(ctx, client, args[2:])
	case "event":
		return event(ctx, client, args[2])
	}
	return fmt.Errorf("there is no command %q", args[0])
}

func deadline(args []string) time.Duration {
	if args[0] == "call" && len(args) > 4 {
		if ms, err := strconv.Atoi(args[4]); err == nil {
			return time.Duration(ms) * time.Millisecond
		}
	}
	return 5 * time.Second
}
