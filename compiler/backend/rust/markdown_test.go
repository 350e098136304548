package rust

import (
	"strings"
	"testing"
)

func TestBlocksOfCodeInDocumentationAreNoRust(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", "A line,\n  and - another with ``` in it.", "A line,\n  and - another with ``` in it."},
		{"indented", "A:\n\n    b\n\t  c\n\n    d\ne", "A:\n\n```text\nb\n  c\n\nd\n```\ne"},
		{"indented in a paragraph", "A\n    b", "A\n   b"},
		{"indented marks", "    ```\n    a", "```text\n    a\n```"},
		{"marks in an indented one", "    a\n    ```", "````text\na\n```\n````"},
		{"without a language", "```\na\n```", "```text\na\n```"},
		{"of Rust", "~~~ rust,ignore\na\n~~~", "~~~text\na\n~~~"},
		{"of another language", "```json\n    a\n```\nb", "```json\n    a\n```\nb"},
		{"with a longer end", "```json\na\n    `````\n    b", "```json\na\n```\n   b"},
		{"without an end", "```c\na", "```c\na\n```"},
		{"in a list", "- ```\n  a\n  ```", "- \\```\n  a\n```text\n```"},
		{"in an item's first line", "-     a\n1.\t\tb", "- a\n1. b"},
		{"in an item", "- a\n\n      b", "- a\n\n```text\n  b\n```"},
		{"in a quotation", "> ~~~\n>     a\n> > -  ```", "> \\~~~\n> a\n> > - \\```"},
		{"in a footnote", "[^1]: ```", "[^1]: \\```"},
		{"behind HTML", "<!--\n```\n-->\n- <pre>\n<https://a.b>", "\\<!--\n```text\n-->\n- <pre>\n<https://a.b>\n```"},
		{"behind a tag", "<pre>\n> <b>\n<https://a.b> a < b", "\\<pre>\n> \\<b>\n<https://a.b> a < b"},
	} {
		if got := strings.Join(markdown(strings.Split(c.text, "\n")), "\n"); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
	}
}
