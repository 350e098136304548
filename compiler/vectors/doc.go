// Package vectors makes test vectors for the types of a schema: bytes that every
// implementation accepts, with the value that they stand for, and bytes that every one
// refuses, with the refusal's name, offset and path. The same program, seed and count
// give the same vectors.
//
// Values are chosen so that each field takes the ends of its range, each optional is
// absent and present, each alternative and member comes, and lengths are 0, 1 and the
// most. Refusals are made of accepted bytes by damage that follows the items of a walk.
// The interpreter judges every vector, and this package knows no bytes but lengths and
// tags. A Coverage says which items of each type no vector reaches.
package vectors
