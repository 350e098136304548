// Command build makes a TypeScript runner for schemas: it generates their code, writes
// the table by which the runner finds their types, and compiles it.
//
//	go run ./conformance/runners/typescript/build [-out DIR] [-tsc COMPILER] [-tests] [-js] SCHEMA...
//
// With -js the generated code and the runtime are JavaScript, which the compiler knows by
// their declarations.
// With -tests the tests come along, which test the conformance schemas and numbers.sdp, whose
// attributes are for TypeScript alone. The runner is DIR/runner, which Node runs. It names a type
// SCHEMA.TYPE, SCHEMA being the file's name without ".sdp".
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/conformance/building"
)

// runtime is the folder of the runtime, whose packages have the compiler.
var runtime = filepath.Join("runtime", "typescript")

func main() {
	tsc := flag.String("tsc", "", "the compiler (default: that of the runtime's packages)")
	tests := flag.Bool("tests", false, "compile the tests, too")
	js := flag.Bool("js", false, "generate JavaScript")
	building.Main("typescript", func(r building.Runner) error { return build(r, *tsc, *tests, *js) })
}

func build(r building.Runner, tsc string, tests, js bool) error {
	packages, err := filepath.Abs(filepath.Join(runtime, "node_modules"))
	if err != nil {
		return err
	}
	if tsc == "" {
		tsc = filepath.Join(packages, ".bin", "tsc")
	}
	if _, err := os.Stat(tsc); err != nil {
		return fmt.Errorf("%w: run `npm ci` in %s, or `make tools`", err, runtime)
	}
	if err := os.RemoveAll(filepath.Join(r.Out, "src")); err != nil {
		return err
	}
	if tests {
		r.Schemas = append(r.Schemas, filepath.Join("conformance", "runners", "typescript", "numbers.sdp"))
	}
	var made []generated
	for _, file := range r.Schemas {
		g, err := generate(r, file, js)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		made = append(made, g)
	}
	if err := start(r.Out, packages, tests, js); err != nil {
		return err
	}
	if err := building.Write(filepath.Join(r.Out, "src", "types.ts"), table(made)); err != nil {
		return err
	}
	if err := building.Run(r.Out, tsc, "-p", "."); err != nil {
		return err
	}
	scripts, err := filepath.Glob(filepath.Join(r.Out, "src", "*", "*.js"))
	if err != nil {
		return err
	}
	for _, file := range scripts {
		name, err := filepath.Rel(filepath.Join(r.Out, "src"), file)
		if err != nil {
			return err
		}
		if err := building.Copy(file, filepath.Join(r.Out, "js", name)); err != nil {
			return err
		}
	}
	const script = "#!/bin/sh\nexec node --stack-size=800 \"$(dirname \"$0\")/js/main.js\"\n"
	return os.WriteFile(filepath.Join(r.Out, "runner"), []byte(script), 0o777)
}

// start lays the runner's own files, and the runtime.
func start(out, packages string, tests, js bool) error {
	own, err := filepath.Glob(filepath.Join("conformance", "runners", "typescript", "runner", "*.ts"))
	if err != nil || len(own) == 0 {
		return errors.Join(err, errors.New("run it from the root of the repository"))
	}
	of := map[string]string{}
	for _, file := range own {
		if name := filepath.Base(file); name != "main.ts" && name != "answers.ts" && !tests {
			continue
		}
		of[file] = filepath.Join(out, "src", filepath.Base(file))
	}
	folder, skip := "src", "true"
	if js {
		folder, skip = "javascript", "false"
	}
	modules, err := filepath.Glob(filepath.Join(runtime, folder, "*"))
	if err != nil {
		return err
	}
	for _, file := range modules {
		of[file] = filepath.Join(out, "src", "sdp", filepath.Base(file))
	}
	for from, to := range of {
		if err := building.Copy(from, to); err != nil {
			return err
		}
	}
	options := strings.NewReplacer("{{packages}}", filepath.ToSlash(packages), "{{skip}}", skip).Replace(config)
	return errors.Join(
		building.Write(filepath.Join(out, "package.json"), `{"type": "module"}`+"\n"),
		building.Write(filepath.Join(out, "tsconfig.json"), options))
}

