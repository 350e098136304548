package driver

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// FormatOptions says what to format, and where the result goes: to the output
// if neither Write nor Check is set.
type FormatOptions struct {
	Schemas []string
	Write   bool
	// Check shows what would change, and refuses if anything would.
	Check bool
}

// Fmt formats schemas. None is written if one of them does not parse.
func (t *Tool) Fmt(options FormatOptions) error {
	named := options.Schemas
	var config Config
	if len(named) == 0 {
		named = []string{stdName}
		if options.Write || options.Check {
			var err error
			if named, config, err = t.schemasOr(nil); err != nil {
				return err
			}
		}
	}
	files, err := t.parse(t.loader(disk{}, config), named)
	if err != nil {
		return err
	}
	switch {
	case options.Write:
		return t.writeFormatted(files)
	case options.Check:
		return t.checkFormatted(files)
	}
	for _, f := range files {
		if _, err := t.Out.Write([]byte(format.File(f))); err != nil {
			return err
		}
	}
	return nil
}

// parse reads schemas without what they import: formatting needs no meaning.
func (t *Tool) parse(l loader, names []string) ([]*syntax.File, error) {
	var problems diag.List
	roots, err := l.expand(names, &problems)
	if err != nil {
		return nil, err
	}
	var files []*syntax.File
	for _, root := range roots {
		name, err := l.Find(root, "")
		if err != nil {
			return nil, err
		}
		text, err := l.Read(name)
		if err != nil {
			return nil, err
		}
		files = append(files, syntax.Parse(name, text, &problems))
	}
	return files, t.complain(&problems, roots...)
}

func (t *Tool) writeFormatted(files []*syntax.File) error {
	set := t.temps.NewSet()
	for _, f := range files {
		if f.Source.Name() == stdinFile {
			return usagef("the standard input cannot be written").withHelp("leave --write out to print the formatted text")
		}
		if err := set.Add(f.Source.Name(), []byte(format.File(f))); err != nil {
			return err
		}
	}
	written, err := set.Commit()
	if err != nil {
		return err
	}
	for _, path := range written {
		if _, err := fmt.Fprintln(t.Out, filepath.ToSlash(path)); err != nil {
			return err
		}
	}
	return nil
}

// checkFormatted shows what formatting would change. CRLF at the end of every
// line would hide that in a diff, and is named instead.
func (t *Tool) checkFormatted(files []*syntax.File) error {
	differ, lineEnds := false, ""
	for _, f := range files {
		name, text := f.Source.Name(), []byte(f.Source.Text())
		difference := diff.Diff(name, withLF(text), name, []byte(format.File(f)))
		report := difference
		if bytes.Contains(text, []byte("\r\n")) {
			lineEnds = name
			only := "only "
			if difference != nil {
				only = ""
			}
			report = append(fmt.Appendf(nil, "%s differs %sby its line ends: CRLF instead of LF\n", name, only), difference...)
		}
		differ = differ || report != nil
		if _, err := t.Out.Write(report); err != nil {
			return err
		}
	}
	if lineEnds != "" {
		if _, err := fmt.Fprintln(t.Out, lineEndsHelp(lineEnds)); err != nil {
			return err
		}
	}
	return refusedIf(differ)
}
