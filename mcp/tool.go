package mcp

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/jsonschema"
	"github.com/serial-data-protocol/sdp/compiler/talk"
)

// The members of objects that hold what flows.
const (
	requestsKey  = "requests"
	responsesKey = "responses"
	cutKey       = "cut"
)

// nameMax is how long a tool's name may be that every client takes.
const nameMax = 64

// attribute is the attribute by which the author of a schema tells agents about a method.
const attribute = "x.mcp"

// The words of the attribute.
const (
	readOnly = "readonly" // it changes nothing
	additive = "additive" // it destroys nothing
	hidden   = "hidden"   // it is no tool
)

// isHidden tells whether a method is no tool. A word that is not known might have been meant
// to hide the method, and is an error.
func isHidden(m *talk.Method) (bool, error) {
	for _, custom := range m.Custom {
		if custom.Name != attribute {
			continue
		}
		known := slices.ContainsFunc([]string{readOnly, additive, hidden}, custom.Says)
		if !known {
			return false, fmt.Errorf("@%s of %s has one of the words %s, %s and %s", attribute, m.FullName(), readOnly, additive, hidden)
		}
	}
	return says(m, hidden), nil
}

func says(m *talk.Method, word string) bool {
	return slices.ContainsFunc(m.Custom, func(c ir.Custom) bool { return c.Name == attribute && c.Says(word) })
}

// chosen are the methods that are tools: the methods of only, or all without it, but not the
// methods of except and hidden ones. Each name is Service/method, or Service for all of its
// methods.
func chosen(catalog *talk.Catalog, only, except []string) ([]*talk.Method, error) {
	wanted, err := selected(catalog, only)
	if err != nil {
		return nil, err
	}
	unwanted, err := selected(catalog, except)
	if err != nil {
		return nil, err
	}
	var found []*talk.Method
	for _, m := range catalog.Methods() {
		hides, err := isHidden(m)
		if err != nil {
			return nil, err
		}
		if hides && wanted[m] {
			return nil, fmt.Errorf("%s is hidden by @%s, and can't be offered", m.FullName(), attribute)
		}
		if _, within := wanted[m]; !hides && (within || len(only) == 0) {
			if _, without := unwanted[m]; !without {
				found = append(found, m)
			}
		}
	}
	if len(found) == 0 {
		return nil, errors.New("there are no methods to offer")
	}
	return found, nil
}

// selected are the methods that names mean, and whether each was named itself.
func selected(catalog *talk.Catalog, names []string) (map[*talk.Method]bool, error) {
	all := map[*talk.Method]bool{}
	for _, name := range names {
		methods, err := catalog.Select(name)
		if err != nil {
			return nil, err
		}
		for _, m := range methods {
			all[m] = all[m] || strings.Contains(name, "/")
		}
	}
	return all, nil
}

// names gives each method the name of its tool: the service's and its own, with the
// package's before where two services have one name.
func names(methods []*talk.Method) map[*talk.Method]string {
	services := map[string][]string{} // full names by the short one
	for _, m := range methods {
		if short := shortName(m); !slices.Contains(services[short], m.Service) {
			services[short] = append(services[short], m.Service)
		}
	}
	made := map[*talk.Method]string{}
	for _, m := range methods {
		service := shortName(m)
		if len(services[service]) > 1 {
			service = strings.ReplaceAll(m.Service, ".", "-")
		}
		name := service + "-" + m.Name
		if len(name) > nameMax {
			sum := fmt.Sprintf("-%x", sha256.Sum256([]byte(m.FullName())))[:9]
			name = name[:nameMax-len(sum)] + sum
		}
		made[m] = name
	}
	return made
}

func shortName(m *talk.Method) string { return m.Service[strings.LastIndexByte(m.Service, '.')+1:] }

// toolOf describes a method.
func toolOf(m *talk.Method, name string) *sdk.Tool {
	tool := &sdk.Tool{
		Name: name, Title: m.FullName(), Description: description(m),
		Annotations: &sdk.ToolAnnotations{
			Title: m.FullName(), IdempotentHint: m.Idempotent || says(m, readOnly), ReadOnlyHint: says(m, readOnly),
		},
	}
	destroys := !says(m, readOnly) && !says(m, additive)
	tool.Annotations.DestructiveHint = &destroys
	if m.RequestFlows {
		tool.InputSchema = jsonschema.ListOf(m.Method.Request.Decl, requestsKey, "The requests, in the order in which they are sent.")
	} else {
		tool.InputSchema = jsonschema.Of(m.Method.Request.Decl)
	}
	switch {
	case m.ResponseFlows:
		tool.OutputSchema = jsonschema.ListOf(m.Method.Response.Decl, responsesKey, "The responses, in the order in which they came.",
			[2]string{cutKey, "There may be further responses, and this is why they are left out."})
	case m.Method.Response != nil:
		tool.OutputSchema = jsonschema.Of(m.Method.Response.Decl)
	}
	return tool
}

// description is the comment of a method, and how its messages flow.
func description(m *talk.Method) string {
	lines := slices.Clone(m.Doc)
	if m.Deprecated != nil {
		lines = append(lines, strings.TrimSuffix("Deprecated: "+*m.Deprecated, ": "))
	}
	if m.RequestFlows {
		lines = append(lines, "Takes a list of requests.")
	}
	if m.ResponseFlows {
		lines = append(lines, "Returns the list of responses until the stream, the time or the room for them ends.")
	}
	if m.Kind == ir.Event {
		lines = append(lines, "An event: it is taken, and gives nothing.")
	}
	return strings.Join(lines, "\n")
}
