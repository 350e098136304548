package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/serial-data-protocol/sdp/mesh/authority"
)

// authorities makes an authority, and certificates that it signs.
func authorities() *cobra.Command {
	var folder string
	command := &cobra.Command{Use: "ca", Short: "Make an authority, and certificates of nodes and programs", Example: `  sdp-mesh ca init --authority ca`}
	command.PersistentFlags().StringVar(&folder, "authority", "authority", "folder of the authority; keep its key where no node is")
	command.AddCommand(initialize(&folder), issue(&folder), revoke(&folder), list(&folder))
	return command
}

func initialize(folder *string) *cobra.Command {
	var name string
	command := &cobra.Command{
		Use: "init", Short: "Make an authority in a folder that has none", Args: cobra.NoArgs,
		Example: `  sdp-mesh ca init --authority ca`,
		RunE: func(*cobra.Command, []string) error {
			_, err := authority.Create(*folder, name)
			return err
		},
	}
	command.Flags().StringVar(&name, "name", "sdp-mesh authority", "its common name")
	return command
}

func issue(folder *string) *cobra.Command {
	var r authority.Request
	var days int
	var out string
	command := &cobra.Command{
		Use: "issue NAME", Short: "Make a certificate NAME.pem and its key NAME.key", Args: cobra.ExactArgs(1),
		Example: `  sdp-mesh ca issue --authority ca --out desk-1 --for-node --host desk-1 desk-1
  sdp-mesh ca issue --authority ca --out mixer mixer`,
		RunE: func(cmd *cobra.Command, names []string) error {
			a, err := authority.Open(*folder)
			if err != nil {
				return err
			}
			r.Name, r.Lasts = names[0], time.Duration(days)*24*time.Hour
			issued, err := a.Issue(out, r)
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "%s\t%s\tuntil %s\n", issued.Name, issued.Serial, issued.Until.Format(time.DateOnly))
			}
			return err
		},
	}
	command.Flags().BoolVar(&r.Node, "for-node", false, "the certificate is a node's")
	command.Flags().StringSliceVar(&r.Hosts, "host", nil, "names and addresses under which it is reached, if it serves")
	command.Flags().StringSliceVar(&r.URIs, "uri", nil, "URIs, of which the first is its identity instead of NAME")
	command.Flags().IntVar(&days, "days", 365, "how long it lasts")
	command.Flags().StringVar(&out, "out", ".", "folder of the files")
	return command
}

func revoke(folder *string) *cobra.Command {
	return &cobra.Command{
		Use: "revoke NAME|SERIAL", Short: "Revoke certificates: nodes refuse them from now on", Args: cobra.ExactArgs(1),
		Example: `  sdp-mesh ca revoke --authority ca mixer`,
		RunE: func(cmd *cobra.Command, names []string) error {
			a, err := authority.Open(*folder)
			if err != nil {
				return err
			}
			revoked, err := a.Revoke(names[0])
			for _, one := range revoked {
				fmt.Fprintf(cmd.OutOrStdout(), "%s\t%s\n", one.Name, one.Serial)
			}
			return err
		},
	}
}

func list(folder *string) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use: "list", Short: "The certificates that were issued", Args: cobra.NoArgs,
		Example: `  sdp-mesh ca list --authority ca`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := authority.Open(*folder)
			if err != nil {
				return err
			}
			all, err := a.List()
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), append([]authority.Certificate{}, all...))
			}
			var rows []string
			for _, one := range all {
				kind, revoked := "program", ""
				if one.Node {
					kind = "node"
				}
				if one.Revoked != nil {
					revoked = one.Revoked.Format(time.DateOnly)
				}
				rows = append(rows, strings.Join([]string{one.Name, kind, one.Serial, one.Until.Format(time.DateOnly), revoked, strings.Join(one.URIs, ",")}, "\t"))
			}
			return table(cmd.OutOrStdout(), "NAME\tKIND\tSERIAL\tUNTIL\tREVOKED\tURIS", rows)
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}
