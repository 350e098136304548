package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/mesh"
)

// eventView is what --json prints, a line for each event.
type eventView struct {
	Service string    `json:"service"`
	Method  uint16    `json:"method"`
	Number  uint64    `json:"number"`
	At      time.Time `json:"at"`
	Dropped uint64    `json:"dropped"`
	Value   []byte    `json:"value"`
}

// events shows what passes. Values are shown as they are encoded: a node knows no schemas.
func events() *cobra.Command {
	var a nodeQuery
	command := &cobra.Command{
		Use: "events SERVICE/NUMBER...", Short: "Show events of methods as they pass, until SIGINT", Args: cobra.MinimumNArgs(1),
		Example: `  sdp-mesh events host.PluginHost/3 --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			subjects, err := subjectsOf(args)
			if err != nil {
				return err
			}
			client, err := mxp.Dial(a.node, mxp.ClientOptions{Types: mesh.MeshTypes()})
			if err != nil {
				return err
			}
			defer client.Close()
			stream, err := mesh.NewMeshClient(client).Subscribe(cmd.Context())
			if err != nil {
				return err
			}
			defer stream.Close()
			asked := mesh.Subscription{Subjects: subjects, Start: mesh.Start{Value: &mesh.StartNew{}}}
			if err := stream.Send(&mesh.Request{Value: &mesh.RequestSubscribe{Value: asked}}); err != nil {
				return err
			}
			for answer, err := range stream.All() {
				if err != nil {
					return err
				}
				event, is := answer.Value.(*mesh.AnswerEvent)
				if !is {
					continue
				}
				d := &event.Value
				if a.json {
					err = json.NewEncoder(cmd.OutOrStdout()).Encode(eventView{d.Subject.Service, d.Subject.Method, d.Number, d.At, d.Dropped, d.Value})
				} else {
					_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s/%d %d bytes, %d dropped: %x\n", d.At.Format(time.RFC3339Nano), d.Subject.Service, d.Subject.Method, len(d.Value), d.Dropped, d.Value[:min(len(d.Value), 64)])
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	a.flags(command)
	return command
}

func subjectsOf(args []string) (subjects []mesh.Subject, err error) {
	for _, one := range args {
		service, number, _ := strings.Cut(one, "/")
		method, err := strconv.ParseUint(number, 10, 16)
		if err != nil || service == "" {
			return nil, fmt.Errorf("%q is no service, a slash and the number of a method", one)
		}
		subjects = append(subjects, mesh.Subject{Service: service, Method: uint16(method)})
	}
	return subjects, nil
}
