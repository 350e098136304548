package house_test

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The engine of MXP in Rust has no clock, sockets, tasks, locks and random numbers of its own: a driver gives it what it needs.
func TestRustsEngineNeedsNoDriver(t *testing.T) {
	own := regexp.MustCompile(`\b(std|tokio|tracing|fastrand|getrandom)::|\b(Instant|SystemTime|Mutex|RwLock|Condvar|OnceLock|Atomic\w+|async|await|unsafe)\b|crate::net\b`)
	engine := 0
	for _, name := range files(t) {
		inside, _ := strings.CutPrefix(name, "mxp/rust/src/")
		if inside != "engine.rs" && !strings.HasPrefix(inside, "engine/") || path.Base(name) == "tests.rs" {
			continue
		}
		engine++
		text := rustText.ReplaceAllString(string(read(t, name)), "")
		if at := rustTests.FindStringIndex(text); at != nil {
			text = text[:at[0]]
		}
		if found := own.FindString(text); found != "" {
			t.Errorf("%s has %s, which is a driver's", name, found)
		}
	}
	if engine < 15 {
		t.Fatalf("only %d files of the engine were found, so that the test looks in the wrong place", engine)
	}
}

// The files of MXP's engine and sockets in Rust import each other one way, the tests in them aside. A method
// may lie in another file than its type, which then imports the type's; a name that a file only
// hands on is imported from the file that has it.
func TestFilesOfRustsEngineAndSocketsImportEachOtherOneWay(t *testing.T) {
	const crate = "mxp/rust/src/"
	texts := map[string]string{}
	for _, name := range files(t) {
		inside, _ := strings.CutPrefix(name, crate)
		room, _, _ := strings.Cut(strings.TrimSuffix(inside, ".rs"), "/")
		if (room == "engine" || room == "net") && path.Ext(name) == ".rs" && path.Base(name) != "tests.rs" {
			texts[inside] = string(read(t, name))
		}
	}
	if len(texts) < 50 {
		t.Fatalf("only %d files were found in %s, so that the test looks in the wrong place", len(texts), crate)
	}
	for _, circle := range circles(importsOf(texts)) {
		t.Errorf("files of %s form a circle of imports: %s", crate, strings.Join(circle, ", "))
	}
}

func TestCirclesOfRustFilesAreFound(t *testing.T) {
	texts := map[string]string{
		"lib.rs":     "#![doc = r#\"\nuse \"x://\";\n\"#]\nmod a;\nmod b;\nmod c;\nmod d;\npub use a::{A, inner::Inner};\npub use b::B;",
		"a.rs":       "mod inner;\nuse std::fmt;\npub use inner::Inner;\nuse crate::{c::C as See, d};\nfn f() { d::g() }",
		"a/inner.rs": "use super::See;\npub struct Inner;",
		"b.rs":       "// use crate::c::C;\nfn f() { crate::Inner }\n#[cfg(test)]\nmod tests {\n    use crate::d::D;\n}",
		"c.rs":       "pub struct C;\nconst TEXT: &str = \"x://use crate::a::A;\";",
		"d.rs":       "use crate::B;\npub fn g() {}",
	}
	imports := importsOf(texts)
	for name, want := range map[string][]string{
		"lib.rs": nil, "a.rs": {"c.rs", "d.rs"}, "a/inner.rs": {"c.rs"}, "b.rs": {"a/inner.rs"}, "c.rs": nil, "d.rs": {"b.rs"},
	} {
		if !slices.Equal(imports[name], want) {
			t.Errorf("%s imports %q, not %q", name, imports[name], want)
		}
	}
	if found := circles(imports); len(found) > 0 {
		t.Errorf("circles %q where there are none", found)
	}
	texts["c.rs"] = "fn f() { super::d::g() }"
	texts["d.rs"] = "use crate::{B, A};"
	texts["a/inner.rs"] = "use self::super::super::c;\npub struct Inner { c: c::C }"
	found := circles(importsOf(texts))
	if len(found) != 1 || !slices.Equal(found[0], []string{"a.rs", "a/inner.rs", "b.rs", "c.rs", "d.rs"}) {
		t.Errorf("circles %q", found)
	}
}

var (
	rustText  = regexp.MustCompile(`//[^\n]*|(?s:r#".*?"#)|'"'|"(\\.|[^"\\])*"`)
	rustTests = regexp.MustCompile(`#\[cfg\([^\]]*\btest\b[^\]]*\)\]\s*mod \w+ \{`)
	// rustScope says where a name may be used, which imports nothing.
	rustScope = regexp.MustCompile(`pub\(in [\w:]+\)`)
	rustUse   = regexp.MustCompile(`\b(pub(?:\([^)]*\))? +)?use ([^;]+);`)
	rustPath  = regexp.MustCompile(`\w+(?:::\w+)+`)
	rustName  = regexp.MustCompile(`\w+`)
	// rustAlias is the name of an earlier release, with which a file hands on another's type.
	rustAlias = regexp.MustCompile(`#\[deprecated[^\]]*\]\s*pub type [^;]*;`)
)

