package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// rehearse releases HEAD as the next version, in a clone of its own, and installs that.
func rehearse(ctx context.Context, root string) error {
	version, err := versionOf(root)
	if err != nil {
		return err
	}
	folder := filepath.Join(root, "target", "rehearsal")
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	r := &release{work: folder, commit: "HEAD"}
	clone := r.source()
	r.root = clone
	if _, err := output(ctx, root, "git", "clone", "--quiet", "--no-tags", root, clone); err != nil {
		return err
	}
	head, err := output(ctx, root, "git", "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	if _, err := output(ctx, clone, "git", "checkout", "--quiet", "--detach", strings.TrimSpace(head)); err != nil {
		return err
	}
	next, err := following(version)
	if err != nil {
		return err
	}
	if err := setVersion(ctx, clone, next); err != nil {
		return err
	}
	if _, err := r.git(ctx, "commit", "--quiet", "--all", "--no-verify", "--message", "release "+next); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, "make", "release")
	c.Dir, c.Stdout, c.Stderr = clone, os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s can not be released as %s: %w", strings.TrimSpace(head), next, err)
	}
	return nil
}

// following is the version of the next series.
func following(version string) (string, error) {
	parts := strings.Split(version, ".")
	minor, err := strconv.Atoi(parts[1])
	if err != nil {
		return "", err
	}
	return parts[0] + "." + strconv.Itoa(minor+1) + ".0", nil
}
