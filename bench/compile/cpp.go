package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// protobufArchive is Debian's libprotobuf for programs that have it in them.
const protobufArchive = "/usr/lib/x86_64-linux-gnu/libprotobuf.a"

var cpp = language{name: "cpp", title: "C++", peer: "protobuf", start: func(*workshop) error { return nil }, versions: cppVersions, codecs: []codec{
	{name: sdpEverything, tools: []string{"g++"}, make: makeCppSDP},
	{name: sdpDefault, tools: []string{"g++"}, make: makeCppDefault},
	{name: sdpSplit, tools: []string{"g++"}, make: makeCppSplit},
	{name: sdpDefaultSplit, tools: []string{"g++"}, make: makeCppDefaultSplit},
	{name: "protobuf", tools: []string{"g++", "protoc", "/usr/include/google/protobuf/message.h"}, make: makeCppProtobuf},
	{name: "flatbuffers", tools: []string{"g++", "flatc", "/usr/include/flatbuffers/flatbuffers.h"}, make: makeCppFlatbuffers},
	{name: sdpService, tools: []string{"g++", "/usr/include/asio.hpp", "/usr/include/xxhash.h"}, services: true, make: makeCppService},
	{name: "asio", tools: []string{"g++", "/usr/include/asio.hpp"}, services: true, make: makeAsio},
}}

// Split code has a source file beside the header, as protobuf's has.
const (
	sdpSplit        = sdpEverything + ", split"
	sdpDefaultSplit = sdpDefault + ", split"
)

// sdpService is the header of a service's client and server.
const sdpService = "sdp's service"

func makeCppSDP(w *workshop, s *schema) (*code, error) {
	return cppSDP(w, s, sdpEverything, "sdp", true, map[string]string{})
}

func makeCppDefault(w *workshop, s *schema) (*code, error) {
	return cppSDP(w, s, sdpDefault, "sdp-default", false, map[string]string{})
}

func makeCppSplit(w *workshop, s *schema) (*code, error) {
	return cppSDP(w, s, sdpSplit, "sdp-split", true, map[string]string{"split": "true"})
}

func makeCppDefaultSplit(w *workshop, s *schema) (*code, error) {
	return cppSDP(w, s, sdpDefaultSplit, "sdp-default-split", false, map[string]string{"split": "true"})
}

func cppSDP(w *workshop, s *schema, codec, place string, everything bool, options map[string]string) (*code, error) {
	folder, err := w.place("cpp", s, place)
	if err != nil {
		return nil, err
	}
	options["runtime"] = "sdp/sdp.hpp"
	if err := w.sdp(s, "cpp="+folder, everything, options); err != nil {
		return nil, err
	}
	return header{
		w: w, s: s, codec: codec, folder: folder,
		include: fmt.Sprintf("#include \"%s.hpp\"", strings.ReplaceAll(s.pkg, ".", "_")),
		use: fmt.Sprintf(`std::string again(const std::string& data) {
    const auto value = sdp::decode<%s>(data);
    std::string out;
    if (!value || !sdp::append(*value, out)) return {};
    return out;
}`, cppType(s)),
		flags: []string{"-I" + filepath.Join(w.root, "runtime", "cpp", "include")},
		// The functions of all forms of 100 messages take many minutes.
		whole: s.whole && s.messages() < 100,
	}.code()
}

func makeCppProtobuf(w *workshop, s *schema) (*code, error) {
	folder, err := w.place("cpp", s, "protobuf")
	if err != nil {
		return nil, err
	}
	if err := w.protoc(s, "none", "--cpp_out="+folder); err != nil {
		return nil, err
	}
	return header{
		w: w, s: s, codec: "protobuf", folder: folder,
		include: fmt.Sprintf("#include \"%s.pb.h\"", strings.ReplaceAll(s.pkg, ".", "_")),
		use: fmt.Sprintf(`std::string again(const std::string& data) {
    %s value;
    if (!value.ParseFromString(data)) return {};
    return value.SerializeAsString();
}`, cppType(s)),
		libraries: []string{protobufArchive}, whole: s.whole,
	}.code()
}

// makeCppFlatbuffers has flatc's object API, whose types are values as the others' are.
func makeCppFlatbuffers(w *workshop, s *schema) (*code, error) {
	folder, err := w.place("cpp", s, "flatbuffers")
	if err != nil {
		return nil, err
	}
	if err := w.flatc(s, folder, "--cpp", "--gen-object-api"); err != nil {
		return nil, err
	}
	return header{
		w: w, s: s, codec: "flatbuffers", folder: folder,
		include: fmt.Sprintf("#include \"%s_generated.h\"", s.fbsNamespace()),
		use: fmt.Sprintf(`std::string again(const std::string& data) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(data.data());
    flatbuffers::Verifier verifier(bytes, data.size());
    if (!verifier.VerifyBuffer<%[1]s>(nullptr)) return {};
    const auto value = flatbuffers::GetRoot<%[1]s>(bytes)->UnPack();
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(%[1]s::Pack(builder, value));
    delete value;
    return std::string(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
}`, s.fbsNamespace()+"::"+s.one),
	}.code()
}

