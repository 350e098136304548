package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// rustTelemetry renders the names for Rust, as rustfmt would.
func rustTelemetry(s *spec, _ output) ([]byte, error) {
	var b bytes.Buffer
	t := s.Telemetry
	fmt.Fprintf(&b, "// %s\n", fromTelemetry)
	for _, v := range t.Values {
		b.WriteByte('\n')
		comment(&b, "///", markdown(v.Meaning))
		fmt.Fprintf(&b, "pub(super) const %s: &str = %q;\n", strings.ToUpper(v.Name), v.Text)
	}
	b.WriteString("\n/// The names of attributes.\npub(super) mod key {\n")
	for _, a := range t.Attributes {
		fmt.Fprintf(&b, "    pub(crate) const %s: &str = %q;\n", strings.ToUpper(constant(a.Key)), a.Key)
	}
	b.WriteString(`}

/// A histogram of times.
pub(super) struct Metric {
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    pub(super) description: &'static str,
    /// The upper bounds of its buckets.
    pub(super) buckets: &'static [f64],
}
`)
	for _, m := range t.Metrics {
		b.WriteByte('\n')
		comment(&b, "///", markdown(m.Meaning))
		fmt.Fprintf(&b, "pub(super) const %s: Metric = Metric {\n    name: %q,\n    unit: %q,\n    description: %q,\n", strings.ToUpper(constant(m.Key)), m.Key, m.Unit, m.Meaning)
		fmt.Fprintf(&b, "    buckets: &[\n%s    ],\n};\n", filled("        ", strings.Split(numbers(m.Buckets), ", "), columns))
	}
	fmt.Fprintf(&b, `
/// The name of a status, and the sides for which it is an error.
#[derive(Clone, Copy)]
pub(super) struct StatusCode {
    pub(super) code: &'static str,
    pub(super) client: bool,
    pub(super) server: bool,
}

const fn status(code: &'static str, client: bool, server: bool) -> StatusCode {
    StatusCode {
        code,
        client,
        server,
    }
}

/// The codes of the statuses, by their numbers.
pub(super) const STATUS_CODES: [StatusCode; %d] = [
`, len(t.Statuses))
	for _, one := range t.Statuses {
		fmt.Fprintf(&b, "    status(%q, %t, %t),\n", one.Code, slices.Contains(one.Errors, "client"), slices.Contains(one.Errors, "server"))
	}
	fmt.Fprintf(&b, "];\n\n/// The names of all refusals, in the order of their letters.\npub(super) const REFUSAL_NAMES: [&str; %d] = [\n", len(t.refusals))
	for _, name := range t.refusals {
		fmt.Fprintf(&b, "    %q,\n", name)
	}
	b.WriteString("];\n")
	return b.Bytes(), nil
}

// filled puts texts into as few lines as hold them, each with a comma behind it.
func filled(indent string, texts []string, most int) string {
	var b strings.Builder
	line := indent
	for _, text := range texts {
		text += ","
		if line != indent && len(line)+1+len(text) > most {
			b.WriteString(line + "\n")
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += text
	}
	b.WriteString(line + "\n")
	return b.String()
}
