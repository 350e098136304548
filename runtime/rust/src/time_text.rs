//! Texts of timestamps and durations.

use core::fmt;
use core::str::FromStr;

use crate::{Duration, Error, Kind, Timestamp};

const NANOSECONDS: i64 = 1_000_000_000;
const DAY_SECONDS: i64 = 86_400;

/// The time in the one form of RFC 3339 that canonical JSON has [JSON-2.8].
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.div_euclid(NANOSECONDS);
        let (year, month, day) = date(seconds.div_euclid(DAY_SECONDS));
        let second = seconds.rem_euclid(DAY_SECONDS);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"
        )?;
        write_fraction(f, self.0.rem_euclid(NANOSECONDS).unsigned_abs())?;
        f.write_str("Z")
    }
}

/// Reads what `Display` writes, with a fraction of up to nine digits, and
/// nothing else [JSON-2.9]. A refusal is a [`Kind::ValueInvalid`].
impl FromStr for Timestamp {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        parse_timestamp(text.as_bytes()).ok_or(Error::new(Kind::ValueInvalid))
    }
}

/// Decimal seconds and `s` [JSON-2.10].
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanoseconds = self.0.unsigned_abs();
        let second = NANOSECONDS.unsigned_abs();
        if self.0 < 0 {
            f.write_str("-")?;
        }
        write!(f, "{}", nanoseconds / second)?;
        write_fraction(f, nanoseconds % second)?;
        f.write_str("s")
    }
}

/// Reads what `Display` writes, with a fraction of up to nine digits, and
/// nothing else [JSON-2.11]. A refusal is a [`Kind::ValueInvalid`].
impl FromStr for Duration {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        parse_duration(text.as_bytes()).ok_or(Error::new(Kind::ValueInvalid))
    }
}

/// Writes a point and the digits of a part of a second, without trailing zeros,
/// or nothing for no part.
fn write_fraction(f: &mut fmt::Formatter<'_>, mut nanoseconds: u64) -> fmt::Result {
    if nanoseconds == 0 {
        return Ok(());
    }
    let mut width = 9;
    while nanoseconds % 10 == 0 {
        nanoseconds /= 10;
        width -= 1;
    }
    write!(f, ".{nanoseconds:0width$}")
}

/// How many days pass from January 1st of year 0 to the Unix epoch.
const EPOCH_DAYS: i64 = 719_528;

/// The days from January 1st of year 0 to January 1st of a year.
const fn days_before(year: i64) -> i64 {
    let past = year - 1;
    year * 365 + past.div_euclid(4) - past.div_euclid(100) + past.div_euclid(400) + 1
}

const fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// The days of a month, which counts from 1.
const fn month_days(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The year, month and day that many days after the Unix epoch.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + EPOCH_DAYS;
    // 400 years have 146,097 days, so this is at most a year or two too late.
    let mut year = days * 400 / 146_097 + 1;
    while days_before(year) > days {
        year -= 1;
    }
    let mut day = days - days_before(year);
    let mut month = 1;
    while day >= month_days(year, month) {
        day -= month_days(year, month);
        month += 1;
    }
    (year, month, day + 1)
}

fn parse_timestamp(text: &[u8]) -> Option<Timestamp> {
    let (whole, rest) = text.split_first_chunk::<19>()?;
    let shape = b"0000-00-00T00:00:00";
    if !whole.iter().zip(shape).all(|(&c, &s)| match s {
        b'0' => c.is_ascii_digit(),
        _ => c == s,
    }) {
        return None;
    }
    let number = |start: usize, end: usize| {
        let digits = whole[start..end].iter();
        digits.fold(0, |n, &c| n * 10 + i64::from(c - b'0'))
    };
    let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10));
    let (hour, minute, second) = (number(11, 13), number(14, 16), number(17, 19));
    let in_month = (1..=12).contains(&month) && (1..=month_days(year, month)).contains(&day);
    if !in_month || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = (1..month).map(|m| month_days(year, m)).sum::<i64>() + day - 1;
    let days = days_before(year) + days - EPOCH_DAYS;
    let seconds = days * DAY_SECONDS + hour * 3600 + minute * 60 + second;
    let fraction = parse_fraction(rest.strip_suffix(b"Z")?)?;
    let nanoseconds = i128::from(seconds) * i128::from(NANOSECONDS) + i128::from(fraction);
    Some(Timestamp(i64::try_from(nanoseconds).ok()?))
}

fn parse_duration(text: &[u8]) -> Option<Duration> {
    let text = text.strip_suffix(b"s")?;
    let (negative, digits) = match text.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let whole = digits.iter().take_while(|c| c.is_ascii_digit()).count();
    let (whole, fraction) = digits.split_at(whole);
    if whole.is_empty() || whole.len() > 1 && whole[0] == b'0' {
        return None;
    }
    let mut seconds = 0_i128;
    for &c in whole {
        seconds = seconds * 10 + i128::from(c - b'0');
        if seconds > i128::from(i64::MAX) {
            return None;
        }
    }
    let size = seconds * i128::from(NANOSECONDS) + i128::from(parse_fraction(fraction)?);
    let nanoseconds = if negative { -size } else { size };
    Some(Duration(i64::try_from(nanoseconds).ok()?))
}

