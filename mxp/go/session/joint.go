package session

import (
	"fmt"
	"maps"
	"strings"

	"github.com/serial-data-protocol/sdp/runtime/go"
)

// joint is the layout text of several types, in which each block stands once [EVO-5.10].
type joint struct {
	blocks []string
	places map[string]int // of blocks, by their names
}

// String is the text, which is empty without types.
func (j *joint) String() string { return strings.Join(j.blocks, "") }

// add adds a type by its layout text, if it can join, and the blocks that are new have at most so many
// bytes. It gives how many they have.
func (j *joint) add(text string, most int) (bytes int) {
	if !sdp.IsLayoutText(text) {
		return 0
	}
	l := sdp.NewLayoutBlocks(text)
	places := maps.Clone(j.places)
	if places == nil {
		places = map[string]int{}
	}
	names := l.Names()
	for _, name := range names {
		if _, known := places[name]; !known {
			places[name] = len(places)
		}
	}
	blocks := j.blocks
	for i, name := range names {
		block, ok := renumbered(l.Lines(i), places[name], names, places)
		switch place := places[name]; {
		case !ok || place < len(blocks) && blocks[place] != block:
			return 0
		case place == len(blocks):
			blocks = append(blocks, block)
			bytes += len(block)
		}
	}
	if bytes > most {
		return 0
	}
	j.blocks, j.places = blocks, places
	return bytes
}

// renumbered is a block with other numbers: its own, and the numbers of the blocks that it names. ok is false if the
// block names a block that is not there.
func renumbered(lines []string, place int, names []string, places map[string]int) (block string, ok bool) {
	var made strings.Builder
	_, head, _ := strings.Cut(lines[0], " ")
	fmt.Fprintf(&made, "%d %s\n", place, head)
	for _, line := range lines[1:] {
		for i, word := range strings.Split(line, " ") {
			n := sdp.LayoutReference(word)
			if n >= len(names) {
				return "", false
			}
			if n >= 0 {
				word = fmt.Sprintf("#%d", places[names[n]])
			}
			if i > 0 {
				made.WriteByte(' ')
			}
			made.WriteString(word)
		}
		made.WriteByte('\n')
	}
	return made.String(), true
}
