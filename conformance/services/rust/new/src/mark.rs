//! The difference of the releases: this one has a note.

use crate::generated::ledger::Entry;

/// The values of [`marked`]: what was set, or the default if the server is of the older
/// release.
pub(crate) const MARKS: [&str; 2] = ["seven", "none"];

/// Sets what only the newer release has.
pub(crate) fn mark(entry: Entry) -> Entry {
    entry.with_note("seven".into())
}

/// The mark of the newer release.
pub(crate) fn marked(entry: &Entry) -> &str {
    &entry.note
}
