/// The pairs of WIRE-12: two refusals can be argued for, one of them wins. The name of a row is the
/// clause.
#include "explain_table.hpp"

// clang-format off

TEST(explain, names_the_refusal_that_wins) {
    check_rows(R"(
12.1 | plugin | ff | message_bytes=1 | length_exceeds_input 0 name
12.1 over | plugin | ff00 | message_bytes=1 | limit_message_bytes 0
12.2 truncated | 0 struct a.S; inner #1;1 struct a.T; n u8; | | depth=1 | limit_depth 0 inner
12.2 segment_partial | 0 message a.M; s #1;1 struct a.S; b u8; | | depth=1 | limit_depth 0 s
12.2 union_length | nest | 01 00000000 | depth=1 | limit_depth 5 In
12.3 | nest | 03 04000000 ff000000 | depth=1 | limit_depth 5 Msg
12.4 | nest | 01 05000000 00 00000000 | depth=1 | limit_depth 5 In
12.5 | nest | 01 06000000 02 00000000 | depth=1 | length_exceeds_input 1
12.6 depth | 0 struct a.S; c array 2 #1;1 struct a.C; on bool; | 0000 | depth=1 elements=1 | limit_elements 0 c
12.6 end | 0 struct a.S; c array 2 #1;1 struct a.C; on bool; | | elements=1 | limit_elements 0 c
12.7 | frames | 02 01000000 00 00000000 | | segment_partial 10 m.u
12.8 | event | 02 02000000 0900 | | union_length 5 Changed.id
12.9 body in payload | frames | 01 04000000 00000000 01000000 00 | | segment_partial 9 u.M.a
12.9 payload in body | frames | 02 01000000 00 06000000 01 02 00000000 | | union_length 16 m.u.T
12.10 length | plugin | 00 00000000 00 01 ffff | | truncated 7 note
12.10 count | levels | ffffff | | truncated 0 m
12.11 body | 0 message a.M; s str1; | 02 41 | | length_exceeds_input 0 s
12.11 payload | frames | 02 02000000 02 41 01000000 00 | | length_exceeds_input 5 u.T
12.12 | 0 message a.M; l list1 u16; | 02 000000 | | count_exceeds_input 0 l
12.13 | event | 02 08000000 09000000 | | length_exceeds_input 1
12.14 | bound | 04 41 | | limit_max 0 s
12.15 | bound | 00 03 00 | | limit_max 1 l
12.16 | bound | 00 03 000000000000 | elements=2 | limit_max 1 l
12.17 | bound | 04 ffffffff | | limit_max 0 s
12.18 | tree | 00 09 00 | elements=1 | count_exceeds_input 1 kids
12.19 | plugin | 03 ffff | | length_exceeds_input 0 name
12.20 | flags | 000000 02 0202 | elements=1 | limit_elements 3 many
12.21 cut | event | 00 00 | | union_unknown 0
12.21 beyond | event | 00 ffffffff | | union_unknown 0
12.22 | event | 01 09000000 00 00000000 02 00 00 00 | | bool_invalid 10 Loaded.on
12.23 utf8 | levels | 02000000 0162 0000 01ff 0000 | | utf8_invalid 9 m[1].key
12.23 enum | 0 struct a.S; m map1 #1 u8;1 enum a.E u8 closed; B 5; | 02 05 00 04 00 | | enum_unknown 3 m[1].key
12.23 bool | 0 struct a.S; m map1 bool u8; | 02 01 00 02 00 | | bool_invalid 3 m[1].key
12.24 | 0 struct a.S; m map1 u8 bool; | 02 05 00 05 02 | | map_order 3 m[1].key
12.25 bool | 0 struct a.S; b bool; n u32; | 02 00 | | bool_invalid 0 b
12.25 presence | 0 struct a.S; o opt u8; n u32; | 02 00 | | presence_invalid 0 o
12.25 enum | 0 struct a.S; e #1; n u32;1 enum a.E u8 closed; A 0; | 02 00 | | enum_unknown 0 e
12.26 | plugin | 00 00000000 02 00 00 | | bool_invalid 5 on
12.27 | frames | 01 0a000000 06000000 07 0100 01 aabb 02000000 00 cc | | fine
12.28 lacking | frames | 01 05000000 01000000 07 01000000 00 | | fine
12.28 inside | frames | 01 06000000 02000000 07 01 01000000 00 | | segment_partial 10 u.M.b
)");
}
