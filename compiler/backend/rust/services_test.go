package rust_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/internal/generated"
	"github.com/serial-data-protocol/sdp/compiler/internal/golden"
	"github.com/serial-data-protocol/sdp/compiler/internal/hostile"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// stubs is the folder of the tests that compile and run what is generated for
// services: they need the MXP library.
const stubs = "../../../mxp/rust/tests/stubs/golden"

// channels is where that of services lies whose streams can be channels.
const channels = "../../../mxp/rust/tests/shm/golden"

// generateServices makes the code of all packages of a schema with that of their
// services.
func generateServices(schema *ir.Schema) (map[string]string, *diag.List) {
	return code.Of(schema, generated.WithServices)
}

// shop is the schema of services that every language's generated code is tested with.
func shop(t *testing.T) *ir.Schema {
	t.Helper()
	files := check.Memory{"texts.sdp": hostile.Schema()}
	for _, name := range []string{"goods.sdp", "shop.sdp"} {
		text, err := os.ReadFile(schemas + "services/" + name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	return checked(t, files, "goods.sdp", "shop.sdp", "texts.sdp")
}

func TestServicesMatchGoldenFiles(t *testing.T) {
	schema := shop(t)
	files, whole := code.Must(t, schema, generated.Stubs), code.Must(t, schema, generated.WithServices)
	if len(files) != 5 || files["golden_shop_service.rs"] == "" {
		t.Fatalf("%d files; a package has one of services if it has services", len(files))
	}
	files["texts.rs"] = whole["texts.rs"] // texts are no code in any form
	for name, content := range files {
		golden.Compare(t, filepath.Join(stubs, name), content)
	}
}

// TestChannelsMatchGoldenFiles is for types of methods that can be opened as channels, which the
// library's own tests do.
func TestChannelsMatchGoldenFiles(t *testing.T) {
	text, err := os.ReadFile("testdata/meters.sdp")
	if err != nil {
		t.Fatal(err)
	}
	schema := checked(t, check.Memory{"meters.sdp": string(text)}, "meters.sdp")
	files := code.Must(t, schema, generated.Stubs)
	if len(files) != 2 {
		t.Fatalf("%d files", len(files))
	}
	golden.Compare(t, filepath.Join(channels, "meters.rs"), files["meters.rs"])
	for _, line := range []string{
		"    pub const LEVELS: Method<meters::Level, meters::Level, Wire> =\n",
		`        Method::new("meters.Meters", 1, "levels", codec(), codec()).fixed(14, 14);` + "\n",
		`        Method::new("meters.Meters", 2, "blocks", codec(), codec()).fixed(114_688, 14);` + "\n",
		"\n::mxp::net::typed::fixed_values!(wire);\n",
	} {
		if !strings.Contains(files["meters_service.rs"], line) {
			t.Errorf("the service has no line %q", line)
		}
	}
}

func TestServicesChangeNothingElse(t *testing.T) {
	schema := shop(t)
	without, _ := generate(schema)
	with, _ := generateServices(schema)
	if len(without) != 3 {
		t.Fatalf("%d files without services", len(without))
	}
	for name, content := range without {
		if with[name] != content {
			t.Errorf("%s is another one where services are generated", name)
		}
	}
}

func TestNamesOfServicesThatMeetInRustAreReported(t *testing.T) {
	const types = "struct Q { a: u8 } "
	for _, c := range []struct{ name, schema, says string }{
		{"methods", "service S { call oneTwo(Q) -> Q = 1; call one_two(Q) -> Q = 2; }", "the method `oneTwo` and the method `one_two` are both `one_two`"},
		{"constants of methods", `service S { call one(Q) -> Q = 1; @name(rust = "ONE") call two(Q) -> Q = 2; }`, "are both `ONE`"},
		{"an event and a method", "service S { event e(Q) = 1; call e_acked(Q) -> Q = 2; }", "the method `e_acked` and what is generated for the event `e` are both `e_acked`"},
		{"a method and one that is called like a client's function", "service S { call new(Q) -> Q = 1; call new_(Q) -> Q = 2; }", "are both `new`"},
		{"services", "service Host { call a(Q) -> Q = 1; } service host { call a(Q) -> Q = 1; }", "are both `Host`"},
		{"a service and a client", "service Host { call a(Q) -> Q = 1; } service HostClient { call a(Q) -> Q = 1; }", "are both `HostClient`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			schema := checked(t, check.Memory{"a.sdp": types + c.schema}, "a.sdp")
			_, problems := generateServices(schema)
			if problems.Len() == 0 {
				t.Fatal("nothing is reported")
			}
			first := problems.Sorted()[0]
			if first.Code != "R0101" || !strings.Contains(first.Message, c.says) {
				t.Errorf("got %s: %s", first.Code, first.Message)
			}
			if _, problems := generate(schema); problems.Len() != 0 {
				t.Error("it is reported too where services are not generated")
			}
		})
	}
}

func TestModuleOfServicesThatIsAPackageIsReported(t *testing.T) {
	schema := checked(t, check.Memory{
		"a.sdp": "package a;\nstruct Q { a: u8 }\nservice A { call a(Q) -> Q = 1; }\n",
		"b.sdp": "package a_service;\nstruct Q { a: u8 }\n",
	}, "a.sdp", "b.sdp")
	_, problems := generateServices(schema)
	if problems.Len() != 1 || !strings.Contains(problems.Sorted()[0].Message, "the package `a_service` and the module of the services of `a` are both `a_service`") {
		t.Errorf("%d problems", problems.Len())
	}
}

// TestRustfmtLeavesServicesAsTheyAre is for names of all lengths, which break lines
// anywhere.
func TestRustfmtLeavesServicesAsTheyAre(t *testing.T) {
	folder := t.TempDir()
	args := []string{"--check", "--edition", "2021"}
	for length := 1; length <= nameLengthMax; length++ {
		name := func(first string, salt int) string {
			return (first + strings.Repeat("xyzab", salt+13))[:max(2, (length*salt)%nameLengthMax+1)]
		}
		q, a := name("Q", 1), name("A", 7)
		text := fmt.Sprintf("package %s;\nstruct %s { a: u8 }\nstruct %s { a: u8 }\nservice %s {\n", name("p", 23), q, a, name("S", 3))
		for i, method := range []string{"@idempotent call %s(Q) -> A", "stream %s(Q) -> stream A", "stream %s(stream Q) -> A", "stream %s(stream Q) -> stream A", "event %s(Q)"} {
			if length%32>>i&1 == 0 && length < 50 {
				continue // what is not there is not imported
			}
			method = strings.NewReplacer("Q", q, "A", a).Replace(method)
			text += fmt.Sprintf(method, name("mnopr"[i:i+1], 11+i)) + fmt.Sprintf(" = %d;\n", i+1)
		}
		text += "}\n"
		generated, problems := generateServices(checked(t, check.Memory{"a.sdp": text}, "a.sdp"))
		if problems.Len() > 0 {
			t.Fatalf("the backend reports: %s\n%s", problems.Sorted()[0].Message, text)
		}
		for name, content := range generated {
			if strings.HasSuffix(name, "_service.rs") {
				path := filepath.Join(folder, fmt.Sprintf("%d_%s", length, name))
				if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
					t.Fatal(err)
				}
				args = append(args, path)
			}
		}
	}
	if len(args) != nameLengthMax+3 {
		t.Fatalf("%d files", len(args)-3)
	}
	if out, err := exec.Command("rustfmt", args...).CombinedOutput(); err != nil {
		t.Errorf("rustfmt says %v:\n%s", err, out)
	}
}
