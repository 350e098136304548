package house_test

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "draw the picture of MXP's rooms anew")

// picture is that of MXP's rooms, as ARCHITECTURE.md shows it.
const picture = "mxp/rooms.svg"

// room is a folder or package of MXP, with its row: imports run to lower rows.
type room struct {
	name, title string
	row         int
	imports     []string
}

// library are the rooms of a language.
type library struct {
	language string
	rooms    []*room
}

// netRooms are the rooms of the languages that have all drivers in one room.
func netRooms() []*room {
	return []*room{{"frame", "frame", 4, nil}, {"session", "session", 3, nil}, {"engine", "engine", 2, nil}, {"net", "net: drivers, clients, servers", 1, nil}}
}

// libraries gives the rooms of each language, with what their files import.
func libraries(t *testing.T) []*library {
	t.Helper()
	rust := map[string]string{}
	for _, name := range files(t) {
		if inside, found := strings.CutPrefix(name, "mxp/rust/src/"); found && path.Ext(name) == ".rs" && path.Base(name) != "tests.rs" {
			rust[inside] = string(read(t, name))
		}
	}
	all := []*library{
		{"Go", []*room{
			{"frame", "frame", 4, nil}, {"session", "session", 3, nil}, {"internal/engine", "internal/engine", 2, nil}, {"internal/link", "internal/link: the driver", 1, nil},
			{"", "mxp: clients, servers, transports", 0, nil},
		}},
		{"Rust", netRooms()}, {"C++", netRooms()}, {"TypeScript", netRooms()},
	}
	for i, imports := range []map[string][]string{goImports(t), importsOf(rust), includesOf(cppTexts(t)), typescriptImports(typescriptTexts(t, ""))} {
		for file, others := range imports {
			for _, other := range others {
				from, to := all[i].roomOf(file), all[i].roomOf(other)
				if from != nil && to != nil && from != to && !slices.Contains(from.imports, to.name) {
					from.imports = append(from.imports, to.name)
				}
			}
		}
	}
	return all
}

// goImports gives for each package of the library, by a file in it, what it imports of the others.
func goImports(t *testing.T) map[string][]string {
	t.Helper()
	imports := map[string][]string{}
	for _, name := range files(t) {
		inside, found := strings.CutPrefix(name, "mxp/go/")
		if !found || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, read(t, name), parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			used, _ := strconv.Unquote(spec.Path.Value)
			if used, found := strings.CutPrefix(used, "github.com/serial-data-protocol/sdp/mxp/go"); found {
				imports[inside] = append(imports[inside], strings.TrimPrefix(used+"/x.go", "/"))
			}
		}
	}
	return imports
}

// roomOf gives the room of a file: its folder's, or that of the file beside the folder. Headers of C++
// beside the folders are headers of frames.
func (l *library) roomOf(file string) *room {
	folder := path.Dir(file)
	if l.language != "Go" {
		file = strings.TrimPrefix(file, "mxp/")
		folder, _, _ = strings.Cut(strings.TrimSuffix(file, path.Ext(file)), "/")
		if l.language == "C++" && !strings.Contains(file, "/") {
			folder = map[string]string{"decode": "frame", "encode": "frame", "frame": "frame", "hash": "frame", "reader": "frame"}[folder]
		}
	}
	if folder == "." {
		folder = ""
	}
	at := slices.IndexFunc(l.rooms, func(r *room) bool { return r.name == folder && (folder != "" || l.language == "Go") })
	if at < 0 {
		return nil
	}
	return l.rooms[at]
}

const (
	columnWidth, rowHeight, boxWidth, boxHeight, margin = 220, 78, 196, 36, 12
)

// draw gives the picture: a column for each language, a row for each layer, and an arrow for each import.
func draw(all []*library) string {
	var out strings.Builder
	width, height := len(all)*columnWidth+margin, 5*rowHeight+30
	fmt.Fprintf(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\" text-anchor=\"middle\">\n", width, height)
	fmt.Fprint(&out, "<!-- drawn from the imports by go test ./tools/house -run Picture -update -->\n<title>The rooms of MXP in each language, and what they import</title>\n")
	fmt.Fprint(&out, "<defs><marker id=\"to\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" fill=\"#567\"/></marker></defs>\n")
	fmt.Fprintf(&out, "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#fff\"/>\n", width, height)
	for column, l := range all {
		x := column*columnWidth + margin
		fmt.Fprintf(&out, "<text x=\"%d\" y=\"22\" font-weight=\"bold\">%s</text>\n", x+boxWidth/2, l.language)
		for _, r := range l.rooms {
			y := r.row*rowHeight + 36
			fmt.Fprintf(&out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\" fill=\"#eef4fa\" stroke=\"#567\"/>\n", x, y, boxWidth, boxHeight)
			fmt.Fprintf(&out, "<text x=\"%d\" y=\"%d\">%s</text>\n", x+boxWidth/2, y+boxHeight/2+4, r.title)
			for _, to := range l.rooms {
				if !slices.Contains(r.imports, to.name) {
					continue
				}
				from, end := y+boxHeight, to.row*rowHeight+36
				if middle := x + boxWidth/2; to.row == r.row+1 {
					fmt.Fprintf(&out, "<path d=\"M%d %dV%d\" stroke=\"#567\" marker-end=\"url(#to)\"/>\n", middle, from, end)
				} else {
					at := x + boxWidth - 8*(to.row-r.row)
					side := x + boxWidth + 10
					fmt.Fprintf(&out, "<path d=\"M%d %dC%d %d %d %d %d %d\" stroke=\"#9ab\" fill=\"none\" marker-end=\"url(#to)\"/>\n", at, from, side, from+24, side, end-24, at, end)
				}
			}
		}
	}
	return out.String() + "</svg>\n"
}

// The picture of MXP's rooms shows what they import, and that imports run down.
func TestPictureOfRoomsIsThatOfTheirImports(t *testing.T) {
	all := libraries(t)
	for _, l := range all {
		arrows := 0
		for _, r := range l.rooms {
			for _, to := range l.rooms {
				if !slices.Contains(r.imports, to.name) {
					continue
				}
				if arrows++; to.row <= r.row {
					t.Errorf("%s: %q imports %q, which is above it", l.language, r.title, to.title)
				}
			}
		}
		if arrows < len(l.rooms)-1 {
			t.Errorf("%s has %d imports between its rooms, so that the test looks in the wrong place", l.language, arrows)
		}
	}
	drawn := draw(all)
	if *update {
		if err := os.WriteFile(filepath.Join("../..", picture), []byte(drawn), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if drawn != string(read(t, picture)) {
		t.Errorf("%s is not what the rooms import: run go test ./tools/house -run Picture -update", picture)
	}
}
