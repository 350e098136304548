package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// pythonTelemetry makes the constants of mesh_exchange_protocol.telemetry.
func pythonTelemetry(s *spec, _ output) ([]byte, error) {
	var b bytes.Buffer
	t := s.Telemetry
	fmt.Fprintf(&b, "# %s\n\"\"\"The names of spans and durations of requests, and of their attributes.\"\"\"\n\n", fromTelemetry)
	for _, v := range t.Values {
		fmt.Fprintf(&b, "%s = %q\n\"\"\"%s\"\"\"\n\n", strings.ToUpper(v.Name), v.Text, markdown(v.Meaning))
	}
	for _, a := range t.Attributes {
		fmt.Fprintf(&b, "%s = %q\n", strings.ToUpper(constant(a.Key)), a.Key)
	}
	for _, m := range t.Metrics {
		fmt.Fprintf(&b, "\n%s = (\n    %q,\n    %q,\n    %q,\n    (%s),\n)\n\"\"\"A name, unit, meaning and buckets.\"\"\"\n",
			strings.ToUpper(constant(m.Key)), m.Key, m.Unit, m.Meaning, numbers(m.Buckets))
	}
	b.WriteString("\nSTATUS_CODES = (\n")
	for _, status := range t.Statuses {
		fmt.Fprintf(&b, "    (%q, %s, %s),\n", status.Code, pythonBool(slices.Contains(status.Errors, "client")), pythonBool(slices.Contains(status.Errors, "server")))
	}
	b.WriteString(")\n\"\"\"The codes of statuses, by their numbers: whether they are errors for the client, and for the server.\"\"\"\n\nREFUSAL_NAMES = frozenset(\n    (\n")
	for _, name := range t.refusals {
		fmt.Fprintf(&b, "        %q,\n", name)
	}
	b.WriteString("    )\n)\n\"\"\"The names of all refusals.\"\"\"\n")
	return b.Bytes(), nil
}

func pythonBool(is bool) string {
	if is {
		return "True"
	}
	return "False"
}
