// Package pb is what protoc makes of ../../../peers/echo.proto.
package pb
