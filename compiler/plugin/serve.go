package plugin

import (
	"io"

	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// Serve is the other side of Generate, for a plugin that is made of the compiler's own
// packages: it reads a request, and writes what is answered.
func Serve(r io.Reader, w io.Writer, answer func(*Request, *plan.Program) (*Response, error)) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	request, err := decode[Request](data)
	if err != nil {
		return err
	}
	schema, err := request.Schema()
	if err != nil {
		return err
	}
	response, err := answer(request, plan.New(schema))
	if err != nil {
		return err
	}
	if data, err = encode(response); err == nil {
		_, err = w.Write(data)
	}
	return err
}
