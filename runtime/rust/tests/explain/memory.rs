//! Where a decoder that ran out of memory is told that it did.

use crate::table;

#[test]
fn explain_places_memory_refusals() {
    table::check(
        "
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
",
    );
}
