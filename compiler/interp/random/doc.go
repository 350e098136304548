// Package random makes values of any type of a schema from a seed. It visits
// every construct and prefers what breaks codecs: the ends of ranges, NaNs with
// payloads, text outside ASCII, numbers and tags that the schema doesn't name,
// kept tails, lengths that fill their width. The same program and seed give the
// same values.
//
// It makes values that can be encoded, and knows nothing about their bytes.
package random
