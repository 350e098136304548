package main

import "services/gen/ledger"

// marks are what marked can be: what was set, or the default, if the server is of
// the older release.
var marks = []string{"seven", "none"}

// mark sets what only the newer release has.
func mark(e *ledger.Entry) *ledger.Entry {
	e.Note = "seven"
	return e
}

// marked gives what only the newer release has.
func marked(e *ledger.Entry) string { return e.Note }
