package main

import (
	"fmt"
	"strings"
)

const tableHead = `// The types of %s.sdp.
%s
#include "generated/%s/%s"

#include "forms.hpp"

namespace runner {

`

// table is the source with a schema's types.
func (g *generated) table() string {
	var b strings.Builder
	other := ""
	if g.other != "" {
		other = fmt.Sprintf("\n// Another schema has this package, too.\n#define %s %s\n", g.pkg.namespace, g.other)
	}
	fmt.Fprintf(&b, tableHead, g.schema, other, g.schema, g.header)
	for _, v := range g.views {
		v.comparison(&b)
	}
	if g.pkg.dispatch {
		g.dispatchers(&b)
	}
	fmt.Fprintf(&b, "const schema& schema_%[1]s();\nconst schema& schema_%[1]s() {\n    static const schema all{\n        \"%[1]s\",\n        {\n", g.schema)
	for _, d := range g.pkg.types {
		fmt.Fprintf(&b, "            row<forms<%s, %s, %s, %s>>(\"%s\"),\n", d.owned, d.borrowed, d.pooled, d.view, d.schema)
	}
	dispatch, stream := "nullptr", "nullptr"
	if g.pkg.dispatch {
		dispatch, stream = "dispatch<package>", "read_stream<package>"
	}
	fmt.Fprintf(&b, "        },\n        %s,\n        %s};\n    return all;\n}\n\n}  // namespace runner\n", dispatch, stream)
	return b.String()
}

// comparison writes what holds a view against its owned value.
func (v view) comparison(b *strings.Builder) {
	fmt.Fprintf(b, "template <>\nstruct comparison<%s> {\n", v.name)
	fmt.Fprintf(b, "    static bool holds([[maybe_unused]] const %s& view,\n", v.name)
	fmt.Fprintf(b, "                      [[maybe_unused]] const %s::sdp_codec::type& owned) {\n        return true", v.name)
	for i, name := range v.accessors {
		switch {
		case !v.union:
			fmt.Fprintf(b, " &&\n               shows(view.%s(), owned.%s)", name, name)
		case i > 0:
			fmt.Fprintf(b, " &&\n               shows_alternative<%d>(view.%s(), owned.value)", i, name)
		}
	}
	b.WriteString(";\n    }\n};\n\n")
}

// dispatchers writes what decodes messages of any type of the package.
func (g *generated) dispatchers(b *strings.Builder) {
	fmt.Fprintf(b, `namespace {

struct package {
    using owned = %[1]s::Message;
    using borrowed = %[1]s::MessageRef;
    using pooled = %[1]s::pmr::Message;
    using view = %[1]s::MessageView;

    template <class Any>
    static sdp::result<Any> decode_message(sdp::bytes_view input,
                                           const sdp::decode_options& options) {
        return %[1]s::decode_message<Any>(input, options);
    }
    template <class Any, class Visitor>
    static sdp::result<void> visit_message(Visitor&& visitor, sdp::bytes_view input,
                                           const sdp::decode_options& options) {
        return %[1]s::visit_message<Any>(visitor, input, options);
    }
};

}  // namespace

`, "::"+g.pkg.namespace)
}

// list is the source of the list of all schemas; their functions are declared in
// it, too.
func list(made []*generated) string {
	var b strings.Builder
	b.WriteString("// The schemas.\n#include \"table.hpp\"\n\nnamespace runner {\n\n")
	for _, g := range made {
		fmt.Fprintf(&b, "const schema& schema_%s();\n", g.schema)
	}
	b.WriteString("\nconst std::vector<const schema*>& schemas() {\n    static const std::vector<const schema*> all{\n")
	for _, g := range made {
		fmt.Fprintf(&b, "        &schema_%s(),\n", g.schema)
	}
	b.WriteString("    };\n    return all;\n}\n\n}  // namespace runner\n")
	return b.String()
}
