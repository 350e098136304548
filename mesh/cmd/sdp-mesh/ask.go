package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/serial-data-protocol/sdp/mesh/node/admin"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// nodeQuery is how a node is asked.
type nodeQuery struct {
	node string
	json bool
	wait time.Duration
}

func (a *nodeQuery) flags(target *cobra.Command) {
	target.Flags().StringVar(&a.node, "node", mxp.NodeAddress(""), "address of the node")
	target.Flags().BoolVar(&a.json, "json", false, "print JSON")
	target.Flags().DurationVar(&a.wait, "timeout", 5*time.Second, "how long to wait for the answer")
}

func (a *nodeQuery) client() (*mxp.Client, context.Context, func(), error) {
	client, err := mxp.Dial(a.node, mxp.ClientOptions{Types: admin.AdminTypes()})
	if err != nil {
		return nil, nil, nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), a.wait)
	return client, ctx, func() { cancel(); client.Close() }, nil
}

func printJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// table prints rows whose columns are apart by tabs.
func table(target io.Writer, head string, rows []string) error {
	w := tabwriter.NewWriter(target, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, head)
	for _, row := range rows {
		fmt.Fprintln(w, row)
	}
	return w.Flush()
}

// seconds are so many microseconds, in the unit that metrics have, too.
func seconds(us uint64) float64 { return float64(us) / 1e6 }

// nodeView and statusView are what --json prints.
type nodeView struct {
	Name    string    `json:"name"`
	Version string    `json:"version"`
	Relay   string    `json:"relay,omitempty"`
	Started time.Time `json:"started"`
	Agents  uint32    `json:"agents"`
	Drains  bool      `json:"drains"`
	Seen    float64   `json:"seen_seconds"`
}

type statusView struct {
	Name      string     `json:"name"`
	Version   string     `json:"version"`
	Available bool       `json:"available"`
	Age       float64    `json:"age_seconds"`
	Agents    uint32     `json:"agents"`
	Replicas  uint32     `json:"replicas"`
	Nodes     []nodeView `json:"nodes"`
}

func status() *cobra.Command {
	var a nodeQuery
	command := &cobra.Command{
		Use: "status", Short: "How a node is, and which others it sees", Args: cobra.NoArgs,
		Example: `  sdp-mesh status --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, ctx, end, err := a.client()
			if err != nil {
				return err
			}
			defer end()
			s, err := admin.NewAdminClient(client).Status(ctx, &admin.Ask{})
			if err != nil {
				return err
			}
			view := statusView{s.Name, s.Version, s.Available, seconds(s.Age), s.Agents, s.Replicas, []nodeView{}}
			var rows []string
			for _, n := range s.Nodes {
				view.Nodes = append(view.Nodes, nodeView{n.Name, n.Version, n.Relay, n.Started, n.Agents, n.Drains, seconds(n.Seen)})
				rows = append(rows, fmt.Sprintf("%s\t%s\t%d\t%v\t%v ago\t%s", n.Name, n.Version, n.Agents, n.Drains, (time.Duration(n.Seen)*time.Microsecond).Round(time.Millisecond), time.Since(n.Started).Round(time.Second)))
			}
			if a.json {
				return printJSON(cmd.OutOrStdout(), view)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "node %s, version %s: available %v, directory %s, kept by %d, %d agents\n",
				s.Name, s.Version, s.Available, directoryAge(s.Age), s.Replicas, s.Agents)
			return table(cmd.OutOrStdout(), "NODE\tVERSION\tAGENTS\tDRAINS\tSEEN\tUP FOR", rows)
		},
	}
	a.flags(command)
	return command
}

// directoryAge describes the age of a node's directory, in microseconds. A directory that the node has not read yet
// has an age of centuries.
func directoryAge(us uint64) string {
	const century = 100 * 365 * 24 * time.Hour
	if us >= uint64(century.Microseconds()) {
		return "not known yet"
	}
	return (time.Duration(us) * time.Microsecond).Round(time.Millisecond).String() + " old"
}

// agentView is what --json prints.
type agentView struct {
	Name         string   `json:"name"`
	Epoch        uint64   `json:"epoch"`
	Lease        float64  `json:"lease_seconds"`
	Capabilities []string `json:"capabilities"`
	Services     []string `json:"services"`
	Addresses    []string `json:"addresses"`
}

type listingView struct {
	Version uint64      `json:"version"`
	Age     float64     `json:"age_seconds"`
	Agents  []agentView `json:"agents"`
}

func agents() *cobra.Command {
	var a nodeQuery
	var q session.Query
	command := &cobra.Command{
		Use: "agents", Short: "The agents of the mesh, as this program would reach them", Args: cobra.NoArgs,
		Example: `  sdp-mesh agents --capability mix`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, ctx, end, err := a.client()
			if err != nil {
				return err
			}
			defer end()
			found, err := client.DiscoverBy(ctx, &q)
			if err != nil {
				return err
			}
			view := listingView{found.Version, seconds(found.Age), []agentView{}}
			var rows []string
			for _, one := range found.Agents {
				view.Agents = append(view.Agents, agentView{one.Name, one.Epoch, seconds(one.Lease), one.Capabilities, one.Services, one.Addresses})
				rows = append(rows, fmt.Sprintf("%s\t%d\t%v\t%s\t%s\t%s", one.Name, one.Epoch, (time.Duration(one.Lease)*time.Microsecond).Round(time.Millisecond),
					strings.Join(one.Capabilities, ","), strings.Join(one.Services, ","), strings.Join(one.Addresses, ",")))
			}
			if a.json {
				return printJSON(cmd.OutOrStdout(), view)
			}
			return table(cmd.OutOrStdout(), "AGENT\tEPOCH\tLEASE\tCAPABILITIES\tSERVICES\tADDRESSES", rows)
		},
	}
	a.flags(command)
	command.Flags().StringVar(&q.Capability, "capability", "", "only agents that can do this")
	command.Flags().StringVar(&q.Name, "name", "", "only the agent of this name")
	command.Flags().StringVar(&q.Service, "service", "", "only agents that serve this")
	return command
}

func drain() *cobra.Command {
	var a nodeQuery
	command := &cobra.Command{
		Use: "drain", Short: "Let a node take no more programs, end what is in flight, and end", Args: cobra.NoArgs,
		Example: `  sdp-mesh drain --node mxp+unix:///tmp/mesh.sock`,
		RunE: func(*cobra.Command, []string) error {
			client, ctx, end, err := a.client()
			if err != nil {
				return err
			}
			defer end()
			_, err = admin.NewAdminClient(client).Drain(ctx, &admin.Ask{})
			return err
		},
	}
	a.flags(command)
	return command
}
