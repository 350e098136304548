package main

import "services/gen/ledger"

// marks are what marked can be.
var marks = []string{"-"}

// mark sets what only the newer release has.
func mark(e *ledger.Entry) *ledger.Entry { return e }

// marked gives what only the newer release has.
func marked(*ledger.Entry) string { return "-" }
