package main

import (
	"bytes"
	"fmt"
	"strings"
)

// specTables brings the tables of types and of their parts up to date in the text of mxp.md.
func specTables(s *spec, o output) ([]byte, error) {
	text, err := replaced(string(o.have), margin, "| number | type | number | type |", typesTable(s.Frames))
	if err != nil {
		return nil, err
	}
	text, err = replaced(text, margin, "| frame | id | payload | flags | own |", rulesTable(s.Frames))
	return []byte(text), err
}

// margin stands before the lines of a table in a clause.
const margin = "  "

// replaced puts rows into the table that has this head.
func replaced(text, margin, head string, rows []string) (string, error) {
	before, after, found := strings.Cut(text, "\n"+margin+head+"\n")
	if !found {
		return "", fmt.Errorf("no table has the head %q", head)
	}
	var b bytes.Buffer
	b.WriteString(before + "\n" + margin + head + "\n" + margin + strings.Repeat("|---", strings.Count(head, "|")-1) + "|\n")
	for _, row := range rows {
		b.WriteString(margin + row + "\n")
	}
	for strings.HasPrefix(after, margin+"|") {
		_, after, _ = strings.Cut(after, "\n")
	}
	return b.String() + after, nil
}

// typesTable has the types in two columns, of which the second is the longer.
func typesTable(f *frames) (rows []string) {
	all := f.byNumber()
	left := all[:len(all)/2]
	for i, right := range all[len(left):] {
		first := "| |"
		if i < len(left) {
			first = fmt.Sprintf("`%02X` | %s |", left[i].Number, left[i].Name)
		}
		rows = append(rows, fmt.Sprintf("| %s `%02X` | %s |", first, right.Number, right.Name))
	}
	return rows
}

func rulesTable(f *frames) (rows []string) {
	for _, t := range f.Types {
		var flags []string
		for _, flag := range f.Flags {
			if f.bits(&t)&flag.Number != 0 {
				flags = append(flags, fmt.Sprint(flag.Number))
			}
		}
		own := "yes"
		if !t.isOwn() {
			own = ""
		}
		row := "|"
		for _, cell := range []string{t.Name, t.idText(), t.payloadText(), strings.Join(flags, ", "), own} {
			if cell != "" {
				row += " " + cell
			}
			row += " |"
		}
		rows = append(rows, row)
	}
	return rows
}

// idText is the text about the id of a type's frames.
func (t *frameType) idText() string {
	var parts []string
	last := "" // the side of the last part
	for _, id := range t.IDs {
		kind, side, _ := strings.Cut(id, " of ")
		switch {
		case id == "zero":
			parts = append(parts, "0")
		case id == "new":
			parts = append(parts, "new")
		case side == last:
			_, noun, _ := strings.Cut(exchanges[kind], " ")
			before, _, _ := strings.Cut(parts[len(parts)-1], " of ")
			parts[len(parts)-1] = before + " or " + noun + " of " + sides[side]
		default:
			parts = append(parts, exchanges[kind]+" of "+sides[side])
		}
		last = side
	}
	return strings.Join(parts, ", or ")
}

// payloadText is the text about a type's payload.
func (t *frameType) payloadText() string {
	var types []string
	for _, name := range t.Payload {
		types = append(types, "`"+name+"`")
	}
	text, users := strings.Join(types, ", then "), "the value"
	if t.Records {
		users = "records"
	}
	switch {
	case !t.isOwn() && text != "":
		return text + ", then " + users
	case !t.isOwn():
		return users
	case text == "":
		return "not looked at"
	}
	return text
}
