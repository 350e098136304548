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
	includes := "#include <array>\n#include <string_view>\n"
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
		for _, m := range t.Metrics {
			cppMetric(b, m)
		}
		cppStatusCodes(b, t)
		fmt.Fprintf(b, "\n/// The names of all refusals, in the order of their letters.\n// clang-format off\ninline constexpr std::array<std::string_view, %d> refusals{\n", len(t.refusals))
		for _, name := range t.refusals {
			fmt.Fprintf(b, "    %q,\n", name)
		}
		b.WriteString("};\n// clang-format on\n")
	})
}

// cppMetric renders what a histogram is made of.
func cppMetric(b *bytes.Buffer, m metric) {
	b.WriteByte('\n')
	comment(b, "///", doxygen(m.Meaning))
	fmt.Fprintf(b, "namespace %s {\n\n", constant(m.Key))
	fmt.Fprintf(b, "inline constexpr std::string_view name = %q;\n", m.Key)
	fmt.Fprintf(b, "inline constexpr std::string_view unit = %q;\n", m.Unit)
	fmt.Fprintf(b, "inline constexpr std::string_view description = %q;\n", m.Meaning)
	fmt.Fprintf(b, "/// The upper bounds of its buckets.\n// clang-format off\ninline constexpr std::array<double, %d> buckets{\n%s};\n// clang-format on\n", len(m.Buckets), filled("    ", strings.Split(numbers(m.Buckets), ", "), columns))
	fmt.Fprintf(b, "\n}  // namespace %s\n", constant(m.Key))
}

func cppStatusCodes(b *bytes.Buffer, t *telemetry) {
	fmt.Fprintf(b, `
/// The name of a status, and the sides for which it is an error.
struct status_code {
    std::string_view code;
    bool client;
    bool server;
};

/// Those of the statuses, by their numbers.
// clang-format off
inline constexpr std::array<status_code, %d> status_codes{{
`, len(t.Statuses))
	for _, one := range t.Statuses {
		fmt.Fprintf(b, "    {%q, %t, %t},\n", one.Code, slices.Contains(one.Errors, "client"), slices.Contains(one.Errors, "server"))
	}
	b.WriteString("}};\n// clang-format on\n")
}
