//! A schema whose texts try to be code.
#![allow(deprecated, reason = "all that it has is deprecated")]

use crate::golden::texts::{Note, ODD};
use crate::golden::texts_service::DeskClient;

#[test]
fn constants_and_defaults_have_all_characters_of_the_schema() {
    let mut odd: String = ('\0'..='\u{ff}').collect();
    odd.push_str("\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202e}\u{2066}\u{2069}");
    odd.push_str("\u{feff}\u{fffd}\u{1f600}??/\\\"`$hole$%d{\r\n");
    assert_eq!(ODD, odd);
    assert_eq!(Note::new().odd, odd);
    assert_eq!(Note::new().maybe.as_deref(), Some(odd.as_str()));
    assert_eq!(DeskClient::types().len(), 2);
}
