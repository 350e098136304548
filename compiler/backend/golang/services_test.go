package golang_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/backend/golang"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/internal/generated"
	"github.com/serial-data-protocol/sdp/compiler/internal/golden"
	"github.com/serial-data-protocol/sdp/compiler/internal/hostile"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// The golden clients and servers lie in the MXP library, whose tests use them.
const stubsFolder = "../../../mxp/go/internal/stubs"

// stubs is how the tests of mxp/go compile the code of services.
var stubs = generated.Code{
	Backend: golang.Backend{}, Runtime: "github.com/serial-data-protocol/sdp/runtime/go",
	Import: func(pkg *ir.Package) string {
		return "github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/" + folder(pkg)
	},
	Folder: folder,
}

// compileServices generates the code of schemas with that of their services.
func compileServices(t *testing.T, files check.Memory, roots ...string) (map[string]string, *diag.List) {
	t.Helper()
	return stubs.Of(generated.Checked(t, files, roots...), generated.WithServices)
}

func TestGeneratedServicesMatchGoldenFiles(t *testing.T) {
	files := check.Memory{"texts.sdp": hostile.Schema()}
	for _, name := range []string{"goods.sdp", "shop.sdp"} {
		text, err := os.ReadFile(filepath.Join("testdata", "services", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	schema := generated.Checked(t, files, "shop.sdp", "texts.sdp")
	made := stubs.Must(t, schema, generated.Stubs)
	if made["goods/services.sdp.go"] != "" || made["shop/services.sdp.go"] == "" {
		t.Error("a package has a file of services if it has services")
	}
	for name, content := range stubs.Must(t, schema, generated.WithServices) {
		if strings.HasPrefix(name, "texts/") { // which are no code in any form
			made[name] = content
		}
	}
	for name, content := range made {
		golden.Compare(t, filepath.Join(stubsFolder, name), content)
	}
}

// aService is a schema with a service and types of its own.
const aService = "struct Q { a: u8 } service Host { call list(Q) -> Q = 1; event list_changed(Q) = 2; } "

func TestServicesAreGeneratedWhereTheyAreAskedFor(t *testing.T) {
	with, _ := compileServices(t, check.Memory{"a.sdp": aService}, "a.sdp")
	without, _ := compile(t, check.Memory{"a.sdp": strings.ReplaceAll(aService, "service", "//")}, "a.sdp")
	plain, _ := compile(t, check.Memory{"a.sdp": aService}, "a.sdp")
	if len(with) != len(plain)+1 || len(plain) != len(without) {
		t.Errorf("%d files with services, %d without", len(with), len(plain))
	}
	for name, content := range plain {
		made := strings.ReplaceAll(with[name], stubs.Runtime, code.Runtime)
		if made != content {
			t.Errorf("%s is another where services are generated", name)
		}
	}
}

func TestCodeHasViewsAndJSONWhereTheyAreAskedFor(t *testing.T) {
	of := func(parts backend.Parts) map[string]string {
		files, _ := stubs.Of(generated.Checked(t, check.Memory{"a.sdp": aService}, "a.sdp"), backend.Options{Parts: parts})
		return files
	}
	for _, c := range []struct {
		file  string
		parts backend.Parts
	}{{"a/view.sdp.go", backend.Parts{Forms: generated.AllForms}}, {"a/json.sdp.go", backend.Parts{JSON: true}}} {
		with, without := of(c.parts), of(backend.Parts{})
		if with[c.file] == "" || without[c.file] != "" {
			t.Errorf("%s is there where nobody asks for it, or missing", c.file)
		}
		delete(with, c.file)
		if !maps.Equal(with, without) {
			t.Errorf("code without %s differs in more than that", c.file)
		}
	}
}

func TestNamesOfServicesThatMeetInGoAreReported(t *testing.T) {
	for _, c := range []struct{ name, schema, says string }{
		{"a type and a client", "enum HostClient: u8 { A = 0 }", "the type `HostClient` and what is generated for the service `Host` are both `HostClient`"},
		{"a type and a method's number", "struct HostListMethod { a: u8 }", "the type `HostListMethod` and the method `Host.list` are both `HostListMethod`"},
		{"methods", "service Other { call listAll(Q) -> Q = 1; call list_all(Q) -> Q = 2; }", "the method `Other.listAll` and the method `Other.list_all` are both `ListAll`"},
		{"methods of two services", "service HostList { call changed(Q) -> Q = 1; }", "the method `Host.list_changed` and the method `HostList.changed` are both `HostListChangedMethod`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			schema := check.Memory{"a.sdp": aService + c.schema}
			_, problems := compileServices(t, schema, "a.sdp")
			if problems.Len() != 1 {
				t.Fatalf("%d problems are reported", problems.Len())
			}
			first := problems.Sorted()[0]
			if first.Code != "G0101" || !strings.Contains(first.Message, c.says) {
				t.Errorf("got %s: %s", first.Code, first.Message)
			}
			if _, problems := compile(t, schema, "a.sdp"); problems.Len() != 0 {
				t.Error("it is reported too where services are not generated")
			}
		})
	}
}

func TestImportedPackagesOfAnyNameCanBeUsed(t *testing.T) {
	generated, problems := compileServices(t, check.Memory{
		"request.sdp": "package request; struct Q { a: u8 }",
		"mxp.sdp":     "package mxp; struct A { a: u8 }",
		"a.sdp":       `package a; import "request.sdp" as r; import "mxp.sdp" as m; service Host { call list(r.Q) -> m.A = 1; }`,
	}, "a.sdp")
	if problems.Len() > 0 {
		t.Fatal(problems.Sorted()[0].Message)
	}
	code := string(generated["a/services.sdp.go"])
	for _, says := range []string{"List(ctx context.Context, request *request_.Q, options ...mxp.Option) (*mxp_.A, error)", `request_ "` + stubs.Import(&ir.Package{Name: "request"}) + `"`} {
		if !strings.Contains(code, says) {
			t.Errorf("the code doesn't have %s:\n%s", says, code)
		}
	}
}
