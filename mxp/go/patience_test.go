//go:build !race

package mxp_test

// patience is how many times longer than it should something may take.
const patience = 1
