//! What generated types write as JSON, and what they read.
#![cfg(feature = "serde")]

mod flaws;
mod floats;
mod hostile;
mod reading;
mod shapes;
mod writing;
