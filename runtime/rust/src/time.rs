//! The scalars `timestamp` and `duration`, and their conversions.

use crate::{Error, Kind};

/// A time: nanoseconds since 1970-01-01T00:00:00Z without leap seconds, which
/// reach from 1677 to 2262.
///
/// ```
/// let time: sdp::Timestamp = "2026-11-21T03:26:00.5Z".parse()?;
/// assert_eq!(time.to_string(), "2026-11-21T03:26:00.5Z");
/// # Ok::<(), sdp::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub i64);

/// A length of time in nanoseconds, which may be negative.
///
/// ```
/// let duration: sdp::Duration = "-1.50s".parse()?;
/// assert_eq!(duration.0, -1_500_000_000);
/// assert_eq!(duration.to_string(), "-1.5s");
/// # Ok::<(), sdp::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Duration(pub i64);

/// How many nanoseconds a millisecond has.
const MILLISECOND: i64 = 1_000_000;

impl Timestamp {
    /// The time so many milliseconds after 1970-01-01T00:00:00Z, as `Date.now()` of
    /// JavaScript gives them; `None` before 1677 and after 2262.
    ///
    /// ```
    /// let time = sdp::Timestamp::from_millis(1_795_231_560_500);
    /// assert_eq!(time.map(|time| time.0), Some(1_795_231_560_500_000_000));
    /// assert_eq!(sdp::Timestamp::from_millis(i64::MAX), None);
    /// ```
    #[must_use]
    pub const fn from_millis(milliseconds: i64) -> Option<Self> {
        match milliseconds.checked_mul(MILLISECOND) {
            Some(nanoseconds) => Some(Self(nanoseconds)),
            None => None,
        }
    }

    /// The whole milliseconds since 1970-01-01T00:00:00Z; what is less than one is
    /// dropped towards the past.
    ///
    /// ```
    /// assert_eq!(sdp::Timestamp(-1).as_millis(), -1);
    /// ```
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0.div_euclid(MILLISECOND)
    }

    /// The time of the system's clock. One before 1677 or after 2262 becomes the
    /// first or the last time that there is.
    #[cfg(feature = "std")]
    #[must_use]
    pub fn now() -> Self {
        let now = std::time::SystemTime::now();
        let is_past = now < std::time::SystemTime::UNIX_EPOCH;
        Self::try_from(now).unwrap_or(Self(if is_past { i64::MIN } else { i64::MAX }))
    }
}

impl Duration {
    /// So many milliseconds; `None` beyond 292 years.
    ///
    /// ```
    /// assert_eq!(sdp::Duration::from_millis(-1_500), Some(sdp::Duration(-1_500_000_000)));
    /// ```
    #[must_use]
    pub const fn from_millis(milliseconds: i64) -> Option<Self> {
        match milliseconds.checked_mul(MILLISECOND) {
            Some(nanoseconds) => Some(Self(nanoseconds)),
            None => None,
        }
    }

    /// The whole milliseconds; what is less than one is dropped towards zero, as
    /// `core::time::Duration` does.
    ///
    /// ```
    /// assert_eq!(sdp::Duration(-1_999_999).as_millis(), -1);
    /// ```
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0 / MILLISECOND
    }
}

/// Refuses a negative length of time.
impl TryFrom<Duration> for core::time::Duration {
    type Error = Error;

    fn try_from(duration: Duration) -> Result<Self, Error> {
        let nanoseconds = u64::try_from(duration.0).map_err(|_| Error::new(Kind::ValueInvalid))?;
        Ok(Self::from_nanos(nanoseconds))
    }
}

/// Refuses more than 292 years.
impl TryFrom<core::time::Duration> for Duration {
    type Error = Error;

    fn try_from(duration: core::time::Duration) -> Result<Self, Error> {
        let nanoseconds = i64::try_from(duration.as_nanos());
        nanoseconds.map_or(Err(Error::new(Kind::ValueInvalid)), |n| Ok(Self(n)))
    }
}

/// Refuses a time that the system's clock cannot hold to the nanosecond.
#[cfg(feature = "std")]
impl TryFrom<Timestamp> for std::time::SystemTime {
    type Error = Error;

