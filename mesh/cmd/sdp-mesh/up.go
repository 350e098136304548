package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/serial-data-protocol/sdp/compiler/version"
	"github.com/serial-data-protocol/sdp/mesh/config"
	"github.com/serial-data-protocol/sdp/mesh/node"
)

// flags are the flags of `up`. Each has the name of a key of the file.
func flags(target *pflag.FlagSet, c *config.Config) {
	target.StringVar(&c.Name, "name", c.Name, "the node's name, another one for each of a mesh")
	target.StringVar(&c.Data, "data", c.Data, "folder of the directory and the durable events")
	target.StringVar(&c.Socket, "socket", c.Socket, "unix socket for programs of this machine; on Windows, the name of a pipe")
	target.StringVar(&c.Listen, "listen", c.Listen, "HOST:PORT for programs with certificates")
	target.StringVar(&c.Relay, "relay", c.Relay, "HOST:PORT, as other nodes reach it, where bytes are carried to agents of this machine")
	target.StringVar(&c.HTTP, "http", c.HTTP, "HOST:PORT of /healthz and /metrics")
	target.StringSliceVar(&c.Join, "join", c.Join, "HOST:PORT,… of all nodes of the mesh: by which they reach each other")
	target.StringVar(&c.Cluster, "cluster", c.Cluster, "HOST:PORT of this node, as --join has it")
	target.StringVar(&c.NATS, "nats", c.NATS, "URL of a NATS server or cluster that is there; none is embedded then")
	target.StringVar(&c.NATSCredentials, "nats-credentials", c.NATSCredentials, "credentials file for --nats")
	target.StringVar(&c.NATSAuthority, "nats-authority", c.NATSAuthority, "certificate of the authority of --nats")
	target.StringVar(&c.Certificate, "cert", c.Certificate, "the node's certificate")
	target.StringVar(&c.Key, "key", c.Key, "its key")
	target.StringVar(&c.Authority, "authority", c.Authority, "certificate of the authority by which others are known")
	target.StringVar(&c.Revoked, "revoked", c.Revoked, "the authority's list of revoked certificates")
	target.StringVar(&c.Policy, "policy", c.Policy, "file that says what each identity may do")
	target.DurationVar((*time.Duration)(&c.LeaseMin), "lease-min", time.Duration(c.LeaseMin), "shortest lease that is given")
	target.DurationVar((*time.Duration)(&c.LeaseMax), "lease-max", time.Duration(c.LeaseMax), "longest lease that is given")
	target.IntVar(&c.Agents, "agents", c.Agents, "how many agents there may be in the mesh")
	target.DurationVar((*time.Duration)(&c.Drain), "drain", time.Duration(c.Drain), "how long requests in flight have to end when the node does")
	target.BoolVar(&c.Unsynced, "unsynced", c.Unsynced, "acknowledge before the disk has it: a power cut may take what was acknowledged")
	target.StringVar(&c.LogFormat, "log-format", c.LogFormat, "text or json")
	target.StringVar(&c.LogLevel, "log-level", c.LogLevel, "debug, info, warn or error")
}

// up runs a node until it is told to end.
func up() *cobra.Command {
	c := config.Default()
	var file string
	command := &cobra.Command{
		Use: "up", Short: "Run a node until SIGTERM; SIGHUP reads certificates and the policy anew", Args: cobra.NoArgs,
		Example: `  sdp-mesh up --data ~/mesh --socket /tmp/mesh.sock
  sdp-mesh up --config node.toml --log-format json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			set, err := configured(cmd.Flags(), file)
			if err != nil {
				return err
			}
			return run(cmd.Context(), set)
		},
	}
	flags(command.Flags(), c)
	command.Flags().StringVarP(&file, "config", "c", "", "file with these options as keys: TOML")
	return command
}

// configured are the defaults, what a file says, and what flags say that were given.
func configured(given *pflag.FlagSet, file string) (*config.Config, error) {
	c := config.Default()
	if file != "" {
		if err := c.Read(file); err != nil {
			return nil, err
		}
	}
	again := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags(again, c)
	var failed error
	given.Visit(func(f *pflag.Flag) {
		if f.Name == "config" || failed != nil {
			return
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			failed = again.Lookup(f.Name).Value.(pflag.SliceValue).Replace(list.GetSlice())
			return
		}
		failed = again.Set(f.Name, f.Value.String())
	})
	return c, failed
}

func logger(c *config.Config, w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return nil, fmt.Errorf("log-level: %w", err)
	}
	options := &slog.HandlerOptions{Level: level}
	switch c.LogFormat {
	case "text":
		return slog.New(slog.NewTextHandler(w, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, options)), nil
	}
	return nil, fmt.Errorf("log-format is %q, and can be text or json", c.LogFormat)
}

func run(ctx context.Context, c *config.Config) error {
	log, err := logger(c, os.Stderr)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGHUP)
	defer signal.Stop(again)
	n, err := node.Start(*c, version.Project, log)
	if err != nil {
		return err
	}
	ready := n.Ready()
	for {
		select {
		case <-ready:
			log.Info("knows the directory", "node", c.Name)
			ready = nil
			continue
		case <-again:
			n.Reload()
			continue
		case <-n.Ended():
		case <-ctx.Done():
		}
		break
	}
	stop() // a second signal ends it at once
	log.Info("drains", "for_at_most", time.Duration(c.Drain))
	ending, cancel := context.WithTimeout(context.Background(), time.Duration(c.Drain))
	defer cancel()
	if err := n.Shutdown(ending); err != nil {
		log.Warn("requests were cut off", "error", err)
	}
	return nil
}
