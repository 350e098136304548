package driver

import (
	"errors"
	"fmt"
)

// ErrRefused says that the input is at fault and that the user has been told
// what is wrong with it. Nothing is left to print.
var ErrRefused = errors.New("the input was refused")

// UsageError says that the command line is at fault rather than the input.
type UsageError struct {
	Message string
	// Help says what to do instead; empty where there is no advice.
	Help string
}

// Error returns the message without the help.
func (e *UsageError) Error() string { return e.Message }

func usagef(format string, args ...any) *UsageError {
	return &UsageError{Message: fmt.Sprintf(format, args...)}
}

func (e *UsageError) withHelp(format string, args ...any) *UsageError {
	e.Help = fmt.Sprintf(format, args...)
	return e
}
