package bridge

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// services makes, of each service, a server of gRPC around a handler, and a handler around a
// client of gRPC.
func (f *file) services() {
	for i := range f.of.Services().Len() {
		d := f.of.Services().Get(i)
		if s, methods := f.binding.Service(d); s != nil {
			f.notice(s, d)
			f.service(s, d, methods)
		}
	}
}

func (f *file) service(s *ir.Service, d protoreflect.ServiceDescriptor, methods map[protoreflect.Name]*ir.Method) {
	name, theirName := f.names.Of(s), camel(string(d.Name()))
	ours, theirs := f.ours(s.Package, name+"Server"), f.theirs(f.of, theirName+"Server")
	client := f.theirs(f.of, theirName+"Client")
	local := strings.ToLower(name[:1]) + name[1:]
	f.line("\n// New%sGRPCServer makes a server of gRPC that answers as a server of MXP does.", name)
	f.line("func New%sGRPCServer(server %s) %s { return &%sGRPCServer{server: server} }", name, ours, theirs, local)
	f.line("\ntype %sGRPCServer struct {\n%s\nserver %s\n}", local, f.theirs(f.of, "Unimplemented"+theirName+"Server"), ours)
	f.line("\n// New%sProxy makes a server of MXP that asks a client of gRPC.", name)
	f.line("func New%sProxy(client %s) %s { return &%sProxy{client: client} }", name, client, ours, local)
	f.line("\ntype %sProxy struct {\n%s\nclient %s\n}", local, f.ours(s.Package, "Unimplemented"+name), client)
	for i := range d.Methods().Len() {
		m := d.Methods().Get(i)
		made := methods[m.Name()]
		if made == nil {
			continue
		}
		f.notice(made, m)
		f.serve(s, d, m, made, local)
		f.proxy(m, made, local)
	}
}

// kindOf is what package front calls methods of which the same flows.
func kindOf(m *ir.Method) string {
	switch {
	case m.RequestFlows && m.ResponseFlows:
		return "BidiStream"
	case m.RequestFlows:
		return "ClientStream"
	case m.ResponseFlows:
		return "ServerStream"
	}
	return "Call"
}

// serve is a method that gRPC calls.
func (f *file) serve(s *ir.Service, d protoreflect.ServiceDescriptor, m protoreflect.MethodDescriptor, output *ir.Method, local string) {
	name := camel(string(m.Name()))
	stream := camel(string(d.Name())) + "_" + name + "Server"
	number := f.ours(s.Package, f.names.Get(output, names.Number))
	method := f.mxp() + "Method{Service: " + f.ours(s.Package, f.names.Of(s)+"Name") + ", Name: \"" + output.Name + "\", Number: " + number
	if output.Idempotent {
		method += ", Idempotent: true"
	}
	method += "}"
	ours := f.names.Of(output)
	convert := f.function(output.Request.Decl, "FromProto") + ", " + f.function(output.Response.Decl, "ToProto") + ", s.server." + ours
	f.line("\n// %s answers by the server of MXP.", name)
	switch kind := kindOf(output); kind {
	case "Call":
		f.fixed("context", "context")
		f.line("func (s *%sGRPCServer) %s(ctx context.Context, request *%s) (*%s, error) {", local, name, f.messageOf(m.Input()), f.messageOf(m.Output()))
		f.line("return %sCall(ctx, %s, request, %s)\n}", f.front(), method, convert)
	case "ServerStream":
		f.line("func (s *%sGRPCServer) %s(request *%s, stream %s) error {", local, name, f.messageOf(m.Input()), f.theirs(f.of, stream))
		f.line("return %sServerStream(stream, %s, request, stream.Send, %s)\n}", f.front(), method, convert)
	case "ClientStream":
		f.line("func (s *%sGRPCServer) %s(stream %s) error {", local, name, f.theirs(f.of, stream))
		f.line("return %sClientStream(stream, %s, stream.Recv, stream.SendAndClose, %s)\n}", f.front(), method, convert)
	default:
		f.line("func (s *%sGRPCServer) %s(stream %s) error {", local, name, f.theirs(f.of, stream))
		f.line("return %sBidiStream(stream, %s, stream.Recv, stream.Send, %s)\n}", f.front(), method, convert)
	}
}

// proxy is a method that MXP calls.
func (f *file) proxy(m protoreflect.MethodDescriptor, output *ir.Method, local string) {
	f.fixed("context", "context")
	name := f.names.Of(output)
	asked, answer := f.typeOf(output.Request), f.typeOf(output.Response)
	convert := f.function(output.Request.Decl, "ToProto") + ", " + f.function(output.Response.Decl, "FromProto") + ", s.client." + camel(string(m.Name()))
	f.line("\n// %s asks the client of gRPC.", name)
	switch kind := kindOf(output); kind {
	case "Call":
		f.line("func (s *%sProxy) %s(ctx context.Context, request *%s) (*%s, error) {", local, name, asked, answer)
		f.line("return %sAskCall(ctx, request, %s)\n}", f.front(), convert)
	case "ServerStream":
		f.line("func (s *%sProxy) %s(ctx context.Context, request *%s, responses *%sSender[%s]) error {", local, name, asked, f.mxp(), answer)
		f.line("return %sAskServerStream(ctx, request, responses, %s)\n}", f.front(), convert)
	case "ClientStream":
		f.line("func (s *%sProxy) %s(ctx context.Context, requests *%sReceiver[%s]) (*%s, error) {", local, name, f.mxp(), asked, answer)
		f.line("return %sAskClientStream(ctx, requests, %s)\n}", f.front(), convert)
	default:
		f.line("func (s *%sProxy) %s(ctx context.Context, requests *%sReceiver[%s], responses *%sSender[%s]) error {", local, name, f.mxp(), asked, f.mxp(), answer)
		f.line("return %sAskBidiStream(ctx, requests, responses, %s)\n}", f.front(), convert)
	}
}

// messageOf is a message's type of protoc-gen-go's.
func (f *file) messageOf(m protoreflect.MessageDescriptor) string {
	return f.theirs(m.ParentFile(), typeName(m))
}

// typeOf is a message's type of ours.
func (f *file) typeOf(t *ir.Type) string { return f.ours(t.Decl.DeclPackage(), f.names.Of(t.Decl)) }
