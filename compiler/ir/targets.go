package ir

import "slices"

// JSON is the target of names in JSON; the other targets are languages.
const JSON = "json"

// TargetLanguages are the languages that @name can name something in [LANG-5.4], also languages
// without a backend.
var TargetLanguages = []string{"go", "rust", "cpp", "c", "python", "typescript", "java"}

// Targets are all that @name can name something in.
func Targets() []string { return append(slices.Clone(TargetLanguages), JSON) }
