package lsp

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestRequestsBeforeInitializeAndAfterShutdownAreRefused(t *testing.T) {
	c := launch(t, t.TempDir())
	if got := c.ask("textDocument/hover", `{}`); got.Error == nil || got.Error.Code != codeNotInitialized {
		t.Errorf("before initialize: %v", got)
	}
	c.notify("textDocument/didOpen", `{"textDocument":{"uri":"file:///a.sdp","languageId":"sdp","version":1,"text":"x"}}`)
	c.must("initialize", `{"capabilities":{}}`)
	if got := c.ask("initialize", `{"capabilities":{}}`); got.Error == nil {
		t.Errorf("a second initialize is answered: %s", got.Result)
	}
	c.must("shutdown", "null")
	if got := c.ask("textDocument/hover", `{}`); got.Error == nil || got.Error.Code != codeInvalidRequest {
		t.Errorf("after shutdown: %v", got)
	}
	c.notify("exit", "null")
	if err := <-c.ended; err != nil {
		t.Errorf("after shutdown and exit: %v", err)
	}
	c.ended <- nil
}

func TestExitWithoutShutdownIsAnError(t *testing.T) {
	c := launch(t, t.TempDir())
	c.notify("exit", "null")
	if err := <-c.ended; err == nil {
		t.Error("exit without shutdown is no error")
	}
	c.ended <- nil
}

