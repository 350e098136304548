package python

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// library is the module that the code of services imports.
const library = "mesh_exchange_protocol"

// ServicesModule is the name of the file of a package's services without its ending.
func ServicesModule(pkg *ir.Package) string { return Module(pkg) + "_services" }

// loneCapital is a letter that stands for a type.
var loneCapital = regexp.MustCompile(`\b[QA]\b`)

// methodKinds are, for each kind of method, its name in the library, the parts of a client's and of a server's method, and the
// type of a blocking client's: Q and A stand for the types of requests and responses.
var methodKinds = [...]struct {
	kind, doc            string
	client, result, call string
	server, answer       string
	blocking             string
}{
	lower.Event: {
		"EVENT", "Tells an event. With ``acked``, it waits until the peer has taken it.",
		"request: Q, *, acked: bool = False", "None", "await self._event(%s, request, acked, options)",
		"request: Q", "None",
		"mxp.EventMethod[Q]",
	},
	lower.Call: {
		"CALL", "Asks for an answer.",
		"request: Q", "A", "return await self._call(%s, request, A, options)",
		"request: Q", "A",
		"mxp.CallMethod[Q, A]",
	},
	lower.ServerStream: {
		"SERVER_STREAM", "Asks for a stream of answers.",
		"request: Q", "mxp.ServerStream[A]", "return mxp.ServerStream(lambda: self._open(%s, request, options), A)",
		"request: Q", "AsyncIterator[A]",
		"mxp.ServerStreamMethod[Q, A]",
	},
	lower.ClientStream: {
		"CLIENT_STREAM", "Sends a stream of requests for an answer.",
		"", "mxp.ClientStream[Q, A]", "return mxp.ClientStream(lambda: self._open(%s, None, options), A)",
		"requests: AsyncIterator[Q]", "A",
		"mxp.ClientStreamMethod[Q, A]",
	},
	lower.BidiStream: {
		"BIDI_STREAM", "Streams both ways.",
		"", "mxp.BidiStream[Q, A]", "return mxp.BidiStream(lambda: self._open(%s, None, options), A)",
		"requests: AsyncIterator[Q]", "AsyncIterator[A]",
		"mxp.BidiStreamMethod[Q, A]",
	},
}

// services makes the module of the package's services; nothing where it has none.
func (g *generator) services() []backend.File {
	if len(g.pkg.Services) == 0 {
		return nil
	}
	outer := g.Printer
	defer func() { g.Printer = outer }()
	g.Printer = emit.NewPrinter("    ")
	own := g.pkg
	g.pkg = nil // every type is named with its module
	for _, s := range own.Services {
		g.table(s)
		g.serviceClass(s)
		g.blockingClient(s)
		g.client(s)
	}
	code := strings.Trim(g.String(), "\n") + "\n"
	g.pkg = own
	g.Printer = emit.NewPrinter("    ")
	g.servicesHead(code)
	return []backend.File{{Name: ServicesModule(own) + ".py", Content: []byte(g.String() + code)}}
}

func (g *generator) servicesHead(code string) {
	g.firstLine()
	g.docstring([]string{"The services of " + g.pkg.Name + "."})
	g.Line("")
	g.Line("from __future__ import annotations")
	g.Line("")
	g.Line("import abc")
	if strings.Contains(code, "AsyncIterator[") {
		g.Line("from collections.abc import AsyncIterator")
	}
	g.Line("from typing import Unpack")
	g.Line("")
	g.Line("import %s as mxp", library)
	g.Line("")
	for _, pkg := range g.schema.Packages {
		at := g.options.Imports[pkg]
		if pkg == g.pkg {
			at = "from . import " + Module(pkg)
		}
		if name := g.importName(pkg); at != "" && strings.Contains(code, name+".") {
			g.Line("%s as %s", at, name)
		}
	}
	g.Line("")
}

// tableName is the name of the table of a service's methods.
func (g *generator) tableName(s *ir.Service) string {
	return "_" + strings.ToUpper(names.Snake(names.Words(s.Name)))
}

