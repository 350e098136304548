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
	"syscall"

	"github.com/serial-data-protocol/sdp/compiler/driver"
)

// The exit codes, which `sdp --help` documents.
const (
	exitFine    = 0
	exitRefused = 1
	exitUsage   = 2
	// exitSignal plus the signal's number is what shells report for a program
	// that a signal ended.
	exitSignal = 128
)

func main() { os.Exit(run()) }

func run() int {
	tool := &driver.Tool{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	cleanOnSignal(tool)
	return exitCode(newRoot(tool).execute(os.Args[1:]), os.Stderr)
}

// cleanOnSignal removes temporary files before a signal ends the program.
//
// A closed pipe is no signal here but an error of the write that meets it, so
// that `sdp inspect … | head` ends quietly and without leaving files behind.
func cleanOnSignal(tool *driver.Tool) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		received := <-ends
		tool.RemoveUnfinished()
		code := exitSignal
		if number, ok := received.(syscall.Signal); ok {
			code += int(number)
		}
		os.Exit(code)
	}()
}

// exitCode tells the user about an error and says whose fault it is.
func exitCode(err error, stderr io.Writer) int {
	var usage *driver.UsageError
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
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