// hostile are bytes after which a server has to answer as before.
var hostile = map[string]string{
	"a document of 3 MB":           frame(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"untitled:b","languageId":"sdp","version":1,"text":"` + strings.Repeat(`struct S { a: u8 }\n`, 150_000) + `"}}}`),
	"a length that is no number":   "Content-Length: abc\r\n\r\n",
	"a length below zero":          "Content-Length: -5\r\n\r\n",
	"a length beyond 64 bits":      "Content-Length: 99999999999999999999999\r\n\r\n",
	"no length":                    "Content-Type: application/json\r\n\r\n",
	"a header of 100,000 bytes":    strings.Repeat("x", 100_000) + "\r\n\r\n",
	"no JSON":                      frame(`{"jsonrpc":`),
	"an empty message":             frame(``),
	"a text":                       frame(`"hello"`),
	"a batch":                      frame(`[{"jsonrpc":"2.0","id":1,"method":"shutdown"}]`),
	"100,000 brackets":             frame(strings.Repeat("[", 100_000)),
	"a method that is a number":    frame(`{"jsonrpc":"2.0","id":1,"method":7}`),
	"an unknown method":            frame(`{"jsonrpc":"2.0","id":90,"method":"textDocument/` + strings.Repeat("x", 10_000) + `"}`),
	"parameters of another type":   frame(`{"jsonrpc":"2.0","id":91,"method":"textDocument/hover","params":[1,2]}`),
	"a line below zero":            frame(`{"jsonrpc":"2.0","id":92,"method":"textDocument/hover","params":{"textDocument":{"uri":"x"},"position":{"line":-1,"character":0}}}`),
	"a document that is not open":  frame(`{"jsonrpc":"2.0","id":93,"method":"textDocument/hover","params":{"textDocument":{"uri":"x"},"position":{"line":1,"character":0}}}`),
	"a URI that is none":           frame(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"%%%:\u0000","languageId":"sdp","version":1,"text":"struct"}}}`),
	"a change of what is not open": frame(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///no.sdp","version":1},"contentChanges":[{"text":"x"}]}}`),
	"a close of what is not open":  frame(`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"file:///no.sdp"}}}`),
	"an unknown notification":      frame(`{"jsonrpc":"2.0","method":"$/what"}`),
	"an answer to nothing":         frame(`{"jsonrpc":"2.0","id":"sdp-99","result":null}`),
	"a cancellation of nothing":    frame(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":12345}}`),
	"half a surrogate pair":        frame(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"untitled:a","languageId":"sdp","version":1,"text":"\ud800"}}}`),
}

func frame(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

func TestHostileMessagesAreRefusedAndTheServerGoesOn(t *testing.T) {
	for name, bytes := range hostile {
		t.Run(name, func(t *testing.T) {
			c := start(t, nil, "")
			if _, err := c.in.Write([]byte(bytes)); err != nil {
				t.Fatal(err)
			}
			if found := c.opens("a.sdp", "struct S { a: u33 }"); len(found) != 1 || found[0].Code != "S0206" {
				t.Errorf("afterwards the problems are %v", messages(found))
			}
		})
	}
}

func TestMessageBeyondTheLimitIsSkipped(t *testing.T) {
	c := start(t, nil, "")
	before := memoryInUse()
	fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n", 40<<20)
	piece := make([]byte, 1<<20)
	for range 40 {
		if _, err := c.in.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if grown := memoryInUse() - before; grown > 16<<20 {
		t.Errorf("it costs %d bytes", grown)
	}
	c.must("workspace/symbol", `{}`)
}

func TestClaimIsNotBelieved(t *testing.T) {
	for _, claim := range []int64{30 << 20, 1 << 30, 1 << 60} {
		c := start(t, nil, "")
		before := memoryInUse()
		fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n{", claim)
		if grown := memoryInUse() - before; grown > 16<<20 {
			t.Errorf("%d bytes that have not come cost %d", claim, grown)
		}
	}
}

func TestDocumentThatIsTooLongIsLeftAlone(t *testing.T) {
	c := start(t, nil, "")
	c.notify("textDocument/didOpen", quoted(openParams{documentItem{c.uri("a.sdp"), "sdp", 1, strings.Repeat("struct S { a: u8 }\n", 250_000)}}))
	if got := c.ask("textDocument/hover", c.at("a.sdp", position{})); got.Error == nil {
		t.Errorf("hover: %s", got.Result)
	}
	if len(c.shown) != 1 {
		t.Errorf("a person is told %v", c.shown)
	}
	// Incremental changes of it say nothing; all of its text does.
	c.notify("textDocument/didChange", quoted(changeParams{documentID{c.uri("a.sdp"), 2}, []change{{&textRange{}, "x"}}}))
	if found := c.changes("a.sdp", 3, change{Text: "struct S { a: u33 }"}); len(found) != 1 {
		t.Errorf("%v", messages(found))
	}
}

func TestRequestThatIsCanceledIsAnsweredSo(t *testing.T) {
	c := start(t, nil, "")
	// The check of a long document takes longer than the cancellation.
	text := strings.Repeat("struct S { a: u33 }\n", 20_000)
	c.notify("textDocument/didOpen", quoted(openParams{documentItem{c.uri("a.sdp"), "sdp", 1, text}}))
	c.send(`{"jsonrpc":"2.0","id":500,"method":"textDocument/codeAction","params":` + strings.TrimSuffix(c.document("a.sdp"), "}") + `,"range":{}}}`)
	c.notify("$/cancelRequest", `{"id":500}`)
	c.await("an answer", func() bool { _, is := c.answers["500"]; return is })
	c.arrived.L.Lock()
	defer c.arrived.L.Unlock()
	if got := c.answers["500"]; got.Error == nil || got.Error.Code != codeRequestCanceled {
		t.Errorf("%v", got.Error)
	}
}

func TestProblemsAreGoneAfterClose(t *testing.T) {
	c := start(t, nil, "")
	if found := c.opens("new.sdp", "struct S { a: u33 }"); len(found) != 1 {
		t.Fatalf("%v", messages(found))
	}
	if found := c.after("new.sdp", func() { c.notify("textDocument/didClose", c.document("new.sdp")) }); len(found) != 0 {
		t.Errorf("after close: %v", messages(found))
	}
	c.in.Close()
	c.ended <- <-c.ended // nobody writes any longer what is looked at
	if n := len(c.server.projects) + len(c.server.docs) + len(c.server.published) + len(c.server.good); n > 0 {
		t.Errorf("the server keeps %d things of documents that are closed", n)
	}
}

func TestClosingGoesBackToTheDisk(t *testing.T) {
	c := start(t, map[string]string{"a.sdp": "struct A { x: u8 }", "b.sdp": "import \"a.sdp\";\nstruct B { y: a.A }"}, "")
	if found := c.opens("b.sdp", "import \"a.sdp\";\nstruct B { y: a.A }"); len(found) != 0 {
		t.Fatalf("%v", messages(found))
	}
	found := c.after("b.sdp", func() {
		c.notify("textDocument/didOpen", quoted(openParams{documentItem{c.uri("a.sdp"), "sdp", 1, "struct Z { x: u8 }"}}))
	})
	if len(found) != 1 || !strings.Contains(found[0].Message, "a.A") {
		t.Errorf("after an edit of what is imported: %v", messages(found))
	}
	found = c.after("b.sdp", func() { c.notify("textDocument/didClose", c.document("a.sdp")) })
	if len(found) != 0 {
		t.Errorf("after it was closed without being saved: %v", messages(found))
	}
	c.write("a.sdp", "struct Q { x: u8 }")
	found = c.after("b.sdp", func() { c.notify("workspace/didChangeWatchedFiles", `{"changes":[]}`) })
	if len(found) != 1 {
		t.Errorf("after a change on the disk: %v", messages(found))
	}
}

func TestImportOfAFileThatIsOnlyOpen(t *testing.T) {
	c := start(t, nil, "")
	if found := c.opens("b.sdp", "import \"a.sdp\";\nstruct B { y: a.A }"); len(found) != 1 {
		t.Fatalf("%v", messages(found))
	}
	found := c.after("b.sdp", func() {
		c.notify("textDocument/didOpen", quoted(openParams{documentItem{c.uri("a.sdp"), "sdp", 1, "struct A { x: u8 }"}}))
	})
	if len(found) != 0 {
		t.Errorf("%v", messages(found))
	}
}

func TestConfigSaysWhatIsChecked(t *testing.T) {
	files := map[string]string{
		"sdp.toml": "schemas = [\"s\"]\ninclude = [\"lib\"]\n\n[lint]\nenable = [\"L0401\"]\n", "lib/u.sdp": "struct U { a: u8 }",
		"s/a.sdp": "package a;\nimport \"u.sdp\";\nmessage A { x: u.U }", "s/b.sdp": "package b;\nstruct B { y: nope }",
	}
	c := start(t, files, "")
	found := c.opens("s/a.sdp", files["s/a.sdp"])
	if got := strings.Join(messages(found), "; "); got != "" {
		t.Errorf("a.sdp: %s", got) // lints wait for b's error, as in `sdp check`
	}
	c.await("problems of b.sdp", func() bool { return len(c.problems[c.uri("s/b.sdp")].Diagnostics) == 1 })
	c.write("sdp.toml", "schema = [\"s\"]\n")
	c.notify("workspace/didChangeWatchedFiles", `{"changes":[]}`)
	c.await("problems of sdp.toml", func() bool { return len(c.problems[c.uri("sdp.toml")].Diagnostics) == 1 })
	c.await("no problems of b.sdp", func() bool { return len(c.problems[c.uri("s/b.sdp")].Diagnostics) == 0 })
}

func TestFixesAreCodeActions(t *testing.T) {
	c := start(t, map[string]string{"u.sdp": "struct U { a: u8 }"}, "")
	for text, wanted := range map[string]string{
		"package p;\nimport \"u.sdp\";\nstruct P { a: u8 }":      "package p;\nstruct P { a: u8 }",
		"struct P { a: u8 }\nstruct Q { b: u8 }\n":               "@id(1)\nstruct P { a: u8 }\n@id(2)\nstruct Q { b: u8 }\n",
		"package p;\n@allow(L0103, \"why\")\nstruct P { a: u8 }": "package p;\nstruct P { a: u8 }",
		"package p;\nstruct P { a: bol }":                        "package p;\nstruct P { a: bool }",
		"package p;\nstruct P { 😀 a: u8; b: u16 }":               "",
		"package p;\nstruct P { /* 😀 */ a: u8; b: u16 }":         "package p;\nstruct P { /* 😀 */ a: u8, b: u16 }",
	} {
		found := c.opens("p.sdp", text)
		if len(found) == 0 {
			t.Errorf("%q has no problems", text)
			continue
		}
		params := fmt.Sprintf(`{"textDocument":{"uri":%q},"range":%s,"context":{"diagnostics":[],"only":["quickfix"]}}`, c.uri("p.sdp"), quoted(found[len(found)-1].Range))
		var actions []codeAction
		if err := json.Unmarshal([]byte(c.must("textDocument/codeAction", params)), &actions); err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(actions) > 0 {
			got = text
			edits := actions[0].Edit.Changes[c.uri("p.sdp")]
			for i := len(edits) - 1; i >= 0; i-- { // they are in order
				got = newLines(got, utf16Units).apply(change{&edits[i].Range, edits[i].NewText})
			}
		}
		if wanted != "" && got != wanted && !strings.Contains(wanted, "struct P { a: u8 }\n@id") || strings.Contains(wanted, "@id") && got != wanted {
			t.Errorf("%q becomes\n%q, wanted\n%q (%v)", text, got, wanted, actions)
		}
		c.after("p.sdp", func() { c.notify("textDocument/didClose", c.document("p.sdp")) })
	}
}

func TestEncodingIsNegotiated(t *testing.T) {
	for units, column := range map[string]uint32{`["utf-8","utf-16"]`: 25, `["utf-32"]`: 23, `[]`: 23} {
		c := start(t, nil, `{"general":{"positionEncodings":`+units+`}}`)
		found := c.opens("a.sdp", "struct S { /* 😀 */ a: u33 }")
		if len(found) != 1 || found[0].Range.Start != (position{0, column}) {
			t.Errorf("%s: %v", units, found)
		}
		found = c.changes("a.sdp", 2, change{&found[0].Range, "u8"})
		if len(found) != 1 || found[0].Code != "L0101" {
			t.Errorf("%s: after a change there: %v", units, messages(found))
		}
	}
}

func TestLensSaysWhomAChangeBreaks(t *testing.T) {
	c := start(t, map[string]string{"a.sdp": "package a;\n@id(1)\nstruct A { x: u8, y: u8 }\n"}, `{"workspace":{"codeLens":{"refreshSupport":true}}}`)
	for _, args := range []string{"init -q", "add a.sdp", "-c user.name=A -c user.email=a@example.com commit -qm a"} {
		command := exec.Command("git", strings.Fields(args)...)
		command.Dir = c.folder
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	refreshed := func() int {
		n := 0
		for _, method := range c.asked {
			if method == "workspace/codeLens/refresh" {
				n++
			}
		}
		return n
	}
	c.opens("a.sdp", "package a;\n@id(1)\nstruct A { x: u8, y: u8 }\n")
	c.await("a refresh", func() bool { return refreshed() == 1 })
	if got := c.must("textDocument/codeLens", c.document("a.sdp")); got != "[]" {
		t.Errorf("without a change: %s", got)
	}
	changed := "package a;\n\n@id(1)\nstruct A { x: u8 }\n"
	c.changes("a.sdp", 2, change{Text: changed})
	c.notify("textDocument/didSave", c.document("a.sdp"))
	c.await("a refresh", func() bool { return refreshed() == 2 })
	got := c.must("textDocument/codeLens", c.document("a.sdp"))
	for _, part := range []string{"breaks old readers of new bytes", "source in go, rust, cpp, python, typescript", "since HEAD: A.y removed from a struct", `"line":3`} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is missing in %s", part, got)
		}
	}
	report := c.must("workspace/executeCommand", `{"command":"sdp.breaking","arguments":[`+quoted(c.uri("a.sdp"))+`]}`)
	if !strings.Contains(report, "1 breaking change") {
		t.Errorf("the report: %s", report)
	}
}

func TestLensWithoutGitComparesWithWhatWasOpened(t *testing.T) {
	t.Setenv("GIT_CEILING_DIRECTORIES", "/")
	c := start(t, nil, `{"workspace":{"codeLens":{"refreshSupport":true}}}`)
	c.opens("a.sdp", "package a;\nmessage A { x: u8 }\n")
	c.changes("a.sdp", 2, change{Text: "package a;\nmessage A { x: u16 }\n"})
	c.notify("textDocument/didSave", c.document("a.sdp"))
	deadline := time.Now().Add(patience)
	for {
		got := c.must("textDocument/codeLens", c.document("a.sdp"))
		if strings.Contains(got, "since it was opened: A.x") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(got)
		}
		time.Sleep(time.Millisecond)
	}
}
