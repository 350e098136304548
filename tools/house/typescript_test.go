package house_test

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// typescriptSource is where the library of MXP in TypeScript is.
const typescriptSource = "mxp/typescript/src/"

// The files of MXP in TypeScript, and their folders, import each other one way. An import of a type counts as any other.
func TestFilesOfTypeScriptImportEachOtherOneWay(t *testing.T) {
	texts := typescriptTexts(t, "")
	if len(texts) < 80 {
		t.Fatalf("only %d files were found in %s, so that the test looks in the wrong place", len(texts), typescriptSource)
	}
	imports := typescriptImports(texts)
	for _, circle := range circles(imports) {
		t.Errorf("files of %s form a circle of imports: %s", typescriptSource, strings.Join(circle, ", "))
	}
	for _, circle := range circles(roomsOf(imports)) {
		t.Errorf("folders of %s form a circle of imports: %s", typescriptSource, strings.Join(circle, ", "))
	}
}

func TestCirclesOfTypeScriptFilesAreFound(t *testing.T) {
	texts := map[string]string{
		"index.ts":      "export * from \"./net/a.js\";\nimport \"./net/b.js\";",
		"net/a.ts":      "import type { C } from \"../engine/c.js\";\nimport {\n  d,\n} from \"node:net\";\n// import { E } from \"./b.js\";\n/*\n * from \"./b.js\" */",
		"net/b.ts":      "export { type A } from \"./a.js\";",
		"engine/c.ts":   "",
		"engine/d.ts":   "type D = import(\"./e/f.js\").F;",
		"engine/e/f.ts": "const text = \"import ./g.js\";",
	}
	imports := typescriptImports(texts)
	for name, want := range map[string][]string{
		"index.ts": {"net/a.ts", "net/b.ts"}, "net/a.ts": {"engine/c.ts"}, "net/b.ts": {"net/a.ts"}, "engine/c.ts": nil, "engine/d.ts": {"engine/e/f.ts"}, "engine/e/f.ts": nil,
	} {
		if !slices.Equal(imports[name], want) {
			t.Errorf("%s imports %q, not %q", name, imports[name], want)
		}
	}
	if found := append(circles(imports), circles(roomsOf(imports))...); len(found) > 0 {
		t.Errorf("circles %q where there are none", found)
	}
	texts["engine/d.ts"] = "import type { B } from \"../net/b.js\";"
	imports = typescriptImports(texts)
	if found := circles(imports); len(found) > 0 {
		t.Errorf("circles %q of files where there are none", found)
	}
	if found := circles(roomsOf(imports)); len(found) != 1 || !slices.Equal(found[0], []string{"engine", "net"}) {
		t.Errorf("circles %q of folders", found)
	}
	texts["engine/c.ts"] = "import type {\n  D,\n} from \"./d.js\";"
	if found := circles(typescriptImports(texts)); len(found) != 1 || !slices.Equal(found[0], []string{"engine/c.ts", "engine/d.ts", "net/a.ts", "net/b.ts"}) {
		t.Errorf("circles %q of files", found)
	}
}

// The engine of MXP in TypeScript has no clock, sockets, timers, promises and random numbers of its own: a driver gives it what it needs.
func TestTypeScriptsEngineNeedsNoDriver(t *testing.T) {
	texts := typescriptTexts(t, "engine/")
	if len(texts) < 25 {
		t.Fatalf("only %d files of the engine were found, so that the test looks in the wrong place", len(texts))
	}
	for name, text := range texts {
		if found := typescriptDriver.FindString(typescriptText.ReplaceAllString(text, "")); found != "" {
			t.Errorf("%s%s has %s, which is a driver's", typescriptSource, name, found)
		}
		for _, imported := range typescriptImport.FindAllStringSubmatch(typescriptComment.ReplaceAllString(text, ""), -1) {
			room, _, _ := strings.Cut(path.Join(path.Dir(name), imported[1]), "/")
			if !strings.HasPrefix(imported[1], ".") || !slices.Contains([]string{"engine", "session", "frame", "control"}, room) {
				t.Errorf("%s%s imports %s, which is above it", typescriptSource, name, imported[1])
			}
		}
	}
}

