package proto

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/ast"
	"github.com/bufbuild/protocompile/reporter"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// bracketsMax bounds how many brackets of a .proto are open at once, as in a .sdp.
const bracketsMax = 10_000

// Loader supplies .proto files by the paths by which they import each other. A missing file is
// fs.ErrNotExist. The name is what diagnostics show. It is asked by several goroutines.
type Loader func(path string) (name, text string, err error)

// Schema is .proto files that were understood.
type Schema struct {
	// Roots are the files that were asked for, and Files those and all that they import, each
	// behind what it imports.
	Roots, Files []protoreflect.FileDescriptor

	sources map[string]*source.File
}

// Parse reads .proto files and their imports; the files that come with Protocol Buffers need not be
// there. Problems go to the list, and the schema is nil then.
func Parse(load Loader, paths []string, problems *diag.List) *Schema {
	type parsedFile struct {
		path string
		file *source.File
	}
	files := make(chan parsedFile)
	schema := &Schema{sources: map[string]*source.File{}}
	gathered := make(chan struct{})
	go func() {
		defer close(gathered)
		for r := range files {
			schema.sources[r.path] = r.file
		}
	}()
	resolver := protocompile.ResolverFunc(func(path string) (protocompile.SearchResult, error) {
		if !fs.ValidPath(path) {
			return protocompile.SearchResult{}, errors.New(path + " is no path within the folders of -I")
		}
		name, text, err := load(path)
		if err != nil {
			return protocompile.SearchResult{}, err
		}
		if nests(text) {
			return protocompile.SearchResult{}, errors.New(name + " has too many brackets open at once")
		}
		files <- parsedFile{path, source.New(name, text)}
		return protocompile.SearchResult{Source: strings.NewReader(text)}, nil
	})
	var refused []reporter.ErrorWithPos
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(resolver),
		Reporter:       reporter.NewReporter(func(err reporter.ErrorWithPos) error { refused = append(refused, err); return nil }, nil),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	made, err := compiler.Compile(context.Background(), paths...)
	close(files)
	<-gathered
	var placed reporter.ErrorWithPos
	if errors.As(err, &placed) && !slices.ContainsFunc(refused, func(r reporter.ErrorWithPos) bool { return r.Error() == placed.Error() }) {
		refused = append(refused, placed)
	}
	for _, r := range refused {
		at := r.GetPosition()
		problems.Error(codeSyntax, schema.wordAt(at), "%s", reason(r.Unwrap()))
	}
	if err != nil && len(refused) == 0 {
		problems.Error(codeSyntax, source.Span{}, "%s", reason(err))
	}
	if problems.HasErrors() {
		return nil
	}
	seen := map[string]bool{}
	for _, file := range made {
		schema.Roots = append(schema.Roots, file)
		schema.add(file, seen)
	}
	return schema
}

// reason is what an error says, of a file that is not there where it was looked for.
func reason(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return strings.TrimSuffix(err.Error(), ": "+fs.ErrNotExist.Error()) + ": there is no such file in the folders of -I"
	}
	return err.Error()
}

// add adds a file behind its imports.
func (s *Schema) add(file protoreflect.FileDescriptor, visited map[string]bool) {
	if visited[file.Path()] {
		return
	}
	visited[file.Path()] = true
	imports := file.Imports()
	for i := range imports.Len() {
		s.add(imports.Get(i).FileDescriptor, visited)
	}
	s.Files = append(s.Files, file)
}

// Find is the message of a full name; nil if there is none.
func (s *Schema) Find(name protoreflect.FullName) protoreflect.MessageDescriptor {
	for _, file := range s.Files {
		rest, within := strings.CutPrefix(string(name), string(file.Package()))
		if !within {
			continue
		}
		messages := file.Messages()
		var found protoreflect.MessageDescriptor
		for part := range strings.SplitSeq(strings.TrimPrefix(rest, "."), ".") {
			if found = messages.ByName(protoreflect.Name(part)); found == nil {
				break
			}
			messages = found.Messages()
		}
		if found != nil && found.FullName() == name {
			return found
		}
	}
	return nil
}

// Messages are the full names of all messages of the files that were asked for.
func (s *Schema) Messages() (names []string) {
	for _, file := range s.Roots {
		for _, m := range allMessages(file.Messages()) {
			names = append(names, string(m.FullName()))
		}
	}
	slices.Sort(names)
	return names
}

// allMessages are messages and those within them, but for the entries of maps.
func allMessages(list protoreflect.MessageDescriptors) (all []protoreflect.MessageDescriptor) {
	for i := range list.Len() {
		if m := list.Get(i); !m.IsMapEntry() {
			all = append(append(all, m), allMessages(m.Messages())...)
		}
	}
	return all
}

// place is where a name stands in a line of a .proto, counted from 0, or else the line.
func (s *Schema) place(path string, line int, name string) source.Span {
	file := s.sources[path]
	if file == nil {
		return source.Span{}
	}
	start := file.LineStart(line + 1)
	text := file.Line(line + 1)
	if at := indexWord(text, name); at >= 0 {
		return file.Span(start+at, start+at+len(name))
	}
	trimmed := strings.TrimLeft(text, " \t")
	return file.Span(start+len(text)-len(trimmed), start+len(text))
}

// wordAt is the word or character at a parser's position, which counts no BOM, or else the line.
func (s *Schema) wordAt(pos ast.SourcePos) source.Span {
	file := s.sources[pos.Filename]
	if file == nil {
		return source.Span{}
	}
	start := pos.Offset
	if strings.HasPrefix(file.Text(), "\ufeff") {
		start += len("\ufeff")
	}
	if start < 0 || start >= len(file.Text()) || file.LineOf(start) != pos.Line {
		return s.place(pos.Filename, pos.Line-1, "")
	}
	_, size := utf8.DecodeRuneInString(file.Text()[start:])
	end := start + size
	for isLetter(file.Text()[end-1]) && end < len(file.Text()) && isLetter(file.Text()[end]) {
		end++
	}
	return file.Span(start, end)
}

// placeOf is where a thing is declared.
func (s *Schema) placeOf(d protoreflect.Descriptor) source.Span {
	file := d.ParentFile()
	at := file.SourceLocations().ByDescriptor(d)
	for line := at.StartLine; line <= at.EndLine; line++ {
		if text := s.sources[file.Path()]; text != nil && indexWord(text.Line(line+1), string(d.Name())) >= 0 {
			return s.place(file.Path(), line, string(d.Name()))
		}
	}
	return s.place(file.Path(), at.StartLine, "")
}

// indexWord is where a word stands in a text that is no part of another; -1 if it doesn't.
func indexWord(text, word string) int {
	for from := 0; word != ""; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			break
		}
		at += from
		end := at + len(word)
		if (at == 0 || !isLetter(text[at-1])) && (end == len(text) || !isLetter(text[end])) {
			return at
		}
		from = at + 1
	}
	return -1
}

func isLetter(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// nests tells whether a text has so many brackets open at once that a parser could run out
// of its stack. Brackets in comments and strings count too.
func nests(text string) bool {
	open := 0
	for i := range len(text) {
		switch text[i] {
		case '{', '[', '(', '<':
			open++
		case '}', ']', ')', '>':
			open = max(open-1, 0)
		}
		if open > bracketsMax {
			return true
		}
	}
	return false
}
