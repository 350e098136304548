package cpp_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/internal/generated"
)

// TestCodeSplitFromItsHeaderLinks compiles a program with headers that leave out
// what their source files have: it works with those and doesn't link without them.
func TestCodeSplitFromItsHeaderLinks(t *testing.T) {
	schema := checked(t, check.Memory{
		"units.sdp": `package audio.units; struct Point { x: f32, y: f32 } struct Label { text: str, at: ?Point }`,
		"song.sdp": `package song; import "units.sdp" as units;
			union Event { Note { pitch: u8, @deprecated("gone") old: u8 } = 1, Text(units.Label) = 2 }
			@id(7) message Song { events: []Event, @since(2) by: map<str, units.Point> }`,
	}, "units.sdp", "song.sdp")
	files, problems := code.Of(schema, backend.Options{Split: true, Parts: generated.Whole.Parts})
	if problems.Len() > 0 || len(files) != 4 {
		t.Fatalf("%d files, %d problems", len(files), problems.Len())
	}
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	for name, content := range files {
		writeFile(t, at(name), content)
	}
	writeFile(t, at("main.cpp"), `#include "song.hpp"
template <class T>
bool comes_back(const sdp::result<T>& value, const std::vector<std::byte>& bytes) {
    return value && sdp::encode_message(*value).value() == bytes;
}
int main() {
    song::Song made;
    made.events.push_back({song::Event::Text{{"la", audio::units::Point{1, 2}}}});
    made.by["a"].x = 3;
    const auto bytes = sdp::encode_message(made).value();
    const auto view = sdp::decode_message<song::SongView>(bytes);
    const auto any = song::decode_message(bytes);
    const bool fine = comes_back(sdp::decode_message<song::Song>(bytes), bytes) &&
                      comes_back(sdp::decode_message<song::SongRef>(bytes), bytes) &&
                      comes_back(sdp::decode_message<song::pmr::Song>(bytes), bytes) &&
                      view && view->by().size() == 1 && any && sdp::validate(made) &&
                      sdp::encode(audio::units::Label{}).value().size() == 5 &&
                      !sdp::decode<song::Event::Note>(bytes) && !sdp::decode<song::EventNoteView>(bytes) &&
                      sdp::layout<song::Song>().front() == '0';
    return fine ? 0 : 1;
}
`)
	declared, err := compileCommand("-I"+folder, "-E", at("main.cpp")).Output()
	if err != nil || strings.Contains(string(declared), "class walker") {
		t.Errorf("the header has what names refusals: %v", err)
	}
	for _, name := range []string{"main", "song", "audio_units"} {
		compile(t, "-I"+folder, "-c", at(name+".cpp"), "-o", at(name+".o"))
	}
	compile(t, at("main.o"), at("song.o"), at("audio_units.o"), "-o", at("main"))
	run(t, at("main"))
	output, err := compileCommand(at("main.o"), at("song.o"), "-o", at("other")).CombinedOutput()
	if err == nil || !strings.Contains(string(output), "Label") {
		t.Errorf("the header has what is to be in the source: %s", head(output))
	}
}
