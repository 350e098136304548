package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/proto"
)

// report is what became of a corpus.
type report struct {
	name string
	// strange says that the corpus has files that nobody writes, groups above all, so that any
	// number of messages may need an edit.
	strange bool
	seed    uint64
	values  int
	// keep is a folder for the made schemas, the schemas of each batch in one of their own.
	keep    string
	batches int

	files, parsed, later, lone, messages, edited int
	losses                                       map[diag.Code]int
	made, bytes                                  int
	carried, refused                             int
	before, after                                int64
	problems                                     []string
	took                                         time.Duration
}

// run imports all files below a folder: first together, then by themselves the files that declare
// the same as others.
func (r *report) run(folder string) error {
	began := time.Now()
	r.losses = map[diag.Code]int{}
	texts := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == "node_modules" {
			return filepath.SkipDir
		}
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".proto") {
			return err
		}
		text, err := os.ReadFile(path)
		inside, _ := filepath.Rel(folder, path)
		texts[filepath.ToSlash(inside)] = string(text)
		return err
	})
	if err != nil {
		return err
	}
	r.files = len(texts)
	var left, own []string
	for path := range texts {
		if strings.HasPrefix(path, "google/protobuf/") {
			own = append(own, path)
		} else {
			left = append(left, path)
		}
	}
	for _, list := range [][]string{left, own} {
		slices.Sort(list)
		r.all(texts, list)
	}
	r.took = time.Since(began)
	return nil
}

// all imports files that import each other: those together that don't declare the same,
// and those by themselves that are to be read from their own folder.
func (r *report) all(texts map[string]string, left []string) {
	for len(left) > 0 {
		together := parseable(reader(texts, ""), left)
		if together == nil {
			break
		}
		left = slices.DeleteFunc(left, func(path string) bool { return slices.Contains(together.paths, path) })
		r.parsed += len(together.paths)
		r.batch(together.schema)
	}
	for _, file := range left {
		if later.MatchString(texts[file]) {
			r.later++
			continue
		}
		var problems diag.List
		schema := proto.Parse(reader(texts, path.Dir(file)), []string{path.Base(file)}, &problems)
		if schema == nil && strings.HasPrefix(problems.Sorted()[0].Message, "could not resolve path") {
			r.lone++
			continue
		}
		if schema == nil {
			r.problem("%s is not understood: %s", file, problems.Sorted()[0].Message)
			continue
		}
		r.parsed++
		r.batch(schema)
	}
}

// later finds editions that the parser doesn't know.
var later = regexp.MustCompile(`(?m)^edition = "(2024|2026|UNSTABLE)"`)

// reader reads from a folder, and then from the root.
func reader(texts map[string]string, folder string) proto.Loader {
	return func(name string) (string, string, error) {
		for _, at := range []string{path.Join(folder, name), name} {
			if text, found := texts[at]; found {
				return name, text, nil
			}
		}
		return "", "", fs.ErrNotExist
	}
}

// group is files that were parsed together.
type group struct {
	paths  []string
	schema *proto.Schema
}

// parseable parses as many files as can be parsed together.
func parseable(load proto.Loader, paths []string) *group {
	for len(paths) > 0 {
		var problems diag.List
		if schema := proto.Parse(load, paths, &problems); schema != nil {
			return &group{paths, schema}
		}
		bad := map[string]bool{}
		for _, d := range problems.Sorted() {
			if file := d.Span.File; file != nil {
				bad[file.Name()] = true
			}
		}
		fewer := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return bad[path] })
		if len(fewer) == len(paths) {
			break
		}
		paths = fewer
	}
	return nil
}

