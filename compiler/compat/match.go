package compat

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// pairOf is one thing in both versions.
type pairOf[T any] struct{ old, new T }

// matcher has the pairs that two lists share, and the elements of only one list.
type matcher[T any] struct {
	both           []pairOf[T]
	removed, added []T
}

// matchBy pairs the elements with equal keys. An empty key matches nothing. Of
// several with one key the first is taken.
func matchBy[T any](older, newer []T, key func(T) string) matcher[T] {
	byKey := map[string][]int{}
	for i, b := range newer {
		if k := key(b); k != "" {
			byKey[k] = append(byKey[k], i)
		}
	}
	var m matcher[T]
	taken := make([]bool, len(newer))
	for _, a := range older {
		k := key(a)
		if waiting := byKey[k]; k != "" && len(waiting) > 0 {
			m.both = append(m.both, pairOf[T]{a, newer[waiting[0]]})
			taken[waiting[0]] = true
			byKey[k] = waiting[1:]
			continue
		}
		m.removed = append(m.removed, a)
	}
	for i, b := range newer {
		if !taken[i] {
			m.added = append(m.added, b)
		}
	}
	return m
}

// thenBy pairs what is still single by another key.
func (m matcher[T]) thenBy(key func(T) string) matcher[T] {
	rest := matchBy(m.removed, m.added, key)
	rest.both = append(m.both, rest.both...)
	return rest
}

// schemaMatch says which packages and types of two schemas are the same.
type schemaMatch struct {
	packages []pairOf[*ir.Package]
	// gone and fresh are the packages that one version alone was asked for.
	gone, fresh    []*ir.Package
	types          []pairOf[ir.Decl]
	removed, added []ir.Decl
}

func matchSchemas(older, newer *ir.Schema) schemaMatch {
	packages := matchBy(older.Packages, newer.Packages, func(p *ir.Package) string { return p.Name })
	// A file that names another package than before is still that file.
	packages = packages.thenBy(func(p *ir.Package) string { return filepath.Base(p.Path) })
	m := schemaMatch{packages: packages.both, gone: rootsOf(packages.removed, older), fresh: rootsOf(packages.added, newer)}
	var types matcher[ir.Decl]
	for _, p := range packages.both {
		own := matchBy(p.old.Decls, p.new.Decls, ir.Decl.DeclName).thenBy(idKey)
		types.both = append(types.both, own.both...)
		types.removed = append(types.removed, own.removed...)
		types.added = append(types.added, own.added...)
	}
	for _, p := range m.gone {
		types.removed = append(types.removed, p.Decls...)
	}
	for _, p := range m.fresh {
		types.added = append(types.added, p.Decls...)
	}
	types = types.thenBy(movedKey(types))
	m.types, m.removed, m.added = types.both, types.removed, types.added
	return m
}

// rootsOf are those packages that were asked for, rather than only imported.
func rootsOf(packages []*ir.Package, schema *ir.Schema) []*ir.Package {
	return slices.DeleteFunc(slices.Clone(packages), func(p *ir.Package) bool { return !slices.Contains(schema.Roots, p) })
}

// idKey recognises a renamed type by its type id and its kind.
func idKey(d ir.Decl) string {
	if id := ir.IDOf(d); id != nil {
		return fmt.Sprint(kindOf(d), id.Value)
	}
	return ""
}

// movedKey recognises a type that has another name or lies in another package by its layout, and by
// its type id or the lack of one. It is made of those alone whose own members occur on both sides,
// since a layout is as long as all that a type reaches.
func movedKey(types matcher[ir.Decl]) func(ir.Decl) string {
	sides := map[string]int{}
	for side, decls := range [][]ir.Decl{types.removed, types.added} {
		for _, d := range decls {
			sides[ownKey(d)] |= side + 1
		}
	}
	return func(d ir.Decl) string {
		if sides[ownKey(d)] != 3 {
			return ""
		}
		hash := layoutHash(d)
		return idKey(d) + " " + string(hash[:])
	}
}

// ownKey is what equal layouts have in common at the least: a type's kind and
// its members' names.
func ownKey(d ir.Decl) string {
	key := kindOf(d) + idKey(d)
	members(d, func(name string, _ *ir.Meta) { key += " " + name })
	return key
}

// layoutHash stands for layoutKey, which can be long.
func layoutHash(d ir.Decl) [sha256.Size]byte { return sha256.Sum256([]byte(layoutKey(d))) }

// layoutKey is the layout text without the names of types: two types that have
// it in common have the same bytes, and their fields, members and alternatives
// the same names.
func layoutKey(d ir.Decl) string {
	lines := strings.Split(plan.Layout(d), "\n")
	for i, line := range lines {
		// The line that begins a block is `N kind name`, then perhaps flags.
		if words := strings.SplitN(line, " ", 4); len(words) > 2 && words[0] != "" {
			words[2] = ""
			lines[i] = strings.Join(words, " ")
		}
	}
	return strings.Join(lines, "\n")
}

func kindOf(d ir.Decl) string {
	switch d := d.(type) {
	case *ir.Enum:
		return "enum"
	case *ir.Union:
		return "union"
	case *ir.Message:
		return "message"
	case *ir.Struct:
		if d.Owner != nil {
			return "inline alternative"
		}
	}
	return "struct"
}
