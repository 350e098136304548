//! Peers and users that nobody thought of.

use proptest::prelude::*;

use crate::exercise::exercise;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_holds_holds_whatever_happens(data in prop::collection::vec(any::<u8>(), 0..600)) {
        exercise(&data);
    }
}
