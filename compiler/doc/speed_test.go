//go:build unix

package doc_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/doc"
)

// processorTime is what this program has used of all processors.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// TestThousandTypes prints what they take. It is held to time of processors, of which a
// machine that does much else takes more, too; the target is 1 s where it does not.
func TestThousandTypes(t *testing.T) {
	program := compile(t, map[string]string{"big.sdp": large(1000)}, "big.sdp")
	for _, form := range []doc.Form{doc.HTML, doc.Markdown} {
		begun, used := time.Now(), processorTime(t)
		bytes := 0
		all := pages(program, form)
		for _, text := range all {
			bytes += len(text)
		}
		used = processorTime(t) - used
		t.Logf("%s of 1,000 types: %d ms, %d ms of processors, %d files, %d kB", form, time.Since(begun).Milliseconds(), used.Milliseconds(), len(all), bytes/1000)
		if len(all) < 1000 || used > 4*time.Second {
			t.Errorf("%d files took %s of processors", len(all), used)
		}
	}
}
