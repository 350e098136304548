//! What the releases differ in: this one has no note.

use crate::generated::ledger::Entry;

/// What [`marked`] can be.
pub(crate) const MARKS: [&str; 1] = ["-"];

/// Sets what only the newer release has.
pub(crate) fn mark(entry: Entry) -> Entry {
    entry
}

/// What only the newer release has.
pub(crate) fn marked(_: &Entry) -> &str {
    "-"
}
