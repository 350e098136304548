package plugin

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"unicode/utf8"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

const (
	// diagnosticsMax is how many problems of a response are shown.
	diagnosticsMax = 100
	// textMax is how many bytes of a message or an advice are.
	textMax = 2000
)

// Generate asks a program for code of a schema. If an error is among the problems, there are
// no files; else their paths are such that they can be joined to a folder's. The error is
// that of the context, or of the tool's own system.
func Generate(ctx context.Context, p Program, program *plan.Program, question Parameters) ([]File, *diag.List, error) {
	problems := &diag.List{}
	response, err := p.ask(ctx, NewRequest(program, question))
	var failed *failure
	switch {
	case errors.As(err, &failed):
		problems.Add(&diag.Diagnostic{Code: codeFailed, Severity: diag.SeverityError, Message: failed.problem, Help: failed.help})
		return nil, problems, nil
	case err != nil:
		return nil, nil, err
	}
	p.diagnose(response.Diagnostics, program.Schema, problems)
	p.refuseFeatures(response.Features, program, question.Generate, problems)
	p.refusePaths(response.Files, problems)
	if problems.HasErrors() {
		return nil, problems, nil
	}
	return response.Files, problems, nil
}

func (p Program) ask(ctx context.Context, request *Request) (*Response, error) {
	data, err := request.Bytes()
	if err != nil {
		return nil, failf("", "the schema cannot be told to %s: %v", p.title(), err)
	}
	data, err = p.run(ctx, data)
	if err != nil {
		return nil, err
	}
	response, err := decode[Response](data)
	switch {
	case err != nil && len(data) == 0:
		return nil, failf("a plugin writes a Response even where it makes nothing", "%s has answered nothing", p.title())
	case err != nil:
		return nil, failf("a plugin writes one Response of spec/plugin.sdp to its standard output, as a message with its header, and nothing else",
			"the response of %s is refused: %s", p.title(), source.Visible(err.Error()))
	}
	return response, nil
}

// codeWords are what a plugin's codes are of.
var codeWords = regexp.MustCompile(`^[A-Za-z0-9-]{1,40}$`)

// diagnose adds a plugin's problems to the tool's, at their places.
func (p Program) diagnose(diagnostics []Diagnostic, schema *ir.Schema, problems *diag.List) {
	packages := map[string]*ir.Package{}
	for _, pkg := range schema.Packages {
		packages[pkg.Name] = pkg
	}
	unsound := func(format string, args ...any) {
		problems.Add(&diag.Diagnostic{
			Code: codeFailed, Severity: diag.SeverityError, Message: fmt.Sprintf("a diagnostic of %s ", p.title()) + fmt.Sprintf(format, args...),
		})
	}
	for i, one := range diagnostics {
		if i == diagnosticsMax {
			unsound("is left out: there are %d", len(diagnostics))
			return
		}
		d := &diag.Diagnostic{
			Code: diag.Code(p.Name + "/" + one.Code), Severity: diag.SeverityWarning, Message: shown(one.Message), Help: shown(one.Help),
		}
		if one.Severity == severityError {
			d.Severity = diag.SeverityError
		}
		pkg := packages[one.Package]
		switch {
		case !codeWords.MatchString(one.Code):
			unsound("has the code %q, which is not of up to 40 letters, digits and `-`", one.Code)
			continue
		case one.Severity > severityError:
			unsound("has the severity %d, which is none", one.Severity)
			continue
		case one.Message == "":
			unsound("says nothing")
			continue
		case one.Package == "":
		case pkg == nil:
			unsound("is at the package %q, which the request does not have", one.Package)
			continue
		case one.At.Start > one.At.End || int(one.At.End) > len(pkg.Span.File.Text()):
			unsound("is at the bytes %d to %d of %s, which has %d", one.At.Start, one.At.End, pkg.Path, len(pkg.Span.File.Text()))
			continue
		default:
			d.Span = pkg.Span.File.Span(int(one.At.Start), int(one.At.End))
		}
		problems.Add(d)
	}
}

// shown is a text of a plugin as it is printed.
func shown(text string) string {
	if len(text) > textMax {
		cut := textMax
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	return source.Visible(text)
}
