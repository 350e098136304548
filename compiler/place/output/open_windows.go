package output

import (
	"os"
	"time"
)

// closingMax is how long a write that has begun may keep a file open.
const closingMax = time.Second

// removeOpen removes a file that somebody may still write to. Windows removes none that is open, and
// closing one lets a write end first.
func removeOpen(file *os.File) {
	_ = file.Close()
	for begun := time.Now(); os.Remove(file.Name()) != nil && time.Since(begun) < closingMax; {
		time.Sleep(time.Millisecond)
	}
}
