// Command dev checks, explores, measures and regenerates this repository. The
// Makefile's targets call it; `go run ./tools/dev parts` lists what the checks consist of.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "dev:", err)
		os.Exit(1)
	}
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:               "dev",
		Short:             "Checks, explores and regenerates this repository",
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRunE: func(*cobra.Command, []string) error { return enterRoot() },
	}
	var o options
	checks := func(use, short string, choice func(args []string) ([]*part, error)) *cobra.Command {
		return &cobra.Command{Use: use, Short: short, RunE: func(c *cobra.Command, args []string) error {
			parts, err := choice(args)
			if err != nil {
				return err
			}
			return o.run(c.Context(), parts)
		}}
	}
	test := checks("test [PART...]", "Runs the tests of every language, or some of their parts", func(names []string) ([]*part, error) {
		return choose(testParts(), names)
	})
	more := checks("test-all [PART...]", "Runs what gates a change beside the tests, or some of its parts", func(names []string) ([]*part, error) {
		return choose(append(supplies(), moreParts()...), names)
	})
	var ofCommit bool
	explore := checks("explore [PART...]", "Runs the parts that explore, and the long ones", func(choice []string) ([]*part, error) {
		if ofCommit {
			found, seed, err := turnOfHead()
			if err != nil {
				return nil, err
			}
			o.seed, choice = seed, append(choice, found)
		}
		if o.seed == 0 {
			o.seed = uint64(time.Now().Unix())
		}
		fmt.Printf("seed %d\n", o.seed)
		parts := exploreParts(o.seed)
		if len(choice) == 0 {
			choice = names(parts)
		}
		return choose(append(supplies(), parts...), choice)
	})
	explore.Flags().Uint64Var(&o.seed, "seed", 0, "seed of all random choices (default: of the time)")
	explore.Flags().BoolVar(&ofCommit, "turn", false, "the part and the seed that the last commit's hash chooses")
	explore.MarkFlagsMutuallyExclusive("seed", "turn")
	for _, c := range []*cobra.Command{test, more, explore} {
		c.Flags().IntVar(&o.lanes, "lanes", 2, "parts that run beside each other")
		c.Args = cobra.ArbitraryArgs
	}
	root.AddCommand(test, more, explore, &cobra.Command{
		Use: "parts", Short: "Lists the parts, what they may cost, and which commands run them", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return listParts(os.Stdout) },
	}, &cobra.Command{
		Use: "tools", Short: "Installs what the tests need", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return install(c.Context(), testParts()) },
	}, &cobra.Command{
		Use: "demo INPUT", Short: "Takes a registry of audio plugins through the schema, into bytes and back", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return demo(c.Context(), args[0]) },
	}, &cobra.Command{
		Use: "playground", Short: "Makes the playground, a folder of static files", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return makePlayground(c.Context()) },
	}, &cobra.Command{
		Use: "site", Short: "Makes the site of the documents, a folder of static files", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return makeSite(c.Context()) },
	}, &cobra.Command{
		Use: "golden", Short: "Writes all golden files and generated examples anew", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context(), goldenParts()) },
	}, &cobra.Command{
		Use: "soak SECONDS", Short: "Does to servers of every language what goes wrong with servers, all at once", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return soak(c.Context(), args[0]) },
	}, &cobra.Command{
		Use: "simulate [FLAG...]", Short: "Prints what two sessions of MXP do on a bad network", DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error { return simulate(c.Context(), args) },
	})
	return root
}

// enterRoot makes the repository's root the working folder, so that the program
// does the same wherever it is called.
func enterRoot() error {
	out, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return fmt.Errorf("this is no clone of the repository: %w", err)
	}
	here = filepath.FromSlash(strings.TrimSpace(string(out)))
	return os.Chdir(here)
}

// simulate makes the runners, and hands the terminal to the simulation.
func simulate(ctx context.Context, args []string) error {
	o := options{lanes: 2, silent: true}
	if err := o.run(ctx, frameRunners()); err != nil {
		return err
	}
	return show(ctx, "conformance/simulation", append([]string{"go", "run", "."}, args...)...)
}

// soak makes the programs of examples/mxp, and lets them live for so many seconds.
func soak(ctx context.Context, seconds string) error {
	o := options{lanes: 2, silent: true}
	made := append(demos(),
		&part{name: "demo in Rust, optimized", folder: exampleFolder, steps: []step{cargo("build", "examples/mxp/rust", exampleFolder, "--locked", "--release")}},
		&part{name: "demo in C++, optimized", after: []string{"demo in C++"}, steps: cppDemo("Release")},
	)
	if err := o.run(ctx, made); err != nil {
		return err
	}
	return show(ctx, "examples/mxp/go", "env", "MXP_SOAK_ALL="+seconds, "MXP_RUST=release", "go", "test", "-tags=soak", "-count=1", "-v", "-timeout=0", "-run", "Soak", ".")
}

// makePlayground needs Go and Node, and prints the folder's size on its way to a browser.
func makePlayground(ctx context.Context) error {
	if err := installPackages(ctx, playgroundFolder); err != nil {
		return err
	}
	return show(ctx, ".", "go", "run", "./playground/build", "-sizes")
}

// makeSite needs Go and cargo, which builds mdBook the first time.
func makeSite(ctx context.Context) error {
	return show(ctx, ".", "go", "run", "./tools/site")
}

// demo needs nothing but Go, and the other languages for their parts of it.
func demo(ctx context.Context, input string) error {
	if err := show(ctx, ".", "go", "run", "./cmd/sdp", "gen", "--config", "examples/registry/sdp.toml"); err != nil {
		return err
	}
	if err := show(ctx, ".", "bench/go/peers/generate.sh", "pb"); err != nil {
		return err
	}
	fmt.Println()
	return show(ctx, "bench/go", "go", "run", "./cmd/demo", "-input", input)
}

// show runs a command whose output is the answer.
func show(ctx context.Context, folder string, command ...string) error {
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Dir, c.Stdout, c.Stderr = folder, os.Stdout, os.Stderr
	return c.Run()
}
