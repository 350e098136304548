package cpp_test

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/internal/generated"
	"github.com/serial-data-protocol/sdp/compiler/internal/golden"
	hostiletexts "github.com/serial-data-protocol/sdp/compiler/internal/hostile"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/conformance/building"
)

// mxpRoot is where the library lies that services need: its headers, and the source that is compiled once.
const mxpRoot = "../../../mxp/cpp"

// generateServices makes the code of all packages with their services.
func generateServices(t *testing.T, schema *ir.Schema) map[string]string {
	t.Helper()
	files, problems := code.Of(schema, generated.WithServices)
	if problems.Len() > 0 {
		t.Fatalf("the backend reports: %s", problems.Sorted()[0].Message)
	}
	return files
}

// ledger is the schema of the programs that serve and call each other.
func ledger(t *testing.T) *ir.Schema {
	t.Helper()
	text, err := os.ReadFile("../../../conformance/services/schemas/new/ledger.sdp")
	if err != nil {
		t.Fatal(err)
	}
	return checked(t, check.Memory{"ledger.sdp": string(text)}, "ledger.sdp")
}

func TestServicesMatchGoldenFile(t *testing.T) {
	schema := ledger(t)
	generated := generateServices(t, schema)
	golden.Compare(t, "testdata/golden/services/ledger_service.hpp", generated["ledger_service.hpp"])
	again := generateServices(t, schema)
	if again["ledger_service.hpp"] != generated["ledger_service.hpp"] {
		t.Error("two runs differ")
	}
}

// channels is where the code lies of a service whose streams can be channels, for the library's own tests.
const channels = mxpRoot + "/tests/net/shm/golden"

func TestChannelsMatchGoldenFiles(t *testing.T) {
	text, err := os.ReadFile("../rust/testdata/meters.sdp")
	if err != nil {
		t.Fatal(err)
	}
	files := generateServices(t, checked(t, check.Memory{"meters.sdp": string(text)}, "meters.sdp"))
	if len(files) != 2 {
		t.Fatalf("%d files", len(files))
	}
	for name, content := range files {
		golden.Compare(t, filepath.Join(channels, name), content)
	}
}

func TestServicesAreAskedFor(t *testing.T) {
	without, _ := generate(ledger(t))
	with := generateServices(t, ledger(t))
	if len(without) != 1 || len(with) != 2 || with["ledger.hpp"] != without["ledger.hpp"] {
		t.Errorf("%d and %d files", len(without), len(with))
	}
	types := generateServices(t, checked(t, check.Memory{"a.sdp": `struct S { a: u8 }`}, "a.sdp"))
	if len(types) != 1 {
		t.Errorf("a package without services has %d files", len(types))
	}
}

// awkward has names that C++ has its own mind about, and types of another package;
// and a package whose texts try to be code.
var awkward = check.Memory{
	"shared.sdp": `package shared.types; @deprecated("old") struct Old { a: u8 } union Choice { A(Old) = 1, B = 2 }`,
	"a.sdp": `package std.mxp;
import "shared.sdp";
message Ask { text: str }
type Question = Ask;
service Register {
    call register(Question) -> types.Choice = 1;
    call mxp(Ask) -> Ask = 2;
    call std(Ask) -> Ask = 3;
    @deprecated("use mxp") call by(Ask) -> types.Old = 4;
    stream value(types.Choice) -> stream Ask = 5;
    stream then(stream Question) -> Ask = 6;
    stream asked(stream Ask) -> stream types.Choice = 7;
    event how(types.Old) = 8;
    call name(Ask) -> Ask = 9;
    call types(Ask) -> Ask = 10;
    call serve(Ask) -> Ask = 11;
    call methods(Ask) -> Ask = 12;
}
@name(cpp = "Nobody") @deprecated("nobody asks it") service Empty {}
`,
	"texts.sdp": hostiletexts.Schema(),
}

