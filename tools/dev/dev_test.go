package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/language"
)

func TestMain(m *testing.M) {
	if err := enterRoot(); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// noted is a part that says its name, and fails if it is asked to.
func noted(name string, fails bool, after ...string) *part {
	p := &part{name: name, budget: time.Minute, after: after, steps: []step{run("echo", name)}}
	if fails {
		p.steps = append(p.steps, run("false"))
	}
	return p
}

func TestPartsRunAfterWhatTheyUse(t *testing.T) {
	parts := []*part{noted("c", false, "b"), noted("b", false, "a"), noted("a", false), noted("d", false)}
	var order []string
	outcomes := schedule(t.Context(), ".", parts, 2, func(o *outcome) { order = append(order, o.part.name) })
	if len(outcomes) != 4 || failures(outcomes) != nil {
		t.Fatalf("%d outcomes, %v", len(outcomes), failures(outcomes))
	}
	if slices.Index(order, "a") > slices.Index(order, "b") || slices.Index(order, "b") > slices.Index(order, "c") {
		t.Errorf("they ended in the order %v", order)
	}
}

func TestWhatComesAfterAFailureIsNotRun(t *testing.T) {
	parts := []*part{noted("a", true), noted("b", false, "a"), noted("c", false)}
	outcomes := schedule(t.Context(), ".", parts, 1, func(*outcome) {})
	failed := map[string]bool{}
	for _, o := range outcomes {
		failed[o.part.name] = o.failure != nil
	}
	if !failed["a"] || !failed["b"] || failed["c"] {
		t.Errorf("failed: %v", failed)
	}
	if failures(outcomes) == nil {
		t.Error("the run as a whole passed")
	}
}

func TestPartsOfOneFolderFollowEachOther(t *testing.T) {
	busy := t.TempDir() + "/busy"
	use := shell("mkdir " + busy + " && sleep 0.05 && rmdir " + busy)
	var parts []*part
	for _, name := range []string{"a", "b", "c"} {
		parts = append(parts, &part{name: name, folder: "target", steps: []step{use}})
	}
	if err := failures(schedule(t.Context(), ".", parts, 3, func(*outcome) {})); err != nil {
		t.Error(err)
	}
}

func TestARunOfNothingFails(t *testing.T) {
	if failures(nil) == nil {
		t.Error("it passed")
	}
}

func TestASummaryNamesWhatFailedAndWhatHasGrown(t *testing.T) {
	var out bytes.Buffer
	summary(&out, []*outcome{
		{part: &part{name: "small", budget: time.Minute}, cpu: time.Second},
		{part: &part{name: "noisy", budget: time.Minute}, cpu: 79 * time.Second},
		{part: &part{name: "large", budget: time.Minute}, cpu: 81 * time.Second},
		{part: &part{name: "wrong", budget: time.Minute}, failure: errors.New("no")},
	}, time.Hour)
	for _, want := range []string{"over budget: large\n", "failed: wrong\n", "\n3 passed, 1 failed\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing from\n%s", want, out.String())
		}
	}
}

func TestASummaryEndsWithWhatFailuresSaid(t *testing.T) {
	wrong := &outcome{part: &part{name: "wrong", budget: time.Minute}, failure: errors.New("no")}
	wrong.output.WriteString("ok  \tone\n    wrong_test.go:12: 3 of 4\n    why\nand\nok  \ttwo\n" + strings.Repeat("--- FAIL: Test\n", 100))
	var out bytes.Buffer
	summary(&out, []*outcome{wrong}, time.Hour)
	_, said, _ := strings.Cut(out.String(), "wrong failed, and said:\n")
	want := "    wrong_test.go:12: 3 of 4\n    why\nand\n" + strings.Repeat("--- FAIL: Test\n", 37) + "0 passed, 1 failed\n"
	if said != want {
		t.Errorf("it ends with\n%s", said)
	}
}

func TestProcessorTimeCountsWhatAStepStarted(t *testing.T) {
	spin := shell("bash -c 'for ((i = 0; i < 300000; i++)); do :; done' | cat")
	if o := (&part{name: "spin", steps: []step{spin}}).run(t.Context(), "."); o.cpu < 50*time.Millisecond {
		t.Errorf("it took %v", o.cpu)
	}
}