// cppType is the name of the type that a source uses.
func cppType(s *schema) string { return strings.ReplaceAll(s.pkg, ".", "::") + "::" + s.one }

// header is generated code of which a source includes a header and uses one type.
type header struct {
	w             *workshop
	s             *schema
	codec, folder string
	include, use  string
	flags         []string
	libraries     []string
	// whole says that the sources beside the header are compiled, too.
	whole bool
}

func (h header) code() (*code, error) {
	files, err := sources(h.folder, ".h", ".hpp", ".cc", ".cpp")
	if err != nil {
		return nil, err
	}
	made := &code{codec: h.codec}
	if made.lines, err = lines(files); err != nil {
		return nil, err
	}
	var once []string
	for _, file := range files {
		if ext := filepath.Ext(file); ext == ".cc" || ext == ".cpp" {
			once = append(once, file)
		}
	}
	if err := write(filepath.Join(h.folder, "use", "use.cpp"), h.include+"\n#include <string>\n\n"+h.use+"\n"); err != nil {
		return nil, err
	}
	for _, level := range []string{"-O0", "-O2"} {
		in := filepath.Join(h.folder, "use")
		made.builds = append(made.builds, build{name: level, in: in, args: h.compile(level, "-c", "use.cpp", "-o", "use"+level+".o")})
	}
	for _, level := range []string{"-O0", "-O2"} {
		if len(once) == 0 || !h.whole {
			continue
		}
		in := filepath.Join(h.folder, "once"+level)
		if err := os.Mkdir(in, 0o777); err != nil {
			return nil, err
		}
		made.builds = append(made.builds, build{
			name: level + ", sources once", in: in, once: true, args: append(h.compile(level, "-c"), once...),
		})
	}
	if len(once) > 0 && !h.whole {
		return made, nil
	}
	objects := func() ([]string, error) {
		found := []string{filepath.Join(h.folder, "use", "use-O2.o")}
		if len(once) == 0 {
			return found, nil
		}
		more, err := sources(filepath.Join(h.folder, "once-O2"), ".o")
		return append(found, more...), err
	}
	made.object = func() (int, error) {
		files, err := objects()
		if err != nil {
			return 0, err
		}
		return sections(files...)
	}
	if h.s.program {
		made.program = func() (int, error) { return h.link(objects) }
	}
	return made, nil
}

// link links a program that decodes a value and encodes it again, without what it doesn't call.
func (h header) link(objects func() ([]string, error)) (int, error) {
	files, err := objects()
	if err != nil {
		return 0, err
	}
	source := filepath.Join(h.folder, "use", "main.cpp")
	if err := write(source, cppProgram); err != nil {
		return 0, err
	}
	program := filepath.Join(h.folder, "use", "program")
	args := h.compile("-O2", "-Wl,--gc-sections", source, "-o", program)
	if err := command(h.folder, append(append(args, files...), h.libraries...)...); err != nil {
		return 0, err
	}
	return stripped(program)
}

const cppProgram = `#include <iostream>
#include <iterator>
#include <string>

std::string again(const std::string& data);

int main() {
    const std::string data(std::istreambuf_iterator<char>(std::cin), {});
    std::cout << again(data);
}
`

// compile is a command of the compiler's.
func (h header) compile(level string, more ...string) []string {
	return append(append([]string{"g++", "-std=c++20", level, "-I" + h.folder}, h.flags...), more...)
}

func makeCppService(w *workshop, s *schema) (*code, error) {
	folder, err := w.place("cpp", s, "sdp")
	if err != nil {
		return nil, err
	}
	if err := w.sdp(s, "cpp="+folder, false, map[string]string{"runtime": "sdp/sdp.hpp"}); err != nil {
		return nil, err
	}
	files, err := sources(folder, ".hpp")
	if err != nil {
		return nil, err
	}
	made, err := included(w, folder, sdpService, s.pkg+"_service.hpp")
	if err != nil {
		return nil, err
	}
	made.lines, err = lines(files)
	return made, err
}

func makeAsio(w *workshop, s *schema) (*code, error) {
	folder, err := w.place("cpp", s, "asio")
	if err != nil {
		return nil, err
	}
	return included(w, folder, "asio", "asio.hpp")
}

// included is a source that includes a header and uses nothing of it.
func included(w *workshop, folder, codec, file string) (*code, error) {
	if err := write(filepath.Join(folder, "use.cpp"), fmt.Sprintf("#include <%s>\n", file)); err != nil {
		return nil, err
	}
	h := header{folder: folder, flags: []string{
		"-DASIO_STANDALONE", "-I" + filepath.Join(w.root, "runtime", "cpp", "include"), "-I" + filepath.Join(w.root, "mxp", "cpp", "include"),
	}}
	made := &code{codec: codec}
	for _, level := range []string{"-O0", "-O2"} {
		made.builds = append(made.builds, build{name: level, in: folder, args: h.compile(level, "-c", "use.cpp", "-o", "use"+level+".o")})
	}
	return made, nil
}

func cppVersions(w *workshop) ([]string, error) {
	return firstLines([]string{"g++", "--version"}, []string{w.tool("protoc"), "--version"}, []string{w.tool("flatc"), "--version"})
}
