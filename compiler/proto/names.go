package proto

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/serial-data-protocol/sdp/compiler/names"
)

var (
	camelName = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	snakeName = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
)

// camel is a name of Protocol Buffers as that of a type, alternative or member.
func camel(name string) string {
	if camelName.MatchString(name) {
		return name
	}
	text := names.UpperCamel(names.Words(name))
	if !camelName.MatchString(text) {
		return "X" + text
	}
	return text
}

// snake is a name of Protocol Buffers as that of a field or method.
func snake(name string) string {
	if snakeName.MatchString(name) {
		return name
	}
	text := names.Snake(names.Words(name))
	if !snakeName.MatchString(text) {
		return "x" + text
	}
	return text
}

// member is the name of an enum's member without the words of the enum's own name, which
// Protocol Buffers put in front since members share one set of names there.
func member(enum, name string) string {
	prefix, words := names.Words(enum), names.Words(name)
	joined := strings.Join(prefix, "")
	for n := 1; n < len(words); n++ {
		if strings.Join(words[:n], "") != joined {
			continue
		}
		if rest := names.UpperCamel(words[n:]); camelName.MatchString(rest) {
			return rest
		}
	}
	if text := names.UpperCamel(words); camelName.MatchString(text) {
		return text
	}
	return "X" + names.UpperCamel(words)
}

// nameSet are the names of one set. Two names that differ in case and underscores alone
// would be one in some target language.
type nameSet map[string]bool

func nameKey(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

func (t nameSet) add(name string) { t[nameKey(name)] = true }

// free takes the first of some names that is free, else the last one with a number.
func (t nameSet) free(want ...string) string {
	for _, name := range want {
		if !t[nameKey(name)] {
			t.add(name)
			return name
		}
	}
	last := want[len(want)-1]
	separator := ""
	if snakeName.MatchString(last) {
		separator = "_"
	}
	for n := 2; ; n++ {
		if name := last + separator + strconv.Itoa(n); !t[nameKey(name)] {
			t.add(name)
			return name
		}
	}
}

// builtin are the words that a type can't be called, or is better not.
var builtin = map[string]bool{"Option": true, "Box": true}

// packageName is the name of the SDP package of a .proto: a package of Protocol Buffers has
// any number of files, one of SDP is a file.
func packageName(file protoreflect.FileDescriptor) string {
	parts := strings.Split(string(file.Package()), ".")
	if parts[0] == "" {
		parts = nil
	}
	stem := identifier(strings.TrimSuffix(path.Base(file.Path()), ".proto"))
	if len(parts) == 0 || parts[len(parts)-1] != stem {
		parts = append(parts, stem)
	}
	return strings.Join(parts, ".")
}

// pathName is a package's name by the folders of its file, which no two files share.
func pathName(file protoreflect.FileDescriptor) string {
	parts := strings.Split(strings.TrimSuffix(file.Path(), ".proto"), "/")
	for i := range parts {
		parts[i] = identifier(parts[i])
	}
	return strings.Join(parts, ".")
}

// identifier is a text with an underscore for each character that no name has.
func identifier(text string) string {
	name := []byte(text)
	for i, c := range name {
		if !isLetter(c) {
			name[i] = '_'
		}
	}
	if len(name) == 0 || '0' <= name[0] && name[0] <= '9' {
		return "_" + string(name)
	}
	return string(name)
}
