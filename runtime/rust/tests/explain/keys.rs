//! The order of a map's keys.

use crate::table;

/// A word of a layout, and two keys in hexadecimal in ascending order.
const KEYS: [(&str, &str, &str); 12] = [
    ("u8", "7f", "80"),
    ("u16", "ff00", "0001"),
    ("u32", "ffffff00", "00000001"),
    ("u64", "ff00000000000000", "0000000000000080"),
    ("i8", "80", "7f"),
    ("i8", "ff", "00"),
    ("i16", "0080", "ff7f"),
    ("i32", "ffffffff", "00000000"),
    ("i64", "0000000000000080", "ffffffffffffffff"),
    ("bool", "00", "01"),
    ("str2", "01007a", "0200c3bf"),
    ("#1", "ffff", "0000"),
];

#[test]
fn explain_compares_keys_by_their_type() {
    for (word, low, high) in KEYS {
        let layout = format!("0 struct a.S; m map1 {word} bool;1 enum a.E i16; A 0;");
        let refused = |first: &str| format!("map_order {} m[1].key", 2 + first.len() / 2);
        table::check(&format!(
            "{word} ascending | {layout} | 02 {low} 00 {high} 01 | | fine
             {word} descending | {layout} | 02 {high} 00 {low} 01 | | {}
             {word} equal | {layout} | 02 {low} 00 {low} 01 | | {}",
            refused(high),
            refused(low)
        ));
    }
}
