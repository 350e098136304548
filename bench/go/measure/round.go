package measure

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	bench "github.com/serial-data-protocol/sdp/bench/go"
)

// Measured is one case of one codec after all rounds.
type Measured struct {
	Codec        string
	Case         bench.Case
	Heap         Heap
	EncodedBytes int
	LiveBytes    uint64
	Samples      []Sample
}

// Group measures jobs against each other: rounds times it takes one sample of every case of every job, in
// turn, so that other work of the machine meets all alike. Every second round goes backwards, so that none
// is always first.
func Group(dataDir string, jobs []Job, rounds int) ([]Measured, error) {
	var pairs []entrant
	var processes []*process
	defer func() {
		for _, p := range processes {
			p.stop()
		}
	}()
	for _, job := range jobs {
		p, err := start(dataDir, job)
		if err != nil {
			return nil, err
		}
		processes = append(processes, p)
		for i, k := range job.Cases {
			pairs = append(pairs, entrant{process: p, index: i, measured: Measured{
				Codec: job.Codec, Case: k, Heap: job.Heap,
				EncodedBytes: p.ready.EncodedBytes, LiveBytes: p.ready.LiveBytes,
			}})
		}
	}
	for round := range rounds {
		for i := range pairs {
			if round%2 == 1 {
				i = len(pairs) - 1 - i
			}
			if err := pairs[i].sample(); err != nil {
				return nil, err
			}
		}
	}
	var all []Measured
	for _, e := range pairs {
		all = append(all, e.measured)
	}
	return all, nil
}

// entrant is one case of one worker process.
type entrant struct {
	process  *process
	index    int
	measured Measured
}

func (e *entrant) sample() error {
	var s Sample
	if err := errors.Join(e.process.orders.Encode(order{e.index}), e.process.answers.Decode(&s)); err != nil {
		return fmt.Errorf("%s, %s: %w", e.measured.Codec, e.measured.Case, err)
	}
	if s.Error != "" {
		return fmt.Errorf("%s, %s: %s", e.measured.Codec, e.measured.Case, s.Error)
	}
	e.measured.Samples = append(e.measured.Samples, s)
	return nil
}

// process is a worker seen from outside.
type process struct {
	command *exec.Cmd
	input   io.Closer
	orders  *json.Encoder
	answers *json.Decoder
	ready   ready
}

// workerFlag is the first argument of a worker process; the data folder and the job as JSON follow.
const workerFlag = "-worker"

// RunWorker makes this process a worker if it was started as one, and reports whether it was. A program that
// calls Group calls it first thing.
func RunWorker() (bool, error) {
	if len(os.Args) != 4 || os.Args[1] != workerFlag {
		return false, nil
	}
	var job Job
	if err := json.Unmarshal([]byte(os.Args[3]), &job); err != nil {
		return true, err
	}
	return true, work(os.Args[2], job, os.Stdin, os.Stdout)
}

func start(dataDir string, job Job) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(job)
	if err != nil {
		return nil, err
	}
	command := exec.Command(self, workerFlag, dataDir, string(encoded))
	// Settings of the collector in the environment would change what is measured.
	command.Env = append(os.Environ(), "GOGC=100", "GODEBUG=", "GOMEMLIMIT=off")
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	p := &process{command: command, input: in, orders: json.NewEncoder(in), answers: json.NewDecoder(out)}
	if err := p.answers.Decode(&p.ready); err != nil {
		p.stop()
		return nil, fmt.Errorf("%s: the worker gave no answer: %w", job.Codec, err)
	}
	if p.ready.Error != "" {
		p.stop()
		return nil, errors.New(p.ready.Error)
	}
	return p, nil
}

// stop ends the worker by ending its input. Its further output is of no interest.
func (p *process) stop() {
	_ = p.input.Close()
	_ = p.command.Wait()
}