func (g *generator) table(s *ir.Service) {
	g.Line("%s = mxp.ServiceTable(", g.tableName(s))
	g.In(func() {
		g.Line("%q,", s.Package.Name+"."+s.Name)
		g.Line("[")
		g.In(func() {
			for _, m := range s.Methods {
				arguments := []string{quote(g.names.Of(m)), quote(m.Name), fmt.Sprint(m.Number), "mxp." + methodKinds[lower.FlowOf(m)].kind, g.decl(m.Request.Decl)}
				if m.Response != nil {
					arguments = append(arguments, g.decl(m.Response.Decl))
				}
				if m.Idempotent {
					arguments = append(arguments, "idempotent=True")
				}
				g.Line("mxp.Method(%s),", strings.Join(arguments, ", "))
			}
		})
		g.Line("],")
	})
	g.Line(")")
}

// serviceClass prints the class that a program implements.
func (g *generator) serviceClass(s *ir.Service) {
	g.class(g.names.Get(s, names.ServerTrait), []string{"mxp.Service", "abc.ABC"}, func() {
		g.doc(&s.Meta, "A service of the schema.", "A program implements its methods. Handlers of calls and events may be plain functions.")
		g.Line("")
		g.Line("_table = %s", g.tableName(s))
		for _, m := range s.Methods {
			kind := methodKinds[lower.FlowOf(m)]
			g.Line("")
			g.Line("@abc.abstractmethod")
			word := "async def"
			if flow := lower.FlowOf(m); flow == lower.ServerStream || flow == lower.BidiStream {
				word = "def" // an asynchronous generator is called, and not awaited
			}
			g.Line("%s %s(self, %s, context: mxp.Context) -> %s:", word, g.names.Of(m), g.filled(m, kind.server), g.filled(m, kind.answer))
			g.In(func() { g.doc(&m.Meta, kind.doc) })
		}
	})
}

// blockingClient prints the types of a client's methods for threads, which the library makes of the table.
func (g *generator) blockingClient(s *ir.Service) {
	g.class(g.names.Get(s, names.BlockingClient), []string{"mxp.BlockingClient"}, func() {
		g.docstring([]string{"A client of the service " + s.Name + " for threads, whose methods wait."})
		g.Line("")
		g.Line("_tables = (%s,)", g.tableName(s))
		for _, m := range s.Methods {
			g.Line("%s: %s", g.names.Of(m), g.filled(m, methodKinds[lower.FlowOf(m)].blocking))
		}
	})
}

func (g *generator) client(s *ir.Service) {
	g.class(g.names.Get(s, names.Client), []string{"mxp.Client"}, func() {
		g.doc(&s.Meta, "A client of the service "+s.Name+".", "A client of the service. Use it as a context: ``async with``.")
		g.Line("")
		g.Line("_tables = (%s,)", g.tableName(s))
		g.Line("sync = %s", g.names.Get(s, names.BlockingClient))
		for _, m := range s.Methods {
			kind := methodKinds[lower.FlowOf(m)]
			parameters := []string{"self"}
			if kind.client != "" {
				parameters = append(parameters, g.filled(m, kind.client))
			}
			parameters = append(parameters, "**options: Unpack[mxp.RequestOptions]")
			word := "async def"
			if flow := lower.FlowOf(m); flow != lower.Call && flow != lower.Event {
				word = "def"
			}
			g.Line("")
			g.Line("%s %s(%s) -> %s:", word, g.names.Of(m), strings.Join(parameters, ", "), g.filled(m, kind.result))
			g.In(func() {
				g.doc(&m.Meta, kind.doc)
				g.Line("%s", g.filled(m, fmt.Sprintf(kind.call, fmt.Sprintf("%s.methods[%d]", g.tableName(s), m.Number))))
			})
		}
	})
}

// filled is a text with the types of a method for Q and A, where they stand alone.
func (g *generator) filled(m *ir.Method, text string) string {
	words := map[string]string{"Q": g.decl(m.Request.Decl)}
	if m.Response != nil {
		words["A"] = g.decl(m.Response.Decl)
	}
	return loneCapital.ReplaceAllStringFunc(text, func(letter string) string { return words[letter] })
}