func TestDriversOfTypeScriptAreFound(t *testing.T) {
	for _, text := range []string{
		"new WebSocket(url)", "setTimeout(run, 1)", "setInterval(run, 1)", "queueMicrotask(run)", "setImmediate(run)", "Date.now()", "new Date()", "performance.now()", "Math.random()", "Promise<void>", "async () => 1",
		"await all", "fetch(url)", "document.hidden", "window.top", "process.env", "globalThis.x", "new AbortController()", "a.then(b)", "console.warn(text)",
	} {
		if !typescriptDriver.MatchString(text) {
			t.Errorf("%s is not found", text)
		}
	}
	for _, text := range []string{"// a Promise", "\"document\"", "windowBytes", "Math.floor(draw())", "awaits"} {
		if found := typescriptDriver.FindString(typescriptText.ReplaceAllString(text, "")); found != "" {
			t.Errorf("%s is found in %s", found, text)
		}
	}
}

// Statuses are named in TypeScript, and fingerprints never typed in: what programs tell each other by number comes from
// the tables that are generated from the specification.
func TestTypeScriptTypesInNoStatusesAndFingerprints(t *testing.T) {
	for name, text := range typescriptTexts(t, "") {
		if strings.HasPrefix(name, "control/") || strings.HasSuffix(name, "_gen.ts") || strings.HasPrefix(path.Base(name), "mxp_") {
			continue
		}
		for _, found := range typescriptNumber.FindAllString(typescriptComment.ReplaceAllString(text, ""), -1) {
			t.Errorf("%s%s has %q, which is a number typed in", typescriptSource, name, found)
		}
	}
	for _, text := range []string{"new MxpError(14, \"\")", "new DialError(3, text)", "failureOf(0, \"\")", "codecError(error, 13, true)", "a.status !== 0", "{ ...end, status: 9, text }", "const print = 0xa89131f8ad54150en"} {
		if !typescriptNumber.MatchString(text) {
			t.Errorf("%s is not found", text)
		}
	}
	for _, text := range []string{"new MxpError(Status.Ok, \"\")", "{ status: 404, why }", "const never = 0xffff_ffff_ffff_ffffn"} {
		if found := typescriptNumber.FindString(text); found != "" {
			t.Errorf("%s is found in %s", found, text)
		}
	}
}

var (
	typescriptNumber  = regexp.MustCompile(`\b(MxpError|DialError|failureOf|refusalError)\(\d+|\bcodecError\([^()]*, \d+|\bstatus (===|!==|[<>]=?) \d+|\bstatus: \d{1,2}\b|\b0x[0-9a-f]{16}n\b`)
	typescriptComment = regexp.MustCompile(`(?m)^\s*//[^\n]*|(?s:/\*.*?\*/)`)
	typescriptText    = regexp.MustCompile("//[^\\n]*|(?s:/\\*.*?\\*/)|\"(\\\\.|[^\"\\\\\\n])*\"")
	typescriptImport  = regexp.MustCompile(`\b(?:from|import)\s*\(?\s*"([^"]+)"`)
	typescriptDriver  = regexp.MustCompile(`\b(WebSocket|set(Timeout|Interval|Immediate)|clear(Timeout|Interval)|queueMicrotask|Date|performance|Math\.random|Promise|async|await|fetch|document|window|navigator|globalThis|process|console|Abort(Signal|Controller)|MessageChannel)\b|\.then\(`)
)

// typescriptTexts are the files of the library in a folder, by their paths in it.
func typescriptTexts(t *testing.T, folder string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, name := range files(t) {
		if inside, found := strings.CutPrefix(name, typescriptSource); found && strings.HasPrefix(inside, folder) && path.Ext(name) == ".ts" {
			texts[inside] = string(read(t, name))
		}
	}
	return texts
}

// typescriptImports says for each file which others it imports something from, or hands on.
func typescriptImports(texts map[string]string) map[string][]string {
	imports := map[string][]string{}
	for name, text := range texts {
		imports[name] = nil
		for _, found := range typescriptImport.FindAllStringSubmatch(typescriptComment.ReplaceAllString(text, ""), -1) {
			file := path.Join(path.Dir(name), strings.TrimSuffix(found[1], ".js")+".ts")
			if _, there := texts[file]; there && strings.HasPrefix(found[1], ".") && !slices.Contains(imports[name], file) {
				imports[name] = append(imports[name], file)
			}
		}
		slices.Sort(imports[name])
	}
	return imports
}

// roomsOf says for the folders of files what the files in them import from other folders.
func roomsOf(imports map[string][]string) map[string][]string {
	rooms := map[string][]string{}
	for name, others := range imports {
		room, _, inside := strings.Cut(name, "/")
		for _, other := range others {
			from, _, _ := strings.Cut(other, "/")
			if inside && from != room && !slices.Contains(rooms[room], from) {
				rooms[room] = append(rooms[room], from)
			}
		}
	}
	return rooms
}