/// Reads a point and one to nine digits, as nanoseconds, or nothing at all.
fn parse_fraction(text: &[u8]) -> Option<i64> {
    let Some((point, digits)) = text.split_first() else {
        return Some(0);
    };
    if *point != b'.' || !(1..=9).contains(&digits.len()) {
        return None;
    }
    let mut nanoseconds = 0;
    for place in 0..9 {
        let digit = match digits.get(place) {
            Some(c) if c.is_ascii_digit() => i64::from(c - b'0'),
            Some(_) => return None,
            None => 0,
        };
        nanoseconds = nanoseconds * 10 + digit;
    }
    Some(nanoseconds)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn timestamps_are_written_in_the_canonical_form() {
        for (nanoseconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59.999999999Z"),
            (1_795_231_560_500_000_000, "2026-11-21T03:26:00.5Z"),
            (951_782_400_000_000_000, "2000-02-29T00:00:00Z"),
            (4_107_542_399_000_000_010, "2100-02-28T23:59:59.00000001Z"),
            (i64::MIN, "1677-09-21T00:12:43.145224192Z"),
            (i64::MAX, "2262-04-11T23:47:16.854775807Z"),
        ] {
            assert_eq!(Timestamp(nanoseconds).to_string(), text);
            assert_eq!(text.parse(), Ok(Timestamp(nanoseconds)));
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "it takes minutes, and no unsafe code is near")]
    fn days_follow_each_other_without_gap() {
        let (mut year, mut month, mut day) = (1677, 9, 21);
        for days in -106_752..=106_751 {
            assert_eq!(date(days), (year, month, day));
            let leap = year % 4 == 0 && ![1700, 1800, 1900, 2100, 2200].contains(&year);
            let february = 28 + i64::from(leap);
            let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            day += 1;
            if day > lengths[usize::try_from(month - 1).unwrap()] {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
        assert_eq!((year, month, day), (2262, 4, 12));
    }

    #[test]
    fn a_fraction_may_have_trailing_zeros() {
        let want = Ok(Timestamp(500_000_000));
        assert_eq!("1970-01-01T00:00:00.5Z".parse(), want);
        assert_eq!("1970-01-01T00:00:00.500000000Z".parse(), want);
        assert_eq!("1970-01-01T00:00:00.0Z".parse(), Ok(Timestamp(0)));
    }

    #[test]
    fn any_other_timestamp_is_refused() {
        for text in [
            "",
            "1970-01-01",
            "1970-01-01T00:00:00",
            "1970-01-01T00:00:00z",
            "1970-01-01t00:00:00Z",
            "1970-01-01 00:00:00Z",
            "1970-01-01T00:00:00+00:00",
            "1970-01-01T00:00:00.Z",
            "1970-01-01T00:00:00,5Z",
            "1970-01-01T00:00:00.+5Z",
            "1970-01-01T00:00:00.0000000001Z",
            "1970-01-01T24:00:00Z",
            "1970-01-01T23:60:00Z",
            "2016-12-31T23:59:60Z",
            "1970-13-01T00:00:00Z",
            "1970-00-01T00:00:00Z",
            "1970-01-00T00:00:00Z",
            "1970-04-31T00:00:00Z",
            "1970-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "+970-01-01T00:00:00Z",
            "01970-01-01T00:00:00Z",
            "1970-1-01T00:00:00Z",
            "1970-01-01T00:00:0\u{663}Z",
            "1677-09-21T00:12:43.145224191Z",
            "2262-04-11T23:47:16.854775808Z",
            "0000-01-01T00:00:00Z",
            "9999-12-31T23:59:59Z",
        ] {
            assert_eq!(
                text.parse::<Timestamp>(),
                Err(Error::new(Kind::ValueInvalid)),
                "{text}"
            );
        }
    }

    #[test]
    fn durations_are_written_in_the_canonical_form() {
        for (nanoseconds, text) in [
            (0, "0s"),
            (1, "0.000000001s"),
            (-1_500_000_000, "-1.5s"),
            (-1, "-0.000000001s"),
            (3_600_000_000_000, "3600s"),
            (i64::MIN, "-9223372036.854775808s"),
            (i64::MAX, "9223372036.854775807s"),
        ] {
            assert_eq!(Duration(nanoseconds).to_string(), text);
            assert_eq!(text.parse(), Ok(Duration(nanoseconds)));
        }
        assert_eq!("-0s".parse(), Ok(Duration(0)));
        assert_eq!("-0.0s".parse(), Ok(Duration(0)));
        assert_eq!("1.500000000s".parse(), Ok(Duration(1_500_000_000)));
    }

    #[test]
    fn any_other_duration_is_refused() {
        for text in [
            "",
            "s",
            "-s",
            "1",
            "1S",
            "1 s",
            "+1s",
            "--1s",
            "01s",
            "00s",
            ".5s",
            "1.s",
            "1.-5s",
            "1e3s",
            "1.0000000001s",
            "1.5.5s",
            "9223372036.854775808s",
            "-9223372036.854775809s",
            "99999999999999999999999999999999999999999999999999s",
        ] {
            assert_eq!(
                text.parse::<Duration>(),
                Err(Error::new(Kind::ValueInvalid)),
                "{text}"
            );
        }
    }
}
