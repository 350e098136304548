package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// options are how parts are run.
type options struct {
	lanes  int
	seed   uint64
	silent bool
}

// environment is what every part has: what builds once needs neither debugging
// information nor what a second build would start from. CMake compiles a source once by the same
// flags for all projects: each that uses mxp::net compiles it. The cache lies in the clone, so that
// a fresh one begins with nothing.
func environment() map[string]string {
	return map[string]string{
		"CARGO_INCREMENTAL": "0", "CARGO_PROFILE_DEV_DEBUG": "0", "CARGO_TERM_COLOR": "never",
		"CMAKE_CXX_COMPILER_LAUNCHER": ccache.name, "CCACHE_DIR": filepath.Join(here, "target", "ccache"),
		// The list of headers that a compiler writes says what an object is made of: no source is preprocessed for it alone.
		"CCACHE_DEPEND": "1",
	}
}

// run runs parts, prints what each took, and fails if one of them does.
func (o options) run(ctx context.Context, parts []*part) error {
	_, err := o.outcomes(ctx, parts)
	return err
}

func (o options) outcomes(ctx context.Context, parts []*part) ([]*outcome, error) {
	start := time.Now()
	if err := prepare(ctx, parts); err != nil {
		return nil, err
	}
	shown, err := createLog()
	if err != nil {
		return nil, err
	}
	defer shown.Close()
	out := io.MultiWriter(os.Stdout, shown)
	outcomes := schedule(ctx, here, parts, o.lanes, func(show *outcome) {
		if !o.silent || show.failure != nil {
			show.print(out)
		}
	})
	if o.silent {
		return outcomes, failures(outcomes)
	}
	summary(out, outcomes, time.Since(start))
	return outcomes, failures(outcomes)
}

// createLog makes the file that gets each part's output as it ends, beside the terminal.
func createLog() (*os.File, error) {
	if err := os.MkdirAll(filepath.Join(here, "target"), 0o777); err != nil {
		return nil, err
	}
	return os.Create(filepath.Join(here, "target", "dev.log"))
}

// prepare sets what every part needs.
func prepare(ctx context.Context, parts []*part) error {
	for name, value := range environment() {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	if err := workspace(); err != nil {
		return err
	}
	return install(ctx, parts)
}

// print shows what a part said and took.
func (o *outcome) print(w io.Writer) {
	state := fmt.Sprintf("%.0f s, %.0f s of processor time", o.wall.Seconds(), o.cpu.Seconds())
	if o.failure != nil {
		state = "FAILED: " + o.failure.Error()
	}
	fmt.Fprintf(w, "--- %s: %s\n%s", o.part.name, state, o.output.Bytes())
}

// over reports whether a part has grown past its budget by more than a third. The same
// work takes up to so much more where others use the machine.
func (o *outcome) over() bool { return o.cpu > o.part.budget*4/3 }

// summary is a table of what all parts took. Parts past their budgets, and failed parts, are named
// below it.
func summary(w io.Writer, outcomes []*outcome, wall time.Duration) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "\nseconds\tof processor\tbudget\t  \n")
	var cpu time.Duration
	var over, bad []string
	slices.SortStableFunc(outcomes, func(a, b *outcome) int { return int(b.cpu - a.cpu) })
	for _, o := range outcomes {
		cpu += o.cpu
		mark := ""
		if o.over() {
			over, mark = append(over, o.part.name), " (over its budget)"
		}
		if o.failure != nil {
			bad, mark = append(bad, o.part.name), " (failed)"
		}
		fmt.Fprintf(table, "%.0f\t%.0f\t%.0f\t  %s%s\n", o.wall.Seconds(), o.cpu.Seconds(), o.part.budget.Seconds(), o.part.name, mark)
	}
	fmt.Fprintf(table, "%.0f\t%.0f\t\t  all of it\n", wall.Seconds(), cpu.Seconds())
	table.Flush()
	if len(over) > 0 {
		fmt.Fprintf(w, "over budget: %s\n", strings.Join(over, ", "))
	}
	if len(bad) > 0 {
		fmt.Fprintf(w, "failed: %s\n", strings.Join(bad, ", "))
	}
	for _, o := range outcomes {
		if o.failure != nil {
			fmt.Fprintf(w, "--- %s failed, and said:\n%s", o.part.name, complaints(o.output.String()))
		}
	}
	fmt.Fprintf(w, "%d passed, %d failed\n", len(outcomes)-len(bad), len(bad))
}

// complaint is what lines that tell of a failure have in common, in the tools of all languages.
var complaint = regexp.MustCompile(`FAIL|panicked|^\s+\w+_test\.go:\d+:|\b[Ee]rror\b|assertion|✖|not ok|\*\*\*`)

// complaints are the lines of a part's output that tell of failures, and two behind each: no
// more than 40. They are said once more where a log that is cut ends.
func complaints(output string) string {
	var kept strings.Builder
	more, left := 0, 40
	for line := range strings.Lines(output) {
		if complaint.MatchString(line) {
			more = 3
		}
		if more == 0 || left == 0 {
			continue
		}
		more, left = more-1, left-1
		kept.WriteString(strings.TrimSuffix(line, "\n") + "\n")
	}
	return kept.String()
}

func failures(outcomes []*outcome) error {
	if len(outcomes) == 0 {
		return errors.New("nothing was run")
	}
	for _, o := range outcomes {
		if o.failure != nil {
			return fmt.Errorf("%s failed", o.part.name)
		}
	}
	return nil
}

// choose returns parts by their names, with their predecessors, or all where none is named.
func choose(parts []*part, names []string) ([]*part, error) {
	if len(names) == 0 {
		return parts, nil
	}
	wanted := map[string]bool{}
	var want func(name string) error
	want = func(name string) error {
		at := slices.IndexFunc(parts, func(p *part) bool { return p.name == name })
		if at < 0 {
			return fmt.Errorf("there is no part %q; `go run ./tools/dev parts` lists them", name)
		}
		wanted[name] = true
		for _, before := range parts[at].after {
			if err := want(before); err != nil {
				return err
			}
		}
		return nil
	}
	for _, name := range names {
		if err := want(name); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(slices.Clone(parts), func(p *part) bool { return !wanted[p.name] }), nil
}
