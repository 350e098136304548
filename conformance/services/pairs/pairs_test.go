// Package pairs_test lets the programs of conformance/services call each other. They
// are built before, by conformance/services/build.
package pairs_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

var releases = []string{"old", "new"}

// languages are the languages whose frames the harness asks about.
func languages(t *testing.T) (names []string) {
	t.Helper()
	list, err := os.ReadFile(filepath.Join("..", "..", "runners.toml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`\[\[frames\]\]\s+name = "(\w+)"`).FindAllStringSubmatch(string(list), -1) {
		names = append(names, found[1])
	}
	if len(names) < 3 {
		t.Fatalf("conformance/runners.toml lists only %v", names)
	}
	return names
}

// onCore are languages that have no sessions of their own, and call and serve by the core of mxp/c.
var onCore = []string{"python"}

// callers are all languages that call and serve over sockets.
func callers(t *testing.T) []string {
	t.Helper()
	return append(languages(t), onCore...)
}

// landlocked is the language that has no shared memory.
const landlocked = "typescript"

// meets reports whether a client is tried with a server. Programs of one language meet in all
// releases, and others once: in every second pair of languages the client is the newer one. With
// MXP_PAIRS=all in the environment, which is how exploring runs it, all meet.
func meets(t *testing.T, asks, asked, language, release string) bool {
	if asks == language || os.Getenv("MXP_PAIRS") == "all" {
		return true
	}
	all := callers(t)
	isNewer := (slices.Index(all, asks)+slices.Index(all, language))%2 == 0
	return asked != release && (asked == "new") == isNewer
}

// contract is the output of every client, for any server. MARK is both releases' reading of the
// newer one's field, and ROUND the result of a method whose request and response no other release
// reads. That a union has gained an alternative shows nowhere.
const contract = `echo: 7 "héllo" -9 MARK
seen: echo
trace: echo 00-01000000000000000000000000000002-0300000000000004-01 vendor=x
fail: 9 demo_refused "not now" 0102 acted=true
line: ledger.Ledger/fail: FailedPrecondition (9) demo_refused: not now; it may have been acted on
key: 16 key_wrong acted=false
wait: 4 deadline_exceeded
wait: 1 cancelled
waited: 2
nothing: ok
blob: 0
blob: 16777182
too large: ledger.Ledger/blob: OutOfRange (11) payload_too_large: a payload of 16777250 bytes, where the peer takes 16777216; it was not acted on
list: 1 2 3
list: 1000
list: 3 range_empty "no numbers"
list: left
sum: 3 6
sum: 0 0
sum: 9 sum_negative
negate: -1 -2 -3
negate: 1000 in step
book: ok
book: 6 booked_twice
booked: 3 5
ROUND
done
`

// expected is the output of a client that calls a server.
func expected(client, server string) string {
	mark := "seven"
	switch {
	case client == "old":
		mark = "-"
	case server == "old":
		mark = "none" // the default, since the server has lost what it doesn't know
	}
	round := "round: 5"
	if width := map[string]string{"old": "u32", "new": "u64"}; client != server {
		round = "round: ledger.Ledger/round: FailedPrecondition (9) session_schema: ledger.Rounding.to: here " +
			width[client] + ", there " + width[server] + "; it was not acted on"
	}
	return strings.NewReplacer("MARK", mark, "ROUND", round).Replace(contract)
}

// TestEveryLanguageCallsEveryOther runs all pairs of languages, and of releases. A
// server is called by one client after the other.
func TestEveryLanguageCallsEveryOther(t *testing.T) {
	for _, language := range callers(t) {
		for _, release := range releases {
			t.Run(language+"-"+release+" serves", func(t *testing.T) {
				t.Parallel()
				at := "mxp+unix://" + filepath.Join(t.TempDir(), "s.sock")
				stop := serve(t, program(language, release), at)
				for _, asks := range callers(t) {
					for _, asked := range releases {
						if !meets(t, asks, asked, language, release) {
							continue
						}
						t.Run(asks+"-"+asked+" calls", func(t *testing.T) {
							call(t, program(asks, asked), at, expected(asked, release))
						})
					}
				}
				stop()
			})
		}
	}
}

// TestSharedMemoryCarriesEveryPair runs pairs of languages by memory that they share, and over the
// socket at the same place: of one release, since memory knows of none, or where all meet of both.
func TestSharedMemoryCarriesEveryPair(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // no other system has it
	}
	shares := slices.DeleteFunc(languages(t), func(language string) bool { return language == landlocked })
	releases := releases
	if os.Getenv("MXP_PAIRS") != "all" {
		releases = []string{"new"}
	}
	for _, language := range shares {
		for _, release := range releases {
			t.Run(language+"-"+release+" serves", func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "s.sock")
				stop := serve(t, program(language, release), "mxp+shm://"+path)
				for _, asks := range shares {
					for _, asked := range releases {
						t.Run(asks+"-"+asked+" calls", func(t *testing.T) {
							if !call(t, program(asks, asked), "mxp+shm://"+path, expected(asked, release)) {
								t.Error("no memory was shared")
							}
						})
					}
					t.Run(asks+" calls over the socket", func(t *testing.T) {
						if call(t, program(asks, release), "mxp+unix://"+path, expected(release, release)) {
							t.Error("memory was shared")
						}
					})
				}
				stop()
			})
		}
	}
}

