//! Parts of views, read from bytes that a view would have validated, and from
//! bytes that no view would take.

mod any;
mod entries;
mod items;
mod list;
mod plugin;
mod shapes;
