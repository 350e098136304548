package main

import (
	"bytes"
	"fmt"
	"strings"
)

// header renders a C++ header around what is declared in it.
func header(o output, source, guard, text, includes string, declared func(*bytes.Buffer)) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n\n/// %s\n#ifndef %[3]s\n#define %[3]s\n\n%[4]s\nnamespace %[5]s {\n\n", source, text, guard, includes, o.name)
	declared(&b)
	fmt.Fprintf(&b, "\n}  // namespace %s\n\n#endif  // %s\n", o.name, guard)
	return b.Bytes(), nil
}

// cppTypes renders the types and flags of C++'s frames.
func cppTypes(s *spec, o output) ([]byte, error) {
	includes := "#include <array>\n#include <cstdint>\n#include <string_view>\n"
	return header(o, fromFrames, "MXP_TYPES_GEN_HPP", "The types of frames, and their flags [MXP-1].", includes, func(b *bytes.Buffer) {
		all := s.Frames.byNumber()
		b.WriteString("/// The type of a frame [MXP-1.3].\nenum class frame_type : std::uint8_t {\n")
		for _, t := range all {
			comment(b, "    ///", doxygen(t.Meaning))
			fmt.Fprintf(b, "    %s = 0x%02x,\n", t.snake(), t.Number)
		}
		fmt.Fprintf(b, "};\n\n/// All types, in ascending order of their numbers.\n// clang-format off\ninline constexpr std::array<frame_type, %d> frame_types{\n", len(all))
		for _, t := range all {
			fmt.Fprintf(b, "    frame_type::%s,\n", t.snake())
		}
		b.WriteString(`};
// clang-format on

/// The type's name in the specification, for instance "StreamOpen"; empty for a number that is not
/// assigned.
[[nodiscard]] constexpr std::string_view to_string(frame_type value) noexcept {
    switch (value) {
`)
		for _, t := range all {
			fmt.Fprintf(b, "    case frame_type::%s:\n        return %q;\n", t.snake(), t.Name)
		}
		b.WriteString("    }\n    return {};\n}\n\n/// The flags of a frame [MXP-1.4], as bits that `|` joins.\nenum class flags : std::uint8_t {\n    none = 0,\n")
		for _, flag := range s.Frames.Flags {
			comment(b, "    ///", doxygen(flag.Meaning))
			fmt.Fprintf(b, "    %s = %d,\n", flag.Name, flag.Number)
		}
		fmt.Fprintf(b, "};\n\nnamespace wire {\n\n/// The bits of all flags.\ninline constexpr unsigned all_flags = 0x%02x;\n\n}  // namespace wire\n", 1<<len(s.Frames.Flags)-1)
	})
}

// columns is how long a line of C++ is at most.
const columns = 100

// cppRules renders the rules of C++'s sessions. Types that have the same share a
// return.
func cppRules(s *spec, o output) ([]byte, error) {
	includes := "#include <cstdint>\n\n#include \"../frame.hpp\"\n"
	return header(o, fromFrames, "MXP_SESSION_RULES_GEN_HPP", "The rules of frames of each type [MXP-5.3], [MXP-5.6].", includes, func(b *bytes.Buffer) {
		b.WriteString("/// The rule for the id of a frame.\nenum class id_rule : std::uint8_t {\n")
		for _, id := range idRules {
			comment(b, "    ///", id.meaning)
			fmt.Fprintf(b, "    %s,\n", cppName(id.name))
		}
		b.WriteString("};\n\n/// The states in which a frame may come, as bits.\nnamespace state {\n\n")
		for i, state := range states {
			fmt.Fprintf(b, "inline constexpr std::uint8_t %s = %d;\n", state, 1<<i)
		}
		b.WriteString(`
}  // namespace state

/// The rule for frames of a type.
struct rule {
    /// The flags that they may have.
    mxp::flags flags;
    /// Whether the payload is the protocol's own.
    bool is_own;
    /// Whether the payload ends in records.
    bool is_batch;
    id_rule id;
    /// The states in which they may come.
    std::uint8_t states;
};

[[nodiscard]] constexpr rule rule_of(frame_type type) noexcept {
    switch (type) {
`)
		var last string
		for _, t := range s.Frames.Types {
			returned := fmt.Sprintf("        return {%s, %t, %t, id_rule::%s, %s};\n", cppFlags(t.Flags), t.isOwn(), t.Records, cppName(t.idRule()), cppStates(t.states()))
			if len(returned) > columns+1 {
				returned = strings.Replace(returned, ", state::", ",\n                state::", 1)
			}
			if last != returned {
				b.WriteString(last)
			}
			fmt.Fprintf(b, "    case frame_type::%s:\n", t.snake())
			last = returned
		}
		b.WriteString(last + "    }\n    return {flags::none, true, false, id_rule::zero, 0};\n}\n")
	})
}

// cppName ends what is a keyword in an underscore.
func cppName(name string) string {
	if name == "new" {
		return "new_"
	}
	return name
}

func cppFlags(names []string) string {
	if len(names) == 0 {
		return "flags::none"
	}
	return "flags::" + strings.Join(names, " | flags::")
}

func cppStates(names []string) string {
	return "state::" + strings.Join(names, " | state::")
}
