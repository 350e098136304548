package engine

import (
	"slices"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Asked finds the method of a request, as the session asks for it.
func (l *Link) Asked(service string, method uint16) (r session.Request, f *Failure) {
	names := l.Session.Services()
	number := slices.Index(names[:min(len(names), 1<<16)], service)
	if number < 0 {
		return r, ServiceUnknown(service, names)
	}
	r.Service, r.Method = uint16(number), method
	if text := l.Session.Difference(r.Service, r.Method); text != "" {
		f := Refusal(session.ErrSchema, false)
		f.Text = text
		return r, &f
	}
	return r, nil
}

// Refused says more about what the session has refused to queue.
func (l *Link) Refused(err error) error {
	if err != error(session.ErrPayloadTooLarge) { // the session returns it as it is
		return err
	}
	return TooLarge(l.Session.TooLarge())
}
