package driver

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bridged is a project whose .proto has a bridge.
func bridged() map[string]string {
	return map[string]string{
		"go.mod":         "module example.com/shop\n",
		"sdp.toml":       "schemas = [\"schemas\"]\n[[output]]\nlanguage = \"go\"\ndir = \"gen\"\nservices = true\nruntime = \"example.com/sdp\"\n",
		"p/shop.proto":   strings.Replace(aShop, "message", "option go_package = \"example.com/shop/shoppb;other\";\nmessage", 1),
		"p/common.proto": aCommon,
	}
}

const (
	aShop   = "syntax = \"proto3\";\npackage shop;\nimport \"common.proto\";\nmessage Order { repeated common.Tag tags = 1; oneof how { string card = 2; } }\nservice Shop { rpc Get(Order) returns (stream Order); }\n"
	aCommon = "syntax = \"proto3\";\npackage common;\noption go_package = \"example.com/common/v1\";\nmessage Tag { Kind kind = 1; }\nenum Kind { NONE = 0; }\n"
)

var bridging = ImportProtoOptions{Protos: []string{"p"}, Out: "schemas", Bridge: "go=internal/bridge"}

func TestBridgeIsMadeOfTheTypesThatTheConfigSays(t *testing.T) {
	t.Chdir(t.TempDir())
	out, complaint, err := importing(t, bridged(), bridging)
	if err != nil {
		t.Fatalf("%v\n%s", err, complaint)
	}
	want := "internal/bridge/commonbridge/proto.sdp.go\ninternal/bridge/convert/convert.sdp.go\ninternal/bridge/front/front.sdp.go\n" +
		"internal/bridge/shopbridge/grpc.sdp.go\ninternal/bridge/shopbridge/proto.sdp.go\nschemas/common.sdp\nschemas/shop.sdp\n"
	lines := strings.Split(strings.TrimSpace(filepath.ToSlash(out)), "\n")
	for _, line := range strings.Split(strings.TrimSpace(want), "\n") {
		if !strings.Contains(filepath.ToSlash(out), line+"\n") {
			t.Errorf("%s is not made, but %s", line, out)
		}
	}
	if len(lines) != 7 {
		t.Errorf("%d files are made: %s", len(lines), out)
	}
	text, err := os.ReadFile("internal/bridge/shopbridge/proto.sdp.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []string{
		"\tcommonbridge \"example.com/shop/internal/bridge/commonbridge\"\n", "\tconvert \"example.com/shop/internal/bridge/convert\"\n",
		"\tshop \"example.com/shop/gen/shop\"\n", "\tshoppb \"example.com/shop/shoppb\"\n", "\tsdp \"example.com/sdp\"\n",
		"func OrderToProto(v *shop.Order) (_ *shoppb.Order, err error) {\n",
		"convert.List(v.Tags, convert.Ref(commonbridge.TagToProto))", "m.How = &shoppb.Order_Card{Card: a.Value}",
	} {
		if !strings.Contains(string(text), one) {
			t.Errorf("the bridge has no %q:\n%s", one, text)
		}
	}
	if out, _, err := importing(t, nil, bridging); out != "" || err != nil {
		t.Errorf("it writes %q again, %v", out, err)
	}
	old := bridging
	old.Check = true
	if err := os.Remove("internal/bridge/convert/convert.sdp.go"); err != nil {
		t.Fatal(err)
	}
	if out, _, err := importing(t, nil, old); filepath.ToSlash(out) != "internal/bridge/convert/convert.sdp.go\n" || !errors.Is(err, ErrRefused) {
		t.Errorf("%q, %v", out, err)
	}
}

func TestBridgeHasNoAdaptersWithoutServices(t *testing.T) {
	t.Chdir(t.TempDir())
	files := bridged()
	files["sdp.toml"] = strings.Replace(files["sdp.toml"], "services = true\n", "", 1)
	if out, complaint, err := importing(t, files, bridging); err != nil || strings.Contains(out, "grpc") || strings.Contains(out, "front") {
		t.Errorf("%q, %v\n%s", out, err, complaint)
	}
}

func TestBridgeNamesWhatStandsInItsWay(t *testing.T) {
	features := "syntax = \"proto2\";\npackage pb;\nimport \"google/protobuf/descriptor.proto\";\nextend google.protobuf.FeatureSet { optional GoFeatures go = 1002; }\n" +
		"message GoFeatures {\n  optional bool legacy = 1;\n  enum APILevel { UNSPECIFIED = 0; API_OPEN = 1; API_HYBRID = 2; API_OPAQUE = 3; }\n  optional APILevel api_level = 2;\n}\n"
	opaque := func(level string) string {
		return "edition = \"2023\";\nimport \"google/protobuf/go_features.proto\";\noption go_package = \"example.com/common/v1\";\n" +
			"option features.(pb.go).api_level = " + level + ";\nmessage Tag { int32 a = 1; }\n"
	}
	for name, one := range map[string]struct {
		change map[string]string
		bridge string
		says   string
	}{
		"no language":  {bridge: "internal", says: "--bridge is LANGUAGE=DIR, not \"internal\""},
		"another":      {bridge: "rust=src", says: "there is no bridge in \"rust\""},
		"no config":    {change: map[string]string{"sdp.toml": ""}, says: "no [[output]] of go says where the generated types are"},
		"two outputs":  {change: map[string]string{"sdp.toml": bridged()["sdp.toml"] + "[[output]]\nlanguage = \"go\"\ndir = \"other\"\n"}, says: "sdp.toml has several [[output]] of go"},
		"no module":    {bridge: "go=/", says: "is in no Go module"},
		"no package":   {change: map[string]string{"p/shop.proto": aShop}, says: "error[I0401]: shop.proto names no Go package\n --> p/shop.proto:2:1"},
		"opaque":       {change: map[string]string{"p/google/protobuf/go_features.proto": features, "p/common.proto": opaque("API_OPAQUE"), "p/shop.proto": anItem}, says: "error[I0402]: common.proto asks for the opaque API"},
		"another base": {change: map[string]string{"schemas/common.sdp": "@x.proto(file = \"common.proto\", package = \"common\")\npackage common;\n@x.proto(\"Kind\")\nenum Kind: u8 {\n    @x.proto(\"NONE\") None = 0,\n}\n"}, says: "error[I0403]: Kind is an enum of u8, and common.Kind one of 32 bits"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			files, options := bridged(), bridging
			for path, text := range one.change {
				files[path] = text
			}
			if one.bridge != "" {
				options.Bridge = one.bridge
			}
			out, complaint, err := importing(t, files, options)
			if err == nil || out != "" || !strings.Contains(complaint+err.Error(), one.says) {
				t.Errorf("%q, %v\n%s", out, err, complaint)
			}
			if _, err := os.Stat("schemas/shop.sdp"); err == nil {
				t.Error("something is written")
			}
		})
	}
}

func TestBridgeTakesTheHybridAPI(t *testing.T) {
	t.Chdir(t.TempDir())
	files := bridged()
	files["p/common.proto"] = strings.Replace(aCommon, "syntax = \"proto3\";", "edition = \"2023\";", 1)
	if _, complaint, err := importing(t, files, bridging); err != nil {
		t.Fatalf("%v\n%s", err, complaint)
	}
	text, err := os.ReadFile("internal/bridge/commonbridge/proto.sdp.go")
	if err != nil || !strings.Contains(string(text), "m.Kind = convert.Pointer(KindToProto(v.Kind.Value))") {
		t.Errorf("%v\n%s", err, text)
	}
}
