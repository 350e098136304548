//! The table, and the same as JSON.

use crate::cases::{Medians, SIZES};
use crate::measure::Rounds;

/// The origin of the hash.
const HASH: &str = "twox-hash 2.1.5";

/// How many nanoseconds a frame may take besides a quarter more than its hash.
const FIXED: f64 = 8.0;

/// Prints the names of the columns.
pub fn head() {
    println!("Median ns. A * is over 1.25 hashes and 8 ns, for encode reused and a copy.\n");
    println!("payload   encode reused   encode vectored     decode       hash     memcpy");
}

/// Prints the line of a length.
pub fn row(n: usize, medians: &Medians) {
    let aim = 1.25 * medians.hash + FIXED;
    let mark = |took: f64, aim: f64| if took > aim { '*' } else { ' ' };
    println!(
        "{n:7} {:14.1}{} {:16.1}{} {:9.1}{} {:10.1} {:10.1}",
        medians.encode_reused,
        mark(medians.encode_reused, aim + medians.memcpy),
        medians.encode_vectored,
        mark(medians.encode_vectored, aim),
        medians.decode,
        mark(medians.decode, aim),
        medians.hash,
        medians.memcpy,
    );
}

/// All lines as JSON.
pub fn json(rows: &[Medians], rounds: &Rounds) -> String {
    let column = |name: &str, of: fn(&Medians) -> f64| {
        let numbers: Vec<String> = rows.iter().map(|row| format!("{:.3}", of(row))).collect();
        format!("  \"{name}\": [{}],\n", numbers.join(", "))
    };
    [
        "{\n  \"language\": \"rust\",\n".to_string(),
        format!("  \"hash\": \"{HASH}\",\n  \"sizes\": {SIZES:?},\n"),
        column("encode_reused_ns", |row| row.encode_reused),
        column("encode_vectored_ns", |row| row.encode_vectored),
        column("decode_ns", |row| row.decode),
        column("hash_ns", |row| row.hash),
        column("memcpy_ns", |row| row.memcpy),
        format!("  \"rounds\": {}\n}}\n", rounds.count),
    ]
    .concat()
}
