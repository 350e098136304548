package jetstream

import "strings"

// Kinds of keys. A name has no `=`, which stands for its dots: a key of a name is two tokens of a
// subject, however many parts the name has, and no name is a wildcard.
const (
	agentPrefix = "agent."
	nodePrefix  = "node."
)

func agentKey(name string) string { return agentPrefix + strings.ReplaceAll(name, ".", "=") }

// nodeKey is that of a node's pulse.
func nodeKey(name string) string { return nodePrefix + strings.ReplaceAll(name, ".", "=") }

// nameOf is the name that a key is for.
func nameOf(key, prefix string) (name string, ok bool) {
	name, ok = strings.CutPrefix(key, prefix)
	return strings.ReplaceAll(name, "=", "."), ok
}
