package sdp

// Text is the canonical JSON of a value as package fmt and logs print it. Of what
// has none, as of a union that holds nothing, it says why in parentheses.
func Text(v interface{ AppendJSON([]byte) ([]byte, error) }) string {
	text, err := v.AppendJSON(nil)
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return string(text)
}
