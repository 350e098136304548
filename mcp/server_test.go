package mcp_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
	"github.com/serial-data-protocol/sdp/compiler/talk"
	"github.com/serial-data-protocol/sdp/mcp"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

const shop = `
package shop;
struct Wish { name: str }
enum Size: u8 { Small = 1, Large = 2 }
struct Choice { size: Size, counts: []u16 }
message Ware { price: u32, parts: []Ware, @since(2) note: str }
service Shop {
	/// Buys something.
	@x.mcp(additive) call buy(Wish) -> Ware = 1;
	/// Tells what is there.
	@x.mcp(readonly) stream watch(Wish) -> stream Ware = 2;
	@deprecated("use buy") stream order(stream Wish) -> Ware = 3;
	event closed(Wish) = 4;
	@x.mcp(hidden) call destroy(Wish) -> Ware = 5;
	@idempotent call slow(Wish) -> Wish = 6;
}
service Rack {
	call choose(Choice) -> Choice = 1;
	stream sort(stream Choice) -> Choice = 2;
}
service Yard { call buy(Wish) -> Wish = 1; }
`

func catalogOf(t *testing.T, text string) *talk.Catalog {
	t.Helper()
	schema, problems := check.Program(check.Memory{"s.sdp": text}, []string{"s.sdp"}, func(*syntax.File) string { return "" })
	if schema == nil {
		t.Fatalf("%+v", problems.Sorted()[0])
	}
	catalog, err := talk.NewCatalog(plan.New(schema))
	if err != nil {
		t.Fatal(err)
	}
	return catalog
}

// served serves handlers of the shop on a socket.
func served(t *testing.T, handlers func(*mxp.Service)) (*mxp.Server, string) {
	t.Helper()
	services := mxp.NewServices()
	handlers(services.Service("shop.Shop"))
	server := mxp.NewServer(mxp.ServerOptions{Services: services})
	address := "mxp+unix://" + filepath.Join(t.TempDir(), "s.sock")
	listener, err := server.Listen(address)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	t.Cleanup(server.Close)
	return server, address
}

// client is a client of the official SDK's, of a server of the methods at an address.
func client(t *testing.T, address string, change func(*mcp.Options), options *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	all := mcp.Options{
		Peer: &talk.Request{Catalog: catalogOf(t, shop), Address: address}, Deadline: 10 * time.Second, Responses: 5, ResultBytes: 1 << 20,
		Logger: slog.New(slog.DiscardHandler),
	}
	if change != nil {
		change(&all)
	}
	server, end, err := mcp.New(all)
	if err != nil {
		t.Fatal(err)
	}
	here, there := sdk.NewInMemoryTransports()
	serving, err := server.Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, options).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(); _ = serving.Wait(); end() })
	return c
}

// called calls a tool.
func called(t *testing.T, c *sdk.ClientSession, name, arguments string) (*sdk.CallToolResult, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	result, err := c.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	return result, result.Content[0].(*sdk.TextContent).Text
}

// ware is one without a note, as bytes.
func ware(price byte) []byte { return []byte{price, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0} }

func tools(t *testing.T, c *sdk.ClientSession) map[string]*sdk.Tool {
	t.Helper()
	found := map[string]*sdk.Tool{}
	for tool, err := range c.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		found[tool.Name] = tool
	}
	return found
}

