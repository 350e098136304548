package bridge

import (
	"context"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/pluginpb"
)

// oddNames is a file for whose names protoc-gen-go makes other names.
const oddNames = `syntax = "proto3";
package odd;
option go_package = "example.com/odd";

message snake_case_1 {
  int32 _leading = 1;
  int32 trailing_ = 2;
  int32 two__underscores = 3;
  int32 camelCase = 4;
  int32 UPPER = 5;
  int32 with_1_digit = 6;
  int32 string = 7;
  int32 reset = 8;
  int32 marshal = 9;
  int32 foo = 10;
  int32 get_foo = 11;
  optional int32 _x = 12;
  optional int32 x = 13;
  message inner_1 { message _deep {} }
  message Card {}
  enum voucher { A = 0; }
  oneof descriptor {
    string card = 20;
    string voucher_ = 21;
  }
  oneof get_y { int32 a = 23; }
  int32 y = 24;
}

enum small_enum { B = 0; }

message M {
  oneof proto_message { int32 o = 1; }
  message O {}
}
`

func TestNamesAreThoseOfProtocGenGo(t *testing.T) {
	files, err := (&protocompile.Compiler{
		Resolver: &protocompile.SourceResolver{Accessor: protocompile.SourceAccessorFromMap(map[string]string{"odd.proto": oddNames})},
	}).Compile(context.Background(), "odd.proto")
	if err != nil {
		t.Fatal(err)
	}
	request := &pluginpb.CodeGeneratorRequest{FileToGenerate: []string{"odd.proto"}}
	request.ProtoFile = append(request.ProtoFile, protodesc.ToFileDescriptorProto(files[0]))
	plugin, err := protogen.Options{}.New(request)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	equal := func(what, got, want string) {
		t.Helper()
		compared++
		if got != want {
			t.Errorf("%s is %s, not %s", what, got, want)
		}
	}
	enums := func(list []*protogen.Enum) {
		for _, e := range list {
			equal(string(e.Desc.FullName()), typeName(e.Desc), e.GoIdent.GoName)
		}
	}
	var messages func(list []*protogen.Message)
	messages = func(list []*protogen.Message) {
		for _, m := range list {
			equal(string(m.Desc.FullName()), typeName(m.Desc), m.GoIdent.GoName)
			members := membersOf(m.Desc)
			for _, f := range m.Fields {
				equal(string(f.Desc.FullName()), members.fields[f.Desc.Number()], f.GoName)
				if f.Oneof != nil {
					equal("the holder of "+string(f.Desc.FullName()), members.holders[f.Desc.Number()], f.GoIdent.GoName)
					equal(string(f.Oneof.Desc.FullName()), members.oneofs[f.Oneof.Desc.Name()], f.Oneof.GoName)
				}
			}
			enums(m.Enums)
			messages(m.Messages)
		}
	}
	messages(plugin.Files[0].Messages)
	enums(plugin.Files[0].Enums)
	if compared < 35 {
		t.Errorf("only %d names are compared", compared)
	}
}