// rustModule is a file of a crate.
type rustModule struct {
	file string
	// body is its code, without its uses.
	body string
	// names are the names that it uses or hands on, with their paths from the crate's root.
	names map[string]string
	// paths are the paths of its needs, from there too.
	paths []string
}

// importsOf says for each file of a crate which others it imports something from.
func importsOf(texts map[string]string) map[string][]string {
	modules := map[string]*rustModule{}
	for file, text := range texts {
		name := strings.ReplaceAll(strings.TrimSuffix(file, ".rs"), "/", "::")
		if file == "lib.rs" {
			name = ""
		}
		text = rustScope.ReplaceAllString(rustText.ReplaceAllString(text, ""), "pub")
		if at := rustTests.FindStringIndex(text); at != nil {
			text = text[:at[0]]
		}
		modules["crate"+prefixed(name)] = &rustModule{file: file, body: text}
	}
	for name, module := range modules {
		module.names = map[string]string{}
		for _, use := range rustUse.FindAllStringSubmatch(module.body, -1) {
			for as, used := range useTree(use[2], "") {
				from := absolute(modules, name, used)
				if from == "" {
					continue
				}
				module.names[as] = from
				if use[1] == "" {
					module.paths = append(module.paths, from)
				}
			}
		}
		module.body = rustAlias.ReplaceAllString(rustUse.ReplaceAllString(module.body, ""), "")
	}
	imports := map[string][]string{}
	for name, module := range modules {
		for _, word := range rustName.FindAllString(module.body, -1) {
			module.paths = append(module.paths, module.names[word])
		}
		for _, inline := range rustPath.FindAllString(module.body, -1) {
			first, rest, _ := strings.Cut(inline, "::")
			if from := module.names[first]; from != "" {
				inline = from + "::" + rest
			}
			module.paths = append(module.paths, absolute(modules, name, inline))
		}
		for _, one := range module.paths {
			if from := definedIn(modules, one); from != nil && from != module && !slices.Contains(imports[module.file], from.file) {
				imports[module.file] = append(imports[module.file], from.file)
			}
		}
		slices.Sort(imports[module.file])
	}
	return imports
}

func prefixed(name string) string {
	if name == "" {
		return ""
	}
	return "::" + name
}

// useTree is the content of a use: names, and their paths.
func useTree(text, prefix string) map[string]string {
	text = strings.TrimSpace(text)
	used := map[string]string{}
	if head, list, found := strings.Cut(text, "{"); found {
		depth, from := 0, 0
		list = strings.TrimSuffix(list, "}") + ","
		for at, c := range list {
			switch {
			case c == '{':
				depth++
			case c == '}':
				depth--
			case c == ',' && depth == 0:
				for as, one := range useTree(list[from:at], prefix+strings.TrimSpace(head)) {
					used[as] = one
				}
				from = at + 1
			}
		}
		return used
	}
	text, as, renamed := strings.Cut(text, " as ")
	full := strings.TrimSuffix(prefix+text, "::self")
	if !renamed {
		as = full[strings.LastIndex(full, ":")+1:]
	}
	if text != "" && as != "_" {
		used[as] = full
	}
	return used
}

// absolute is a path from the crate's root, or nothing for one of another crate.
func absolute(modules map[string]*rustModule, name, used string) string {
	first, _, _ := strings.Cut(used, "::")
	if first == "crate" {
		return used
	}
	if first != "self" && first != "super" && modules[name+"::"+first] == nil {
		return ""
	}
	for {
		first, rest, _ := strings.Cut(used, "::")
		switch first {
		case "self":
		case "super":
			name = name[:strings.LastIndex(name, "::")]
		default:
			return name + "::" + used
		}
		used = rest
	}
}

// definedIn is the file that has what a path names, behind all that hand it on.
func definedIn(modules map[string]*rustModule, used string) *rustModule {
	for outer := used; outer != ""; outer = outer[:max(strings.LastIndex(outer, "::"), 0)] {
		module := modules[outer]
		if module == nil {
			continue
		}
		name, rest, _ := strings.Cut(strings.TrimPrefix(used[len(outer):], "::"), "::")
		if from := module.names[name]; from != "" {
			return definedIn(modules, from+prefixed(rest))
		}
		return module
	}
	return nil
}

// circles are the largest sets of files of which each reaches each other by imports.
func circles(imports map[string][]string) (found [][]string) {
	reached := map[string]map[string]bool{}
	for file := range imports {
		reached[file] = map[string]bool{}
		for next := slices.Clone(imports[file]); len(next) > 0; {
			one := next[len(next)-1]
			next = next[:len(next)-1]
			if !reached[file][one] {
				reached[file][one] = true
				next = append(next, imports[one]...)
			}
		}
	}
	done := map[string]bool{}
	for file, others := range reached {
		if !others[file] || done[file] {
			continue
		}
		var circle []string
		for one := range others {
			if reached[one][file] {
				circle = append(circle, one)
				done[one] = true
			}
		}
		slices.Sort(circle)
		found = append(found, circle)
	}
	return found
}
