//! Texts of the scalars that have one.

use core::fmt::{Debug, Display};
use core::str::FromStr;

use proptest::prelude::*;
use sdp::{Duration, Error, Kind, Timestamp, Uuid};

fn comes_back<T>(value: T)
where
    T: Display + FromStr<Err = Error> + PartialEq + Debug,
{
    assert_eq!(value.to_string().parse(), Ok(value));
}

/// Text that is read is written in the one canonical form, and no other is read.
fn reads_or_refuses<T>(text: &str)
where
    T: Display + FromStr<Err = Error> + PartialEq + Debug,
{
    match text.parse::<T>() {
        Ok(value) => comes_back(value),
        Err(error) => assert_eq!(error, Error::new(Kind::ValueInvalid)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn timestamps_come_back(nanoseconds: i64) {
        comes_back(Timestamp(nanoseconds));
    }

    #[test]
    fn durations_come_back(nanoseconds: i64, unit in prop::sample::select(vec![1, 1000, 1_000_000_000])) {
        comes_back(Duration(nanoseconds / unit * unit));
    }

    #[test]
    fn uuids_come_back(bytes: [u8; 16]) {
        comes_back(Uuid(bytes));
    }

    #[test]
    fn order_is_that_of_time(a: i64, b: i64) {
        let seconds = |time: Timestamp| time.to_string()[..19].to_owned();
        let (a, b) = (Timestamp(a.min(b)), Timestamp(a.max(b)));
        prop_assert!(seconds(a) <= seconds(b));
    }

    #[test]
    fn texts_are_read_or_refused(
        timestamp in "[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9](\\.[0-9]{0,10})?Z?",
        duration in "-?[0-9]{0,11}(\\.[0-9]{0,10})?s?",
        uuid in "[0-9a-fA-Fg]{8}(-[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}",
        any: String,
    ) {
        reads_or_refuses::<Timestamp>(&timestamp);
        reads_or_refuses::<Duration>(&duration);
        reads_or_refuses::<Uuid>(&uuid);
        reads_or_refuses::<Timestamp>(&any);
        reads_or_refuses::<Duration>(&any);
        reads_or_refuses::<Uuid>(&any);
    }
}
