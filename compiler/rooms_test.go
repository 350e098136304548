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

// rooms are the subjects of a backend's files, the same in every language, so that a reader of one
// backend finds the same things in another.
var rooms = []string{"api", "decls", "lang", "model", "services", "spell", "types", "views"}

// lacking are the rooms that a language does not have yet, since it lacks what they are for.
// Python's runtime makes readers and writers of layout texts, so that nothing spells statements.
var lacking = map[string][]string{"typescript": {"views"}, "python": {"spell", "views"}}

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
			if isLacking := slices.Contains(lacking[language], room); slices.Contains(there, room) == isLacking {
				t.Errorf("backend/%s and the room %s: it is said to be lacking: %t", language, room, isLacking)
			}
		}
	}
}

// knowingRooms may name kinds of types. Others ask for a row of a table by a form.
var knowingRooms = []string{"decls", "lang", "model", "types"}

// knowing are files of other rooms that name kinds, and why.
var knowing = map[string]string{
	"golang/spell_decode.go": "text and bools have bytes to check",
	"golang/spell_encode.go": "bools are written by functions of their own",
	"golang/spell_runs.go":   "bools and closed enums have bytes to check",
	"golang/spell_value.go":  "keys that are bools are sorted by a function of their own",
	"rust/api_json.go":       "a field that is optional may be left out",
	"rust/spell_encode.go":   "str and bytes are references in the borrowed form",
	"rust/spell_read.go":     "what is read into a value that is there reuses its memory",
}

// kindName finds the name of a kind of types.
var kindName = regexp.MustCompile(`\bir\.([A-Z]\w*Kind|Bool|[UIF]\d+)\b`)

func TestRoomsAskForFormsInsteadOfKinds(t *testing.T) {
	paths, err := filepath.Glob("backend/*/*.go")
	if err != nil || len(paths) < 40 {
		t.Fatalf("only %d files: %v", len(paths), err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") || slices.Contains(knowingRooms, roomOf(filepath.Base(path))) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(filepath.ToSlash(path), "backend/")
		found := kindName.Find(text)
		switch why, known := knowing[name]; {
		case found != nil && !known:
			t.Errorf("%s names %s: a table of forms in lower has a row for it", path, found)
		case found == nil && known:
			t.Errorf("%s names no kind any more, and need not be listed as %q", path, why)
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
