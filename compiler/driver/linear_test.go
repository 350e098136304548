//go:build unix

package driver

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shapes are schemas of n types that lead to each other in ways that a walk
// from each type to all that it reaches takes n steps for.
var shapes = map[string]func(n int) string{
	"ring of lists": func(n int) string {
		return repeat(n, func(i int) string { return fmt.Sprintf("struct S%d { a: u8, next: []S%d }\n", i, (i+1)%n) })
	},
	"ring of optionals": func(n int) string {
		return repeat(n, func(i int) string { return fmt.Sprintf("struct S%d { a: u8, next: ?S%d }\n", i, (i+1)%n) })
	},
	"chain of optionals and lists": func(n int) string {
		return repeat(n, func(i int) string {
			return fmt.Sprintf("struct S%d { a: u8, next: []S%d, more: ?S%d }\n", i, min(i+1, n), min(i+2, n))
		}) + fmt.Sprintf("struct S%d { a: u8 }\n", n)
	},
	"lists of one union": func(n int) string {
		return repeat(n, func(i int) string { return fmt.Sprintf("struct S%d { a: u8, all: []Any }\n", i) }) +
			"union Any {\n" + repeat(min(n, 250), func(i int) string { return fmt.Sprintf("A%d(S%d) = %d,\n", i, i, i+1) }) + "}\n"
	},
	"enums, messages and unions": func(n int) string {
		return repeat(n, func(i int) string {
			j := i * 7919 % n
			return fmt.Sprintf([]string{
				"enum T%d: u8 { A%d = 0 }\n", "struct T%d { a: u8, next: []T%d }\n", "message T%d { a: u8, @since(2) next: ?T%d }\n",
				"union T%d { A(u8) = 1, B { next: []T%d } = 2 }\n",
			}[i%4], i, j)
		})
	},
}

func repeat(n int, item func(i int) string) string {
	var text strings.Builder
	for i := range n {
		text.WriteString(item(i))
	}
	return text.String()
}

// processorTime is the time of all processors that the process uses for a run, which does not grow
// while other programs use them.
func processorTime(t *testing.T, run func() error) time.Duration {
	t.Helper()
	used := func() time.Duration {
		var usage syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
			t.Fatal(err)
		}
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	begun := used()
	if err := run(); err != nil {
		t.Fatal(err)
	}
	return used() - begun
}

// writeShape writes a schema and an older state of it.
func writeShape(t *testing.T, text string, n int) (schema, older string) {
	t.Helper()
	schema, older = fmt.Sprintf("new%d.sdp", n), fmt.Sprintf("old%d.sdp", n)
	for path, content := range map[string]string{schema: text, older: strings.ReplaceAll(text, "a: u8", "a: u16")} {
		if err := os.WriteFile(path, []byte("package p;\n"+content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return schema, older
}

// TestWorkGrowsWithTheSchema compares schemas of which one is 8 times the
// other: work that is linear takes 8 times as long, and work that is quadratic
// 64 times. A run that was disturbed is tried again.
func TestWorkGrowsWithTheSchema(t *testing.T) {
	const small, factor, growthMax, tries = 500, 8, 28, 4
	t.Chdir(t.TempDir())
	tool := Tool{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}
	commands := map[string]func(schema, older string) error{
		"check": func(schema, _ string) error { return tool.Check(CheckOptions{Schemas: []string{schema}}) },
		"fmt":   func(schema, _ string) error { return tool.Fmt(FormatOptions{Schemas: []string{schema}}) },
		"breaking": func(schema, older string) error {
			if err := tool.Breaking(BreakingOptions{Schemas: []string{schema}, Against: older}); !errors.Is(err, ErrRefused) {
				return fmt.Errorf("nothing breaks: %w", err)
			}
			return nil
		},
	}
	for shape, source := range shapes {
		schema, older := writeShape(t, source(small), small)
		large, olderLarge := writeShape(t, source(small*factor), small*factor)
		for name, run := range commands {
			var before, after time.Duration
			for range tries {
				one := processorTime(t, func() error { return run(schema, older) })
				many := processorTime(t, func() error { return run(large, olderLarge) })
				if before, after = max(before, one), many; after <= growthMax*before {
					break
				}
			}
			if after > growthMax*before {
				t.Errorf("sdp %s of a %s takes %v for %d types and %v for %d", name, shape, before, small, after, small*factor)
			}
		}
	}
}
