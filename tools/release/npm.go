package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
)

// scope has the npm packages of the tool: one that programs name, and one for each
// target, of which npm installs that of the machine. Nothing is fetched on install.
const scope = "@serial-data-protocol/"

// launcher runs the program of the platform's package in the place of the tool.
const launcher = `#!/usr/bin/env node
"use strict";
const { spawnSync } = require("node:child_process");
const { constants } = require("node:os");

const name = ` + "`" + scope + `sdp-${process.platform}-${process.arch}` + "`" + `;
let program;
try {
  program = require.resolve(` + "`${name}/bin/sdp${process.platform === \"win32\" ? \".exe\" : \"\"}`" + `);
} catch {
  console.error(` + "`sdp: the package ${name} is missing. It comes as an optional dependency, so install without --omit=optional; there is none for other platforms.`" + `);
  process.exit(1);
}
const { status, signal, error } = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (error) {
  console.error(` + "`sdp: ${program}: ${error.message}`" + `);
}
process.exit(status ?? (signal ? 128 + constants.signals[signal] : 1));
`

// manifest is the package.json of each package of the tool.
type manifest struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Description          string            `json:"description"`
	License              string            `json:"license"`
	Repository           any               `json:"repository"`
	OS                   []string          `json:"os,omitempty"`
	CPU                  []string          `json:"cpu,omitempty"`
	Bin                  map[string]string `json:"bin,omitempty"`
	Files                []string          `json:"files"`
	Engines              map[string]string `json:"engines,omitempty"`
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
}

func (r *release) manifest(name, description string) manifest {
	return manifest{
		Name: scope + name, Version: r.version, Description: description, License: "MIT OR Apache-2.0", Files: []string{"bin"},
		Repository: map[string]string{"type": "git", "url": "git+https://" + repository + ".git"},
	}
}

// npm makes the packages of the tool, and the packages of the libraries in TypeScript.
func (r *release) npm(ctx context.Context) error {
	tool := r.manifest("sdp", "The compiler of SDP, a schema language with a binary format")
	tool.Bin = map[string]string{"sdp": "bin/sdp.js"}
	tool.Engines = map[string]string{"node": ">=20"}
	tool.OptionalDependencies = map[string]string{}
	for _, t := range targets {
		platform := r.manifest("sdp-"+t.npmOS+"-"+t.npmArch, "The program of "+tool.Name+" for "+t.npmOS+" on "+t.npmArch)
		platform.OS, platform.CPU = []string{t.npmOS}, []string{t.npmArch}
		tool.OptionalDependencies[platform.Name] = r.version
		files := []archiveFile{{"bin/" + sdp.file(t), r.binary(sdp, t), 0o755}, {thirdParty, r.paper(sdp, thirdParty), 0o644}}
		platform.Files = append(platform.Files, thirdParty)
		if err := r.packNPM(ctx, "sdp-"+t.npmOS+"-"+t.npmArch, platform, files); err != nil {
			return err
		}
	}
	script := filepath.Join(r.work, "sdp.js")
	if err := os.WriteFile(script, []byte(launcher), 0o755); err != nil {
		return err
	}
	if err := r.packNPM(ctx, "sdp", tool, []archiveFile{{"bin/sdp.js", script, 0o755}}); err != nil {
		return err
	}
	return r.libraries(ctx)
}

// libraries compiles the libraries in TypeScript by the compiler of their lock file.
func (r *release) libraries(ctx context.Context) error {
	runtime := filepath.Join(r.source(), "runtime", "typescript")
	if _, err := output(ctx, runtime, "npm", "ci", "--no-audit", "--no-fund"); err != nil {
		return err
	}
	for _, folder := range []string{"runtime/typescript", "mxp/typescript"} {
		from := filepath.Join(r.source(), filepath.FromSlash(folder))
		if _, err := output(ctx, from, filepath.Join(runtime, "node_modules", ".bin", "tsc"), "-p", "."); err != nil {
			return err
		}
		text, err := os.ReadFile(filepath.Join(from, "package.json"))
		if err != nil {
			return err
		}
		var manifest map[string]any
		if err := json.Unmarshal(text, &manifest); err != nil {
			return err
		}
		// These are for who works on the library.
		delete(manifest, "scripts")
		delete(manifest, "devDependencies")
		files := []archiveFile{{"README.md", filepath.Join(from, "README.md"), 0o644}}
		for _, inside := range []string{"dist", "src"} {
			found, err := below(filepath.Join(from, inside), inside)
			if err != nil {
				return err
			}
			files = append(files, found...)
		}
		if err := r.packNPM(ctx, filepath.Base(filepath.Dir(from))+"-library", manifest, files); err != nil {
			return err
		}
	}
	return nil
}

// packNPM lays a package out, with the licences, and lets npm pack it.
func (r *release) packNPM(ctx context.Context, folder string, manifest any, files []archiveFile) error {
	to := filepath.Join(r.work, "npm", folder)
	for _, paper := range papers {
		files = append(files, archiveFile{paper, r.paper(sdp, paper), 0o644})
	}
	if err := lay(to, files); err != nil {
		return err
	}
	text, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(to, "package.json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	_, err = output(ctx, to, "npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", r.folder)
	return err
}

// lay copies files into a folder as an archive would have them.
func lay(folder string, files []archiveFile) error {
	for _, file := range files {
		to := filepath.Join(folder, filepath.FromSlash(file.name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := copyFile(file.from, to, file.mode); err != nil {
			return err
		}
	}
	return nil
}
