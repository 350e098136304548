package interp

import (
	"crypto/rand"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// createSpool makes a temporary file that Windows removes when the program ends, however it does: nobody
// can remove a file there that is open.
func createSpool() (*os.File, error) {
	name := filepath.Join(os.TempDir(), "sdp-"+rand.Text()+".spool")
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	const access, flags = windows.GENERIC_READ | windows.GENERIC_WRITE, windows.FILE_ATTRIBUTE_TEMPORARY | windows.FILE_FLAG_DELETE_ON_CLOSE
	file, err := windows.CreateFile(path, access, windows.FILE_SHARE_DELETE, nil, windows.CREATE_NEW, flags, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(file), name), nil
}
