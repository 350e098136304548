package proto_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/internal/golden"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/proto"
)

// files are .proto files, or .sdp files, by path.
type files map[string]string

func (f files) load(path string) (string, string, error) {
	if text, found := f[path]; found {
		return path, text, nil
	}
	return "", "", fs.ErrNotExist
}

func (f files) existing(path string) (string, string, bool) {
	text, found := f[path]
	return path, text, found
}

// folder reads all files of a folder of testdata.
func folder(t testing.TB, name string) files {
	t.Helper()
	found := files{}
	entries, err := os.ReadDir(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".proto") {
			text, err := os.ReadFile(filepath.Join("testdata", name, entry.Name()))
			if err != nil {
				t.Fatal(err)
			}
			found[entry.Name()] = string(text)
		}
	}
	return found
}

// imported is what an import of all files makes, of a state that is there.
func imported(t testing.TB, protos files, was files, options proto.Options) (*proto.Schema, files, *diag.List) {
	t.Helper()
	var problems diag.List
	var paths []string
	for path := range protos {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	schema := proto.Parse(protos.load, paths, &problems)
	if schema == nil {
		return nil, nil, &problems
	}
	options.Existing = was.existing
	made := proto.Import(schema, options, &problems)
	if made == nil || problems.HasErrors() {
		return schema, nil, &problems
	}
	for round := range 9 {
		if !proto.Settle(made, compiled(t, made).Schema) {
			break
		}
		if round == 8 {
			t.Error("names are not settled")
		}
	}
	texts := files{}
	for _, output := range made {
		texts[output.Path] = output.Text
	}
	return schema, texts, &problems
}

// compiled is the program of the made files, which must have no error and be formatted.
func compiled(t testing.TB, made []proto.Output) *plan.Program {
	t.Helper()
	memory := check.Memory{}
	var roots []string
	for _, output := range made {
		memory[output.Path] = output.Text
		roots = append(roots, output.Path)
	}
	schema, problems := check.Program(memory, roots, format.Canonical)
	if schema == nil {
		t.Fatal(text(t, problems))
	}
	return plan.New(schema)
}

// program is compiled for texts.
func program(t testing.TB, texts files) *plan.Program {
	t.Helper()
	var made []proto.Output
	for path, text := range texts {
		made = append(made, proto.Output{Path: path, Text: text})
	}
	return compiled(t, made)
}

func text(t testing.TB, problems *diag.List) string {
	t.Helper()
	var out bytes.Buffer
	if err := diag.WriteText(&out, problems.Sorted(), false); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestImportMakesWhatWasReviewed(t *testing.T) {
	for _, name := range []string{"shop", "legacy"} {
		t.Run(name, func(t *testing.T) {
			protos := folder(t, name)
			_, made, problems := imported(t, protos, nil, proto.Options{LeaveOut: true})
			for path := range protos {
				path = strings.TrimSuffix(path, ".proto") + ".sdp"
				golden.Compare(t, filepath.Join("testdata", name, path), made[path])
			}
			golden.Compare(t, filepath.Join("testdata", name, "losses.txt"), text(t, problems))
		})
	}
}

func TestImportAgainChangesNothing(t *testing.T) {
	for _, name := range []string{"shop", "legacy"} {
		protos := folder(t, name)
		_, made, _ := imported(t, protos, nil, proto.Options{LeaveOut: true})
		_, again, _ := imported(t, protos, made, proto.Options{LeaveOut: true})
		for path, text := range made {
			if again[path] != text {
				t.Errorf("%s is another one:\n%s", path, again[path])
			}
		}
	}
}

func TestMistakesOfAProtoAreWhereTheyStand(t *testing.T) {
	for body, want := range map[string]string{
		"group G = 2 {}": "a.proto:4:3\n  |\n4 |   group G = 2 {}\n  |   ^^^^^\n",
		"Foo foo = 1;":   "a.proto:4:3\n  |\n4 |   Foo foo = 1;\n  |   ^^^\n",
		"int32 ä = 1;":   "a.proto:4:9\n  |\n4 |   int32 ä = 1;\n  |         ^\n",
	} {
		for _, mark := range []string{"", "\ufeff"} {
			_, _, problems := imported(t, files{"a.proto": mark + "syntax = \"proto3\";\npackage a;\nmessage M {\n  " + body + "\n}\n"}, nil, proto.Options{})
			if said := text(t, problems); !strings.Contains(said, want) {
				t.Errorf("%q: nothing is at %q in\n%s", body, want, said)
			}
		}
	}
}

func TestWhatCannotBeHeldIsRefusedUnlessLeftOut(t *testing.T) {
	_, made, problems := imported(t, folder(t, "legacy"), nil, proto.Options{})
	if made != nil || problems.ErrorCount() != 4 {
		t.Errorf("%d files, and\n%s", len(made), text(t, problems))
	}
	for _, want := range []string{"error[I0101]: legacy.Old.result is a group\n  --> legacy.proto:15:3", "error[I0102]", "error[I0103]"} {
		if !strings.Contains(text(t, problems), want) {
			t.Errorf("nothing says %q in\n%s", want, text(t, problems))
		}
	}
}

func TestWhatIsNewIsAppendedAndNothingIsLost(t *testing.T) {
	protos := folder(t, "shop")
	_, made, _ := imported(t, protos, nil, proto.Options{})
	// An edit by hand stays.
	made["shop.sdp"] = strings.Replace(made["shop.sdp"], "/// Its id.", "/// The order's own number, as people say it.", 1)
	change := strings.NewReplacer(
		"int32 count = 2;", "int64 count = 2;",
		"string id = 1;", "string ident = 1;",
		"repeated Item items = 4;", "",
		"string card = 8;", "string card = 8; bool cash = 20;",
		"STATUS_PAID = 1;", "STATUS_PAID = 1; STATUS_LOST = 2;",
		"string fooBar = 10;", "string fooBar = 10; double cost = 11;",
		"rpc Watch(Order)", "rpc Watch(stream Order)",
		"rpc GetOrder(Order)", "rpc Cancel(Order) returns (Order);\n  rpc GetOrder(Order)",
	)
	protos["shop.proto"] = change.Replace(protos["shop.proto"])
	_, now, problems := imported(t, protos, made, proto.Options{})
	golden.Compare(t, "testdata/shop/grown.txt", now["shop.sdp"]+"\n"+text(t, problems))
	_, again, _ := imported(t, protos, now, proto.Options{})
	if again["shop.sdp"] != now["shop.sdp"] {
		t.Errorf("imported again it is another one:\n%s", again["shop.sdp"])
	}
	_, back, _ := imported(t, folder(t, "shop"), now, proto.Options{})
	if !strings.Contains(back["shop.sdp"], "    @x.proto(4) items: []OrderItem,") {
		t.Errorf("what is back is deprecated:\n%s", back["shop.sdp"])
	}
}

func TestStringsBecomeBytesWhereAsked(t *testing.T) {
	protos := folder(t, "shop")
	_, made, _ := imported(t, protos, nil, proto.Options{Bytes: []string{"shop.v1.Order.note"}})
	if !strings.Contains(made["shop.sdp"], `@x.proto(3, type = "string") note: ?bytes,`) {
		t.Error(made["shop.sdp"])
	}
	_, made, problems := imported(t, protos, nil, proto.Options{Bytes: []string{"shop.v1.Order.notes"}})
	if made != nil || !strings.Contains(text(t, problems), "no string is called shop.v1.Order.notes") {
		t.Error(text(t, problems))
	}
}

func TestHostileProtosAreRefused(t *testing.T) {
	for name, hostile := range map[string]string{
		"brackets":  "syntax = \"proto3\";\noption x = " + strings.Repeat("{a:", 100_000),
		"lists":     "syntax = \"proto3\";\nmessage M { int32 a = 1 [x = " + strings.Repeat("[", 100_000),
		"messages":  "syntax = \"proto3\";\n" + strings.Repeat("message M {", 9_000) + strings.Repeat("}", 9_000),
		"outside":   `syntax = "proto3"; import "../../etc/hosts.proto";`,
		"missing":   `syntax = "proto3"; import "nowhere.proto";`,
		"no proto":  "\x00\xff\xfe",
		"recursion": `syntax = "proto3"; import "a.proto"; message M {}`,
	} {
		made, _, problems := imported(t, files{"a.proto": hostile}, nil, proto.Options{})
		if made != nil || !problems.HasErrors() {
			t.Errorf("%s: it is accepted", name)
		}
	}
}
