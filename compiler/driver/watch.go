package driver

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settleTime is how long files must be quiet before they are read: editors
// write a file in several steps, and version control writes many files.
const settleTime = 50 * time.Millisecond

// watch builds now and again after each change of a file that matters. A build
// notices each folder before it reads from it, so that no change falls between;
// what it could not do it has shown the user, who goes on editing. Only a signal
// ends it.
func watch(build func(notice func(folder string)) error) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("cannot watch files: %w", err)
	}
	defer watcher.Close()
	notice := func(folder string) {
		// A folder that is watched already stays so; one that does not exist is a
		// place where an import was looked for.
		_ = watcher.Add(folder)
	}
	for {
		if err := build(notice); err != nil {
			return err
		}
		if err := settled(watcher); err != nil {
			return err
		}
	}
}

// settled returns when something that matters has changed and no more changes
// follow.
func settled(watcher *fsnotify.Watcher) error {
	var quiet <-chan time.Time
	for {
		select {
		case event := <-watcher.Events:
			if matters(event) {
				quiet = time.After(settleTime)
			}
		case err := <-watcher.Errors:
			return fmt.Errorf("cannot watch files: %w", err)
		case <-quiet:
			return nil
		}
	}
}

// matters tells whether a change is one of a schema, a config file or a folder rather than of
// generated code. A change of mode or times is none.
func matters(event fsnotify.Event) bool {
	name := filepath.Base(event.Name)
	return !event.Op.Has(fsnotify.Chmod) && !strings.HasPrefix(name, ".") &&
		(strings.HasSuffix(name, schemaExt) || name == ConfigName || filepath.Ext(name) == "")
}