// awkwardUse uses each generated function.
const awkwardUse = `#include <asio/io_context.hpp>
#include "std_mxp_service.hpp"
#include "texts_service.hpp"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
struct answers final : std_::mxp::RegisterServer {};
int main() {
    asio::io_context context{1};
    mxp::net::services all;
    std_::mxp::RegisterService::serve(all, std::make_shared<answers>());
    std_::mxp::NobodyService::serve(all, nullptr);
    mxp::net::server server{context, std::move(all)};
    mxp::net::client client{context, "mxp+unix:///nowhere", {}};
    const std_::mxp::RegisterClient by{client};
    by.register_({"a"}, [](const mxp::net::outcome<shared::types::Choice>&) {});
    by.mxp({"a"}, [](const auto&) {});
    by.std_({"a"}, [](const auto&) {});
    by.value({}).cancel();
    by.then([](const auto&) {}).send({"a"});
    by.asked().send({"a"});
    by.name({"a"}, [](const auto&) {});
    by.types({"a"}, [](const auto&) {});
    by.serve({"a"}, [](const auto&) {});
    by.methods({"a"}, [](const auto&) {});
    by.how({1});
    const std::vector<shared::types::Old> several(2);
    by.how_all(several, [](const mxp::net::outcome<void>&) {});
    by.how_all(std::vector<shared::types::Old>{{1}});
    mxp::net::blocking_options how;
    how.patience = std::chrono::milliseconds{1};
    mxp::net::blocking_client waiting{"mxp+unix:///nowhere", how};
    const std_::mxp::RegisterBlockingClient with{waiting};
    if (with.register_({"a"}) || with.value({}) || with.then() || with.asked() || with.how_all(several)) {
        return 1;
    }
    std::string odd;
    for (const int byte : odd_bytes) {
        odd += static_cast<char>(byte);
    }
    if (texts::ODD != odd || texts::Note{}.odd != odd || texts::Note{}.maybe != odd) {
        return 2;
    }
    return std_::mxp::RegisterService::types().size() == 3 ? 0 : 1;
}
`

