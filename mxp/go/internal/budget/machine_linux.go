package budget

import (
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// machineBytes is the memory of the machine, or of the control group if that is less, or
// what GOMEMLIMIT says.
func machineBytes() int64 {
	least := min(debug.SetMemoryLimit(-1), math.MaxInt64)
	for _, path := range append(groups(), "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes") {
		text, _ := os.ReadFile(path)
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
			least = min(least, n)
		}
	}
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		if all, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(all), "kB")), 10, 64)
			if err == nil {
				least = min(least, kb<<10)
			}
		}
	}
	if least == math.MaxInt64 {
		return unknownBytes
	}
	return least
}

// groups are the files with the limits of this process's control groups, and of the groups around
// them.
func groups() (paths []string) {
	text, _ := os.ReadFile("/proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		root, file := "/sys/fs/cgroup", "/memory.max"
		switch parts[1] {
		case "":
		case "memory":
			root, file = "/sys/fs/cgroup/memory", "/memory.limit_in_bytes"
		default:
			continue
		}
		for at := parts[2]; len(at) > 1; at = at[:strings.LastIndexByte(at, '/')] {
			paths = append(paths, root+at+file)
		}
	}
	return paths
}
