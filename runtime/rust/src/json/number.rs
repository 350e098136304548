//! The digits of numbers.

use alloc::format;
use alloc::string::String;
use core::str::FromStr;

/// The integers of schemas.
pub trait Integer: Copy + PartialEq + FromStr + itoa::Integer {
    /// Whether JSON has them as strings: not every reader of JSON keeps all
    /// digits of a long number.
    #[doc(hidden)]
    const QUOTED: bool = false;
}

impl Integer for u8 {}
impl Integer for u16 {}
impl Integer for u32 {}
impl Integer for i8 {}
impl Integer for i16 {}
impl Integer for i32 {}
impl Integer for u64 {
    const QUOTED: bool = true;
}
impl Integer for i64 {
    const QUOTED: bool = true;
}

/// Reads an integer in its one form, `0|-?[1-9][0-9]*` [JSON-2.3].
pub(super) fn parse_integer<T: Integer>(text: &str) -> Option<T> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if text != "0" && !digits.starts_with(|c| matches!(c, '1'..='9')) {
        return None;
    }
    text.parse().ok()
}

/// The floats. Everything looks at their bits, since some machines change a NaN
/// when they move it as a float.
pub(crate) trait Float: FromStr + ryu::Float {
    /// How many hexadecimal digits the bits have.
    const DIGITS: usize;
    /// The bits of infinity. The bits of a NaN are greater, but for the sign.
    const INFINITY: u64;
    /// The bits of the NaN that is written without them.
    const PLAIN_NAN: u64;
    const SIGN: u64 = 1 << (4 * Self::DIGITS - 1);

    fn bits(&self) -> u64;
    fn from_bits(bits: u64) -> Self;
}

impl Float for f32 {
    const DIGITS: usize = 8;
    const INFINITY: u64 = 0xff << 23;
    const PLAIN_NAN: u64 = 0x7fc0_0000;

    fn bits(&self) -> u64 {
        self.to_bits().into()
    }

    #[expect(clippy::cast_possible_truncation, reason = "an f32 has these bits")]
    fn from_bits(bits: u64) -> Self {
        Self::from_bits(bits as u32)
    }
}

impl Float for f64 {
    const DIGITS: usize = 16;
    const INFINITY: u64 = 0x7ff << 52;
    const PLAIN_NAN: u64 = 0x7ff8 << 48;

    fn bits(&self) -> u64 {
        self.to_bits()
    }

    fn from_bits(bits: u64) -> Self {
        Self::from_bits(bits)
    }
}

/// A float as JSON, a number or the string that stands for it [JSON-2.4] to
/// [JSON-2.6].
pub(super) fn float_text<F: Float>(float: &F) -> String {
    let bits = float.bits();
    let magnitude = bits & !F::SIGN;
    if magnitude < F::INFINITY {
        return finite_text(ryu::Buffer::new().format_finite(*float));
    }
    match magnitude == F::INFINITY {
        true if bits == magnitude => "\"Infinity\"".into(),
        true => "\"-Infinity\"".into(),
        false if bits == F::PLAIN_NAN => "\"NaN\"".into(),
        false => format!("\"NaN:{bits:0width$x}\"", width = F::DIGITS),
    }
}

/// Lays the shortest digits out as ECMAScript does [JSON-2.4]. They come as ryu
/// does it, which writes `1.0`, and fewer numbers without an exponent.
fn finite_text(shortest: &str) -> String {
    let Some((mantissa, exponent)) = shortest.split_once('e') else {
        return shortest.strip_suffix(".0").unwrap_or(shortest).into();
    };
    let (sign, mantissa) = mantissa.split_at(usize::from(mantissa.starts_with('-')));
    let digits = mantissa.replace('.', "");
    let exponent = exponent.parse().unwrap_or(0_i32);
    let places = exponent.unsigned_abs() as usize;
    match exponent {
        0..=20 => format!("{sign}{digits:0<width$}", width = places + 1),
        -6..0 => format!("{sign}0.{}{digits}", "0".repeat(places - 1)),
        _ => format!("{sign}{mantissa}e{exponent:+}"),
    }
}

/// Reads a number of JSON, rounded once, to the width of the type [JSON-2.7].
pub(super) fn parse_float<F: Float>(text: &str) -> Option<F> {
    let float: F = text.parse().ok()?;
    (float.bits() & !F::SIGN < F::INFINITY).then_some(float)
}

/// Reads one of the strings that stand for floats [JSON-2.6].
pub(super) fn parse_float_name<F: Float>(text: &str) -> Option<F> {
    let bits = match text {
        "Infinity" => F::INFINITY,
        "-Infinity" => F::INFINITY | F::SIGN,
        "NaN" => F::PLAIN_NAN,
        _ => {
            let digits = text.strip_prefix("NaN:")?;
            let lower = |c| matches!(c, b'0'..=b'9' | b'a'..=b'f');
            if digits.len() != F::DIGITS || !digits.bytes().all(lower) {
                return None;
            }
            let bits = u64::from_str_radix(digits, 16).ok()?;
            (bits & !F::SIGN > F::INFINITY).then_some(bits)?
        }
    };
    Some(F::from_bits(bits))
}
