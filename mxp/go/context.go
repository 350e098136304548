package mxp

import "context"

// requestKey is that of the request in a handler's context.
type requestKey struct{}

// RequestFrom gives the request of a handler or interceptor, from its context or one derived from
// it: the metadata, and the peer that asks. It is nil elsewhere.
//
// The context itself passes the deadline on to the requests that are made with it, and the
// trace with its tracestate.
func RequestFrom(ctx context.Context) *Request {
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}

// SetReplyMetadata sends a key and a value beside the answer to the call that the context is
// of. It is for the goroutine of the handler. Events and streams are not answered so, and
// failures have Details instead.
func SetReplyMetadata(ctx context.Context, key string, value []byte) {
	if r := RequestFrom(ctx); r != nil {
		r.answer = append(r.answer, Metadatum{Key: key, Value: value})
	}
}

// guarded is a server's handler with interceptors around it. Where one of them hands on a copy
// of the request, the handler's context has that.
func guarded(interceptors []Interceptor, handler Handler) Handler {
	if len(interceptors) == 0 {
		return handler
	}
	return intercepted(interceptors, func(ctx context.Context, r *Request) (Reply, error) {
		if came := RequestFrom(ctx); came != nil && came != r {
			r.answer = came.answer
			ctx = context.WithValue(ctx, requestKey{}, r)
		}
		return handler(ctx, r)
	})
}

// replyOf is the answer of a handler, with the metadata that were set for it.
func replyOf(ctx context.Context, value []byte) Reply {
	reply := Reply{Value: value}
	if r := RequestFrom(ctx); r != nil {
		reply.Metadata = r.answer
	}
	return reply
}

// WantsAck reports, at the client, whether an event was sent WithAck.
func (r *Request) WantsAck() bool { return r.options.ack }

// Get gives the value of the first of the request's metadata that has the key.
func (r *Request) Get(key string) (value []byte, ok bool) {
	for i := range r.Metadata {
		if r.Metadata[i].Key == key {
			return r.Metadata[i].Value, true
		}
	}
	return nil, false
}
