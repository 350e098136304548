package registry

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Bounds of the content of a registration.
const (
	NameBytesMax    = 128 // [MESH-2.1]
	AddressesMax    = 16
	AddressBytesMax = 1024
	ServicesMax     = 64
	CapabilitiesMax = session.AgentCapabilities
)

// ValidName reports whether a text is the name of an agent, or a capability [MESH-2.1]. Names of
// services have the same form.
func ValidName(name string) bool {
	if name == "" || len(name) > NameBytesMax {
		return false
	}
	for part := range strings.SplitSeq(name, ".") {
		if part == "" || strings.ContainsFunc(part, notOfName) {
			return false
		}
	}
	return true
}

func notOfName(c rune) bool {
	letter := c|0x20 >= 'a' && c|0x20 <= 'z' && c < 0x80
	return !letter && (c < '0' || c > '9') && c != '-' && c != '_'
}

// Invalid is a registration that is refused, and why: an error that is session.ErrAgentInvalid.
type Invalid struct{ Text string }

// Error is the refusal's name and why.
func (i *Invalid) Error() string { return session.ErrAgentInvalid.String() + ": " + i.Text }

// Unwrap is the refusal.
func (i *Invalid) Unwrap() error { return session.ErrAgentInvalid }

func invalid(format string, values ...any) error { return &Invalid{fmt.Sprintf(format, values...)} }

// Check refuses a registration that no registry takes [MESH-2.1].
func (r *Registration) Check() error {
	if !ValidName(r.Name) {
		return invalid("%q is no name: parts of letters, digits, - and _, with dots between them, of at most %d bytes", cut(r.Name), NameBytesMax)
	}
	if err := checkList("capabilities", r.Capabilities, CapabilitiesMax, ValidName); err != nil {
		return err
	}
	if err := checkList("services", r.Services, ServicesMax, ValidService); err != nil {
		return err
	}
	return checkList("addresses", r.Addresses, AddressesMax, ValidAddress)
}

// checkList refuses a list that is too long, or has an entry that is wrong or there twice.
func checkList(event string, list []string, most int, valid func(string) bool) error {
	if len(list) > most {
		return invalid("%d %s, and %d are the most", len(list), event, most)
	}
	seen := make(map[string]bool, len(list))
	for _, one := range list {
		if !valid(one) {
			return invalid("%q can't be among its %s", cut(one), event)
		}
		if seen[one] {
			return invalid("%q is twice among its %s", cut(one), event)
		}
		seen[one] = true
	}
	return nil
}

// ValidService reports whether a text can be the full name of a service: packages, dots, a name.
func ValidService(name string) bool {
	if name == "" || len(name) > 255 {
		return false
	}
	for part := range strings.SplitSeq(name, ".") {
		if part == "" || strings.ContainsFunc(part, notOfName) || strings.Contains(part, "-") {
			return false
		}
	}
	return true
}

// ValidAddress reports whether a text is an address of some transport: which form its place has
// is only known where the transport is [MXP-16.1].
func ValidAddress(address string) bool {
	scheme, place, ok := strings.Cut(address, "://")
	scheme, isMXP := strings.CutPrefix(scheme, "mxp+")
	if !ok || !isMXP || scheme == "" || place == "" || len(address) > AddressBytesMax {
		return false
	}
	wrong := func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') }
	control := func(c rune) bool { return c < ' ' || c == 0x7f || c == '\uFFFD' }
	return !strings.ContainsFunc(scheme, wrong) && !strings.ContainsFunc(place, control)
}

// cut is a text that is short enough to be told.
func cut(text string) string {
	if len(text) <= NameBytesMax {
		return text
	}
	return strings.ToValidUTF8(text[:NameBytesMax], "") + "…"
}
