// Command mesh measures what a mesh costs as it grows: registering, discovering and events, with 10
// to 10,000 agents, at one node and at three, each a process of this machine. The results go to
// bench/results/mesh, a table and a picture of them to docs.
//
//	go run ./bench/mesh          measures, and stamps docs/mesh.md
//	go run ./bench/mesh -stamp   stamps alone
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// results are all that was measured in one run.
type results struct {
	Date   string  `json:"date"`
	Commit string  `json:"commit"`
	CPU    string  `json:"cpu"`
	Cores  int     `json:"cores"`
	Load   float64 `json:"load"` // of the minute before
	Rows   []row   `json:"rows"`
}

// row is the cost of a mesh of some size.
type row struct {
	Nodes  int `json:"nodes"`
	Agents int `json:"agents"`
	// Register is the time of a registration, Discover that of a query for one agent, Event that
	// from publishing until a handler has the event, at another node where there is one.
	Register spread `json:"register_ns"`
	Discover spread `json:"discover_ns"`
	Event    spread `json:"event_ns"`
	// Events are delivered in a second, of 64 bytes, from one publisher to one subscriber.
	Events float64 `json:"events_per_second"`
	// Memory is the resident memory of the largest node, in bytes.
	Memory int `json:"memory_bytes"`
}

// spread are percentiles of times, in nanoseconds.
type spread struct {
	P50 int64 `json:"p50"`
	P99 int64 `json:"p99"`
}

// rounds is how often each size is measured; results are medians.
const rounds = 3

const resultsFile = "bench/results/mesh/growth.json"

func main() {
	stampOnly := flag.Bool("stamp", false, "stamp docs with the results that are there")
	root := flag.String("root", ".", "the repository")
	flag.Parse()
	if !*stampOnly {
		if err := measureAll(*root); err != nil {
			log.Fatal(err)
		}
	}
	if err := stamp(*root); err != nil {
		log.Fatal(err)
	}
}

func measureAll(root string) error {
	folder, err := os.MkdirTemp("", "mesh-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, "sdp-mesh")
	build := exec.Command("go", "build", "-o", program, "./cmd/sdp-mesh")
	build.Dir, build.Stderr = filepath.Join(root, "mesh"), os.Stderr
	if err := build.Run(); err != nil {
		return err
	}
	r := machine(root)
	for _, nodes := range []int{1, 3} {
		for _, agents := range []int{10, 100, 1_000, 10_000} {
			var rows []row
			for round := range rounds {
				one, err := measure(program, filepath.Join(folder, fmt.Sprintf("%d-%d-%d", nodes, agents, round)), nodes, agents)
				if err != nil {
					return fmt.Errorf("%d nodes, %d agents: %w", nodes, agents, err)
				}
				log.Printf("%+v", one)
				rows = append(rows, one)
			}
			r.Rows = append(r.Rows, median(rows))
		}
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	file := filepath.Join(root, resultsFile)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// median is a row of the medians of rows of one size.
func median(rows []row) row {
	middle := rows[0]
	middle.Register, middle.Discover, middle.Event = medians(rows, func(r row) spread { return r.Register }),
		medians(rows, func(r row) spread { return r.Discover }), medians(rows, func(r row) spread { return r.Event })
	middle.Events = middleOf(rows, func(r row) float64 { return r.Events })
	middle.Memory = middleOf(rows, func(r row) int { return r.Memory })
	return middle
}

func medians(rows []row, of func(row) spread) spread {
	return spread{
		P50: middleOf(rows, func(r row) int64 { return of(r).P50 }),
		P99: middleOf(rows, func(r row) int64 { return of(r).P99 }),
	}
}

func middleOf[T cmp.Ordered](rows []row, of func(row) T) T {
	var all []T
	for _, one := range rows {
		all = append(all, of(one))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// machine is what results are of, before there are any.
func machine(root string) results {
	r := results{Date: time.Now().UTC().Format(time.DateOnly), Cores: runtime.NumCPU(), CPU: runtime.GOARCH}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if name, found := strings.CutPrefix(line, "model name"); found {
				r.CPU = strings.Trim(name, "\t: \n")
				break
			}
		}
	}
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		fmt.Sscan(string(text), &r.Load)
	}
	git := exec.Command("git", "describe", "--always", "--dirty=+changes", "--abbrev=12", "--exclude=*")
	git.Dir = root
	if text, err := git.Output(); err == nil {
		r.Commit = string(bytes.TrimSpace(text))
	}
	return r
}
