//! The tables of the layouts that refusals were named by. A program has no more
//! layouts than types, so that this doesn't grow with what peers send; reading one
//! for each refusal would cost memory that does [WIRE-8.9].

use crate::layout::Table;
use crate::layout_part::LayoutPart;

/// The table of a type, which is read the first time and kept for the life of the
/// process. There is none for a text that describes no type.
#[cfg(feature = "std")]
pub(crate) type CachedTable = std::sync::OnceLock<Option<Table<'static>>>;

/// Calls a function with the table of a type.
#[cfg(feature = "std")]
pub(crate) fn with_table<R>(
    part: &'static LayoutPart,
    f: impl FnOnce(Option<&Table<'_>>) -> R,
) -> R {
    let table = || Table::parse(part.join().leak());
    f(part.kept.get_or_init(table).as_ref())
}

/// Calls a function with the table of a type. Without the standard library there is
/// no lock to keep it behind, and it is read for each refusal.
#[cfg(not(feature = "std"))]
pub(crate) fn with_table<R>(
    part: &'static LayoutPart,
    f: impl FnOnce(Option<&Table<'_>>) -> R,
) -> R {
    f(Table::parse(&part.join()).as_ref())
}
