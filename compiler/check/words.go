package check

import (
	"slices"
	"sort"
)

// Attribute is one that schemas can have, for who writes them.
type Attribute struct {
	Name string
	// Where says in words where it stands.
	Where string
	// Usage are examples in backticks.
	Usage string
}

// bodies are the places that are in the body of a declaration, by its keyword; no keyword
// is the top of a file.
var bodies = map[string]place{
	"":     onPackage | onConst | onAlias | onEnum | onUnion | onStruct | onMessage | onService,
	"enum": onMember, "struct": onStructField, "message": onMessageField, "union": onAlternative, "service": onMethod,
	"type": onType,
}

// Attributes are the attributes that can stand in the body of a declaration, named by its keyword,
// or before a type, by the word "type". No keyword is the top of a file.
func Attributes(body string) []Attribute {
	var found []Attribute
	for name, rule := range rules {
		if rule.on&bodies[body] != 0 {
			found = append(found, Attribute{name, rule.where, rule.usage})
		}
	}
	slices.SortFunc(found, func(a, b Attribute) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return found
}

// Builtins are the names of built-in types without arguments.
func Builtins() []string {
	var names []string
	for name := range builtins {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
