package interp

import (
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// union reads an object with one member, the alternative [JSON-4.3].
func (j *jsonReader) union(t *ir.Type, first token) error {
	if first.kind == stringToken && j.depth > 0 {
		return j.bare(t.Union(), first)
	}
	if err := j.enter(t, first); err != nil {
		return err
	}
	key, more, err := j.member()
	if err != nil {
		return err
	}
	if !more {
		return j.refuse(first, "expected an alternative of %s", t.Decl.DeclName())
	}
	u := t.Union()
	alternative := alternativeNamed(u, key.text)
	switch {
	case alternative != nil:
		err = j.alternative(u, alternative)
	case key.text == unknownKey && !u.Closed:
		err = j.unknown(u)
	default:
		err = j.noAlternative(u, key)
	}
	if err != nil {
		return err
	}
	extra, more, err := j.member()
	if err != nil {
		return err
	}
	if more {
		return j.refuse(extra, "a union has one member")
	}
	j.depth++
	return nil
}

func (j *jsonReader) noAlternative(u *ir.Union, name token) *Refusal {
	refusal := j.refuse(name, "%s has no alternative %q", u.Name, name.text)
	refusal.Name = name.text
	for _, a := range u.Alternatives {
		refusal.Known = append(refusal.Known, alternativeName(a))
	}
	return refusal
}

// bare refuses a string where an object should be: one that is called as an alternative
// was meant as that.
func (j *jsonReader) bare(u *ir.Union, name token) *Refusal {
	a := alternativeNamed(u, name.text)
	switch {
	case a == nil:
		return j.noAlternative(u, name)
	case a.Type == nil:
		return j.refuse(name, "expected an object for %s: write {%q: null}", u.Name, name.text)
	}
	return j.refuse(name, "expected an object for %s: write {%q: …}, with its payload", u.Name, name.text)
}

func alternativeNamed(u *ir.Union, name string) *ir.Alternative {
	for _, a := range u.Alternatives {
		if alternativeName(a) == name {
			return a
		}
	}
	return nil
}

func (j *jsonReader) alternative(u *ir.Union, a *ir.Alternative) error {
	first, err := j.tokens.inside()
	if err != nil {
		return err
	}
	if err := j.write([]byte{a.Tag}); err != nil {
		return err
	}
	if u.Closed {
		return j.payload(a, first)
	}
	at, err := j.hole()
	if err != nil {
		return err
	}
	if err := j.payload(a, first); err != nil {
		return err
	}
	return j.patch(at, "payload")
}

func (j *jsonReader) payload(a *ir.Alternative, first token) error {
	s := step{role: PayloadRole, name: a.Name}
	if a.Type != nil {
		return j.within(s, a.Type, first)
	}
	if first.kind != nullToken {
		j.path.push(s)
		return j.refuse(first, "expected null: %s has no payload", a.Name)
	}
	return nil
}

// unknown reads {"tag":T,"payload":"…"} in any order [JSON-4.5].
func (j *jsonReader) unknown(u *ir.Union) error {
	first, err := j.tokens.inside()
	if err != nil {
		return err
	}
	if first.kind != '{' {
		return j.refuse(first, "expected an object with tag and payload")
	}
	var tag, payload []byte
	for {
		key, more, err := j.member()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		switch {
		case key.text == "tag" && tag == nil:
			tag, err = j.unknownTag(u)
		case key.text == "payload" && payload == nil:
			payload, err = j.unknownPayload()
		default:
			err = j.refuse(key, "expected one tag and one payload, and found %q", key.text)
		}
		if err != nil {
			return err
		}
	}
	if tag == nil || payload == nil {
		return j.refuse(first, "expected a tag and a payload")
	}
	if err := j.write(tag); err != nil {
		return err
	}
	if err := j.write(appendInt(nil, uint64(len(payload)), plan.WindowBytes)); err != nil {
		return err
	}
	return j.write(payload)
}

func (j *jsonReader) unknownTag(u *ir.Union) ([]byte, error) {
	found, err := j.tokens.inside()
	if err != nil {
		return nil, err
	}
	tag, ok := parseInt(ir.U8, found.kind, found.text)
	if !ok || tag == 0 || alternativeOf(u, uint8(tag)) != nil {
		return nil, j.refuse(found, "expected a tag of 1 to %d that %s doesn't name", UnionTagMax, u.Name)
	}
	return []byte{byte(tag)}, nil
}

func (j *jsonReader) unknownPayload() ([]byte, error) {
	found, err := j.tokens.inside()
	if err != nil {
		return nil, err
	}
	payload, ok := parseBase64(found.text)
	if found.kind != stringToken || !ok {
		return nil, j.refuse(found, "expected base64 in a string")
	}
	return append([]byte{}, payload...), nil
}
