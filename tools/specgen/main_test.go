package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOutputsAgreeWithTheSpec(t *testing.T) {
	drifted, err := run("../..", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range drifted {
		t.Errorf("%s is out of date: run go run ./tools/specgen", path)
	}
}

// root makes a repository with spec files, of which some are changed, and empty
// folders for the outputs.
func root(t *testing.T, changed map[string]string) string {
	dir := t.TempDir()
	for _, o := range outputs {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(o.path)), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "spec"), 0o777); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{
		"errors.toml": oneError, "limits.toml": oneLimit, "scalars.toml": twoScalars, "frames.toml": oneFrame, "telemetry.toml": oneStatus,
		"mxp.md": tables, "../docs/telemetry.md": telemetryHeads, "../docs/troubleshooting.md": troubleHeads,
	}
	maps.Copy(texts, changed)
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, "spec", name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const oneError = `[[error]]
name = "map_order"
number = 1
category = "decode"
meaning = "A key is too small."
offset = "The key."
cause = "The sender."
remedy = "Sort."
clauses = ["WIRE-1.1"]
`

const oneLimit = `[[limit]]
name = "depth"
default = 64
unit = "levels"
scope = "decode"
error = "map_order"
meaning = "How deep."
`

const twoScalars = `[[scalar]]
name = "u24"
bytes = 3
class = "unsigned"
key = true
meaning = "0 to 2^24-1."

[[scalar]]
name = "uuid"
bytes = 16
class = "uuid"
meaning = "16 bytes."
`

const oneFrame = `[[frame]]
name = "Tell"
number = 0x42
meaning = "Says something."
id = ["call of receiver", "zero"]
`

// tables are where the spec has what frames.toml says.
const tables = `- A table:

  | number | type | number | type |
  |---|---|---|---|

- Another one:

  | frame | id | payload | flags | own |
  |---|---|---|---|---|
  | Old | 0 | | | |

- A clause.
`

const oneStatus = `[[value]]
name = "system"
text = "abc"
meaning = "The system."

[[attribute]]
key = "rpc.method"
type = "string"
sides = ["client"]
signals = ["span", "metric"]
meaning = "The method."

[[metric]]
key = "rpc.client.call.duration"
side = "client"
unit = "s"
meaning = "How long."
buckets = [0.5, 1]

[[status]]
number = 0
code = "FINE"
errors = ["client"]
`

// telemetryHeads are where the documentation has what telemetry.toml says.
const telemetryHeads = `A table:

| attribute | type | sides | of | value |
|---|---|---|---|---|

| metric | side | unit | buckets |
|---|---|---|---|
| ` + "`old`" + ` | | | |

| status | ` + "`rpc.response.status_code`" + ` | error for |
|---|---|---|
`

// troubleHeads are where a page has the sections of refusals.
const troubleHeads = `A page.

| subject | names |
|---|---|

| status | names |
|---|---|

## Encoding, decoding and JSON

### old_name

## Names of handlers

Last.
`

