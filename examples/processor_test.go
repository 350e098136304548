package examples_test

import (
	"os"
	"regexp"
	"strconv"
	"testing"
)

// processorBlocks are the counts that the host prints.
var processorBlocks = regexp.MustCompile(`blocks (\d+), processed (\d+), missed (\d+), alone (\d+), wrong (\d+), restarts (\d+)`)

// TestProcessorHostOutlivesItsPlugin kills the plug-in. Each block is counted once, also on a busy machine, and each that came back
// has the right samples: the host fails else.
func TestProcessorHostOutlivesItsPlugin(t *testing.T) {
	madeOf(t, "processor", "../mxp/cpp", "../runtime/cpp")
	host := cppExample(t, "processor", "processor-host")
	plugin := cppExample(t, "processor", "processor-gain")
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	said := run(t, ".", host, plugin, "3", "--kill")
	counted := processorBlocks.FindStringSubmatch(said)
	if counted == nil {
		t.Fatal(said)
	}
	var counts [6]int
	for i := range counts {
		counts[i], _ = strconv.Atoi(counted[i+1])
	}
	blocks, processed, missed, alone, restarts := counts[0], counts[1], counts[2], counts[3], counts[5]
	if blocks != 3*48_000/64 || processed+missed+alone != blocks || processed < 100 || alone < 1 || restarts != 1 {
		t.Error(said)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%v is left behind, %v", left, err)
	}
}