// resolved is a schema of a tool's, as the SDK's own library has understood it.
func resolved(t *testing.T, schema any) *jsonschema.Resolved {
	t.Helper()
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var made jsonschema.Schema
	if err := json.Unmarshal(text, &made); err != nil {
		t.Fatal(err)
	}
	found, err := made.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestToolsSayWhatMethodsAre(t *testing.T) {
	_, address := served(t, func(*mxp.Service) {})
	all := tools(t, client(t, address, nil, nil))
	var names []string
	for name, tool := range all {
		names = append(names, name)
		resolved(t, tool.InputSchema)
		if name != "Shop-closed" {
			resolved(t, tool.OutputSchema)
		}
	}
	slices.Sort(names)
	if want := []string{"Rack-choose", "Rack-sort", "Shop-buy", "Shop-closed", "Shop-order", "Shop-slow", "Shop-watch", "Yard-buy"}; !slices.Equal(names, want) {
		t.Fatalf("the tools are %q, want %q", names, want)
	}
	for name, want := range map[string]struct {
		description           string
		reads, destroys, same bool
	}{
		"Shop-buy":    {"Buys something.", false, false, false},
		"Shop-watch":  {"Tells what is there.\nReturns the list", true, false, true},
		"Shop-order":  {"Deprecated: use buy\nTakes a list", false, true, false},
		"Shop-closed": {"An event", false, true, false},
		"Shop-slow":   {"", false, true, true},
	} {
		tool := all[name]
		hints := tool.Annotations
		if !strings.HasPrefix(tool.Description, want.description) || hints.ReadOnlyHint != want.reads || *hints.DestructiveHint != want.destroys || hints.IdempotentHint != want.same {
			t.Errorf("%s is %q, %+v", name, tool.Description, hints)
		}
	}
}

// An agent's program reads the list with each task, and pays for it.
func TestListOfToolsStaysSmall(t *testing.T) {
	text, err := os.ReadFile("../examples/services/mixer.sdp")
	if err != nil {
		t.Fatal(err)
	}
	change := func(o *mcp.Options) { o.Peer.Catalog = catalogOf(t, string(text)) }
	list, err := client(t, "mxp+unix:///nowhere.sock", change, nil).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	made, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if most := 7_000; len(list.Tools) != 5 || len(made) > most {
		t.Errorf("%d tools have %d bytes, and may have %d", len(list.Tools), len(made), most)
	}
}

func TestMethodsAreChosen(t *testing.T) {
	address := "mxp+unix:///nowhere.sock"
	for _, c := range []struct {
		only, except []string
		want         string
	}{
		{[]string{"Shop/buy", "Yard"}, nil, "Shop-buy Yard-buy"},
		{nil, []string{"Shop", "Rack"}, "Yard-buy"},
		{[]string{"shop.Shop"}, []string{"Shop/order", "Shop/closed", "Shop/slow"}, "Shop-buy Shop-watch"},
	} {
		all := tools(t, client(t, address, func(o *mcp.Options) { o.Only, o.Except = c.only, c.except }, nil))
		var names []string
		for name := range all {
			names = append(names, name)
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%q without %q are %s", c.only, c.except, got)
		}
	}
	for _, c := range []struct {
		schema       string
		only, except []string
		want         string
	}{
		{shop, []string{"Shop/by"}, nil, `no method "by"`},
		{shop, nil, []string{"Shp"}, `no service "Shp"`},
		{shop, []string{"Shop/buy", "Shop/destroy"}, nil, "is hidden"},
		{shop, nil, []string{"Shop", "Rack", "Yard"}, "no methods"},
		{strings.Replace(shop, "hidden", "hiden", 1), nil, nil, "@x.mcp of shop.Shop/destroy has one of the words"},
	} {
		_, _, err := mcp.New(mcp.Options{Peer: &talk.Request{Catalog: catalogOf(t, c.schema), Address: address}, Only: c.only, Except: c.except})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q without %q: %v, want %s", c.only, c.except, err, c.want)
		}
	}
}

func TestNamesAreThoseThatClientsTake(t *testing.T) {
	long := strings.Repeat("x", 80)
	text := "package a.b; struct S {} service " + strings.ToUpper(long) + " { call one(S) -> S = 1; call two(S) -> S = 2; }"
	server, end, err := mcp.New(mcp.Options{Peer: &talk.Request{Catalog: catalogOf(t, text), Address: "mxp+unix:///nowhere.sock"}})
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	here, there := sdk.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	all := tools(t, c)
	if len(all) != 2 {
		t.Errorf("the tools are %v", all)
	}
	for name := range all {
		if len(name) > 64 {
			t.Errorf("%s has %d characters", name, len(name))
		}
	}
}

