package lsp

import (
	"maps"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/driver"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// documentBytesMax bounds the text of a document, of which a tree is many times as large, and
// openBytesMax the texts of all open documents together.
const (
	documentBytesMax = 4 << 20
	openBytesMax     = 64 << 20
)

// document is a schema that the client has open. Its text is in server.open.
type document struct {
	uri     string
	path    string
	version int32
	// project is the project of the document's checks; empty before the first check.
	project string
	// refused says that the text is too long to be kept: the document is not looked at
	// until it is opened again, or sent whole.
	refused bool
}

// pathOf is the path of a file that a URI names. A URI of another scheme is its own path.
func pathOf(uri string) (path string, isFile bool) {
	at, err := url.Parse(uri)
	if err != nil || at.Scheme != "file" {
		return filepath.Clean(uri), false
	}
	path = at.Path
	if at.Host != "" && at.Host != "localhost" {
		path = "//" + at.Host + path
	} else if len(path) > 2 && path[2] == ':' && filepath.Separator == '\\' {
		path = path[1:] // /C:/…
	}
	return driver.Identity(filepath.FromSlash(path)), true
}

// uriOf is how the client calls a file.
func (s *server) uriOf(name string) string {
	path := filepath.FromSlash(name)
	if doc := s.docs[path]; doc != nil {
		return doc.uri
	}
	if doc := s.docs[driver.Identity(path)]; doc != nil {
		return doc.uri
	}
	if !strings.HasPrefix(name, "/") {
		name = "/" + name
	}
	return (&url.URL{Scheme: "file", Path: name}).String()
}

func isSchema(uri, language string) bool { return language == "sdp" || strings.HasSuffix(uri, ".sdp") }

func (s *server) didOpen(params openParams) (any, error) {
	item := params.Document
	if !isSchema(item.URI, item.LanguageID) {
		return nil, nil
	}
	path, _ := pathOf(item.URI)
	doc := &document{uri: item.URI, path: path, version: item.Version}
	s.docs[path] = doc
	s.lensDue[path] = true
	// Others may import a file that is not on the disk.
	s.checkAll()
	s.setText(doc, item.Text)
	return nil, nil
}

func (s *server) didChange(params changeParams) (any, error) {
	path, _ := pathOf(params.Document.URI)
	doc := s.docs[path]
	if doc == nil {
		return nil, nil
	}
	doc.version = params.Document.Version
	text := s.open[path]
	for _, c := range params.Changes {
		if c.Range == nil {
			doc.refused = false
		}
		if !doc.refused {
			text = newLines(text, s.units).apply(c)
		}
	}
	if !doc.refused {
		s.setText(doc, text)
	}
	return nil, nil
}

// setText makes a text that of a document, and has it checked.
func (s *server) setText(doc *document, text string) {
	total := len(text)
	for path, other := range s.open {
		if path != doc.path {
			total += len(other)
		}
	}
	s.open = maps.Clone(s.open)
	if total > openBytesMax || len(text) > documentBytesMax {
		doc.refused, doc.project = true, ""
		delete(s.open, doc.path)
		delete(s.stale, doc.path)
		delete(s.edited, doc.path)
		s.show(1, doc.uri+" is too long, and is not looked at")
	} else {
		s.open[doc.path] = text
		s.edited[doc.path] = true
	}
	s.check(doc.path)
}

func (s *server) didSave(params documentParams) (any, error) {
	path, _ := pathOf(params.Document.URI)
	if s.docs[path] != nil {
		s.lensDue[path] = true
		s.check(path)
	}
	return nil, nil
}

func (s *server) didClose(params documentParams) (any, error) {
	path, _ := pathOf(params.Document.URI)
	doc := s.docs[path]
	if doc == nil {
		return nil, nil
	}
	delete(s.docs, path)
	delete(s.stale, path)
	delete(s.edited, path)
	delete(s.lensDue, path)
	s.open = maps.Clone(s.open)
	delete(s.open, path)
	// The client shows what it was told under the name that it used.
	if _, told := s.published[doc.uri]; told {
		s.out.notify("textDocument/publishDiagnostics", publishParams{URI: doc.uri, Diagnostics: []diagnostic{}})
		delete(s.published, doc.uri)
	}
	s.checkAll()
	s.check(path)
	return nil, nil
}

// didChangeFiles has everything checked: files may have come that imports or a config
// file name.
func (s *server) didChangeFiles(struct{}) (any, error) {
	for path := range s.docs {
		s.lensDue[path] = true
	}
	s.checkAll()
	s.check("")
	return nil, nil
}

// checkAll says that all documents have to be checked.
func (s *server) checkAll() {
	for path, doc := range s.docs {
		if !doc.refused {
			s.stale[path] = true
		}
	}
}

// document is the index of a document that is open, and its lines.
func (s *server) document(id documentID) (*syntax.Index, *lines, error) {
	path, _ := pathOf(id.URI)
	doc := s.docs[path]
	if doc == nil || doc.refused {
		return nil, nil, failed("%s is not open", id.URI)
	}
	x := s.indexOf(path)
	if x == nil {
		return nil, nil, failed("%s cannot be read", id.URI)
	}
	return x, newLines(x.File.Source.Text(), s.units), nil
}

// place is where a request asks about a document.
func (s *server) place(params positionParams) (x *syntax.Index, l *lines, offset int, err error) {
	x, l, err = s.document(params.Document)
	if err != nil {
		return nil, nil, 0, err
	}
	return x, l, l.offset(params.Position), nil
}
