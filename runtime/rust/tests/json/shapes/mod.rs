//! The code that the compiler generates for the JSON of a schema, by hand:
//!
//! ```text
//! enum Kind: u8 { Effect = 0, @name(json = "inst") Instrument = 1 }
//! @closed enum Mode: i16 { Off = -1, On = 1 }
//! struct Scalars {
//!     b: bool, u8: u8, u16: u16, u32: u32, u64: u64, i8: i8, i16: i16, i32: i32, i64: i64, f32: f32, f64: f64,
//!     at: timestamp, took: duration, id: uuid, kind: Kind, mode: Mode,
//! }
//! struct Node { value: u32, @name(json = "\"next\"") next: ?Node }
//! struct Lists {
//!     name: str, data: bytes, floats: []f32, grid: [][]u16, blobs: []bytes, quad: [4]u8, pairs: [2][]u8,
//!     maybe: ?u32, maybe_data: ?bytes, maybes: []?bool, nodes: []Node,
//! }
//! struct Maps {
//!     flags: map<bool, u8>, numbers: map<u64, bool>, signed: map<i8, str>, names: map<str, []u16>,
//!     kinds: map<Kind, Node>, modes: map<Mode, map<u8, u8>>,
//! }
//! union Event { Loaded(Node) = 1, Changed { id: u32, @name(json = "v") value: f32 } = 2, Stopped = 3, Moved([2]i8) = 4 }
//! @closed union Choice { Nothing = 1, Count(u32) = 2, Event(Event) = 3, Again(Choice) = 4 }
//! @keep_unknown message Settings { rate: u32, limit: ?u32, @since(2) title: str = "untitled", @since(2) mode: Mode = On }
//! message Session { events: []Event, @since(2) choice: ?Choice, @since(3) settings: Settings }
//! struct Nothing {}
//! ```

#![expect(unreachable_pub, reason = "this is generated for a library")]

mod lists;
mod maps;
mod messages;
mod scalars;
mod unions;

pub use lists::{Lists, ListsRef, Node, NodeRef, Nothing};
pub use maps::Maps;
pub use messages::{Session, Settings};
pub use scalars::{Kind, Mode, Scalars};
pub use unions::{Choice, Event, EventChanged};
