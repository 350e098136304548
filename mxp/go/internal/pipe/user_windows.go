package pipe

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/windows"
)

// impersonate is not in x/sys.
var impersonate = windows.NewLazySystemDLL("advapi32.dll").NewProc("ImpersonateNamedPipeClient")

// OwnUser is the user that this program runs as.
func OwnUser() (*windows.SID, error) { return userOf(windows.GetCurrentProcessToken()) }

func userOf(token windows.Token) (*windows.SID, error) {
	user, err := token.GetTokenUser()
	if err != nil {
		return nil, err
	}
	return user.User.Sid, nil
}

// accessList has the program's own user alone, or also all users who have logged in, without the right to make
// instances.
func accessList(anyUser bool) (*windows.SECURITY_DESCRIPTOR, error) {
	own, err := OwnUser()
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("O:%[1]sD:P(A;;GA;;;%[1]s)", own)
	if anyUser {
		text += fmt.Sprintf("(A;;%#x;;;AU)", uint32(readWrite))
	}
	return windows.SecurityDescriptorFromString(text)
}

// checkOwner refuses a pipe of another user than this program's own or, where they may, an administrator or
// the system: anybody can make a pipe of a name.
func checkOwner(end windows.Handle, administers bool) error {
	facts, err := windows.GetSecurityInfo(end, windows.SE_KERNEL_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return err
	}
	owner, _, err := facts.Owner()
	if err != nil {
		return err
	}
	if owner == nil {
		return errors.New("nobody owns the pipe")
	}
	own, err := OwnUser()
	if err != nil {
		return err
	}
	if owner.Equals(own) || administers && (owner.IsWellKnown(windows.WinLocalSystemSid) || owner.IsWellKnown(windows.WinBuiltinAdministratorsSid)) {
		return nil
	}
	return &OwnerError{Owner: owner.String(), Own: own.String()}
}

// OwnerError refuses a pipe of another user's.
type OwnerError struct{ Owner, Own string }

func (e *OwnerError) Error() string {
	return fmt.Sprintf("the pipe is that of user %s, and this program runs as %s", e.Owner, e.Own)
}

// Client identifies the process at the other end of an accepted connection, and its user.
func (c *Conn) Client() (id int, sid string, err error) {
	end := windows.Handle(c.Fd())
	var process uint32
	if err := windows.GetNamedPipeClientProcessId(end, &process); err != nil {
		return 0, "", os.NewSyscallError("GetNamedPipeClientProcessId", err)
	}
	user, err := clientUser(end)
	if err != nil {
		return 0, "", err
	}
	return int(process), user.String(), nil
}

// clientUser takes on the client's identity for as long as it asks whose it is. The thread ends with its
// goroutine where it can't be given back.
func clientUser(end windows.Handle) (user *windows.SID, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if ok, _, failed := impersonate.Call(uintptr(end)); ok == 0 {
			err = os.NewSyscallError("ImpersonateNamedPipeClient", failed)
			runtime.UnlockOSThread()
			return
		}
		var token windows.Token
		if err = windows.OpenThreadToken(windows.CurrentThread(), windows.TOKEN_QUERY, true, &token); err == nil {
			user, err = userOf(token)
			token.Close()
		}
		if reverted := windows.RevertToSelf(); reverted != nil {
			err = errors.Join(err, reverted)
			return
		}
		runtime.UnlockOSThread()
	}()
	<-done
	return user, err
}
