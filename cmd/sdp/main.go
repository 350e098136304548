// Command sdp is the schema compiler and its companions: it generates code,
// formats and checks schemas, and converts and shows data.
//
// It turns the command line into calls of package driver and errors into exit
// codes, and knows nothing else.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"sync/atomic"
	"syscall"

	"github.com/serial-data-protocol/sdp/compiler/driver"
	"github.com/serial-data-protocol/sdp/compiler/manual"
)

// The exit codes.
const (
	exitFine    = 0
	exitRefused = 1
	exitUsage   = 2
	// exitSignal plus the signal's number is what shells report for a program
	// that a signal ended.
	exitSignal = 128
)

// exitTable is what `sdp --help` says of them.
var exitTable = []manual.Exit{
	{Code: strconv.Itoa(exitFine), Meaning: "the work is done"},
	{Code: strconv.Itoa(exitRefused), Meaning: "the input is at fault (a schema, data, or a file that cannot be read or written), or a request has failed"},
	{Code: strconv.Itoa(exitUsage), Meaning: "the command line is at fault"},
	{Code: strconv.Itoa(exitSignal) + " + N", Meaning: "the signal N has ended the work"},
}

func main() { os.Exit(run()) }

func run() int {
	tool := &driver.Tool{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	ended := endOnSignal(tool)
	err := newRoot(tool).execute(os.Args[1:])
	if errors.Is(err, driver.ErrInterrupted) {
		return int(ended.Load())
	}
	return exitCode(err, os.Stderr)
}

// endOnSignal lets a signal end the program: a command that talks to others is
// told to end, and the second signal doesn't wait for it; any other is cut off,
// without its temporary files. It returns the exit code of a command that a signal
// has ended.
//
// A closed pipe is no signal here but an error of the write that meets it, so
// that `sdp inspect … | head` ends quietly and without leaving files behind.
func endOnSignal(tool *driver.Tool) *atomic.Int32 {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ends := make(chan os.Signal, 2)
	signal.Notify(ends, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	code := &atomic.Int32{}
	go func() {
		for received := range ends {
			code.Store(exitSignal)
			if number, ok := received.(syscall.Signal); ok {
				code.Add(int32(number))
			}
			if !tool.Interrupt() {
				tool.RemoveUnfinished()
				os.Exit(int(code.Load()))
			}
		}
	}()
	return code
}

// exitCode tells the user about an error and says whose fault it is.
func exitCode(err error, stderr io.Writer) int {
	var usage *driver.UsageError
	switch {
	case err == nil, driver.IsClosedPipe(err):
		return exitFine
	case errors.Is(err, driver.ErrRefused):
		return exitRefused
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "sdp: %s\n", usage.Message)
		if usage.Help != "" {
			fmt.Fprintf(stderr, "help: %s\n", usage.Help)
		}
		return exitUsage
	}
	fmt.Fprintf(stderr, "sdp: %v\n", err)
	return exitRefused
}
