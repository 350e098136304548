package driver

import (
	"errors"
	"fmt"
	"net"
	"os"
)

// cannotListen says why nothing listens at an address, without the calls and the
// temporary names that have led there.
func cannotListen(address string, err error) error {
	var operation *net.OpError
	var call *os.SyscallError
	switch {
	case errors.As(err, &call):
		err = call.Err
	case errors.As(err, &operation):
		err = operation.Err
	}
	return fmt.Errorf("cannot listen at %s: %w", address, err)
}