// TestWebSocketsJoinLanguages runs the pairs of different languages by WebSocket.
func TestWebSocketsJoinLanguages(t *testing.T) {
	languages := languages(t)
	for _, language := range languages {
		t.Run(language+" serves", func(t *testing.T) {
			t.Parallel()
			at := "mxp+ws://" + free(t) + "/ledger"
			stop := serve(t, program(language, "new"), at)
			for _, asks := range languages {
				if asks != language {
					t.Run(asks+" calls", func(t *testing.T) { call(t, program(asks, "new"), at, expected("new", "new")) })
				}
			}
			stop()
		})
	}
}

// TestPagesCallOverWebSocket lets pages of the browsers that MXP_BROWSERS names call servers in all
// languages. Exploring does so.
func TestPagesCallOverWebSocket(t *testing.T) {
	browsers := strings.Fields(os.Getenv("MXP_BROWSERS"))
	for _, language := range languages(t) {
		for _, browser := range browsers {
			t.Run(browser+" calls "+language, func(t *testing.T) {
				place := free(t) + "/ledger"
				stop := serve(t, program(language, "new"), "mxp+ws://"+place)
				page := filepath.Join("..", "..", "runners", "typescript", "browser", "services.mjs")
				got, err := exec.Command("node", page, browser, place).CombinedOutput()
				if want := expected("new", "new"); err != nil || string(got) != want {
					t.Errorf("%v\nwhere the lines differ from the contract:\n%s", err, difference(string(got), want))
				}
				stop()
			})
		}
	}
}

// free is a loopback address on which nobody listens.
func free(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// exchanged is the output of a client that has opened channels.
const exchanged = `queue: 1000 in order
newest: whole
ended: said
byte 8: refused
byte 9: refused
form: 9 channel_form "the server has a queue of responses, and the opener the latest"
unknown: 12 channel_unknown "levels.Meters/3 is not opened as a channel"
done
`

// TestChannelsJoinEveryPair runs all pairs of languages that have channels.
func TestChannelsJoinEveryPair(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // no other system has it
	}
	languages := []string{"rust", "cpp"}
	for _, language := range languages {
		t.Run(language+" serves", func(t *testing.T) {
			t.Parallel()
			at := "mxp+shm://" + filepath.Join(t.TempDir(), "s.sock")
			stop := serve(t, program(language, "new"), at)
			for _, asks := range languages {
				t.Run(asks+" asks", func(t *testing.T) { ask(t, program(asks, "new"), "channels", at, exchanged) })
			}
			stop()
		})
	}
}

func program(language, release string) string {
	return filepath.Join("..", "out", language+"-"+release)
}

// serve starts a server, and returns when it can be called. It is to end by itself
// when it is told to.
func serve(t *testing.T, program, at string) (stop func()) {
	t.Helper()
	command := exec.Command(program, "serve", at)
	command.Stderr = os.Stderr
	said, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { command.Process.Kill() })
	watch := time.AfterFunc(patience, func() { command.Process.Kill() })
	lines := bufio.NewScanner(said)
	if !lines.Scan() || lines.Text() != "ready" {
		t.Fatalf("the server says %q", lines.Text())
	}
	watch.Stop()
	return func() {
		command.Process.Signal(syscall.SIGTERM)
		watch := time.AfterFunc(patience, func() { command.Process.Kill() })
		defer watch.Stop()
		if lines.Scan() {
			t.Errorf("the server says %q", lines.Text())
		}
		if err := command.Wait(); err != nil {
			t.Errorf("the server ends with %v", err)
		}
	}
}

// patience is how long one program may take for one thing.
const patience = 30 * time.Second

// call runs a client, and holds what it prints against what it should. It reports whether the
// client had memory of its own and the server's.
func call(t *testing.T, program, at, want string) (shares bool) {
	t.Helper()
	return ask(t, program, "call", at, want)
}

// ask is call by another of the program's commands.
func ask(t *testing.T, program, by, at, want string) (shares bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, program, by, at)
	var out, complaints bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaints
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	look := time.NewTicker(10 * time.Millisecond) // it waits for longer than that
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil || out.String() != want {
				t.Errorf("%v\n%swhere the lines differ from the contract:\n%s", err, complaints.String(), difference(out.String(), want))
			}
			return shares
		case <-look.C:
			maps, _ := os.ReadFile(fmt.Sprintf("/proc/%d/maps", command.Process.Pid)) // nothing when it has ended
			if shares = shares || strings.Count(string(maps), "/memfd:mxp") == 2; shares {
				look.Stop()
			}
		}
	}
}

// difference shows the lines that are not alike.
func difference(got, want string) string {
	var b strings.Builder
	printed, wanted := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(printed), len(wanted)) {
		g, w := line(printed, i), line(wanted, i)
		if g != w {
			b.WriteString("  got  " + g + "\n  want " + w + "\n")
		}
	}
	return b.String()
}

func line(all []string, i int) string {
	if i < len(all) {
		return all[i]
	}
	return "(nothing)"
}
