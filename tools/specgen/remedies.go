package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// subject is a part of the page about errors, with the refusals that it has.
type subject struct {
	heading string
	has     func(refusal) bool
}

var (
	sharedMemory = regexp.MustCompile(`^(shm|channel)_`)
	names        = regexp.MustCompile(`^(agents?|mesh)_|^limit_agents$`)
)

// subjects are the parts in their order. A refusal is in the first that has it.
var subjects = []subject{
	{"Encoding, decoding and JSON", func(e refusal) bool { return !slices.Contains(families, e.Category) }},
	{"Frames", func(e refusal) bool { return e.Category == "frame" }},
	{"Shared memory and channels", func(e refusal) bool { return sharedMemory.MatchString(e.Name) }},
	{"Agents and the mesh", func(e refusal) bool { return names.MatchString(e.Name) }},
	{"Connections, requests and streams", func(refusal) bool { return true }},
}

// The parts of docs/troubleshooting.md that are generated: two tables, and all between two headings.
const (
	namesHead    = "| subject | names |"
	statusesHead = "| status | names |"
	lastHeading  = "\n## Names of handlers\n"
)

// troubleshooting has a section for each refusal, and tables that lead to it.
func troubleshooting(s *spec, o output) ([]byte, error) {
	parts := make([][]refusal, len(subjects))
	byStatus := map[int][]string{}
	for _, e := range s.Errors {
		at := slices.IndexFunc(subjects, func(part subject) bool { return part.has(e) })
		parts[at] = append(parts[at], e)
		byStatus[e.Status] = append(byStatus[e.Status], reference(e.Name))
	}
	var b strings.Builder
	var rows []string
	for i, part := range subjects {
		var links []string
		fmt.Fprintf(&b, "## %s\n\n", part.heading)
		slices.SortFunc(parts[i], func(a, b refusal) int { return cmp.Compare(a.Name, b.Name) })
		for _, e := range parts[i] {
			links = append(links, reference(e.Name))
			b.WriteString(s.section(e))
		}
		anchor := strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(part.heading), ",", ""), " ", "-")
		rows = append(rows, fmt.Sprintf("| [%s](#%s) | %s |", part.heading, anchor, strings.Join(links, ", ")))
	}
	var statuses []string
	for _, one := range s.Telemetry.Statuses {
		if links := byStatus[one.Number]; one.Number > 0 && len(links) > 0 {
			slices.Sort(links)
			statuses = append(statuses, fmt.Sprintf("| %s (%d) | %s |", statusName(one.Code), one.Number, strings.Join(links, ", ")))
		}
	}
	text, err := replaced(string(o.have), "", namesHead, rows)
	if err != nil {
		return nil, err
	}
	if text, err = replaced(text, "", statusesHead, statuses); err != nil {
		return nil, err
	}
	before, _, found := strings.Cut(text, "\n## "+subjects[0].heading+"\n")
	_, after, isLast := strings.Cut(text, lastHeading)
	if !found || !isLast {
		return nil, fmt.Errorf("no heading %q, or no %q", subjects[0].heading, strings.TrimSpace(lastHeading))
	}
	return []byte(before + "\n" + b.String() + strings.TrimPrefix(lastHeading, "\n") + after), nil
}

// section is the page's text about a refusal.
func (s *spec) section(e refusal) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n%s\n\n* Cause: %s\n* Remedy: %s\n", e.Name, coded(e.Meaning), coded(e.Cause), coded(e.Remedy))
	if e.Offset != "none" {
		fmt.Fprintf(&b, "* Byte: %s\n", lower(coded(sentence(e.Offset))))
	}
	if e.Status > 0 {
		at := slices.IndexFunc(s.Telemetry.Statuses, func(one statusCode) bool { return one.Number == e.Status })
		if at >= 0 {
			fmt.Fprintf(&b, "* Status: %s (%d)\n", statusName(s.Telemetry.Statuses[at].Code), e.Status)
		}
	}
	fmt.Fprintf(&b, "* Rules: %s\n\n", strings.Join(clauseLinks(e.Clauses), ", "))
	return b.String()
}

// clauseLinks are clauses with the files that have them.
func clauseLinks(clauses []string) (links []string) {
	for _, clause := range clauses {
		family, _, _ := strings.Cut(clause, "-")
		links = append(links, fmt.Sprintf("[%s](../spec/%s.md)", clause, strings.ToLower(family)))
	}
	return links
}

// reference is a link to the section of a name.
func reference(name string) string { return "[`" + name + "`](#" + name + ")" }

// statusName is a status as programs spell it: FAILED_PRECONDITION is FailedPrecondition.
func statusName(code string) string { return pascal(strings.ToLower(code)) }

// codeWords are words of a text that are code: names with underscores, addresses, brackets and attributes.
var codeWords = regexp.MustCompile("`[^`]*`|" + `\[N\]T|@\w+|[a-z+]+://[\w:/]+|\b[a-z]+(?:_[a-z]+)+\b`)

// coded is a text with its code as code.
func coded(text string) string {
	return codeWords.ReplaceAllStringFunc(text, func(word string) string { return "`" + strings.Trim(word, "`") + "`" })
}
