package driver

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// importing is what an import prints, in a folder of its own with some files.
func importing(t *testing.T, files map[string]string, options ImportProtoOptions) (out, complaint string, err error) {
	t.Helper()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var printed, complained bytes.Buffer
	tool := &Tool{Out: &printed, Err: &complained, Include: []string{"root"}}
	err = tool.ImportProto(options)
	return printed.String(), complained.String(), err
}

const (
	anOrder = "syntax = \"proto3\";\npackage shop;\nimport \"shop/item.proto\";\nmessage Order { repeated Item items = 1; }\n"
	anItem  = "syntax = \"proto3\";\npackage shop;\nmessage Item { string name = 1; }\n"
)

func TestImportWritesSchemasByTheirPathsAndOnlyWhatChanged(t *testing.T) {
	t.Chdir(t.TempDir())
	files := map[string]string{"root/shop/order.proto": anOrder, "root/shop/item.proto": anItem}
	options := ImportProtoOptions{Protos: []string{"root/shop/order.proto"}, Out: "made"}
	out, complaint, err := importing(t, files, options)
	if !strings.Contains(complaint, "messages drop fields that a later release has added") {
		t.Errorf("what messages drop is not said: %q", complaint)
	}
	if want := "made/shop/item.sdp\nmade/shop/order.sdp\n"; filepath.ToSlash(out) != want || err != nil {
		t.Fatalf("%q, %v\n%s", out, err, complaint)
	}
	if out, complaint, err := importing(t, nil, options); out != "" || complaint != "" || err != nil {
		t.Errorf("it writes %q again, %v, and says %q", out, err, complaint)
	}
	options.Check = true
	change := map[string]string{"root/shop/item.proto": strings.Replace(anItem, "= 1;", "= 1; int32 size = 2;", 1)}
	out, _, err = importing(t, change, options)
	if filepath.ToSlash(out) != "made/shop/item.sdp\n" || !errors.Is(err, ErrRefused) {
		t.Errorf("%q, %v", out, err)
	}
	if text, err := os.ReadFile("made/shop/item.sdp"); err != nil || strings.Contains(string(text), "size") {
		t.Errorf("--check has written it: %v", err)
	}
}

func TestImportWritesNothingWhereSomethingIsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	group := "syntax = \"proto2\";\nmessage M {\n  optional group G = 1 {}\n}\n"
	options := ImportProtoOptions{Protos: []string{"m.proto"}, Out: "made"}
	out, complaint, err := importing(t, map[string]string{"m.proto": group}, options)
	if out != "" || !errors.Is(err, ErrRefused) || !strings.Contains(complaint, "error[I0101]: M.g is a group\n --> m.proto:3:3") {
		t.Errorf("%q, %v\n%s", out, err, complaint)
	}
	if _, err := os.Stat("made"); err == nil {
		t.Error("something is written")
	}
	options.LeaveOut = true
	if out, complaint, err := importing(t, nil, options); out == "" || err != nil || !strings.Contains(complaint, "warning[I0101]") {
		t.Errorf("%q, %v\n%s", out, err, complaint)
	}
}

func TestImportNamesWhatIsNotThere(t *testing.T) {
	t.Chdir(t.TempDir())
	var usage *UsageError
	for name, options := range map[string]ImportProtoOptions{
		"there is no file or folder none.proto":    {Protos: []string{"none.proto"}},
		"the folder empty holds no .proto file":    {Protos: []string{"empty"}},
		"--verify and --message go together":       {Protos: []string{"a.proto"}, Message: "M"},
		"the .proto files have no message shop.It": {Protos: []string{"a.proto"}, Message: "shop.It", Verify: []string{"a.proto"}},
	} {
		options.Out = "made"
		_, _, err := importing(t, map[string]string{"empty/a.txt": "", "a.proto": anItem}, options)
		if !errors.As(err, &usage) || usage.Message != name {
			t.Errorf("%v, not %s", err, name)
		}
	}
	_, complaint, err := importing(t, map[string]string{"b.proto": strings.Replace(anOrder, "shop/item", "nowhere", 1)}, ImportProtoOptions{Protos: []string{"b.proto"}, Out: "made"})
	if !errors.Is(err, ErrRefused) || !strings.Contains(complaint, "b.proto:3") || !strings.Contains(complaint, "no such file in the folders of -I") {
		t.Errorf("%v\n%s", err, complaint)
	}
}

func TestImportRefusesWhatASchemaMadeByHandCannotBe(t *testing.T) {
	t.Chdir(t.TempDir())
	_, complaint, err := importing(t, map[string]string{"a.proto": anItem, "made/a.sdp": "message {"}, ImportProtoOptions{Protos: []string{"a.proto"}, Out: "made"})
	if !errors.Is(err, ErrRefused) || !strings.Contains(complaint, "made/a.sdp:1") {
		t.Errorf("%v\n%s", err, complaint)
	}
}