// library is MXP's library, as the caches of compilers have it; for a compiler or a standard that somebody asks
// for, it is its source, since its types are types of the standard library.
func library(t *testing.T) string {
	t.Helper()
	if os.Getenv("SDP_CXX") != "" {
		return mxpRoot + "/src/net.cpp"
	}
	made, err := building.Net("../../..", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestServicesCompileWhateverTheirNames(t *testing.T) {
	folder := t.TempDir()
	for name, text := range generateServices(t, checked(t, awkward, "a.sdp", "texts.sdp")) {
		writeFile(t, filepath.Join(folder, name), text)
	}
	source := filepath.Join(folder, "use.cpp")
	var odd strings.Builder
	for _, b := range []byte(hostiletexts.Value) {
		fmt.Fprintf(&odd, "%d, ", b)
	}
	writeFile(t, source, "static const int odd_bytes[] = {"+odd.String()+"};\n"+awkwardUse)
	readTree(t, mxpRoot)
	program := filepath.Join(folder, "use")
	compile(t, "-O0", "-DASIO_STANDALONE", "-I"+mxpRoot+"/include", source, library(t), "-lxxhash", "-lpthread", "-o", program)
	run(t, program)
}

// TestHeadersOfServicesAreCheapToInclude counts what each source pays that includes a service's header: lines of
// the library, the runtime and the generated code, and nothing of Asio, which is compiled once.
func TestHeadersOfServicesAreCheapToInclude(t *testing.T) {
	command := compileCommand("-E", "-I"+mxpRoot+"/include", includingLedger(t))
	text, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	const most = 10_830
	lines, isOurs := 0, false
	for line := range strings.Lines(string(text)) {
		if marker, found := strings.CutPrefix(line, "# "); found {
			_, file, _ := strings.Cut(marker, "\"")
			if strings.Contains(file, "/asio") {
				t.Fatalf("ledger_service.hpp includes Asio: %s", line)
			}
			isOurs = !strings.HasPrefix(file, "/usr/") && !strings.HasPrefix(file, "<")
		} else if isOurs && strings.TrimSpace(line) != "" {
			lines++
		}
	}
	t.Logf("%d lines of %d", lines, most)
	if lines == 0 || lines > most {
		t.Errorf("ledger_service.hpp has %d lines of the library, the runtime and itself, and may have %d", lines, most)
	}
}

// TestHeadersOfServicesInstantiateNothing looks at the functions that gcc has made by the end of a source that
// includes a service's header and uses nothing of it: instances of templates are what takes its memory.
func TestHeadersOfServicesInstantiateNothing(t *testing.T) {
	if command := compiler()[0]; strings.Contains(command, "clang") {
		return // It keeps no functions that nobody calls.
	}
	object := filepath.Join(t.TempDir(), "includes.o")
	compile(t, "-O0", "-fkeep-inline-functions", "-I"+mxpRoot+"/include", "-c", includingLedger(t), "-o", object)
	file, err := elf.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	const most = 5_310
	functions := 0
	for _, one := range symbols {
		if elf.ST_TYPE(one.Info) != elf.STT_FUNC {
			continue
		}
		functions++
		for _, stub := range []string{"handler_of", "add_method", "open_server_stream", "open_client_stream", "open_bidi_stream", "encoded_request", "decoded_response"} {
			if strings.Contains(one.Name, stub) {
				t.Errorf("a function that nobody calls is there: %s", one.Name)
			}
		}
	}
	t.Logf("%d functions of %d", functions, most)
	if functions == 0 || functions > most {
		t.Errorf("a source that includes ledger_service.hpp has %d functions, and may have %d", functions, most)
	}
}

// includingLedger is a source that includes a service's header, and nothing else.
func includingLedger(t *testing.T) string {
	t.Helper()
	readTree(t, mxpRoot)
	folder := t.TempDir()
	for name, text := range generateServices(t, ledger(t)) {
		writeFile(t, filepath.Join(folder, name), text)
	}
	source := filepath.Join(folder, "includes.cpp")
	writeFile(t, source, "#include \"ledger_service.hpp\"\n")
	return source
}

// deprecating has a service and methods that are deprecated, and nothing else is.
var deprecating = check.Memory{"a.sdp": `package p;
message A { a: u8 }
@deprecated("use New") service Old { call one(A) -> A = 1; }
service New { @deprecated("use two") call one(A) -> A = 1; call two(A) -> A = 2; }`}

func TestServicesMarkWhatIsDeprecated(t *testing.T) {
	text := generateServices(t, checked(t, deprecating, "a.sdp"))["p_service.hpp"]
	for _, line := range []string{
		`class [[deprecated("use New")]] OldServer {`,
		`class [[deprecated("use New")]] OldClient : `,
		`class [[deprecated("use New")]] OldBlockingClient : `,
		`[[deprecated("use two")]] virtual void one(`,
		`[[deprecated("use two")]] std::uint64_t one(`,
		`[[deprecated("use two")]] [[nodiscard]] ::mxp::net::outcome<::p::A> one(`,
	} {
		if n := strings.Count(text, line); n != 1 {
			t.Errorf("%q is there %d times", line, n)
		}
	}
	if n := strings.Count(text, "[[deprecated"); n != 6 {
		t.Errorf("%d things are deprecated", n)
	}
}

func TestServicesRefuseNamesThatCollide(t *testing.T) {
	for name, schema := range map[string]string{
		"a method and a method": `message A { a: u8 } service S { call doIt(A) -> A = 1; call do_it(A) -> A = 2; }`,
		"a service and a type":  `message SClient { a: u8 } service S { call a(SClient) -> SClient = 1; }`,
		"no name of C++":        `message A { a: u8 } service S { @name(cpp = "int") call a(A) -> A = 1; }`,
		"the name of a class":   `message A { a: u8 } service S { @name(cpp = "SServer") call a(A) -> A = 1; }`,
		"the name of a struct":  `message A { a: u8 } service S { @name(cpp = "Methods") call a(A) -> A = 1; }`,
	} {
		parsed := checked(t, check.Memory{"a.sdp": schema}, "a.sdp")
		if _, problems := code.Of(parsed, generated.WithServices); !problems.HasErrors() {
			t.Errorf("%s: accepted", name)
		}
		if generated, problems := generate(parsed); problems.HasErrors() || len(generated) != 1 {
			t.Errorf("%s: refused where no services are asked for", name)
		}
	}
}

func TestServicesTellTheTypesOfEachMethod(t *testing.T) {
	schema := checked(t, check.Memory{"a.sdp": `package p;
message B { a: u8 } message A { a: u8 } message C { a: u8 }
service S { call x(B) -> A = 1; call y(A) -> B = 2; event z(C) = 3; }`}, "a.sdp")
	text := generateServices(t, schema)["p_service.hpp"]
	for _, want := range []string{"<::p::B, ::p::A>(made, Methods::x)", "<::p::A, ::p::B>(made, Methods::y)", "<::p::C>(made, Methods::z)"} {
		if !strings.Contains(text, "add_method"+want) {
			t.Errorf("add_method%s is missing:\n%s", want, text)
		}
	}
}
