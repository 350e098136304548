package main

import (
	"context"
	"path/filepath"
)

// cratesReleased are the crates that are published, each behind the crates that it requires.
var cratesReleased = []string{"serial-data-protocol", "sdp-build", "mesh-exchange-protocol"}

// crates packs the crates. tools/crates builds each on the others as they are packed.
func (r *release) crates(ctx context.Context) error {
	target := filepath.Join(r.work, "cargo")
	command := []string{"cargo", "package", "--quiet", "--no-verify", "--locked"}
	for _, crate := range cratesReleased {
		command = append(command, "--package", crate)
	}
	if _, err := outputWith(ctx, r.source(), []string{"CARGO_TARGET_DIR=" + target}, command...); err != nil {
		return err
	}
	for _, crate := range cratesReleased {
		name := crate + "-" + r.version + ".crate"
		if err := copyFile(filepath.Join(target, "package", name), r.file(name), 0o644); err != nil {
			return err
		}
	}
	return nil
}
