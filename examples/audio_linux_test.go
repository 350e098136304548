package examples_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
)

// audioCrate is how cargo is told which of the examples to build.
var audioCrate = []string{"--quiet", "--locked", "--manifest-path", "audio/rust/Cargo.toml", "--target-dir", "../target/examples"}

// audio are the results of a run of the example.
type audio struct {
	Callbacks, Unrecorded, Missed, Meters, Wrong, Changes, Starts int
	Period                                                        int    `json:"period_ns"`
	Late                                                          spread `json:"late_ns"`
	Took                                                          spread `json:"took_ns"`
	Age                                                           spread `json:"age_blocks"`
}

type spread struct{ P50, P99, Max int }

// audioProgram builds the example.
func audioProgram(t *testing.T) string {
	t.Helper()
	madeOf(t, "audio", "../mxp/rust", "../runtime/rust", "../runtime/rust-build")
	t.Setenv("SDP", tool)
	run(t, ".", "cargo", append([]string{"build"}, audioCrate...)...)
	return absolute(t, "../target/examples/debug/audio")
}

// readAudio checks facts that hold on a busy machine, too: each block has its callback, and each
// answer belongs to its block.
func readAudio(t *testing.T, file string, seconds int) (got audio) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Callbacks+got.Unrecorded != seconds*48_000/64 || got.Missed > got.Callbacks {
		t.Errorf("%d callbacks, %d unrecorded and %d missed in %d s", got.Callbacks, got.Unrecorded, got.Missed, seconds)
	}
	if got.Meters < 10 || got.Wrong != 0 || got.Changes < 2 {
		t.Errorf("%d meters, of which %d have another gain than was sent, and %d changes of it", got.Meters, got.Wrong, got.Changes)
	}
	if got.Period != 1_333_333 || got.Late.Max == 0 || got.Took.Max == 0 || got.Age.Max == 0 {
		t.Errorf("measured %+v", got)
	}
	return got
}

func TestAudioHostHearsItsPlugin(t *testing.T) {
	program, file := audioProgram(t), filepath.Join(t.TempDir(), "audio.json")
	run(t, ".", program, "--seconds", "2", "--load", "--json", file)
	if got := readAudio(t, file, 2); got.Starts != 1 {
		t.Errorf("the plug-in was started %d times", got.Starts)
	}
}

// TestAudioHostOutlivesItsPlugin kills the plug-in twice, as soon as it plays.
func TestAudioHostOutlivesItsPlugin(t *testing.T) {
	program, file := audioProgram(t), filepath.Join(t.TempDir(), "audio.json")
	host := exec.Command(program, "--seconds", "3", "--json", file)
	host.Stderr = os.Stderr
	output, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	comes := regexp.MustCompile(`plug-in (\d+) is in$`)
	var came []int
	lines := bufio.NewScanner(output)
	for len(came) < 3 && lines.Scan() {
		if says := comes.FindStringSubmatch(lines.Text()); says != nil {
			process, _ := strconv.Atoi(says[1])
			came = append(came, process)
			if len(came) < 3 {
				syscall.Kill(process, syscall.SIGKILL)
			}
		}
	}
	io.Copy(io.Discard, output)
	if err := host.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := readAudio(t, file, 3); len(came) != 3 || got.Starts != 3 {
		t.Errorf("the plug-ins %v came, and %d were started", came, got.Starts)
	}
	for _, process := range came {
		if err := syscall.Kill(process, 0); err != syscall.ESRCH {
			t.Errorf("the plug-in %d is left behind: %v", process, err)
		}
	}
}

// TestAudioHostHearsAPluginOfAnotherLanguage lets the host start the plug-in in C++.
func TestAudioHostHearsAPluginOfAnotherLanguage(t *testing.T) {
	program, file := audioProgram(t), filepath.Join(t.TempDir(), "audio.json")
	madeOf(t, "../mxp/cpp", "../runtime/cpp")
	run(t, ".", program, "--seconds", "1", "--json", file, "--plugin", cppExample(t, "audio", "audio-plugin"))
	if got := readAudio(t, file, 1); got.Starts != 1 {
		t.Errorf("the plug-in was started %d times", got.Starts)
	}
}

// TestAudioCallbackCallsNothing runs the crate's own tests.
func TestAudioCallbackCallsNothing(t *testing.T) {
	madeOf(t, "audio", "../mxp/rust", "../runtime/rust", "../runtime/rust-build")
	t.Setenv("SDP", tool)
	run(t, ".", "cargo", append([]string{"test"}, audioCrate...)...)
}
