//! JSON that generated types write, and that they read.
#![cfg(feature = "serde")]

mod flaws;
mod floats;
mod hostile;
mod reading;
mod shapes;
mod writing;
