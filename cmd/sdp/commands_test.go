package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// commands are what scripts have beside testscript's own. Commands for files are here since not every
// system has programs for them.
var commands = map[string]func(*testscript.TestScript, bool, []string){
	"exits": exits, "appears": appears, "listens": listens,
	"ages": ages, "untouched": untouched, "crlf": crlf, "head": head, "bytes": written, "join": join,
}

// addressOf is where a script's server is: a socket d.sock in its folder, or a port that is free where
// the system has no unix sockets.
func addressOf(t *testing.T, folder string) string {
	t.Helper()
	if runtime.GOOS != "windows" {
		return "mxp+unix://" + filepath.Join(folder, "d.sock")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return "mxp+tcp://" + listener.Addr().String()
}

// listens waits until a server listens at an address:
//
//	listens $AT
func listens(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: listens ADDRESS")
	}
	network, place, _ := strings.Cut(strings.TrimPrefix(args[0], "mxp+"), "://")
	for begun := time.Now(); time.Since(begun) < appearsWithin; time.Sleep(time.Millisecond) {
		if peer, err := net.Dial(network, place); err == nil {
			peer.Close()
			return
		}
	}
	ts.Fatalf("nobody listens at %s", args[0])
}

// longAgo is what ages makes a file's time.
var longAgo = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)

// ages makes files look as if nobody had written them for years.
func ages(ts *testscript.TestScript, neg bool, args []string) {
	for _, file := range named(ts, neg, args, 1) {
		ts.Check(os.Chtimes(file, longAgo, longAgo))
	}
}

// untouched fails where somebody has written a file since `ages`.
func untouched(ts *testscript.TestScript, neg bool, args []string) {
	for _, file := range named(ts, neg, args, 1) {
		info, err := os.Stat(file)
		ts.Check(err)
		if !info.ModTime().Equal(longAgo) {
			ts.Fatalf("%s was written at %s", file, info.ModTime())
		}
	}
}

// crlf ends the lines of files with CRLF.
func crlf(ts *testscript.TestScript, neg bool, args []string) {
	for _, file := range named(ts, neg, args, 1) {
		put := bytes.ReplaceAll([]byte(ts.ReadFile(file)), []byte("\n"), []byte("\r\n"))
		ts.Check(os.WriteFile(file, put, 0o666))
	}
}

// head copies the first bytes of a file:
//
//	head 30 FILE TARGET
func head(ts *testscript.TestScript, neg bool, args []string) {
	named(ts, neg, args, 3)
	count, err := strconv.Atoi(args[0])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(ts.ReadFile(args[1])[:count]), 0o666))
}

// written makes a file of bytes:
//
//	bytes FILE 00ff
func written(ts *testscript.TestScript, neg bool, args []string) {
	named(ts, neg, args, 2)
	data, err := hex.DecodeString(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o666))
}

// join makes a file of others:
//
//	join TARGET FILE...
func join(ts *testscript.TestScript, neg bool, args []string) {
	named(ts, neg, args, 2)
	var all []byte
	for _, file := range args[1:] {
		all = append(all, ts.ReadFile(file)...)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), all, 0o666))
}

// named are the files that a command is given, which has so many arguments at least.
func named(ts *testscript.TestScript, neg bool, args []string, least int) (files []string) {
	if neg || len(args) < least {
		ts.Fatalf("a command has %d arguments or more, and no !", least)
	}
	for _, name := range args {
		files = append(files, ts.MkAbs(name))
	}
	return files
}

// appearsWithin is how long a script waits for a program in the background.
const appearsWithin = 20 * time.Second

// appears waits for a file that a program in the background makes, and for a text
// in it:
//
//	appears d.sock
//	appears mock.log 'Shop/buy'
func appears(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: appears FILE [TEXT]")
	}
	file, text := ts.MkAbs(args[0]), append(args, "")[1]
	for begun := time.Now(); time.Since(begun) < appearsWithin; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(file); err != nil {
			continue
		}
		if content, _ := os.ReadFile(file); strings.Contains(string(content), text) {
			return
		}
	}
	ts.Fatalf("%q has not appeared", args)
}

// exits runs a program and fails unless it ends with the given code:
//
//	exits 2 sdp chekc
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARGUMENT...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%v ended with %d, want %d", args[1:], got, want)
	}
}
