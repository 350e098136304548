package proto_test

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	goproto "google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/serial-data-protocol/sdp/compiler/proto"
)

// bound is the binding of a folder's files, and a message of them.
func bound(t testing.TB, protos files, name string) (*proto.Binding, protoreflect.MessageDescriptor) {
	t.Helper()
	schema, made, problems := imported(t, protos, nil, proto.Options{LeaveOut: true})
	if made == nil {
		t.Fatal(text(t, problems))
	}
	return proto.Bind(program(t, made)), schema.Find(protoreflect.FullName(name))
}

// payload is a message written as text.
func payload(t testing.TB, of protoreflect.MessageDescriptor, text string) []byte {
	t.Helper()
	m := dynamicpb.NewMessage(of)
	if err := prototext.Unmarshal([]byte(text), m); err != nil {
		t.Fatal(err)
	}
	data, err := goproto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestPayloadsComeBackEqual(t *testing.T) {
	b, of := bound(t, folder(t, "shop"), "shop.v1.Order")
	var sizes proto.Sizes
	for _, text := range []string{
		``,
		`id: "é\000" count: -1 note: "" items { sku: 18446744073709551615 parent { id: "x" } } tags { key: "b" value: -5 } tags { key: "a" value: 7 }`,
		`created_at { seconds: -9223372037 nanos: 145224192 } limit {} status: STATUS_2ND fooBar: "a" foo_BAR: "b" wait { seconds: -1 nanos: -1 }`,
		`created_at { seconds: 9223372036 nanos: 854775807 } limit { value: -2147483648 } status: 77 wait { seconds: -9223372036 nanos: -854775808 }`,
		`card: "" extra { fields { key: "k" value { list_value { values { null_value: NULL_VALUE } values { number_value: -0.0 } } } } }`,
		`barter { kind {} } detail { type_url: "x" value: "\377" } changes {} changes { seconds: -1 nanos: 999999999 } waits { key: -1 value {} } price_ {}`,
		`voucher {} sums: -9223372036854775808 raw: "\377\000" ratio: nan old: true`,
	} {
		if err := b.Verify(of, payload(t, of, text), &sizes); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if sizes.Payloads != 7 || sizes.Before == 0 || sizes.After == 0 {
		t.Errorf("%+v", sizes)
	}
}

func TestWhatHasNoPlaceIsRefusedByName(t *testing.T) {
	b, of := bound(t, folder(t, "shop"), "shop.v1.Order")
	for text, want := range map[string]string{
		`created_at { seconds: 9223372036 nanos: 854775808 }`:                "shop.v1.Order.created_at: 9223372036 s",
		`changes {} changes { seconds: 1 nanos: -1 }`:                        "shop.v1.Order.changes[1]: 1 s and -1 ns are no Timestamp",
		`waits { key: 3 value { seconds: 1 nanos: -1 } }`:                    "shop.v1.Order.waits[3]: 1 s and -1 ns are no Duration",
		`barter { parent { created_at { seconds: 253402300799 } } }`:         "shop.v1.Order.barter.parent.created_at: 253402300799 s",
		strings.Repeat(`barter { parent { `, 40) + strings.Repeat(`} }`, 40): "limit_depth",
	} {
		err := b.Verify(of, payload(t, of, text), &proto.Sizes{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", text, err, want)
		}
	}
	var refused *proto.CarryError
	unknown := append(payload(t, of, `id: "x"`), 0xa8, 0x06, 0x05)
	if err := b.Verify(of, unknown, &proto.Sizes{}); !errors.As(err, &refused) || !strings.Contains(err.Error(), "field 101") {
		t.Errorf("%v", err)
	}
	for _, damaged := range [][]byte{{0xff}, {0x0a, 0x05, 'a'}, {0x0a, 0x01, 0xff}} {
		if err := b.Verify(of, damaged, &proto.Sizes{}); err == nil {
			t.Errorf("%x is accepted", damaged)
		}
	}
	b, of = bound(t, folder(t, "legacy"), "legacy.Old")
	err := b.Verify(of, []byte{8, 1, 0x32, 2, 0x0a, 0}, &proto.Sizes{})
	if err == nil {
		t.Error("a message without what it must have is accepted")
	}
	m := dynamicpb.NewMessage(of)
	m.Set(of.Fields().ByName("name"), protoreflect.ValueOfString("\xff"))
	if _, err := b.Encode(m); !errors.As(err, &refused) || refused.Path != "legacy.Old.name" {
		t.Errorf("%v", err)
	}
	group := of.Fields().ByName("result")
	m = dynamicpb.NewMessage(of)
	m.Mutable(group).List().AppendMutable()
	if _, err := b.Encode(m); !errors.As(err, &refused) || refused.Path != "legacy.Old.result" {
		t.Errorf("%v", err)
	}
}

func TestPayloadsAreSplitByTheirLengths(t *testing.T) {
	got, err := proto.Split([]byte{1, 'a', 0, 2, 'b', 'c'})
	if err != nil || len(got) != 3 || string(got[2]) != "bc" || len(got[1]) != 0 {
		t.Errorf("%q, %v", got, err)
	}
	for _, cut := range [][]byte{{1}, {0x80}, {2, 'a'}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}} {
		if got, err := proto.Split(cut); err == nil {
			t.Errorf("%x: %q", cut, got)
		}
	}
}