// batch imports files, and runs all checks on the result.
func (r *report) batch(schema *proto.Schema) {
	var problems diag.List
	options := proto.Options{LeaveOut: true, Existing: func(string) (string, string, bool) { return "", "", false }}
	made := proto.Import(schema, options, &problems)
	r.count(schema, &problems)
	if made == nil {
		return
	}
	r.made += len(made)
	for round := 0; ; round++ {
		memory := check.Memory{}
		var roots []string
		for _, output := range made {
			memory[output.Path] = output.Text
			roots = append(roots, output.Path)
		}
		compiled, found := check.Program(memory, roots, format.Canonical)
		for _, d := range found.Sorted() {
			r.problem("%s: %s", d.Span, d.Message)
		}
		if compiled == nil {
			return
		}
		if proto.Settle(made, compiled) {
			if round < 8 {
				continue
			}
			r.problem("names are not settled")
		}
		for _, output := range made {
			r.bytes += len(output.Text)
			r.write(output)
		}
		r.batches++
		r.again(schema, options, memory)
		r.carry(schema, plan.New(compiled))
		return
	}
}

// write keeps a schema.
func (r *report) write(made proto.Output) {
	if r.keep == "" {
		return
	}
	name := filepath.Join(r.keep, strconv.Itoa(r.batches), filepath.FromSlash(made.Path))
	err := os.MkdirAll(filepath.Dir(name), 0o777)
	if err == nil {
		err = os.WriteFile(name, []byte(made.Text), 0o666)
	}
	if err != nil {
		r.problem("%v", err)
	}
}

// again imports once more over what was made: nothing may change.
func (r *report) again(schema *proto.Schema, options proto.Options, memory check.Memory) {
	options.Existing = func(path string) (string, string, bool) {
		text, found := memory[path]
		return path, text, found
	}
	var problems diag.List
	made := proto.Import(schema, options, &problems)
	if len(made) != len(memory) {
		r.problem("%d files are made again, of %d", len(made), len(memory))
	}
	for _, output := range made {
		if memory[output.Path] != output.Text {
			r.problem("%s is not the same when it is imported again", output.Path)
		}
	}
}

// count counts messages, and messages of which something was left out.
func (r *report) count(schema *proto.Schema, problems *diag.List) {
	for range schema.Messages() {
		r.messages++
	}
	edited := map[string]bool{}
	for _, d := range problems.Sorted() {
		r.losses[d.Code]++
		if strings.HasPrefix(string(d.Code), "I01") && d.Code != "I0102" {
			// The message's name is the first word but for that of its field.
			edited[string(protoreflect.FullName(strings.Fields(d.Message)[0]).Parent())] = true
		}
		if d.Severity == diag.SeverityError {
			r.problem("%s: %s", d.Span, d.Message)
		}
	}
	r.edited += len(edited)
}

func (r *report) problem(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

// failed tells whether anything that was to be reached was not: all files are understood, and
// of a hundred messages one may need an edit.
func (r *report) failed() bool {
	return len(r.problems) > 0 || r.parsed+r.later+r.lone != r.files || !r.strange && r.edited*100 > r.messages
}

func (r *report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d of %d files understood, %d are of later editions, %d import what is not there; %d schemas of %d bytes made in %v\n", r.name, r.parsed, r.files, r.later, r.lone, r.made, r.bytes, r.took.Round(time.Millisecond))
	fmt.Fprintf(&b, "  %d messages, %d of them with something left out\n", r.messages, r.edited)
	var codes []string
	for code := range r.losses {
		codes = append(codes, string(code))
	}
	slices.Sort(codes)
	for _, code := range codes {
		fmt.Fprintf(&b, "  %s %d\n", code, r.losses[diag.Code(code)])
	}
	fmt.Fprintf(&b, "  %d random values came back equal, %d were refused by name; %d bytes before, %d after\n", r.carried, r.refused, r.before, r.after)
	for _, p := range r.problems[:min(len(r.problems), 40)] {
		b.WriteString("  problem: " + p + "\n")
	}
	if len(r.problems) > 40 {
		fmt.Fprintf(&b, "  … %d problems\n", len(r.problems))
	}
	return b.String()
}
