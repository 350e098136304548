//! What the releases differ in: this one has a note.

use crate::generated::ledger::Entry;

/// What [`marked`] can be: what was set, or the default if the server is of the older
/// release.
pub(crate) const MARKS: [&str; 2] = ["seven", "none"];

/// Sets what only the newer release has.
pub(crate) fn mark(entry: Entry) -> Entry {
    entry.with_note("seven".into())
}

/// What only the newer release has.
pub(crate) fn marked(entry: &Entry) -> &str {
    &entry.note
}
