package proto

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/serial-data-protocol/sdp/compiler/diag"
)

// refuse names what can't be held. It is an error, unless the user has it left out.
func (im *importer) refuse(code diag.Code, d protoreflect.Descriptor, format string, args ...any) *diag.Diagnostic {
	severity := diag.SeverityError
	if im.options.LeaveOut {
		severity = diag.SeverityWarning
	}
	return im.problems.Add(&diag.Diagnostic{Code: code, Severity: severity, Span: im.schema.placeOf(d), Message: fmt.Sprintf(format, args...)})
}

func (im *importer) warn(code diag.Code, d protoreflect.Descriptor, format string, args ...any) *diag.Diagnostic {
	return im.problems.Warning(code, im.schema.placeOf(d), format, args...)
}

// note is a loss that many things of a file have in the same way: it is told once, with
// all their lines.
type note struct {
	code  diag.Code
	about string
	at    []protoreflect.Descriptor
}

// note notes one of them.
func (im *importer) note(code diag.Code, d protoreflect.Descriptor, text string) {
	t := im.targets[d.ParentFile().Path()]
	at := slices.IndexFunc(t.notes, func(n *note) bool { return n.code == code && n.about == text })
	if at < 0 {
		at = len(t.notes)
		t.notes = append(t.notes, &note{code: code, about: text})
	}
	t.notes[at].at = append(t.notes[at].at, d)
}

// said is the text of a note about n things, and the help.
func (n *note) said() (text, help string) {
	switch n.code {
	case codeTime:
		if n.about == "google.protobuf.Timestamp" {
			return "a " + n.about + " is nanoseconds here, which go from 1677-09-21 to 2262-04-11", "other times are refused when values are carried over"
		}
		return "a " + n.about + " is nanoseconds here, which are up to 292 years", "longer ones are refused when values are carried over"
	case codeAny:
		return "the value of a google.protobuf.Any stays bytes of Protocol Buffers", "declare a union of the types that may come"
	case codeNotUTF8:
		return "a string of proto2 need not be UTF-8, a str must be", "--bytes NAME imports the strings of a field, message or package as bytes"
	}
	return "the option " + n.about + " is not carried over", "what it says is for programs that read the .proto"
}

// tell tells the notes of a file.
func (im *importer) tell(t *target) {
	im.customOptions(t)
	for _, n := range t.notes {
		text, help := n.said()
		d := im.warn(n.code, n.at[0], "%s", text)
		var lines []string
		for _, at := range n.at {
			if line := strconv.Itoa(t.file.SourceLocations().ByDescriptor(at).StartLine + 1); len(lines) == 0 || lines[len(lines)-1] != line {
				lines = append(lines, line)
			}
		}
		if len(lines) > 1 {
			help = "lines " + strings.Join(lines, ", ") + "; " + help
		}
		d.WithHelp(help)
	}
}

// extensions refuses what extends messages. Options of Protocol Buffers are no data.
func (im *importer) extensions(file protoreflect.FileDescriptor, list protoreflect.ExtensionDescriptors) {
	for i := range list.Len() {
		fd := list.Get(i)
		of := fd.ContainingMessage()
		if of.ParentFile().Path() == "google/protobuf/descriptor.proto" {
			im.note(codeOption, fd, "("+string(fd.FullName())+")")
			continue
		}
		im.refuse(codeExtension, fd, "%s extends %s", fd.FullName(), of.FullName()).
			WithHelp("make it a field of the message, or leave it out by --leave-out")
	}
}

// customOptions notes the options that a file's authors have made themselves.
func (im *importer) customOptions(t *target) {
	look := func(d protoreflect.Descriptor) {
		options := d.Options()
		if options == nil {
			return
		}
		options.ProtoReflect().Range(func(fd protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
			if fd.IsExtension() {
				im.note(codeOption, d, "("+string(fd.FullName())+")")
			}
			return true
		})
	}
	look(t.file)
	for _, m := range allMessages(t.file.Messages()) {
		look(m)
		for i := range m.Fields().Len() {
			look(m.Fields().Get(i))
		}
		lookAtEnums(m.Enums(), look)
	}
	lookAtEnums(t.file.Enums(), look)
	for i := range t.file.Services().Len() {
		s := t.file.Services().Get(i)
		look(s)
		for j := range s.Methods().Len() {
			look(s.Methods().Get(j))
		}
	}
}

func lookAtEnums(list protoreflect.EnumDescriptors, look func(protoreflect.Descriptor)) {
	for i := range list.Len() {
		e := list.Get(i)
		look(e)
		for j := range e.Values().Len() {
			look(e.Values().Get(j))
		}
	}
}

// Complain reports an error about something of a .proto, with its place. A file's is its
// package.
func (s *Schema) Complain(problems *diag.List, code diag.Code, d protoreflect.Descriptor, format string, args ...any) *diag.Diagnostic {
	span := s.placeOf(d)
	if file, is := d.(protoreflect.FileDescriptor); is {
		at := file.SourceLocations().ByPath(protoreflect.SourcePath{2})
		span = s.place(file.Path(), at.StartLine, "")
	}
	return problems.Error(code, span, format, args...)
}
