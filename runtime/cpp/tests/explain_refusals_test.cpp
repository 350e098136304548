/// Every refusal that a value's bytes can cause, alone.
#include "explain_table.hpp"

// clang-format off

TEST(explain, names_each_refusal) {
    check_rows(R"(
a plugin is fine | plugin | 02 4551 0000c03f 01 00 | | fine
a cut f32 | plugin | 02 4551 0000c0 | | truncated 3 gain
an empty slice | plugin | |  | truncated 0 name
a cut length | plugin | 02 4551 0000c03f 01 01 0000 | | truncated 9 note
a missing presence byte | plugin | 02 4551 0000c03f 01 | | truncated 8 note
a byte too many | plugin | 02 4551 0000c03f 01 00 00 | | trailing_bytes 9
a byte behind a prefix | plugin | 02 4551 0000c03f 01 00 00 | prefix | fine
bool 2 | plugin | 02 4551 0000c03f 02 | | bool_invalid 7 on
presence 255 | plugin | 02 4551 0000c03f 01 ff | | presence_invalid 8 note
a string beyond the slice | plugin | 03 4551 | | length_exceeds_input 0 name
a length of 4 GiB | plugin | 00 00000000 00 01 ffffffff | | length_exceeds_input 7 note
a byte that UTF-8 never has | plugin | 02 45ff 0000c03f 01 00 | | utf8_invalid 2 name
a cut character | plugin | 04 45e282 45 00000000 00 00 | | utf8_invalid 2 name
a surrogate | plugin | 03 eda080 00000000 00 00 | | utf8_invalid 1 name
an overlong form | plugin | 03 41c080 00000000 00 00 | | utf8_invalid 2 name
a character over U+10FFFF | plugin | 04 f4908080 00000000 00 00 | | utf8_invalid 1 name
U+FFFD itself | plugin | 03 efbfbd 00000000 00 00 | | fine

an enum | closed | 2c01 01 01 | | fine
a negative member | closed | ffff 03 | | fine
an unknown number | closed | 0100 03 | | enum_unknown 0 kind
an unknown tag of a closed union | closed | 0000 04 | | union_unknown 2 u
tag 0 of a closed union | closed | 0000 00 | | union_unknown 2 u
a cut payload of a closed union | closed | 0000 02 05 | | truncated 3 u.B.n
a bool in a closed union | closed | 0000 01 02 | | bool_invalid 3 u.A
a missing tag | closed | 0000 | | truncated 2 u

tag 0 | event | 00 00000000 | | union_unknown 0
an unknown tag is kept | event | 09 02000000 aabb | | fine
an unknown tag's payload beyond the slice | event | 09 03000000 aabb | | length_exceeds_input 1
a cut payload length | event | 03 000000 | | truncated 1
a payload that is too short | event | 02 06000000 09000000 0000 | | union_length 9 Changed.value
a payload that is too long | event | 02 09000000 09000000 000000bf 00 | | union_length 13
a payload where there is none | event | 03 01000000 00 | | union_length 5
bytes behind a union | event | 03 00000000 00 | | trailing_bytes 5

a map | levels | 02000000 0161 ffff 0162 2c01 | | fine
descending keys | levels | 02000000 0162 0000 0161 0000 | | map_order 8 m[1].key
equal keys | levels | 02000000 0161 0000 0161 0000 | | map_order 8 m[1].key
a prefix comes first | levels | 02000000 0161 0000 026100 0000 | | fine
a prefix comes last | levels | 02000000 026100 0000 0161 0000 | | map_order 9 m[1].key
a cut value | levels | 01000000 0161 ff | | truncated 6 m[0].value
more entries than fit | levels | 02000000 0161 ffff 01 | | count_exceeds_input 0 m

a registry | registry | 00000000 07000000 01000000 78 | | fine
a registry of segment 1 | registry | 00000000 | | fine
an unknown tail | registry | 00000000 07000000 00000000 ff | | fine
an empty body | registry | |  | segment_partial 0 plugins
a partial segment 2 | registry | 00000000 07000000 | | segment_partial 8 host
exact: a missing segment | registry | 00000000 | exact | segment_partial 4
exact: an unknown tail | registry | 00000000 07000000 00000000 ff | exact | trailing_bytes 12
exact: the whole | registry | 00000000 07000000 00000000 | exact | fine
a count beyond the slice | registry | 02000000 02 4551 0000c03f 01 00 | | count_exceeds_input 0 plugins
a count of 2^32-1 | registry | ffffffff 00 | | count_exceeds_input 0 plugins

an empty body of a nested message | frames | 01 05000000 01000000 07 00000000 | | segment_partial 14 m.u
exact: a nested message lacks a segment | frames | 01 05000000 01000000 07 01000000 00 | exact | segment_partial 10 u.M
exact: a nested message has a tail | frames | 01 09000000 05000000 07 0100 01 00 01000000 00 | exact | trailing_bytes 13 u.M
exact: a kept tail | frames | 02 01000000 00 02000000 00 ff | exact | trailing_bytes 11 m
exact: an unknown tag is fine | frames | 09 01000000 00 01000000 00 | exact | fine
a message beyond the payload | frames | 01 05000000 02000000 07 01000000 00 | | length_exceeds_input 5 u.M

a bool in a later segment | frames | 01 08000000 04000000 07 0100 02 01000000 00 | | bool_invalid 12 u.M.c

@max of a string | bound | 04 41414141 | | limit_max 0 s
@max of a list | bound | 00 03 000000000000 | | limit_max 1 l
@max of a map | bound | 00 00 02 0000 0100 | | limit_max 2 m
@max of bytes | bound | 00 00 00 0500 0000000000 | | limit_max 3 b
all bounds reached | bound | 03 414141 02 00000000 01 0000 0400 00000000 | | fine

a grid | grid | 0000 0000 0000 0000 0000 0000 00 01 | | fine
a cut grid | grid | 0000 0000 0000 0000 00 | | truncated 8 grid[1][1]
a bool in an array of structs | grid | 0000 0000 0000 0000 0000 0000 00 02 | | bool_invalid 13 cells[1].on
a bool in an array of bools | flags | 00 01 07 00 | | bool_invalid 2 flags[2]
a bool in a list of bools | flags | 00 01 00 02 01 03 | | bool_invalid 5 many[1]

limit_depth | tree | 01 01 02 01 03 00 | depth=2 | limit_depth 4 kids[0].kids[0]
depth enough | tree | 01 01 02 01 03 00 | depth=3 | fine
limit_elements of a list | tree | 01 01 02 02 0300 0400 | elements=2 | limit_elements 3 kids[0].kids
elements enough | tree | 01 01 02 02 0300 0400 | elements=3 | fine
limit_elements of an array | grid | 0000 0000 0000 0000 0000 0000 00 01 | elements=3 | limit_elements 12 cells
elements enough for arrays | grid | 0000 0000 0000 0000 0000 0000 00 01 | elements=4 | fine
limit_elements of a map | levels | 02000000 0161 ffff 0162 2c01 | elements=1 | limit_elements 0 m
limit_message_bytes | plugin | 02 4551 0000c03f 01 00 | message_bytes=8 | limit_message_bytes 0

a depth of 0 | plugin | | depth=0 | limit_depth 0
a depth of 0 for a message | registry | | depth=0 | limit_depth 0
no elements | levels | 00000000 | elements=0 | fine
an element too many | levels | 01000000 0161 ffff | elements=0 | limit_elements 0 m
no bytes | plugin | 00 | message_bytes=0 | limit_message_bytes 0
)");
}

