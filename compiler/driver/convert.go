package driver

import (
	"bufio"
	"errors"
	"io"
	"os"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// DataForm is how values are written.
type DataForm string

// The forms.
const (
	FormJSON    DataForm = "json"
	FormBytes   DataForm = "bytes"
	FormMessage DataForm = "message"
	FormStream  DataForm = "stream"
)

// DataForms lists the forms.
func DataForms() []string {
	return []string{string(FormJSON), string(FormBytes), string(FormMessage), string(FormStream)}
}

// ConvertOptions says what to convert. In and Out may be "-".
type ConvertOptions struct {
	Schema, Type string
	From, To     DataForm
	In, Out      string
	// Strict refuses members of JSON that a message does not have.
	Strict bool
	// Preamble writes the type's layout in front of a stream.
	Preamble bool
}

// Convert writes values in another form. An output file appears only when it
// is whole.
func (t *Tool) Convert(options ConvertOptions) error {
	program, err := t.compileOne(options.Schema)
	if err != nil {
		return err
	}
	decl, err := findType(program.Schema, options.Type)
	if err != nil {
		return err
	}
	id := ir.IDOf(decl)
	if id == nil && (options.From.hasHeader() || options.To.hasHeader()) {
		return usagef("%s has no @id, and messages carry one", options.Type).
			withHelp("give the type an id in the schema, or convert to json or bytes")
	}
	if options.Preamble && options.To != FormStream {
		return usagef("--preamble is for streams, and --to is %s", options.To).withHelp("leave --preamble out, or convert to stream")
	}
	codec, err := interp.New(program, decl)
	if err != nil {
		return err
	}
	if err := refuseOverwriting(options); err != nil {
		return err
	}
	in, err := t.openData(options.In)
	if err != nil {
		return err
	}
	defer in.close()
	out, err := t.createOutput(options.Out)
	if err != nil {
		return err
	}
	defer out.Discard()
	shown := t.newProgress(in.in, in.size)
	c := converter{
		program: program, codec: codec, from: options.From, to: options.To,
		strict: options.Strict, data: in, in: shown, out: bufio.NewWriterSize(out, bufferBytes),
	}
	if id != nil {
		c.id = id.Value
	}
	err = c.run(options.Preamble)
	shown.end()
	if err == nil || c.written > 1 {
		// Of a damaged stream, what stands before the damage is good.
		err = errors.Join(err, c.out.Flush())
	}
	if err != nil {
		return err
	}
	return out.Commit()
}

// hasHeader tells whether values of the form stand behind a header.
func (f DataForm) hasHeader() bool { return f == FormMessage || f == FormStream }

// refuseOverwriting keeps an output from replacing what it is made of.
func refuseOverwriting(options ConvertOptions) error {
	if options.Out == stdName {
		return nil
	}
	out, err := os.Stat(options.Out)
	if err != nil || !out.Mode().IsRegular() {
		return nil
	}
	for what, path := range map[string]string{"input": options.In, "schema": options.Schema} {
		if path == stdName {
			continue
		}
		if info, err := os.Stat(path); err == nil && os.SameFile(info, out) {
			return usagef("the output would overwrite the %s %s", what, path).withHelp("name another file with -o")
		}
	}
	return nil
}

// bufferBytes is how much is read and written at a time.
const bufferBytes = 64 << 10

// target is where converted values go.
type target interface {
	io.Writer
	Commit() error
	Discard()
}

func (t *Tool) createOutput(name string) (target, error) {
	if name == stdName {
		return stdTarget{t.Out}, nil
	}
	return t.temps.Create(name)
}

// stdTarget is the standard output, whose bytes are gone once written.
type stdTarget struct{ io.Writer }

func (stdTarget) Commit() error { return nil }

func (stdTarget) Discard() {}
