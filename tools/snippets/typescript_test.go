package snippets_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// typescriptConfig is the configuration of the compiler for the blocks: as strict as the compiler
// is.
const typescriptConfig = `{
  "compilerOptions": {
    "target": "ES2022", "module": "NodeNext", "lib": ["ES2022", "DOM"], "types": ["node"], "typeRoots": [%q], "strict": true,
    "exactOptionalPropertyTypes": true, "noUncheckedIndexedAccess": true, "skipLibCheck": true, "outDir": "out"
  },
  "include": ["ts", "blocks"]
}
`

// TestTypeScriptInDocumentsCompilesAndRuns makes a module of each block of docs/typescript.md,
// and runs it: what a block says, it asserts.
func TestTypeScriptInDocumentsCompilesAndRuns(t *testing.T) {
	module := begin(t)
	packages := absolute(t, "runtime/typescript/node_modules")
	registry, err := os.ReadFile(absolute(t, "examples/registry/plugins.sdp"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, module, map[string]string{"registry/plugins.sdp": string(registry)})
	run(t, module, "sdp", "gen", "registry/plugins.sdp", "--out", "ts=ts")
	blocks := blocksOf(t, "docs/typescript.md")
	schemas := of("sdp", blocks)
	if len(schemas) == 0 {
		t.Fatal("no schemas")
	}
	for _, b := range schemas {
		file := fmt.Sprintf("line%d/schema.sdp", b.line)
		put(t, module, map[string]string{file: b.text})
		run(t, module, "sdp", "gen", file, "--out", "ts=ts", "--services")
	}
	library := filepath.Join(module, "node_modules", "mesh-exchange-protocol")
	run(t, module, filepath.Join(packages, ".bin", "tsc"), "-p", absolute(t, "mxp/typescript"), "--outDir", filepath.Join(library, "dist"))
	manifest, err := os.ReadFile(absolute(t, "mxp/typescript/package.json"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"tsconfig.json": fmt.Sprintf(typescriptConfig, filepath.ToSlash(filepath.Join(packages, "@types"))),
		"package.json":  `{"type": "module"}`,
		"node_modules/mesh-exchange-protocol/package.json": string(manifest),
	}
	var all []string
	for _, b := range of("ts", blocks) {
		name := fmt.Sprintf("line%d", b.line)
		files["blocks/"+name+".ts"] = strings.ReplaceAll(b.text, "from \"./", "from \"../ts/") + "\nexport {};\n"
		all = append(all, name)
	}
	if len(all) < 5 {
		t.Fatalf("only %d blocks", len(all))
	}
	put(t, module, files)
	run(t, module, filepath.Join(packages, ".bin", "tsc"), "-p", ".")
	for _, name := range all {
		run(t, module, "node", filepath.Join("out", "blocks", name+".js"))
	}
	t.Run("health and reflection", func(t *testing.T) { askWhatIsProvided(t, module) })
}

// TestTypeScriptOfAStarterCompiles puts the first block of docs/typescript.md into a project
// as `sdp init` begins it.
func TestTypeScriptOfAStarterCompiles(t *testing.T) {
	module := begin(t)
	run(t, module, "sdp", "gen", absolute(t, "examples/registry/plugins.sdp"), "--out", "ts=ts")
	if err := os.Symlink(absolute(t, "runtime/typescript/node_modules"), filepath.Join(module, "node_modules")); err != nil {
		t.Fatal(err)
	}
	put(t, module, map[string]string{"ts/main.ts": of("ts", blocksOf(t, "docs/typescript.md"))[0].text})
	run(t, module, filepath.Join(module, "node_modules", ".bin", "tsc"), "-p", ".")
	run(t, module, "node", filepath.Join("out", "main.js"))
}

// TestTypeScriptOfAnEmptyFolderCompiles runs the commands of docs/typescript.md that need no
// network, with the first example of values.
func TestTypeScriptOfAnEmptyFolderCompiles(t *testing.T) {
	module := t.TempDir()
	blocks := blocksOf(t, "docs/typescript.md")
	registry, err := os.ReadFile(absolute(t, "examples/registry/plugins.sdp"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, module, map[string]string{"plugins.sdp": string(registry), "src/main.ts": of("ts", blocks)[0].text})
	commands := slices.IndexFunc(blocks, func(b block) bool { return b.language == "sh" })
	if commands < 0 {
		t.Fatal("no commands")
	}
	fetched := 0
	for line := range strings.Lines(blocks[commands].text) {
		if strings.HasPrefix(line, "npm install") {
			fetched++
			if err := os.Symlink(absolute(t, "runtime/typescript/node_modules"), filepath.Join(module, "node_modules")); err != nil {
				t.Fatal(err)
			}
			continue
		}
		run(t, module, "sh", "-c", line)
	}
	if fetched != 1 {
		t.Errorf("packages are fetched %d times", fetched)
	}
}

// providing is a server that serves health and reflection, and nothing else.
const providing = `
import { listen, serveHealth, Server, serveReflection } from "mesh-exchange-protocol/node";
const server = new Server();
serveHealth(server);
serveReflection(server);
console.log((await listen("mxp+tcp://127.0.0.1:0", (wire) => server.accept(wire))).address);
`

// askWhatIsProvided asks a server in Node for its health and for its services, and compares the
// answers with the schemas [MXP-13.8, MXP-13.10]: the package has them by hand.
func askWhatIsProvided(t *testing.T, module string) {
	put(t, module, map[string]string{"providing.mjs": providing})
	server := exec.Command("node", "providing.mjs")
	server.Dir = module
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSpace(line)
	if state := run(t, module, "sdp", "call", address, "--health"); state != "Serving\n" {
		t.Errorf("it is %q", state)
	}
	served, declared := services(t, run(t, module, "sdp", "call", address, "--list", "--json")), map[string]any{}
	for _, schema := range []string{"spec/health.sdp", "spec/reflection.sdp"} {
		maps.Copy(declared, services(t, run(t, module, "sdp", "call", "--list", "--json", "--schema", absolute(t, schema))))
	}
	if len(declared) != 2 || !reflect.DeepEqual(served, declared) {
		t.Errorf("it serves\n%v\nand not\n%v", served, declared)
	}
}

// services are the services of a list, by their names.
func services(t *testing.T, list string) map[string]any {
	var told struct{ Services []map[string]any }
	if err := json.Unmarshal([]byte(list), &told); err != nil {
		t.Fatal(err)
	}
	all := map[string]any{}
	for _, one := range told.Services {
		all[one["name"].(string)] = one
	}
	return all
}

// javascriptConfig is a configuration for a project that compiles nothing, and lets programs be
// checked.
const javascriptConfig = `{
  "compilerOptions": {
    "target": "ES2022", "module": "NodeNext", "lib": ["ES2022", "DOM", "DOM.AsyncIterable"], "types": ["node"], "typeRoots": [%q], "strict": true,
    "exactOptionalPropertyTypes": true, "noUncheckedIndexedAccess": true, "allowJs": true, "checkJs": true, "noEmit": true
  },
  "include": ["src"]
}
`

// TestJavaScriptInDocumentsIsCheckedAndRuns lets Node run blocks of docs/typescript.md beside
// generated JavaScript, none of which is compiled, and the compiler check them by declarations,
// which it looks at, too.
func TestJavaScriptInDocumentsIsCheckedAndRuns(t *testing.T) {
	project := begin(t)
	packages := absolute(t, "runtime/typescript/node_modules")
	registry, err := os.ReadFile(absolute(t, "examples/registry/plugins.sdp"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"plugins.sdp":   string(registry),
		"package.json":  `{"type": "module"}`,
		"tsconfig.json": fmt.Sprintf(javascriptConfig, filepath.ToSlash(filepath.Join(packages, "@types"))),
	}
	var all []string
	for _, b := range of("js", blocksOf(t, "docs/typescript.md")) {
		name := fmt.Sprintf("src/line%d.js", b.line)
		files[name] = b.text
		all = append(all, name)
	}
	if len(all) == 0 {
		t.Fatal("no blocks")
	}
	put(t, project, files)
	run(t, project, "sdp", "gen", "plugins.sdp", "--out", "ts=src", "--js")
	for _, name := range all {
		run(t, project, "node", name)
	}
	run(t, project, filepath.Join(packages, ".bin", "tsc"), "-p", ".")
}