// The rows of wire.md, section 15.
TEST(explain, says_of_the_examples_what_the_spec_says) {
    check_rows(R"(
plugin | plugin | 02 45 51 00 00 c0 3f 01 00 | exact | fine
registry | registry | 01 00 00 00 02 45 51 00 00 c0 3f 01 00 07 00 00 00 01 00 00 00 78 | exact | fine
segment 1 | registry | 01 00 00 00 02 45 51 00 00 c0 3f 01 00 | | fine
loaded | event | 01 09 00 00 00 02 45 51 00 00 c0 3f 01 00 | exact | fine
changed | event | 02 08 00 00 00 09 00 00 00 00 00 00 bf | exact | fine
stopped | event | 03 00 00 00 00 | exact | fine
unknown | event | 09 02 00 00 00 aa bb | exact | fine
levels | levels | 02 00 00 00 01 61 ff ff 01 62 2c 01 | exact | fine

cut | plugin | 02 45 51 00 00 c0 | | truncated 3 gain
length | plugin | 03 45 51 | | length_exceeds_input 0 name
text | plugin | 02 45 ff 00 00 c0 3f 01 00 | | utf8_invalid 2 name
bool | plugin | 02 45 51 00 00 c0 3f 02 | | bool_invalid 7 on
trailing | plugin | 02 45 51 00 00 c0 3f 01 00 00 | | trailing_bytes 9
empty | registry | | | segment_partial 0 plugins
count | registry | 02 00 00 00 02 45 51 00 00 c0 3f 01 00 | | count_exceeds_input 0 plugins
partial | registry | 00 00 00 00 07 00 | | segment_partial 4 total
tag | event | 00 | | union_unknown 0
short | event | 02 06 00 00 00 09 00 00 00 00 00 | | union_length 9 Changed.value
left | event | 03 01 00 00 00 00 | | union_length 5
order | levels | 02 00 00 00 01 62 00 00 01 61 00 00 | | map_order 8 m[1].key
)");
}

// Where a decoder that ran out of memory is told that it did.
TEST(explain, places_memory_refusals) {
    check_rows(R"(
at the start of a length | mixed | 01 0141 01 0000 00 | memory_at=1 | limit_memory_bytes 1 name
behind a length | mixed | 01 0141 01 0000 00 | memory_at=2 | limit_memory_bytes 1 name
at a count | mixed | 01 0141 01 0000 00 | memory_at=3 | limit_memory_bytes 3 list
behind a count | mixed | 01 0141 01 0000 00 | memory_at=4 | limit_memory_bytes 3 list
behind a presence byte | mixed | 01 0141 01 0000 01 07 | memory_at=7 | limit_memory_bytes 6 last
an absent optional asks for nothing | mixed | 01 0141 01 0000 00 | memory_at=7 | limit_memory_bytes 7
an earlier refusal wins | mixed | 02 0141 01 0000 00 | memory_at=2 | bool_invalid 0 on
a later refusal does not | mixed | 01 01ff 01 0000 00 | memory_at=2 | limit_memory_bytes 1 name
a place behind the input | mixed | 01 0141 01 0000 00 | memory_at=8 | fine
a large array | 0 struct a.S; b bool; a array 4 u8; | 01 00000000 | memory_at=1 | limit_memory_bytes 1 a
a closed union | 0 union a.U closed; A 1 u8; | 01 00 | memory_at=1 | limit_memory_bytes 0
an unknown payload | event | 09 01000000 00 | memory_at=5 | limit_memory_bytes 1
a kept tail | 0 message a.M keep; a u8; | 01 ffff | memory_at=1 | limit_memory_bytes 1
a map | levels | 01000000 0161 ffff | memory_at=4 | limit_memory_bytes 0 m
the elements budget comes first | tree | 00 01 00 00 | memory_at=2 elements=0 | limit_elements 1 kids
)");
}
