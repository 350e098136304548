package mxp

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Method is one of a service's, as generated code names it.
type Method = session.Method

// Message is the method set of generated types, from any runtime: their encoding in byte mode
// [MXP-13.2].
type Message[T any] interface {
	*T
	AppendBinary(b []byte) ([]byte, error)
	UnmarshalBinary(data []byte) error
}

// codecFailure is the failure for an error of a value's encoder or decoder, in the words that all
// languages have for it.
func codecFailure(err error, status session.Status) *Failure {
	f := &Failure{Status: status, Name: "unknown", Text: strings.TrimPrefix(err.Error(), "sdp: "), Acted: true}
	// The kind of a refusal, in any runtime.
	var kind interface {
		error
		String() string
	}
	if errors.As(err, &kind) {
		f.Name = kind.String()
	}
	return f
}

// badRequest refuses a request that can't be decoded [MXP-13.4].
func badRequest(err error) error {
	return Refuse(*codecFailure(err, session.StatusInvalidArgument))
}

// badResponse ends a request whose answer can't be decoded [MXP-13.5].
func badResponse(err error) *Failure { return codecFailure(err, session.StatusDataLoss) }

// encoded is a request as bytes. Nothing is sent of one that can't be encoded
// [MXP-13.7].
func encoded[T any, P Message[T]](request *T) ([]byte, error) {
	value, err := P(request).AppendBinary(nil)
	if err != nil {
		return nil, notEncoded(err)
	}
	return value, nil
}

// notEncoded is why a request was not made.
func notEncoded(err error) *Failure {
	f := codecFailure(err, session.StatusInvalidArgument)
	f.Acted = false
	return f
}

// decoded is a value that came as bytes.
func decoded[T any, P Message[T]](value []byte) (*T, error) {
	v := new(T)
	if err := P(v).UnmarshalBinary(value); err != nil {
		return nil, err
	}
	return v, nil
}

// reached are the types of services and others, each once, with the methods of
// all that have its name, as [MXP-13.3] orders them.
func reached(services *Services, types []Type) []Type {
	all := slices.Clone(types)
	if services != nil {
		all = append(all, services.types...)
	}
	slices.SortStableFunc(all, func(a, b Type) int { return cmp.Compare(a.Name, b.Name) })
	var each []Type
	for _, t := range all {
		if len(each) == 0 || each[len(each)-1].Name != t.Name {
			each = append(each, t)
			continue
		}
		last := &each[len(each)-1]
		last.Requests = slices.Concat(last.Requests, t.Requests)
		last.Responses = slices.Concat(last.Responses, t.Responses)
	}
	return each
}
