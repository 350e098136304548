package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// showsColors lets a console interpret escape sequences, and reports whether it does: consoles before
// Windows 10, and later ones until a program asks, print the sequences themselves.
func showsColors(file *os.File) bool {
	console := windows.Handle(file.Fd())
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0 ||
		windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