func TestAnswersAreResults(t *testing.T) {
	taken := make(chan string, 1)
	_, address := served(t, func(s *mxp.Service) {
		s.Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) {
			if string(r.Value[4:]) == "none" {
				return nil, &mxp.Failure{Status: session.StatusNotFound, Name: "ware_unknown", Text: "no such\nware", Details: []byte{1, 2}, Acted: true}
			}
			return ware(7), nil
		})
		s.Event(4, func(_ context.Context, r *mxp.Request) error { taken <- string(r.Value[4:]); return nil })
	})
	c := client(t, address, nil, nil)
	result, text := called(t, c, "Shop-buy", `{"name":"tea"}`)
	if result.IsError || text != `{"price":7,"parts":[],"note":""}` {
		t.Errorf("the result is %q", text)
	}
	if err := resolved(t, tools(t, c)["Shop-buy"].OutputSchema).Validate(result.StructuredContent); err != nil {
		t.Error(err)
	}
	if result, text = called(t, c, "Shop-buy", `{"name":"none"}`); !result.IsError || text != "shop.Shop/buy failed: NotFound (5) ware_unknown: no such\\u000aware\ndetails: 01 02\nsomebody may have acted on the request" {
		t.Errorf("the failure is %q", text)
	}
	if result, text = called(t, c, "Shop-closed", `{"name":"at six"}`); result.IsError || text != "The event was taken." || <-taken != "at six" {
		t.Errorf("the event is %q", text)
	}
	if result, text = called(t, c, "Yard-buy", `{"name":"tea"}`); !result.IsError || !strings.Contains(text, "service_unknown") || !strings.Contains(text, "nobody has acted") {
		t.Errorf("a service that is not there says %q", text)
	}
}

func TestWrongArgumentsAreNamedByTheirPath(t *testing.T) {
	_, address := served(t, func(s *mxp.Service) {
		s.Stream(3, func(context.Context, *mxp.Request, *mxp.Stream) error { t.Error("it was asked"); return nil })
	})
	c := client(t, address, nil, nil)
	for _, one := range []struct{ tool, arguments, want string }{
		{"Shop-buy", `{"name":7}`, "in name: expected a string"},
		{"Shop-buy", `{}`, "in name: the member is missing"},
		{"Shop-buy", `{"name":"a","price":1}`, `unknown member "price"`},
		{"Shop-buy", `{"nmae":"a"}`, `unknown member "nmae"; did you mean "name"?`},
		{"Rack-choose", `{"size":"Smal","counts":[]}`, `in size: expected a member of Size, or a number, found "Smal"; did you mean "Small"?`},
		{"Rack-choose", `{"size":"Small","count":[]}`, `unknown member "count"; did you mean "counts"?`},
		{"Rack-sort", `{"requests":[{"size":"Lrage","counts":[]}]}`, `found "Lrage"; did you mean "Large"?`},
		{"Rack-sort", `{"requests":[{"sizes":"Large","counts":[]}]}`, `unknown member "sizes"; did you mean "size"?`},
		{"Rack-sort", `{"request":[]}`, `unknown field "request"; did you mean "requests"?`},
		{"Shop-buy", `[]`, "expected an object"},
		{"Shop-order", `{"requests":[{"name":"a"},{"name":null}]}`, "requests[1]: json_invalid at byte 8 in name"},
		{"Shop-order", `{"requests":{}}`, `a list "requests"`},
		{"Shop-order", `{"name":"a"}`, `a list "requests"`},
		{"Shop-order", `{}`, `the list "requests" is missing`},
	} {
		result, text := called(t, c, one.tool, one.arguments)
		if !result.IsError || !strings.HasPrefix(text, "the arguments are refused: ") || !strings.Contains(text, one.want) {
			t.Errorf("%s of %s says %q, and not %q", one.tool, one.arguments, text, one.want)
		}
	}
}
