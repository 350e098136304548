use std::collections::BTreeMap;

use super::{Kind, Mode, Node};

/// Maps with every kind of key.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Maps {
    pub flags: BTreeMap<bool, u8>,
    pub numbers: BTreeMap<u64, bool>,
    pub signed: BTreeMap<i8, String>,
    pub names: BTreeMap<String, Vec<u16>>,
    pub kinds: BTreeMap<Kind, Node>,
    pub modes: BTreeMap<Mode, BTreeMap<u8, u8>>,
}

sdp::json::record! {
    Maps: of_struct {
        flags: required("flags", "flags"),
        numbers: required("numbers", "numbers"),
        signed: required("signed", "signed"),
        names: required("names", "names"),
        kinds: required("kinds", "kinds"),
        modes: required("modes", "modes"),
    }
}
