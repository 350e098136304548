// Command sdp-peer-test plays the other side of a connection of MXP, byte by byte, against a server
// or a client, and says what that does wrong.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/serial-data-protocol/sdp/compiler/manual"
	"github.com/serial-data-protocol/sdp/conformance/peer"
)

var errFailed = errors.New("some cases failed")

// exits are what `sdp-peer-test --help` says of the exit codes.
var exits = []manual.Exit{
	{Code: "0", Meaning: "all cases passed"},
	{Code: "1", Meaning: "a case failed, or the command line or a file is at fault"},
}

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
		Use: "sdp-peer-test", Short: "Tests servers and clients of MXP from the other end of a connection",
		Long: manual.Long("Play the other side of a connection of MXP, byte by byte, against a server or a client.", exits),
		Example: `  sdp-peer-test server mxp+unix:///tmp/echo.sock
  sdp-peer-test client -- mxp_demo scripts`,
		SilenceUsage: true, SilenceErrors: true,
	}
	all.PersistentFlags().StringVar(&names, "run", "", "play the cases whose names a regular expression finds")
	all.PersistentFlags().IntVar(&together, "together", together, "how many cases are played at a time")
	server := &cobra.Command{
		Use: "server ADDRESS", Short: "Tests a server that serves demo.Echo, as examples/mxp do", Args: cobra.ExactArgs(1),
		Example: `  sdp-peer-test server mxp+unix:///tmp/echo.sock --run 'the magic'`,
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
	table := &cobra.Command{
		Use: "table", Short: "Prints all cases, as docs/endpoints.md has them", Args: cobra.NoArgs,
		Example: `  sdp-peer-test table`,
		Run:     func(*cobra.Command, []string) { fmt.Print(peer.Table()) },
	}
	all.AddCommand(server, clientCommand(selection, show), table)
	return all
}

func clientCommand(selection func() (peer.Selection, error), show func([]peer.Result) error) *cobra.Command {
	var scheme, certificate, key string
	client := &cobra.Command{
		Use: "client -- PROGRAM [ARGUMENT...]", Short: "Tests the clients of a program that runs scripts, as `mxp_demo scripts` of examples/mxp does", Args: cobra.MinimumNArgs(1),
		Example: `  sdp-peer-test client --over tcp -- mxp_demo scripts`,
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := selection()
			if err != nil {
				return err
			}
			secrets := &tls.Config{MinVersion: tls.VersionTLS12}
			if scheme == "tls" || scheme == "wss" {
				pair, err := tls.LoadX509KeyPair(certificate, key)
				if err != nil {
					return err
				}
				secrets.Certificates = []tls.Certificate{pair}
			}
			command := exec.Command(args[0], args[1:]...)
			command.Stderr = os.Stderr
			program, err := peer.StartProgram(command, secrets)
			if err != nil {
				return err
			}
			return errors.Join(show(peer.Clients(program, scheme, s)), program.Close())
		},
	}
	client.Flags().StringVar(&scheme, "over", "unix", "transport: unix, tcp, tls, shm, ws or wss")
	client.Flags().StringVar(&certificate, "cert", "", "file of the certificate that cases over tls and wss show, which is of 127.0.0.1")
	client.Flags().StringVar(&key, "key", "", "file of its key")
	return client
}
