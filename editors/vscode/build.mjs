// Makes the extension's package, target/sdp-VERSION.vsix: the code as one file with the
// client library in it, and what package.json names beside it.

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";

const here = import.meta.dirname;
const root = path.join(here, "../..");
const target = path.join(root, "target", "vscode");
const manifest = JSON.parse(readFileSync(path.join(here, "package.json"), "utf8"));
const licences = ["LICENSE", "LICENSE-APACHE", "LICENSE-MIT"];

rmSync(target, { recursive: true, force: true });
mkdirSync(path.join(target, "out"), { recursive: true });
mkdirSync(path.join(target, "syntaxes"), { recursive: true });

const result = await build({
  entryPoints: [path.join(here, "src/extension.ts")],
  outfile: path.join(target, "out/extension.js"),
  bundle: true,
  minify: true,
  metafile: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  legalComments: "none",
});

for (const name of ["README.md", "language-configuration.json", "syntaxes/sdp.tmLanguage.json"]) {
  copyFileSync(path.join(here, name), path.join(target, name));
}
for (const name of licences) copyFileSync(path.join(root, name), path.join(target, name));
writeFileSync(path.join(target, "THIRD-PARTY-NOTICES.txt"), notices(Object.keys(result.metafile.inputs)));

// The package has no scripts and no dependencies: all of the code is one file.
const { scripts: _scripts, devDependencies: _dependencies, private: _private, ...published } = manifest;
writeFileSync(path.join(target, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
writeFileSync(path.join(target, ".vscodeignore"), "");
const file = path.join(root, "target", `sdp-${manifest.version}.vsix`);
execFileSync(
  path.join(here, "node_modules/.bin/vsce"),
  ["package", "--no-dependencies", "--no-rewrite-relative-links", "--out", file],
  { cwd: target, stdio: ["ignore", "ignore", "inherit"] },
);
console.log(file);

/**
 * notices are the licences of the packages whose code is in the bundle.
 * @param {string[]} inputs
 */
function notices(inputs) {
  const names = new Set();
  for (const input of inputs) {
    const inside = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (inside !== null) names.add(inside[0]);
  }
  const texts = [...names].sort().map((folder) => {
    const from = path.resolve(folder);
    const { name, version, license } = JSON.parse(readFileSync(path.join(from, "package.json"), "utf8"));
    return `${name} ${version} (${license})\n\n${licenceIn(from, name)}`;
  });
  if (texts.length === 0) throw new Error("the bundle has no packages in it");
  return `The file out/extension.js has code of these packages in it.\n\n${texts.join(`\n${"-".repeat(72)}\n\n`)}`;
}

/**
 * @param {string} folder
 * @param {string} name
 */
function licenceIn(folder, name) {
  for (const file of ["LICENSE", "LICENSE.md", "LICENSE.txt", "License.txt", "license", "LICENCE"]) {
    if (existsSync(path.join(folder, file))) return `${readFileSync(path.join(folder, file), "utf8").trim()}\n`;
  }
  throw new Error(`${name} has no licence file`);
}
