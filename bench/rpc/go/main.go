// Command rpcbench is one client or one server of one of Go's peers, as ../rust is of Rust's: see ../README.md.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "rpcbench:", err)
		os.Exit(1)
	}
}

// peer is a library: a server and a client of it.
type peer struct {
	// serve serves until the process ends.
	serve func(address) error
	// connect makes a connection, to be used by one goroutine.
	connect func(address) (caller, error)
	// flows makes, of a connection of its own, what sends messages in one of the ways that the library has.
	flows map[string]func(address) (flow, error)
	// beside makes a connection for calls and for a stream to the server at once.
	beside func(address) (caller, flow, error)
}

// peers are filled by their files.
var peers = map[string]peer{}

func run(args []string) error {
	if len(args) > 0 && args[0] == "beside" {
		return compareBeside(args[1:])
	}
	if len(args) < 3 {
		return errors.New("usage: rpcbench serve|call PEER ADDRESS [FLAG...], or rpcbench beside [FLAG...]")
	}
	p, ok := peers[args[1]]
	if !ok {
		return fmt.Errorf("%s: no such peer in this program", args[1])
	}
	at, err := parseAddress(args[2])
	if err != nil {
		return err
	}
	switch args[0] {
	case "serve":
		go endWithInput()
		return p.serve(at)
	case "call":
		plan, err := parsePlan(args[3:])
		if err != nil {
			return err
		}
		measured, err := plan.run(p, at)
		if err != nil {
			return err
		}
		fmt.Println(measured.json())
		return nil
	}
	return fmt.Errorf("%s: neither serve nor call", args[0])
}

func parsePlan(args []string) (*plan, error) {
	p := &plan{}
	var size int
	var seconds float64
	var once bool
	flags := flag.NewFlagSet("call", flag.ContinueOnError)
	flags.StringVar(&p.kind, "kind", "call", "call, event, up or both")
	flags.IntVar(&size, "size", 64, "bytes of a message")
	flags.IntVar(&p.inFlight, "in-flight", 1, "calls in flight on a connection")
	flags.IntVar(&p.connections, "connections", 1, "connections")
	flags.Float64Var(&seconds, "seconds", 1, "how long")
	flags.BoolVar(&once, "once", false, "compare a few, time nothing")
	flags.IntVar(&p.server, "server", 0, "the server's process")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if rest := flags.Args(); len(rest) > 0 {
		return nil, fmt.Errorf("not known: %q", rest)
	}
	if !once {
		p.time = time.Duration(seconds * float64(time.Second))
	}
	p.payload = newPayload(size)
	return p, nil
}

// endWithInput ends this process when its parent is gone.
func endWithInput() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// address is where a server is: unix:PATH, tcp:HOST:PORT or, of mxp, shm:PATH and spin:PATH.
type address struct {
	network, at string
	// spins has who waits at shared memory look for bytes before it sleeps even if its process has one core: the other side has
	// another.
	spins bool
}

func parseAddress(text string) (address, error) {
	network, at, ok := strings.Cut(text, ":")
	if ok && network == "spin" {
		return address{"shm", at, true}, nil
	}
	if !ok || !slices.Contains([]string{"unix", "tcp", "shm"}, network) {
		return address{}, fmt.Errorf("%s: an address is unix:PATH, tcp:HOST:PORT, shm:PATH or spin:PATH", text)
	}
	return address{network: network, at: at}, nil
}

// ready says that there is somebody to be called; over TCP, with the port that was given for port 0.
func (a address) ready(listens net.Addr) {
	if a.network == "tcp" {
		a.at = listens.String()
	}
	way := a.network
	if a.spins {
		way = "spin"
	}
	fmt.Printf("ready %s:%s\n", way, a.at)
}
