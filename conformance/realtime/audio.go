package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/serial-data-protocol/sdp/conformance/building"
)

// playing is the measurements of the example of a host and a plug-in, and the machine that it ran on.
type playing struct {
	Date    string      `json:"date"`
	Commit  string      `json:"commit"`
	Command string      `json:"command"`
	Machine surrounding `json:"machine"`
	// Runs are without load and with it, as the example writes them.
	Runs []json.RawMessage `json:"runs"`
}

// audio runs the example with and without load, keeps the results, and shows in the guide what it prints at its end.
func audio(o options) error {
	const crate, folder = "examples/audio/rust/Cargo.toml", "target/examples"
	tool, err := filepath.Abs(filepath.Join("target", "sdp"))
	if err != nil {
		return err
	}
	if err := exec.Command("go", "build", "-o", tool, "./cmd/sdp").Run(); err != nil {
		return fmt.Errorf("audio: building the tool: %w", err)
	}
	build := exec.Command("cargo", "build", "--quiet", "--locked", "--release", "--manifest-path", crate, "--target-dir", folder)
	build.Stderr, build.Env = os.Stderr, append(os.Environ(), "SDP="+tool)
	if err := build.Run(); err != nil {
		return fmt.Errorf("audio: %w", err)
	}
	commit, err := commit()
	if err != nil {
		return err
	}
	m := playing{Date: time.Now().Format(time.DateOnly), Commit: commit, Command: "go run ./conformance/realtime audio", Machine: here()}
	var shown strings.Builder
	fmt.Fprintf(&shown, "On %s, %d processors, kernel %s; load %.1f before:\n", m.Machine.CPU, m.Machine.Cores, m.Machine.Kernel, m.Machine.Load)
	for _, load := range [][]string{nil, {"--load"}} {
		file := filepath.Join(folder, "audio.json")
		arguments := append([]string{"--seconds", strconv.Itoa(o.seconds)}, load...)
		host := exec.Command(filepath.Join(folder, "release", "audio"), append(arguments, "--json", file)...)
		var printed strings.Builder
		host.Stdout, host.Stderr = io.MultiWriter(os.Stdout, &printed), os.Stderr
		if err := host.Run(); err != nil {
			return fmt.Errorf("audio: %w", err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		m.Runs = append(m.Runs, text)
		_, summary, _ := strings.Cut(printed.String(), "\n\n")
		fmt.Fprintf(&shown, "\n```\n$ audio %s\n%s```\n", strings.Join(arguments, " "), summary)
	}
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	if err := building.Write(filepath.Join(results, "audio.json"), string(text)+"\n"); err != nil {
		return err
	}
	return stamp("audio", shown.String()+"\n")
}
