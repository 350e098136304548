package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/serial-data-protocol/sdp/conformance/building"
)

// measurement is how long the operations of a language take, and the machine that they ran on.
type measurement struct {
	Language   string      `json:"language"`
	Date       string      `json:"date"`
	Commit     string      `json:"commit"`
	Command    string      `json:"command"`
	Machine    surrounding `json:"machine"`
	Thread     string      `json:"thread"`
	Runs       int         `json:"runs"`
	Scheduler  *wakeups    `json:"cyclictest"`
	Operations []timing    `json:"operations"`
}

type surrounding struct {
	CPU      string  `json:"cpu"`
	Cores    int     `json:"cores"`
	Kernel   string  `json:"kernel"`
	Governor string  `json:"governor"`
	Load     float64 `json:"load"`
}

// wakeups are how late a thread of higher priority woke on the same processor, as cyclictest tells it in microseconds.
type wakeups struct {
	Cycles  int     `json:"cycles"`
	Average float64 `json:"avg"`
	Max     int     `json:"max"`
}

// timing is how long an operation takes, in nanoseconds.
type timing struct {
	Name string `json:"name"`
	P50  int    `json:"p50"`
	P99  int    `json:"p99"`
	P999 int    `json:"p99.9"`
	Max  int    `json:"max"`
}

// latency measures the operations of a language. Where all is run, cyclictest runs beside it, and the results are kept.
func latency(of *language, o options) error {
	// The last processor has the fewest interrupts, most of the time.
	processor := strconv.Itoa(runtime.NumCPU() - 1)
	var beside *scheduler
	if !o.isGate {
		var err error
		if beside, err = watch(processor); err != nil {
			fmt.Printf("%-5s %-11s could not run: %v\n", of.name, "cyclictest", err)
		}
	}
	output, err := exec.Command(of.machine, "latency", strconv.Itoa(o.latency), processor).Output()
	if err != nil {
		return fmt.Errorf("%s: latency: %w", of.name, err)
	}
	m := measurement{Language: of.name, Runs: o.latency, Machine: here(), Date: time.Now().Format(time.DateOnly), Command: "make realtime"}
	if err := m.read(string(output), of); err != nil {
		return err
	}
	if beside != nil {
		if m.Scheduler, err = beside.stop(); err != nil {
			return err
		}
	}
	fmt.Printf("%-5s %-11s %s runs on %s\n", of.name, "latency", thousands(m.Runs), m.Thread)
	if o.isGate {
		return nil
	}
	return m.keep(of)
}

// read takes what the machine prints.
func (m *measurement) read(output string, of *language) error {
	for line := range strings.Lines(output) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ok ")
		if name == "thread" {
			m.Thread = rest
			continue
		}
		t := timing{Name: name}
		if n, err := fmt.Sscan(rest, &t.P50, &t.P99, &t.P999, &t.Max); n != 4 {
			return fmt.Errorf("the machine says %q: %w", line, err)
		}
		m.Operations = append(m.Operations, t)
	}
	// The clock is one more.
	if len(m.Operations) != len(of.operations)+1 {
		return fmt.Errorf("%s: latency: %d operations were measured", of.name, len(m.Operations))
	}
	return nil
}

// keep writes the results, and shows them.
func (m *measurement) keep(of *language) error {
	var err error
	if m.Commit, err = commit(); err != nil {
		return err
	}
	for _, t := range m.Operations {
		fmt.Printf("      %-18s p50 %5d ns, p99 %5d, p99.9 %6d, max %8d\n", t.Name, t.P50, t.P99, t.P999, t.Max)
	}
	if m.Scheduler != nil {
		fmt.Printf("      cyclictest woke late by %d µs at most, %.1f on average, of %s times\n", m.Scheduler.Max, m.Scheduler.Average, thousands(m.Scheduler.Cycles))
	}
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	return building.Write(filepath.Join(results, of.results), string(text)+"\n")
}

// commit is the measured commit.
func commit() (string, error) {
	text, err := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output()
	return strings.TrimSpace(string(text)), err
}

// here is the machine that this runs on.
func here() surrounding {
	s := surrounding{Cores: runtime.NumCPU(), Governor: "none"}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		_, rest, _ := strings.Cut(string(text), "model name")
		line, _, _ := strings.Cut(rest, "\n")
		s.CPU = strings.TrimSpace(strings.TrimLeft(line, "\t :"))
	}
	if text, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		s.Kernel = strings.TrimSpace(string(text))
	}
	if text, err := os.ReadFile("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"); err == nil {
		s.Governor = strings.TrimSpace(string(text))
	}
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		fmt.Sscan(string(text), &s.Load)
	}
	return s
}

// scheduler is cyclictest, which runs beside a measurement.
type scheduler struct {
	command *exec.Cmd
	results string
}

// watch starts it on a processor, at a higher priority than the measured program there.
func watch(processor string) (*scheduler, error) {
	if err := install("cyclictest", "rt-tests"); err != nil {
		return nil, err
	}
	results := filepath.Join(out, "cyclictest.json")
	command := exec.Command("cyclictest", "--quiet", "--mlockall", "--priority=80", "--threads=1", "--interval=1000", "--affinity="+processor, "--json="+results)
	return &scheduler{command, results}, command.Start()
}

// stop ends it, and reads what it has seen.
func (s *scheduler) stop() (*wakeups, error) {
	if err := s.command.Process.Signal(syscall.SIGINT); err != nil {
		return nil, err
	}
	if err := s.command.Wait(); err != nil {
		return nil, fmt.Errorf("cyclictest: %w", err)
	}
	text, err := os.ReadFile(s.results)
	if err != nil {
		return nil, err
	}
	var all struct {
		Thread map[string]wakeups `json:"thread"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	seen, ok := all.Thread["0"]
	if !ok || seen.Cycles == 0 {
		return nil, errors.New("cyclictest has seen nothing")
	}
	return &seen, nil
}
