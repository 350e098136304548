// Command release makes the files of a release, in target/dist, from the commit that is
// checked out. It refuses a commit that is none: tools/release/README.md tells how one is made.
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

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:               "release",
		Short:             "Makes the files of a release",
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	var into string
	var tried bool
	make := &cobra.Command{
		Use: "build", Short: "Makes all files of a release", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			here, err := rootOfClone(c.Context())
			if err != nil {
				return err
			}
			if into == "" {
				into = filepath.Join(here, "target", "dist")
			}
			if err := build(c.Context(), here, into); err != nil || !tried {
				return err
			}
			return try(c.Context(), here, into)
		},
	}
	make.Flags().StringVar(&into, "into", "", "the folder of the files, which is made anew (default: target/dist)")
	make.Flags().BoolVar(&tried, "try", false, "install each file where nothing else is, and try it")
	root.AddCommand(make, &cobra.Command{
		Use: "check", Short: "Says why the commit that is checked out can not be released", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			here, err := rootOfClone(c.Context())
			if err != nil {
				return err
			}
			return refuse(c.Context(), here)
		},
	}, &cobra.Command{
		Use: "rehearse", Short: "Releases the commit that is checked out as the next version, in a clone, and installs that", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			here, err := rootOfClone(c.Context())
			if err != nil {
				return err
			}
			return rehearse(c.Context(), here)
		},
	}, &cobra.Command{
		Use: "version X.Y.Z", Short: "Writes a version wherever the repository says one", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			here, err := rootOfClone(c.Context())
			if err != nil {
				return err
			}
			return setVersion(c.Context(), here, args[0])
		},
	})
	return root
}

// rootOfClone is the root of the clone that the command is called in.
func rootOfClone(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return "", fmt.Errorf("this is no clone of the repository: %w", err)
	}
	return filepath.FromSlash(strings.TrimSpace(string(out))), nil
}
