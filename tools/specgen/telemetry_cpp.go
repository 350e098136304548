package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// cppTelemetry renders the names for C++.
func cppTelemetry(s *spec, o output) ([]byte, error) {
	t := s.Telemetry
	includes := "#include <array>\n#include <cstddef>\n#include <string_view>\n"
	return header(o, fromTelemetry, "MXP_NET_TELEMETRY_GEN_HPP", "The names that OpenTelemetry knows requests by.", includes, func(b *bytes.Buffer) {
		for _, v := range t.Values {
			comment(b, "///", doxygen(v.Meaning))
			fmt.Fprintf(b, "inline constexpr std::string_view %s = %q;\n", v.Name, v.Text)
		}
		b.WriteString("\n/// The names of attributes.\nnamespace key {\n\n")
		for _, a := range t.Attributes {
			fmt.Fprintf(b, "inline constexpr std::string_view %s = %q;\n", constant(a.Key), a.Key)
		}
		b.WriteString("\n}  // namespace key\n")
		cppMetrics(b, t.Metrics)
		cppStatusCodes(b, t)
		fmt.Fprintf(b, "\n/// The names of all refusals, in the order of their letters.\n// clang-format off\ninline constexpr std::array<std::string_view, %d> refusals{\n", len(t.refusals))
		for _, name := range t.refusals {
			fmt.Fprintf(b, "    %q,\n", name)
		}
		b.WriteString("};\n// clang-format on\n")
	})
}

// cppMetrics renders the histograms.
func cppMetrics(b *bytes.Buffer, list []metric) {
	b.WriteString(`
/// A histogram of times.
template <std::size_t Buckets>
struct metric {
    std::string_view name;
    std::string_view unit;
    std::string_view description;
    /// The upper bounds of its buckets.
    std::array<double, Buckets> buckets;
};
`)
	for _, m := range list {
		b.WriteByte('\n')
		comment(b, "///", doxygen(m.Meaning))
		fmt.Fprintf(b, "// clang-format off\ninline constexpr metric<%d> %s{\n", len(m.Buckets), constant(m.Key))
		fmt.Fprintf(b, "    %q,\n    %q,\n    %q,\n    {{\n%s    }}};\n// clang-format on\n", m.Key, m.Unit, m.Meaning, filled("        ", strings.Split(numbers(m.Buckets), ", "), columns))
	}
}

func cppStatusCodes(b *bytes.Buffer, t *telemetry) {
	fmt.Fprintf(b, `
/// The name of a status, and the sides for which it is an error.
struct status_code {
    std::string_view code;
    bool client;
    bool server;
};

/// The codes of the statuses, by their numbers.
// clang-format off
inline constexpr std::array<status_code, %d> status_codes{{
`, len(t.Statuses))
	for _, one := range t.Statuses {
		fmt.Fprintf(b, "    {%q, %t, %t},\n", one.Code, slices.Contains(one.Errors, "client"), slices.Contains(one.Errors, "server"))
	}
	b.WriteString("}};\n// clang-format on\n")
}
