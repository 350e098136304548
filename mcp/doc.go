// Package mcp offers the methods of services as tools to agents, by the Model Context
// Protocol: each method is a tool, whose input and output are the JSON of its request and
// response.
//
// It knows services, requests and answers by package talk of the tool, and the protocol by
// its official SDK. It refuses to know files and the command line.
package mcp
