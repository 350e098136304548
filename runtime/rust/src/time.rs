//! The scalars `timestamp` and `duration`, and what they convert to.

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