func TestAStoppedRunLeavesNoProcess(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	o := (&part{name: "waits", steps: []step{shell("sleep 77.125 | cat")}}).run(ctx, ".")
	if o.failure == nil || time.Since(start) > 30*time.Second {
		t.Errorf("%v after %v", o.failure, time.Since(start))
	}
	if exec.Command("pgrep", "-f", "sleep 77.125").Run() == nil {
		t.Error("what it started still runs")
	}
}

func TestEveryPartIsWhole(t *testing.T) {
	for _, parts := range [][]*part{testParts(), append(supplies(), moreParts()...), append(supplies(), exploreParts(1)...)} {
		all := names(parts)
		for _, p := range parts {
			if p.budget <= 0 || len(p.steps) == 0 {
				t.Errorf("%s has no budget or no steps", p.name)
			}
			for _, before := range p.after {
				if !slices.Contains(all, before) {
					t.Errorf("%s comes after %s, which is not there", p.name, before)
				}
			}
		}
		slices.Sort(all)
		if len(slices.Compact(slices.Clone(all))) != len(all) {
			t.Errorf("two parts have the same name: %v", all)
		}
	}
}

// TestEveryLanguageHasItsParts looks for the commands of each target language, since the steps that
// build a program differ too much to be a list.
func TestEveryLanguageHasItsParts(t *testing.T) {
	var commands strings.Builder
	for _, p := range append(testParts(), moreParts()...) {
		for _, s := range p.steps {
			fmt.Fprintf(&commands, "%s: %s \n", s.in, strings.Join(s.command, " "))
		}
	}
	for _, l := range language.All {
		name := l.Name()
		wanted := []string{"go run ./conformance/runners/" + name + "/build "}
		if l.HasServices() {
			wanted = append(wanted, "go run ./conformance/services/build "+name+" ")
		}
		if l.HasServices() && !l.OnCore {
			wanted = append(wanted, "conformance/runners/mxp/"+name, "examples/mxp/"+name)
		}
		for _, command := range wanted {
			if !strings.Contains(commands.String(), command) {
				t.Errorf("no part has `%s`", command)
			}
		}
	}
}

// The budgets together are what the tests, and all that gates a change, may take of the
// time of two processors in 10 and in 20 minutes.
func TestBudgetsFitTheTimeThereIs(t *testing.T) {
	sum := func(parts []*part) (all time.Duration) {
		for _, p := range parts {
			all += p.budget
		}
		return all
	}
	if got := sum(testParts()); got > 2*10*time.Minute {
		t.Errorf("the tests may take %v of processor time", got)
	}
	if got := sum(testParts()) + sum(moreParts()); got > 40*time.Minute {
		t.Errorf("all that gates a change may take %v of processor time", got)
	}
}

func TestTurnsOfCommitsCoverAllOfExploring(t *testing.T) {
	given := map[string]bool{}
	rng := uint64(1)
	for range 10 * len(exploreParts(0)) {
		var commit strings.Builder
		for range 40 {
			rng = rng*6364136223846793005 + 1442695040888963407
			commit.WriteByte("0123456789abcdef"[rng>>60])
		}
		p, seed, err := turn(commit.String())
		if err != nil {
			t.Fatal(err)
		}
		again, same, _ := turn(commit.String())
		if again.name != p.name || same != seed {
			t.Fatalf("commit %s is given %s, then %s", commit.String(), p.name, again.name)
		}
		given[p.name] = true
	}
	for _, p := range exploreParts(0) {
		if !given[p.name] {
			t.Errorf("no commit's turn is %s", p.name)
		}
	}
}

func TestATargetOfTheMakefileIsALine(t *testing.T) {
	text, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	targets := regexp.MustCompile(`(?m)^([a-z-]+):.*\n((?:\t.*\n)*)`).FindAllStringSubmatch(string(text), -1)
	if len(targets) < 8 {
		t.Fatalf("only %d targets were found", len(targets))
	}
	for _, target := range targets {
		if n := strings.Count(target[2], "\n"); n != 1 || len(target[2]) > 120 {
			t.Errorf("target %s has %d lines, of %d bytes", target[1], n, len(target[2]))
		}
	}
}
