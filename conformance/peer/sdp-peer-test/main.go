// Command sdp-peer-test plays a client against a server of MXP, byte by byte, and says what the
// server does wrong.
package main

import (
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/serial-data-protocol/sdp/conformance/peer"
)

var errFailed = errors.New("some cases failed")

func main() {
	if err := root().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "sdp-peer-test:", err)
		os.Exit(1)
	}
}

func root() *cobra.Command {
	var names, authority string
	together := 32
	selection := func() (chosen peer.Selection, err error) {
		chosen.Together = together
		if names != "" {
			chosen.Names, err = regexp.Compile(names)
		}
		return chosen, err
	}
	show := func(results []peer.Result) error {
		text, passed := peer.Report(results)
		fmt.Printf("%s%d of %d cases passed\n", text, passed, len(results))
		if passed < len(results) {
			return errFailed
		}
		return nil
	}
	all := &cobra.Command{
		Use: "sdp-peer-test", Short: "Tests servers of MXP from the other end of a connection",
		SilenceUsage: true, SilenceErrors: true,
	}
	all.PersistentFlags().StringVar(&names, "run", "", "play the cases whose names a regular expression finds")
	all.PersistentFlags().IntVar(&together, "together", together, "how many cases are played at a time")
	server := &cobra.Command{
		Use: "server ADDRESS", Short: "Tests a server that serves demo.Echo, as examples/mxp do", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			at, err := peer.ParseAddress(args[0])
			if err != nil {
				return err
			}
			s, err := selection()
			if err != nil {
				return err
			}
			var roots *x509.CertPool
			if authority != "" {
				if roots, err = peer.Authorities(authority); err != nil {
					return err
				}
			}
			return show(peer.Servers(at, roots, s))
		},
	}
	server.Flags().StringVar(&authority, "ca", "", "file of the certificates that the server's is checked by")
	all.AddCommand(server)
	return all
}