    fn try_from(timestamp: Timestamp) -> Result<Self, Error> {
        let distance = core::time::Duration::from_nanos(timestamp.0.unsigned_abs());
        let time = if timestamp.0 < 0 {
            Self::UNIX_EPOCH.checked_sub(distance)
        } else {
            Self::UNIX_EPOCH.checked_add(distance)
        };
        // A clock of coarser ticks rounds.
        time.filter(|time| Timestamp::try_from(*time) == Ok(timestamp))
            .ok_or(Error::new(Kind::ValueInvalid))
    }
}

/// Refuses a time before 1677 or after 2262.
#[cfg(feature = "std")]
impl TryFrom<std::time::SystemTime> for Timestamp {
    type Error = Error;

    fn try_from(time: std::time::SystemTime) -> Result<Self, Error> {
        let nanoseconds = match time.duration_since(std::time::SystemTime::UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_nanos()).ok(),
            Err(error) => 0_i64.checked_sub_unsigned(
                u64::try_from(error.duration().as_nanos()).unwrap_or(u64::MAX),
            ),
        };
        nanoseconds.map(Self).ok_or(Error::new(Kind::ValueInvalid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_convert_if_core_can_hold_them() {
        use core::time::Duration as Core;
        assert_eq!(Core::try_from(Duration(5)), Ok(Core::from_nanos(5)));
        assert!(Core::try_from(Duration(-1)).is_err());
        let most = Core::from_nanos(i64::MAX.unsigned_abs());
        assert_eq!(Duration::try_from(most), Ok(Duration(i64::MAX)));
        assert!(Duration::try_from(most + Core::from_nanos(1)).is_err());
        assert!(Duration::try_from(Core::MAX).is_err());
    }

    #[test]
    fn milliseconds_are_whole_and_reach_to_the_ends() {
        let most = i64::MAX / 1_000_000;
        for milliseconds in [0, 1, -1, most, -most] {
            let time = Timestamp::from_millis(milliseconds).unwrap();
            assert_eq!(
                (time.0, time.as_millis()),
                (milliseconds * 1_000_000, milliseconds)
            );
            let duration = Duration::from_millis(milliseconds).unwrap();
            assert_eq!(
                (duration.0, duration.as_millis()),
                (milliseconds * 1_000_000, milliseconds)
            );
        }
        for beyond in [most + 1, -most - 1, i64::MIN] {
            assert_eq!(Timestamp::from_millis(beyond), None);
            assert_eq!(Duration::from_millis(beyond), None);
        }
        assert_eq!(Timestamp(i64::MIN).as_millis(), -most - 1);
        assert_eq!(Duration(i64::MIN).as_millis(), -most);
    }

    #[cfg(feature = "std")]
    #[test]
    fn now_is_the_systems_time() {
        use std::time::SystemTime;
        let before = SystemTime::now();
        let now = SystemTime::try_from(Timestamp::now()).unwrap();
        assert!(before <= now && now <= SystemTime::now());
    }

    #[cfg(feature = "std")]
    #[test]
    fn timestamps_convert_to_the_systems_time_and_back() {
        use std::time::SystemTime;
        for nanoseconds in [
            0,
            100,
            -100,
            1_795_231_560_500_000_000,
            -4_000_000_000_000_000_000,
        ] {
            let time = SystemTime::try_from(Timestamp(nanoseconds)).unwrap();
            assert_eq!(Timestamp::try_from(time), Ok(Timestamp(nanoseconds)));
        }
        let year = core::time::Duration::from_secs(365 * 86_400);
        assert!(Timestamp::try_from(SystemTime::UNIX_EPOCH - 293 * year).is_err());
        assert!(Timestamp::try_from(SystemTime::UNIX_EPOCH + 293 * year).is_err());
    }

    // Other systems' clocks have coarser ticks.
    #[cfg(all(feature = "std", unix))]
    #[test]
    fn timestamps_reach_as_far_as_the_wire() {
        use std::time::SystemTime;
        let most = core::time::Duration::from_nanos(1 << 63);
        let first = Timestamp::try_from(SystemTime::UNIX_EPOCH - most);
        assert_eq!(first, Ok(Timestamp(i64::MIN)));
        assert!(Timestamp::try_from(SystemTime::UNIX_EPOCH + most).is_err());
    }
}
