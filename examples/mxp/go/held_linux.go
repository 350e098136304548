package main

import (
	"math"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
)

// init lets a server whose environment has MXP_HELD write into that file what it holds, in bytes, for
// each SIGUSR2: the heap and stacks that are in use once all else was collected and given back, but for
// the descriptors of goroutines that have ended, which Go's runtime keeps for others for ever.
func init() {
	if file := os.Getenv("MXP_HELD"); file != "" {
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGUSR2)
		go func() {
			for range asked {
				tellHeld(file)
			}
		}()
	}
}

func tellHeld(file string) {
	debug.FreeOSMemory()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	text := strconv.Itoa(max(int(now.HeapInuse+now.StackInuse)-descriptors(), 0))
	if os.WriteFile(file+".new", []byte(text), 0o600) == nil {
		os.Rename(file+".new", file)
	}
}

// descriptors is about how many bytes the runtime has for goroutines, by the profile of the heap, which
// has seen one allocation in so many bytes.
func descriptors() (all int) {
	n, _ := runtime.MemProfile(nil, true)
	records := make([]runtime.MemProfileRecord, n+50)
	n, ok := runtime.MemProfile(records, true)
	if !ok {
		return 0
	}
	for _, record := range records[:n] {
		for frames := runtime.CallersFrames(record.Stack()); record.InUseObjects() > 0; {
			frame, more := frames.Next()
			if strings.HasPrefix(frame.Function, "runtime.malg") {
				size := float64(record.InUseBytes()) / float64(record.InUseObjects())
				all += int(float64(record.InUseBytes()) / (1 - math.Exp(-size/float64(runtime.MemProfileRate))))
			}
			if !more {
				break
			}
		}
	}
	return all
}