// config has the strictest options that there are, for the generated code's sake. Declarations
// are checked where some are generated.
const config = `{
  "compilerOptions": {
    "target": "ES2022", "module": "NodeNext", "lib": ["ES2022"], "types": ["node"], "typeRoots": ["{{packages}}/@types"],
    "rootDir": "src", "outDir": "js", "strict": true, "exactOptionalPropertyTypes": true, "noUncheckedIndexedAccess": true,
    "erasableSyntaxOnly": true, "noImplicitOverride": true, "noFallthroughCasesInSwitch": true, "noImplicitReturns": true,
    "noPropertyAccessFromIndexSignature": true, "noUnusedLocals": true, "noUnusedParameters": true, "verbatimModuleSyntax": true,
    "declaration": true, "isolatedDeclarations": true, "skipLibCheck": {{skip}}
  },
  "include": ["src"]
}
`

// generated is the code of one schema.
type generated struct {
	schema string // the file's name without its ending
	module string
	types  []declared
	framed bool
}

type declared struct {
	schema, typescript string // its names
	framed             bool
}

// The generated code lists its own parts: a type's descriptor names it, and has an id where there
// are messages.
var (
	descriptors = regexp.MustCompile(`\nexport const (\w+)(?:: sdp\.(?:Struct|Message|Union)Type<\w+>(?: & \{ readonly id: \d+ \})?)? = /\* @__PURE__ \*/ sdp\.\w+\("([^"]+)", \(\) => \[(?:\n  .*)*\n\](, \d+)?\);`)
	prints      = regexp.MustCompile(`\nexport const fingerprintsOf(\w+)\$`)
)

// generate runs sdp for one schema. Each has a folder of its own, since two releases of
// a package have the same name.
func generate(r building.Runner, file string, js bool) (generated, error) {
	g := generated{schema: strings.TrimSuffix(filepath.Base(file), ".sdp")}
	folder := filepath.Join(r.Out, "src", g.schema)
	ending, flags := ".ts", []string{"--typescript-runtime", "../sdp/index.js"}
	if js {
		ending, flags = ".js", append(flags, "--js")
		if _, err := r.Generate(file, "typescript", ".d.ts", folder, flags...); err != nil {
			return g, err
		}
	}
	files, err := r.Generate(file, "typescript", ending, folder, flags...)
	if err != nil {
		return g, err
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return g, err
		}
		if first, _, _ := strings.Cut(string(text), "\n"); !strings.Contains(first, " from "+filepath.Base(file)+".") {
			continue
		}
		g.module = g.schema + "/" + strings.TrimSuffix(filepath.Base(name), ending) + ".js"
		own := map[string]bool{}
		for _, found := range prints.FindAllStringSubmatch(string(text), -1) {
			own[found[1]] = true
		}
		for _, found := range descriptors.FindAllStringSubmatch(string(text), -1) {
			if name := found[2][strings.LastIndex(found[2], ".")+1:]; own[found[1]] {
				g.types = append(g.types, declared{name, found[1], found[3] != ""})
				g.framed = g.framed || found[3] != ""
			}
		}
	}
	slices.SortFunc(g.types, func(a, b declared) int { return strings.Compare(a.schema, b.schema) })
	return g, nil
}

// table is the source of the runner's table of types.
func table(made []generated) string {
	var b strings.Builder
	b.WriteString("import type { Schema } from \"./answers.js\";\n")
	for i, g := range made {
		fmt.Fprintf(&b, "import * as p%d from \"./%s\";\n", i, g.module)
	}
	b.WriteString("\nexport const schemas: Readonly<Record<string, Schema>> = {\n")
	for i, g := range made {
		fmt.Fprintf(&b, "  %q: {\n", g.schema)
		if g.framed {
			fmt.Fprintf(&b, "    dispatch: p%[1]d.decodeMessage, read: p%[1]d.readMessages,\n", i)
		}
		b.WriteString("    types: {\n")
		for _, d := range g.types {
			framed := ""
			if d.framed {
				framed = fmt.Sprintf(", decodeMessage: p%[1]d.decode%[2]sMessage, encodeMessage: p%[1]d.encode%[2]sMessage", i, d.typescript)
			}
			fmt.Fprintf(&b, "      %[3]q: { type: p%[1]d.%[2]s, fingerprints: p%[1]d.fingerprintsOf%[2]s$, decode: p%[1]d.decode%[2]s, encode: p%[1]d.encode%[2]s%[4]s },\n",
				i, d.typescript, d.schema, framed)
		}
		b.WriteString("    },\n    names: {\n")
		for _, d := range g.types {
			fmt.Fprintf(&b, "      %q: %q,\n", d.typescript, d.schema)
		}
		b.WriteString("    },\n  },\n")
	}
	b.WriteString("};\n")
	return b.String()
}
