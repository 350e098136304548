package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// luaPlugin builds the example as its README says, in a folder of its own.
func luaPlugin(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("plugin")); err != nil {
		t.Fatal(err)
	}
	schema, err := filepath.Abs("../spec/plugin.sdp")
	if err != nil {
		t.Fatal(err)
	}
	run(t, dir, tool, "gen", schema, "--out", "go=.", "--json=false")
	run(t, dir, "go", "build", "-o", "sdp-gen-lua", ".")
	return filepath.Join(dir, "sdp-gen-lua")
}

// everything has what the plugin makes code of beside structs, texts and lists.
const everything = `package studio.levels;

import "bands.sdp" as bands;

@closed
enum Mode: u8 { Off = 0, On = 2 }

/// A message may gain fields at its end.
message Levels {
    mode: Mode,
    end: i64,
    bands: []bands.Band,
    raw: @len(u8) bytes,
    delay: ?u16,
    gate: ?bool,
    grid: [2][]u16,
    inner: Inner,
}

message Inner { flags: []bool }
`

const bands = `package bands;

enum Unit: i16 { Decibel = -1, Hertz = 1 }

struct Band { gains: [3]f32, unit: Unit, note: ?str }
`

// rewrites is a program that decodes a file and encodes it again, and decodes each part of it
// that is not all of it.
const rewrites = `
local module, name, path, complete = require(arg[1]), arg[2], arg[3], arg[4] == "struct"
local file = assert(io.open(path, "rb"))
local data = file:read("a")
local decode = module.decode[name]
assert(module.encode[name](decode(data)) == data, "other bytes")
local step = math.max(1, #data // 500)
for n = 0, #data - 1, step do
  assert(not pcall(decode, data:sub(1, n)), "decodes " .. n .. " bytes")
end
assert(pcall(decode, data .. "\0") ~= complete, "bytes behind a struct, or none behind a message")
print(#data)
`

// TestExampleOfAPluginDecodesAndEncodes makes Lua of schemas, and hands it bytes of the tool.
func TestExampleOfAPluginDecodesAndEncodes(t *testing.T) {
	lua, err := exec.LookPath("lua5.4")
	if err != nil {
		t.Fatal(err)
	}
	made, dir := luaPlugin(t), t.TempDir()
	t.Setenv("PATH", filepath.Dir(made)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("LUA_PATH", "?.lua")
	for name, text := range map[string]string{
		"levels.sdp": everything, "bands.sdp": bands, "rewrites.lua": rewrites,
		"levels.json": `{"mode":"On","end":"-5","bands":[{"gains":[1,-0.5,0],"unit":"Decibel","note":"é"},{"gains":[1,2,3],"unit":7,"note":null}],` +
			`"raw":"AAH/","delay":0,"gate":false,"grid":[[1,65535],[]],"inner":{"flags":[true,false]}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	registry, err := filepath.Abs("registry")
	if err != nil {
		t.Fatal(err)
	}
	run(t, dir, tool, "gen", filepath.Join(registry, "plugins.sdp"), "levels.sdp", "--out", "lua=.")
	for _, c := range []struct{ schema, typ, json, module, kind string }{
		{filepath.Join(registry, "plugins.sdp"), "PluginRegistry", filepath.Join(registry, "lv2-62.json"), "plugins", "struct"},
		{"levels.sdp", "Levels", "levels.json", "studio/levels", "message"},
	} {
		run(t, dir, tool, "convert", c.schema, c.typ, c.json, "-o", c.module[:1]+".bin", "--from", "json", "--to", "bytes")
		if printed := run(t, dir, lua, "rewrites.lua", c.module, c.typ, c.module[:1]+".bin", c.kind); c.typ == "PluginRegistry" && printed != "119150\n" {
			t.Errorf("%s bytes", printed)
		}
	}
	want, err := os.ReadFile("plugin/output.txt")
	if err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("plugin/print.lua")
	if err != nil {
		t.Fatal(err)
	}
	if got := run(t, dir, lua, script, "p.bin", "again.bin"); got != string(want) {
		t.Errorf("printed:\n%s\nwant:\n%s", got, want)
	}
	run(t, dir, tool, "convert", filepath.Join(registry, "plugins.sdp"), "PluginRegistry", "again.bin", "--from", "bytes", "--to", "json")

	for text, says := range map[string][]string{
		"package a; struct S { ok: u8, m: map<str, u8> }": {"error[C0011]: sdp-gen-lua makes no code of maps", "a.sdp:1:31"},
		"package a; union U { A = 1 }":                    {"error[C0011]: sdp-gen-lua makes no code of unions", "a.sdp:1:18"},
		"package a; message M { @since(2) b: u8 = 4 }":    {"of fields of later segments", "of defaults", "2 errors"},
		"package a; struct S { gaps: []?u8 }":             {"error[lua/optional-elements]: elements that may be absent", "a.sdp:1:23"},
	} {
		if err := os.WriteFile(filepath.Join(dir, "a.sdp"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		refused(t, dir, says, "gen", "a.sdp", "--out", "lua=never")
	}
	refused(t, dir, []string{"error[lua/option]: there is no option `speed`"}, "gen", "levels.sdp", "--out", "lua=never", "--option", "lua:speed=1")
	if _, err := os.Stat(filepath.Join(dir, "never")); err == nil {
		t.Error("something was written")
	}
}

// refused runs the tool, which has to refuse and to say why.
func refused(t *testing.T, dir string, says []string, args ...string) {
	t.Helper()
	command := exec.Command(tool, args...)
	command.Dir = dir
	said, err := command.CombinedOutput()
	if err == nil {
		t.Errorf("%q is not refused", args)
	}
	for _, text := range says {
		if !strings.Contains(string(said), text) {
			t.Errorf("%q does not say %q:\n%s", args, text, said)
		}
	}
}
