//! The tables of the layout texts that refusals were named by. A program has no
//! more texts than types, so that this doesn't grow with what peers send; reading
//! a text for each refusal would cost memory that does [WIRE-8.9].

use core::borrow::Borrow;

use crate::layout::Table;

/// The table of a layout text, which is read the first time and kept for the life
/// of the process. There is none for a text that describes no type.
#[cfg(feature = "std")]
pub(crate) fn table(text: &'static str) -> Option<impl Borrow<Table<'static>>> {
    use alloc::boxed::Box;
    use alloc::collections::BTreeMap;
    use std::sync::{PoisonError, RwLock};

    static KEPT: RwLock<BTreeMap<&str, &Table<'static>>> = RwLock::new(BTreeMap::new());

    let known = |kept: &BTreeMap<_, _>| kept.get(text).copied();
    if let Some(table) = known(&KEPT.read().unwrap_or_else(PoisonError::into_inner)) {
        return Some(table);
    }
    let mut kept = KEPT.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(table) = known(&kept) {
        return Some(table);
    }
    let table: &Table<'_> = Box::leak(Box::new(Table::parse(text)?));
    kept.insert(text, table);
    Some(table)
}

/// The table of a layout text. There is none for a text that describes no type.
/// Without the standard library there is no lock to keep it behind, and it is read
/// for each refusal.
#[cfg(not(feature = "std"))]
pub(crate) fn table(text: &'static str) -> Option<impl Borrow<Table<'static>>> {
    Table::parse(text)
}
