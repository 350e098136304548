// Package version has the version of the project, which each of its programs says.
package version

// Project is that of the whole project, as the file VERSION has it.
const Project = "0.5.0"
