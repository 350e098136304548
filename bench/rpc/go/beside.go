package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// besideRow is what small calls take on a connection on which large chunks go to the server.
type besideRow struct {
	Peer string `json:"peer"`
	// Over is unix, or the bytes a second of a TCP link.
	Over      string  `json:"over"`
	ChunkSize int     `json:"chunk_bytes"`
	Calls     uint64  `json:"calls"`
	Megabytes float64 `json:"megabytes_per_s"`
	// Medians of the rounds, in nanoseconds.
	P50 uint64 `json:"p50_ns"`
	P99 uint64 `json:"p99_ns"`
	Max uint64 `json:"max_ns"`
}

// compareBeside measures all peers that are in this program, in rounds, and prints a row of
// JSON for each.
func compareBeside(args []string) error {
	flags := flag.NewFlagSet("beside", flag.ContinueOnError)
	seconds := flags.Float64("seconds", 3, "how long each row")
	rounds := flags.Int("rounds", 3, "how often")
	size := flags.Int("size", 64<<10, "bytes of a chunk")
	rate := flags.Float64("rate", 10e6, "bytes a second of the link")
	programs := map[string]string{}
	flags.Func("program", "NAME=PATH of a mxp_demo of ../../../examples/mxp, whose stream goes both ways", func(text string) error {
		name, path, ok := strings.Cut(text, "=")
		programs[name] = path
		if !ok {
			return errors.New("it is NAME=PATH")
		}
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return err
	}
	long := time.Duration(*seconds * float64(time.Second))
	names := append([]string{"mxp", "grpc-go"}, slices.Sorted(maps.Keys(programs))...)
	for _, over := range []string{"unix", fmt.Sprintf("%.0f", *rate)} {
		rows := map[string][]besideRow{}
		for range *rounds {
			for _, name := range names {
				p, there := peers[name]
				path, other := programs[name]
				var row besideRow
				var err error
				switch {
				case other:
					row, err = measureProgram(name, path, over, *rate, *size, long)
				case there:
					row, err = measureBeside(name, p, over, *rate, *size, long)
				default:
					err = errors.New("it is not in this program: build it with the tag sdp")
				}
				if err != nil {
					return fmt.Errorf("%s over %s: %w", name, over, err)
				}
				rows[name] = append(rows[name], row)
			}
		}
		for _, name := range names {
			text, err := json.Marshal(medianRow(rows[name]))
			if err != nil {
				return err
			}
			fmt.Println(string(text))
		}
	}
	return nil
}

func medianRow(rows []besideRow) besideRow {
	median := func(of func(besideRow) uint64) uint64 {
		all := make([]uint64, len(rows))
		for i, r := range rows {
			all[i] = of(r)
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	made := rows[0]
	made.Calls = median(func(r besideRow) uint64 { return r.Calls })
	made.Megabytes = float64(median(func(r besideRow) uint64 { return uint64(r.Megabytes * 10) })) / 10
	made.P50 = median(func(r besideRow) uint64 { return r.P50 })
	made.P99 = median(func(r besideRow) uint64 { return r.P99 })
	made.Max = median(func(r besideRow) uint64 { return r.Max })
	return made
}

// measureBeside starts a server, and lets one connection have both.
func measureBeside(name string, p peer, over string, rate float64, size int, long time.Duration) (row besideRow, err error) {
	folder, err := os.MkdirTemp("", "beside")
	if err != nil {
		return row, err
	}
	defer os.RemoveAll(folder)
	where := "unix:" + filepath.Join(folder, "s")
	if over != "unix" {
		where = "tcp:127.0.0.1:0"
	}
	at, stop, err := startServer(name, where)
	if err != nil {
		return row, err
	}
	defer stop()
	if err := at.behind(over, rate); err != nil {
		return row, err
	}
	call, up, err := p.beside(at)
	if err != nil {
		return row, err
	}
	small := newPayload(64)
	small.isCompared = true
	if err := call.call(small); err != nil {
		return row, err
	}
	streamed := make(chan error, 1)
	var chunks uint64
	began := time.Now()
	go func() {
		n, err := up(newPayload(size), until{time: long, every: 1, left: 1}.begun())
		chunks = n
		streamed <- err
	}()
	time.Sleep(long / 10)
	times.reset()
	for end := began.Add(long); time.Now().Before(end); row.Calls++ {
		start := time.Now()
		if err := call.call(small); err != nil {
			return row, err
		}
		times.note(time.Since(start))
		time.Sleep(time.Millisecond)
	}
	if err := <-streamed; err != nil {
		return row, err
	}
	took := time.Since(began)
	measured := times.percentiles()
	row.Peer, row.Over, row.ChunkSize = name, over, size
	row.Megabytes = float64(chunks) * float64(size) / 1e6 / took.Seconds()
	row.P50, row.P99, row.Max = measured.P50, measured.P99, measured.Max
	return row, nil
}

// behind puts a link before a server that is not on a unix socket.
func (a *address) behind(over string, rate float64) error {
	if over == "unix" {
		return nil
	}
	l, err := newLink(a.at, rate)
	if err == nil {
		a.at = l.listener.Addr().String()
	}
	return err
}

// measureProgram does the same with a program that serves and loads by itself.
func measureProgram(name, path, over string, rate float64, size int, long time.Duration) (row besideRow, err error) {
	folder, err := os.MkdirTemp("", "beside")
	if err != nil {
		return row, err
	}
	defer os.RemoveAll(folder)
	at := address{network: "unix", at: filepath.Join(folder, "s")}
	if over != "unix" {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return row, err
		}
		at = address{network: "tcp", at: free.Addr().String()}
		free.Close()
	}
	server := exec.Command(path, "serve", "mxp+"+at.network+"://"+at.at)
	if err := server.Start(); err != nil {
		return row, err
	}
	defer func() {
		server.Process.Kill()
		server.Wait()
	}()
	if err := at.behind(over, rate); err != nil {
		return row, err
	}
	client := exec.Command(path, "load", "mxp+"+at.network+"://"+at.at, "1", "64", fmt.Sprint(size))
	time.AfterFunc(long, func() { client.Process.Signal(syscall.SIGTERM) })
	out, err := client.Output()
	if err != nil {
		return row, err
	}
	var answered, refused, lost, p50, p99, most, streamed uint64
	var failures string
	const format = "calls=%d answered=%d refused=%d lost=%d p50_us=%d p99_us=%d max_us=%d failures=%s\nstreamed=%d\n"
	if _, err := fmt.Sscanf(string(out), format, &row.Calls, &answered, &refused, &lost, &p50, &p99, &most, &failures, &streamed); err != nil || answered != row.Calls {
		return row, fmt.Errorf("it says %q: %w", out, err)
	}
	row.Peer, row.Over, row.ChunkSize = name, over, size
	row.Megabytes = float64(streamed) / 1e6 / long.Seconds()
	row.P50, row.P99, row.Max = p50*1000, p99*1000, most*1000
	return row, nil
}

// startServer starts this program as the server of a peer.
func startServer(name, where string) (at address, stop func(), err error) {
	program, err := os.Executable()
	if err != nil {
		return at, nil, err
	}
	cmd := exec.Command(program, "serve", name, where)
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		return at, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return at, nil, err
	}
	if err := cmd.Start(); err != nil {
		return at, nil, err
	}
	stop = func() {
		input.Close()
		cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	text, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if err != nil || !ok {
		stop()
		return at, nil, errors.New("the server is not ready")
	}
	at, err = parseAddress(text)
	return at, stop, err
}
