package compiler_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rooms are the subjects of a backend's files, the same in every language, so that
// whoever knows one backend finds what they look for in another.
var rooms = []string{"api", "decls", "lang", "model", "services", "spell", "types", "views"}

// roomLinesMax is where a file of a backend has more than one subject.
const roomLinesMax = 500

var roomFile = regexp.MustCompile(`^([a-z]+)(_[a-z]+)?\.go$`)

// roomOf is the room of a file called ROOM.go or ROOM_PART.go; empty for others.
func roomOf(name string) string {
	found := roomFile.FindStringSubmatch(name)
	if found == nil || !slices.Contains(rooms, found[1]) {
		return ""
	}
	return found[1]
}

func TestBackendsHaveTheSameRooms(t *testing.T) {
	entries, err := os.ReadDir("backend")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		language := entry.Name()
		paths, err := filepath.Glob(filepath.Join("backend", language, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		var there []string
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			room := roomOf(filepath.Base(path))
			if room == "" {
				t.Errorf("%s: it is in none of the rooms %v", path, rooms)
			}
			there = append(there, room)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if lines := bytes.Count(text, []byte("\n")); lines > roomLinesMax {
				t.Errorf("%s has %d lines: past %d it has two subjects", path, lines, roomLinesMax)
			}
		}
		for _, room := range rooms {
			if !slices.Contains(there, room) {
				t.Errorf("backend/%s has no room %s", language, room)
			}
		}
	}
}

func TestRoomsHaveNames(t *testing.T) {
	for name, want := range map[string]string{"views.go": "views", "views_open.go": "views", "codec.go": "", "viewsopen.go": "", "views_a_b.go": ""} {
		if got := roomOf(name); got != want {
			t.Errorf("%s is in room %q, want %q", name, got, want)
		}
	}
}
