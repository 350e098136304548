package websocket

import (
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

const (
	// keyBytes is how many bytes a handshake has in its Sec-WebSocket-Key.
	keyBytes = 16
	// originsTold is how many origins are told of at most that were refused.
	originsTold = 64
	textMost    = 256
	digits      = "0123456789"
)

// refusal is an answer that opens no WebSocket.
type refusal struct {
	status int
	why    string
}

// refuse says which of a handshake's faults counts [MXP-19.5]; nil if it has none.
func (l *Listener) refuse(r *http.Request) *refusal {
	origins := r.Header["Origin"]
	switch asked := protocols(r); {
	case !l.isKnown(r.Host):
		l.tell(&l.hosts, "mxp: WebSockets to a host are refused", "host", r.Host, "Options.Hosts")
		return &refusal{http.StatusForbidden, "the host is not one of this server's"}
	case len(origins) > 1 || len(origins) == 1 && !l.lets(origins[0]):
		l.tell(&l.strangers, "mxp: WebSockets of an origin are refused", "origin", strings.Join(origins, " and "), "Options.Origins")
		return &refusal{http.StatusForbidden, "pages of this origin are not let in"}
	case !slices.Contains(asked, protocol):
		return &refusal{http.StatusBadRequest, "the subprotocol " + protocol + " is not asked for"}
	case !l.hasToken(asked):
		return &refusal{http.StatusUnauthorized, "the token is missing, or another"}
	case r.ContentLength != 0:
		return &refusal{http.StatusBadRequest, "a handshake has no body"}
	case !hasKey(r):
		return &refusal{http.StatusBadRequest, "the key is no 16 bytes in base64"}
	}
	return nil
}

// tell logs the first refusal of each text, of so many that hostile ones cost little.
func (l *Listener) tell(origins *map[string]struct{}, event, key, text, option string) {
	text = text[:min(len(text), textMost)]
	l.mu.Lock()
	_, known := (*origins)[text]
	if !known && len(*origins) < originsTold {
		if *origins == nil {
			*origins = map[string]struct{}{}
		}
		(*origins)[text] = struct{}{}
	} else {
		known = true
	}
	l.mu.Unlock()
	if !known && l.options.Logger != nil {
		l.options.Logger.Warn(event, slog.String(key, text), slog.String("option", option))
	}
}

// isKnown reports whether a Host leads to this machine by itself, or is one of the user's.
func (l *Listener) isKnown(host string) bool {
	return isLoopback(host) || slices.ContainsFunc(l.options.Hosts, func(name string) bool { return strings.EqualFold(name, bare(host)) })
}

// lets reports whether pages of an origin may open connections.
func (l *Listener) lets(origin string) bool {
	if slices.ContainsFunc(l.options.Origins, func(name string) bool { return strings.EqualFold(name, origin) }) {
		return true
	}
	host, plain := strings.CutPrefix(origin, "http://")
	if !plain {
		var secure bool
		if host, secure = strings.CutPrefix(origin, "https://"); !secure {
			return false
		}
	}
	return isLoopback(host)
}

// isLoopback reports whether a host, with or without a port, is a literal loopback address, or a
// name that browsers take for one [MXP-19.5].
func isLoopback(host string) bool {
	name, bracketed := bare(host), strings.HasPrefix(host, "[")
	if ip, err := netip.ParseAddr(name); err == nil {
		return bracketed && ip == netip.IPv6Loopback() || !bracketed && ip.Is4() && ip.IsLoopback()
	}
	name = strings.ToLower(name)
	label, under := strings.CutSuffix(name, ".localhost")
	return !bracketed && (name == "localhost" || under && isName(label))
}

// isName reports whether a text is of labels of letters, digits, - and _.
func isName(text string) bool {
	odd := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_' }
	for label := range strings.SplitSeq(text, ".") {
		if label == "" || strings.ContainsFunc(label, odd) {
			return false
		}
	}
	return true
}

// bare is a host without its port and brackets.
func bare(host string) string {
	name := host
	if at := strings.LastIndexByte(host, ':'); at >= 0 && strings.Trim(host[at+1:], digits) == "" {
		name = host[:at]
	}
	switch inner, bracketed := strings.CutPrefix(name, "["); {
	case bracketed:
		if inner, whole := strings.CutSuffix(inner, "]"); whole {
			return inner
		}
		return host
	case strings.Contains(name, ":"):
		return host
	}
	return name
}

// checked are options of which no host has a port, which would never be compared with one.
func checked(o Options) error {
	for _, host := range o.Hosts {
		if host == "" || bare(host) != host {
			return fmt.Errorf("websocket: %q of Options.Hosts is no host without port and brackets", host)
		}
	}
	if o.Token != "" && !isToken(o.Token) {
		return fmt.Errorf("websocket: the token is no 1 to 256 letters, digits, - and _")
	}
	return nil
}

// protocols are the subprotocols that a handshake asks for.
func protocols(r *http.Request) (names []string) {
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for one := range strings.SplitSeq(line, ",") {
			names = append(names, strings.TrimSpace(one))
		}
	}
	return names
}

func (l *Listener) hasToken(protocols []string) bool {
	if l.options.Token == "" {
		return true
	}
	want := []byte(tokenPrefix + l.options.Token)
	return slices.ContainsFunc(protocols, func(name string) bool { return subtle.ConstantTimeCompare([]byte(name), want) == 1 })
}

// hasKey reports whether a handshake has one key, of the length that it must have.
func hasKey(r *http.Request) bool {
	all := r.Header.Values("Sec-WebSocket-Key")
	if len(all) != 1 {
		return false
	}
	key, err := base64.StdEncoding.Strict().DecodeString(all[0])
	return err == nil && len(key) == keyBytes
}

// enter counts a connection of an origin, unless there are too many. Connections of programs have
// no origin, and no bound.
func (l *Listener) enter(origin string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if origin != "" && l.origins[origin] >= l.options.OriginConnections {
		return false
	}
	l.origins[origin]++
	return true
}

func (l *Listener) leave(origin string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.origins[origin]--; l.origins[origin] <= 0 {
		delete(l.origins, origin)
	}
}
