package proto

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// head is the start of a file: the comments before everything, as they are, and the package.
func (t *target) head() string {
	var b strings.Builder
	locations := t.file.SourceLocations()
	first := locations.ByPath(protoreflect.SourcePath{12})
	for _, text := range append(first.LeadingDetachedComments, first.LeadingComments) {
		if text != "" {
			b.WriteString(comment("//", text) + "\n")
		}
	}
	if text := locations.ByPath(protoreflect.SourcePath{2}).LeadingComments; text != "" {
		b.WriteString(comment("//!", text) + "\n")
	}
	b.WriteString("@" + markName + "(file = " + quote(t.file.Path()) + ", package = " + quote(string(t.file.Package())) + ")\npackage " + t.pkg + ";\n\n")
	return b.String()
}

// docs are the comments of a thing: the comments before it, or else behind it.
func docs(d protoreflect.Descriptor) string {
	at := d.ParentFile().SourceLocations().ByDescriptor(d)
	text := at.LeadingComments
	if strings.TrimSpace(text) == "" {
		text = at.TrailingComments
	}
	return comment("///", text)
}

// comment is a text as lines of a comment.
func comment(marker, text string) string {
	text = strings.Trim(strings.ReplaceAll(text, "\r", ""), "\n")
	if strings.TrimSpace(text) == "" {
		return ""
	}
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(strings.TrimPrefix(line, " "), " \t")
		if line != "" && !(marker == "//" && line[0] == '/') {
			line = " " + line
		}
		b.WriteString(marker + line + "\n")
	}
	return b.String()
}

// isDeprecated tells whether the .proto says so of a thing.
func isDeprecated(d protoreflect.Descriptor) bool {
	options, has := d.Options().(interface{ GetDeprecated() bool })
	return has && options.GetDeprecated()
}

// deprecation is the attribute of a thing that is deprecated in the .proto.
func deprecation(d protoreflect.Descriptor) string {
	if isDeprecated(d) {
		return "@deprecated(" + quote(deprecatedText) + ") "
	}
	return ""
}

// isIdempotent tells whether a method may be called again.
func isIdempotent(m protoreflect.MethodDescriptor) bool {
	options, is := m.Options().(*descriptorpb.MethodOptions)
	return is && options.GetIdempotencyLevel() != descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN
}