func TestRunWritesWhatDriftedOnly(t *testing.T) {
	dir := root(t, nil)
	for _, want := range []int{len(outputs), 0} {
		drifted, err := run(dir, true)
		if err != nil || len(drifted) != want {
			t.Fatalf("drifted = %v, %v, want %d", drifted, err, want)
		}
	}
	for path, wants := range map[string][]string{
		"runtime/go/spec.gen.go":       {"ErrMapOrder Kind = iota + 1", `ErrMapOrder: "map_order"`, "LimitDepth = 64"},
		"runtime/rust/src/spec_gen.rs": {"MapOrder = 1,", `Kind::MapOrder => "map_order"`, "1 => Kind::MapOrder", "LIMIT_DEPTH: usize = 64;"},
		"runtime/cpp/include/sdp/spec_gen.hpp": {
			"map_order = 1,", `{kind::map_order, "map_order"},`, "std::size_t limit_depth = 64;",
		},
		"compiler/ir/scalars.gen.go":                {"U24      Kind = iota + 1 // 0 to 2^24-1", `U24:      {name: "u24", bytes: 3, class: UnsignedClass, key: true},`, "class: UUIDClass}"},
		"runtime/go/scalars.gen.go":                 {"case \"u24\":\n\t\treturn layoutScalar{kind: unsignedLayout, width: 3}"},
		"runtime/rust/src/scalars_gen.rs":           {`"u24" => (3, Unsigned),`, `"uuid" => (16, Plain),`},
		"runtime/cpp/include/sdp/scalars_gen.hpp":   {"if (word == \"u24\") {\n        return scalar{3, scalar_kind::is_unsigned};", "return scalar{16, scalar_kind::plain};"},
		"mxp/go/frame/types.gen.go":                 {"Tell Type = 0x42 // says something", `Tell: "Tell"`, "0x0000000000000004"},
		"mxp/go/session/rules.gen.go":               {"frame.Tell: {0, true, false, idOfReceiverOrZero, 1 << ready}"},
		"mxp/rust/src/frame/types_gen.rs":           {"Tell = 0x42,", "0x42 => Self::Tell,"},
		"mxp/rust/src/session/rules_gen.rs":         {"all[Type::Tell as usize] = Rule {", "id: IdRule::OfReceiverOrZero,"},
		"mxp/cpp/include/mxp/types_gen.hpp":         {"tell = 0x42,", "case frame_type::tell:\n        return \"Tell\";"},
		"mxp/cpp/include/mxp/session/rules_gen.hpp": {"case frame_type::tell:\n        return {flags::none, true, false, id_rule::of_receiver_or_zero, state::ready};"},
		"conformance/simulation/frames.gen.go":      {"frame.Tell,"},
		"mxp/go/telemetry.gen.go": {
			"toldSystem = \"abc\" // the system", "keyMethod = \"rpc.method\"", "clientCallDuration = histogram{\"rpc.client.call.duration\", \"s\", \"How long.\", []float64{0.5, 1.0}}",
			"{\"FINE\", true, false},", "refusalNames = [...]string{\n\t\"map_order\",",
		},
		"mxp/rust/src/net/telemetry/names_gen.rs": {
			"/// The system.\npub(super) const SYSTEM: &str = \"abc\";", "const METHOD: &str = \"rpc.method\";", "const CLIENT_CALL_DURATION: Metric = Metric {\n    name: \"rpc.client.call.duration\",\n    unit: \"s\",\n",
			"    buckets: &[\n        0.5, 1.0,\n    ],", "[StatusCode; 1] = [\n    status(\"FINE\", true, false),\n]", "REFUSAL_NAMES: [&str; 1] = [\n    \"map_order\",",
		},
		"mxp/python/mesh_exchange_protocol/_telemetry_names.py": {
			"SYSTEM = \"abc\"\n\"\"\"The system.\"\"\"\n", "METHOD = \"rpc.method\"\n", "CLIENT_CALL_DURATION = (\n    \"rpc.client.call.duration\",\n    \"s\",\n", "    (0.5, 1.0),\n)",
			"STATUS_CODES = (\n    (\"FINE\", True, False),\n)", "frozenset(\n    (\n        \"map_order\",",
		},
		"mxp/cpp/include/mxp/net/telemetry_gen.hpp": {
			"/// The system.\ninline constexpr std::string_view system = \"abc\";", "std::string_view method = \"rpc.method\";", "inline constexpr metric<2> client_call_duration{\n    \"rpc.client.call.duration\",\n    \"s\",\n",
			"    {{\n        0.5, 1.0,\n    }}};", "std::array<status_code, 1> status_codes{{\n    {\"FINE\", true, false},\n}};", "std::array<std::string_view, 1> refusals{\n    \"map_order\",",
		},
		"docs/telemetry.md": {
			"| `rpc.method` | string | client | span, metric | The method. |\n\n", "buckets |\n|---|---|---|---|\n| `rpc.client.call.duration` | client | `s` | 0.5, 1 |\n\n", "| 0 | `FINE` | client |\n",
		},
		"docs/troubleshooting.md": {
			"| [Encoding, decoding and JSON](#encoding-decoding-and-json) | [`map_order`](#map_order) |\n", "|---|---|\n\n## Encoding, decoding and JSON\n\n### map_order\n\nA key is too small.\n\n* Cause: The sender.\n* Remedy: Sort.\n* Byte: the key.\n* Rules: [WIRE-1.1](../spec/wire.md)\n\n## Frames\n",
			"\n\n## Names of handlers\n\nLast.\n",
		},
		"spec/mxp.md": {"  | | | `42` | Tell |\n", "|\n  | Tell | a Call of the receiver, or 0 | not looked at | | yes |\n\n- A clause."},
	} {
		text, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("no %s in\n%s", want, text)
			}
		}
	}
}

