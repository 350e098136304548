package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/driver"
)

// laid is the code of a language.
type laid struct {
	folder string
	// rounds are the folders below it: what is refused in one of them beside
	// something else is laid in the next.
	rounds                   []string
	packages, names, refused int
}

// lay generates the code of schemas into a folder. Names that are one in the
// language are refused where they meet, and accepted apart.
func (r *run) lay(p project, folder string, schemas []schema) (laid, error) {
	made := laid{folder: folder}
	if err := p.start(r, folder); err != nil {
		return made, err
	}
	for len(schemas) > 0 {
		round := fmt.Sprintf("r%d", len(made.rounds))
		kept, left, err := r.round(p, folder, round, schemas)
		if err != nil {
			return made, err
		}
		if len(kept) == 0 {
			break
		}
		made.rounds = append(made.rounds, round)
		for _, s := range kept {
			made.packages++
			made.names += len(s.items)
		}
		schemas = renamed(left, len(made.rounds))
	}
	for _, s := range schemas {
		made.refused += len(s.items)
		for _, it := range s.items {
			if r.verbose {
				fmt.Printf("%s: refused: %s\n", p.language, strings.TrimSpace(it.text))
			}
		}
	}
	return made, nil
}

// renamed gives schemas names that no earlier round has.
func renamed(schemas []schema, round int) []schema {
	var made []schema
	for _, s := range schemas {
		if !s.whole {
			name := fmt.Sprintf("%s_%d", s.name, round)
			s.head = strings.Replace(s.head, "package "+s.name+";", "package "+name+";", 1)
			s.name = name
		}
		made = append(made, s)
	}
	return made
}

// round generates what of schemas is accepted together, and returns it and the
// rest.
func (r *run) round(p project, folder, round string, schemas []schema) (kept, left []schema, err error) {
	sources := filepath.Join(folder, "schemas", round)
	if err := errors.Join(os.RemoveAll(sources), os.MkdirAll(sources, 0o777)); err != nil {
		return nil, nil, err
	}
	rest := map[string]*schema{}
	for len(schemas) > 0 {
		refused, err := r.generate(p, folder, round, sources, schemas)
		if err != nil {
			return nil, nil, err
		}
		if len(refused) == 0 {
			break
		}
		before := size(schemas)
		if schemas = without(schemas, refused, rest); size(schemas) == before {
			return nil, nil, fmt.Errorf("what is refused is none of the items: %v", refused)
		}
	}
	for _, s := range rest {
		left = append(left, *s)
	}
	slices.SortFunc(left, func(a, b schema) int { return strings.Compare(a.name, b.name) })
	return schemas, left, nil
}

// size is how many items schemas have.
func size(schemas []schema) int {
	items := 0
	for _, s := range schemas {
		items += len(s.items)
	}
	return items
}

// without takes refused items out of schemas, and puts them into others.
func without(schemas []schema, refused map[string][]int, rest map[string]*schema) []schema {
	var kept []schema
	for _, s := range schemas {
		lines, some := refused[s.name]
		if !some {
			kept = append(kept, s)
			continue
		}
		other, there := rest[s.name]
		if !there {
			other = &schema{name: s.name, head: s.head, foot: s.foot, whole: s.whole}
			rest[s.name] = other
		}
		var stay []item
		for i, it := range s.items {
			if slices.Contains(lines, i) || s.whole {
				other.items = append(other.items, it)
			} else {
				stay = append(stay, it)
			}
		}
		if s.items = stay; len(stay) > 0 {
			kept = append(kept, s)
		}
	}
	return kept
}

// report is the tool's report on one schema.
type report struct {
	Diagnostics []struct {
		Code, Severity, Message string
		Span                    *span
		Related                 []struct{ Span span }
	}
}

type span struct {
	File  string
	Start struct{ Line int }
}

// collision matches the codes of names that are one in a language, and of names that SDP keeps to
// itself. Where whole packages collide no span says where.
var (
	collision   = regexp.MustCompile(`^([GRPTY]0101|S0203|S0205)$`)
	packageMeet = regexp.MustCompile(`^C000[25]$`)
	packageFile = regexp.MustCompile(`package (\S+) would be|and \S+ \((?:[^)]*/)?([^/)]+)\.sdp\) would`)
)

// generate runs the tool, and returns the items that it refuses as collisions, by
// schema. Anything else that it refuses is an error.
func (r *run) generate(p project, folder, round, sources string, schemas []schema) (map[string][]int, error) {
	var files []string
	first := map[string]int{}
	for _, s := range schemas {
		text, line := s.text()
		first[s.name] = line
		path := filepath.Join(sources, s.name+".sdp")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return nil, err
		}
		files = append(files, path)
	}
	var out, problems bytes.Buffer
	tool := &driver.Tool{Out: &out, Err: &problems, Format: driver.FormatJSON}
	options := p.options(filepath.Join(folder, p.sources, round))
	options.Schemas = files
	err := tool.Gen(options)
	if err == nil {
		return nil, nil
	}
	var told report
	if json.Unmarshal(problems.Bytes(), &told) != nil && json.Unmarshal(out.Bytes(), &told) != nil {
		return nil, fmt.Errorf("%w: %s%s", err, out.Bytes(), problems.Bytes())
	}
	refused := map[string][]int{}
	for _, d := range told.Diagnostics {
		switch name, at := "", 0; {
		case d.Severity != "error":
			continue
		case d.Span != nil && collision.MatchString(d.Code):
			name = strings.TrimSuffix(filepath.Base(d.Span.File), ".sdp")
			at = d.Span.Start.Line - first[name]
			// Where a name meets what is around it, the other place is the item's.
			if at < 0 && len(d.Related) > 0 {
				at = d.Related[0].Span.Start.Line - first[name]
			}
			refused[name] = append(refused[name], at)
		case packageMeet.MatchString(d.Code) && packageFile.MatchString(d.Message):
			found := packageFile.FindStringSubmatch(d.Message)
			refused[found[1]+found[2]] = []int{0}
		default:
			return nil, fmt.Errorf("%s: %s (%+v)", d.Code, d.Message, d.Span)
		}
	}
	if len(refused) == 0 {
		return nil, fmt.Errorf("%w: %s%s", err, out.Bytes(), problems.Bytes())
	}
	return refused, nil
}
