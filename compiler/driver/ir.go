package driver

import (
	"io"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/irjson"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// IROptions says what to print.
type IROptions struct {
	Schemas []string
	// Plan prints the wire plan instead of the ir.
	Plan bool
}

// IR prints what the compiler has understood of schemas.
func (t *Tool) IR(options IROptions) error {
	roots, config, err := t.schemasOr(options.Schemas)
	if err != nil {
		return err
	}
	program, err := t.compile(t.loader(disk{}, config), roots)
	if err != nil {
		return err
	}
	if !options.Plan {
		return irjson.Write(t.Out, program)
	}
	for _, pkg := range program.Schema.Packages {
		if _, err := io.WriteString(t.Out, planTitle(pkg)+program.Dump(pkg)); err != nil {
			return err
		}
	}
	return nil
}

// planTitle stands before each package's part of a plan.
func planTitle(pkg *ir.Package) string {
	return "# package " + pkg.Name + ", " + source.Visible(pkg.Path) + "\n"
}
