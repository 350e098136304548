package golang_test

import (
	"regexp"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
)

// TestMemoryFactorsAreFoundForTypesThatHoldEachOther has messages whose bodies
// may be empty, in a cycle: each is paid for by the length before it.
func TestMemoryFactorsAreFoundForTypesThatHoldEachOther(t *testing.T) {
	files, _ := compile(t, check.Memory{"a.sdp": `
		message D5 { @since(2) f: map<u8, D12> }
		message D9 { @since(2) e: i16 = -3, @since(3) n: D5 }
		struct D12 { s: D9 }
	`}, "a.sdp")
	notes := regexp.MustCompile(`allocates at most (\d+)·n`).FindAllStringSubmatch(files["a/types.sdp.go"], -1)
	if len(notes) != 3 {
		t.Fatalf("%d types have a factor", len(notes))
	}
	for _, note := range notes {
		if len(note[1]) > 3 {
			t.Errorf("a factor of %s", note[1])
		}
	}
}

// TestOptionalArrayOnTheHeapIsOnePointer has elements of 9 bytes that cost 1,208: a
// pointer, and two messages of 600 bytes. The allocator may add a quarter.
func TestOptionalArrayOnTheHeapIsOnePointer(t *testing.T) {
	files, _ := compile(t, check.Memory{"a.sdp": `
		message Wide { @since(2) numbers: [75]u64 }
		struct Pairs { pairs: []?[2]Wide }
	`}, "a.sdp")
	notes := regexp.MustCompile(`allocates at most (\d+)·n`).FindAllStringSubmatch(files["a/types.sdp.go"], -1)
	if len(notes) != 2 || notes[1][1] != "169" {
		t.Errorf("factors %s", notes)
	}
}