func TestRustDocumentationIsQuoted(t *testing.T) {
	text := "In [N]T, decode_exact (not utf8_is_valid) and [3]."
	if got, want := markdown(text), "In `[N]T`, `decode_exact` (not `utf8_is_valid`) and [3]."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCppDocumentationIsQuoted(t *testing.T) {
	if got, want := doxygen("Over the @max of [N]T."), "Over the `@max` of [N]T."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRustNumbersAreGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1_000", 123456: "123_456", 1234567: "1_234_567"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestSpecIsRefused(t *testing.T) {
	cases := []struct{ name, file, text, want string }{
		{"number out of order", "errors.toml", strings.Replace(oneError, "number = 1", "number = 2", 1), "place 1"},
		{"name twice", "errors.toml", oneError + strings.Replace(oneError, "number = 1", "number = 2", 1), "not a new one"},
		{"name in another case", "errors.toml", strings.Replace(oneError, "map_order", "mapOrder", 1), "not a name"},
		{"misspelt key", "errors.toml", strings.Replace(oneError, "meaning", "meening", 1), "errors.toml"},
		{"refusal without a remedy", "errors.toml", strings.Replace(oneError, "remedy = \"Sort.\"\n", "", 1), "no remedy"},
		{"refusal without a cause", "errors.toml", strings.Replace(oneError, "cause = \"The sender.\"\n", "", 1), "no cause"},
		{"frame's refusal without a status", "errors.toml", strings.Replace(oneError, `"decode"`, `"frame"`, 1), "has status 0"},
		{"status that no peer is told", "errors.toml", strings.Replace(oneError, "number = 1", "number = 1\nstatus = 3", 1), "has status 3"},
		{"limit of an unknown error", "limits.toml", strings.Replace(oneLimit, "map_order", "map_ordr", 1), "map_ordr"},
		{"limit without scope", "limits.toml", strings.Replace(oneLimit, "scope = \"decode\"\n", "", 1), "no scope"},
		{"scalar of an unknown class", "scalars.toml", strings.Replace(twoScalars, "unsigned", "unsinged", 1), `u24 has class "unsinged"`},
		{"scalar twice", "scalars.toml", strings.Replace(twoScalars, "uuid", "u24", 1), "not a new one"},
		{"scalar without bytes", "scalars.toml", strings.Replace(twoScalars, "bytes = 3\n", "", 1), "no bytes"},
		{"frame with another's number", "frames.toml", oneFrame + strings.Replace(oneFrame, "Tell", "Say", 1), "another's"},
		{"frame with an id of nobody", "frames.toml", strings.Replace(oneFrame, "receiver", "reader", 1), "names nothing"},
		{"frame with ids that no rule has", "frames.toml", strings.Replace(oneFrame, "call of receiver", "new", 1), "no rule"},
		{"frame without an id", "frames.toml", strings.Replace(oneFrame, "id = ", "flags = []\n# ", 1), "no rule"},
		{"frame with an unknown flag", "frames.toml", oneFrame + "flags = [\"loud\"]\n", "not defined"},
		{"frame with a value and records", "frames.toml", oneFrame + "value = true\nrecords = true\n", "a value and records"},
		{"frame in an unknown state", "frames.toml", oneFrame + "states = [\"asleep\"]\n", "which there is not"},
		{"attribute twice", "telemetry.toml", oneStatus + "[[attribute]]\nkey = \"rpc.method\"\n", "not a new one"},
		{"attribute of nobody", "telemetry.toml", strings.Replace(oneStatus, `["client"]`, `["clients"]`, 1), "that there are not"},
		{"metric without a unit", "telemetry.toml", strings.Replace(oneStatus, "unit = \"s\"\n", "", 1), "unit"},
		{"buckets that descend", "telemetry.toml", strings.Replace(oneStatus, "0.5, 1", "1, 0.5", 1), "don't ascend"},
		{"status out of order", "telemetry.toml", strings.Replace(oneStatus, "number = 0", "number = 1", 1), "place 0"},
		{"value without a text", "telemetry.toml", strings.Replace(oneStatus, `text = "abc"`, "", 1), "no text"},
		{"flag that is no bit", "frames.toml", "[[flag]]\nname = \"final\"\nnumber = 3\nmeaning = \"The last.\"\n", "is bit 1"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := run(root(t, map[string]string{c.file: c.text}), true)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error = %v, want one with %q", err, c.want)
			}
		})
	}
}
