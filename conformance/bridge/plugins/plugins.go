// Package plugins makes Go code of .proto files as protoc does with protoc-gen-go and
// other plugins, without protoc.
package plugins

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/cmd/protoc-gen-go/internal_gengo"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// Plugin is a program that makes further code, as protoc-gen-go-grpc does, and the parameter
// that it is called with.
type Plugin struct{ Program, Parameter string }

// Generate makes the code of files in a folder, by their import paths below a prefix: that of
// protoc-gen-go, and that of other plugins.
func Generate(folders, files []string, out, prefix string, others ...Plugin) error {
	request, err := request(folders, files)
	if err != nil {
		return err
	}
	plugin, err := protogen.Options{}.New(request)
	if err != nil {
		return err
	}
	plugin.SupportedFeatures = internal_gengo.SupportedFeatures
	plugin.SupportedEditionsMinimum, plugin.SupportedEditionsMaximum = internal_gengo.SupportedEditionsMinimum, internal_gengo.SupportedEditionsMaximum
	for _, file := range plugin.Files {
		if file.Generate {
			internal_gengo.GenerateFile(plugin, file)
		}
	}
	if err := write(plugin.Response(), out, prefix); err != nil {
		return err
	}
	for _, other := range others {
		response, err := other.answer(request)
		if err != nil {
			return err
		}
		if err := write(response, out, prefix); err != nil {
			return err
		}
	}
	return nil
}

// answer runs the plugin on a request.
func (p Plugin) answer(request *pluginpb.CodeGeneratorRequest) (*pluginpb.CodeGeneratorResponse, error) {
	own := proto.CloneOf(request)
	own.Parameter = &p.Parameter
	data, err := proto.Marshal(own)
	if err != nil {
		return nil, err
	}
	command := exec.Command(p.Program)
	command.Stdin, command.Stderr = bytes.NewReader(data), os.Stderr
	answer, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Program, err)
	}
	response := &pluginpb.CodeGeneratorResponse{}
	return response, proto.Unmarshal(answer, response)
}

// request is what plugins are asked.
func request(folders, files []string) (*pluginpb.CodeGeneratorRequest, error) {
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: folders}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	compiled, err := compiler.Compile(context.Background(), files...)
	if err != nil {
		return nil, err
	}
	request := &pluginpb.CodeGeneratorRequest{FileToGenerate: files}
	seen := map[string]bool{}
	var add func(file protoreflect.FileDescriptor) error
	add = func(file protoreflect.FileDescriptor) error {
		if seen[file.Path()] {
			return nil
		}
		seen[file.Path()] = true
		for i := range file.Imports().Len() {
			if err := add(file.Imports().Get(i).FileDescriptor); err != nil {
				return err
			}
		}
		// The parser's own types of extensions become protoc-gen-go's.
		data, err := proto.Marshal(protodesc.ToFileDescriptorProto(file))
		if err != nil {
			return err
		}
		plain := &descriptorpb.FileDescriptorProto{}
		request.ProtoFile = append(request.ProtoFile, plain)
		return proto.Unmarshal(data, plain)
	}
	for _, file := range compiled {
		if err := add(file); err != nil {
			return nil, err
		}
	}
	return request, nil
}

func write(response *pluginpb.CodeGeneratorResponse, out, prefix string) error {
	if response.Error != nil {
		return fmt.Errorf("%s", response.GetError())
	}
	for _, file := range response.File {
		inside, is := strings.CutPrefix(file.GetName(), prefix+"/")
		if !is {
			return fmt.Errorf("%s is not below %s", file.GetName(), prefix)
		}
		name := filepath.Join(out, filepath.FromSlash(inside))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(file.GetContent()), 0o666); err != nil {
			return err
		}
	}
	return nil
}
