//! Floats, bit by bit.

use proptest::prelude::*;
use sdp::json::{from_text, to_string};

/// Checks the text of floats, which read back as the same bits.
macro_rules! check {
    ($float:ty, $($value:expr => $text:expr),+ $(,)?) => {$(
        let value: $float = $value;
        assert_eq!(to_string(&value).unwrap(), $text);
        let back: $float = from_text($text).unwrap();
        assert_eq!(back.to_bits(), value.to_bits(), "{}", $text);
    )+};
}

#[test]
fn floats_are_laid_out_as_ecmascript_does() {
    check!(f64,
        0.0 => "0", -0.0 => "-0", 5.0 => "5", -1.5 => "-1.5", 0.1 => "0.1", 100.0 => "100", 123.456 => "123.456",
        0.000_001 => "0.000001", 0.000_001_234 => "0.000001234", 1e-7 => "1e-7", -1.234e-7 => "-1.234e-7",
        1.5e-10 => "1.5e-10", 1e15 => "1000000000000000", 1e16 => "10000000000000000", 1e17 => "100000000000000000",
        1e20 => "100000000000000000000", 1e21 => "1e+21", 1.5e21 => "1.5e+21", -1.5e20 => "-150000000000000000000",
        123_456_789_012_345_680_000.0 => "123456789012345680000", 9_007_199_254_740_993.0 => "9007199254740992",
        f64::MAX => "1.7976931348623157e+308", f64::MIN_POSITIVE => "2.2250738585072014e-308", 5e-324 => "5e-324",
    );
    check!(f32,
        0.0 => "0", -0.0 => "-0", 0.1 => "0.1", 16_777_216.0 => "16777216", 1e-6 => "0.000001", 1e-7 => "1e-7",
        1e13 => "10000000000000", 1e14 => "100000000000000", 1e20 => "100000000000000000000", 1e21 => "1e+21",
        -1.5e-5 => "-0.000015", f32::MAX => "3.4028235e+38", f32::MIN_POSITIVE => "1.1754944e-38", 1e-45 => "1e-45",
    );
}

#[test]
#[expect(
    clippy::excessive_precision,
    reason = "the digits show what lies in the middle"
)]
fn of_two_equally_near_texts_the_even_one_is_written() {
    check!(f32,
        2_097_152.25 => "2097152.2", 2_097_152.75 => "2097152.8", 2_097_153.25 => "2097153.2",
        1_048_576.125 => "1048576.1", 1_048_576.375 => "1048576.4", 524_288.06 => "524288.06",
    );
    check!(f64, 1_125_899_906_842_624.25 => "1125899906842624.2", 1_125_899_906_842_624.75 => "1125899906842624.8");
}

#[test]
fn what_is_no_number_is_a_string() {
    check!(f32,
        f32::INFINITY => "\"Infinity\"", f32::NEG_INFINITY => "\"-Infinity\"",
        f32::from_bits(0x7fc0_0000) => "\"NaN\"", f32::from_bits(0xffc0_0000) => "\"NaN:ffc00000\"",
        f32::from_bits(0x7fc0_00ab) => "\"NaN:7fc000ab\"",
    );
    check!(f64,
        f64::INFINITY => "\"Infinity\"", f64::NEG_INFINITY => "\"-Infinity\"",
        f64::from_bits(0x7ff8 << 48) => "\"NaN\"", f64::from_bits(0xfff8 << 48) => "\"NaN:fff8000000000000\"",
        f64::from_bits(0x7ff0_0000_0000_0001) => "\"NaN:7ff0000000000001\"",
    );
}

#[test]
fn every_number_of_json_is_rounded_once() {
    let floats = "[16777217, 1.00000017881393432617187499, 1.000000178813934326171875, 1E2, 0.0, -1e-60, 3.4028235677973366e38]";
    assert_eq!(
        from_text::<Vec<f32>>(floats).unwrap(),
        [
            16_777_216.0,
            1.000_000_1,
            1.000_000_2,
            100.0,
            0.0,
            -0.0,
            f32::MAX
        ]
    );
    let doubles = "[9007199254740993, 1e-400, -0, -0e9, 2.2250738585072011e-308, 3.14159265358979323846264338327950288]";
    let doubles: Vec<f64> = from_text(doubles).unwrap();
    assert_eq!(
        doubles,
        [
            9_007_199_254_740_992.0,
            0.0,
            -0.0,
            -0.0,
            2.225_073_858_507_201e-308,
            std::f64::consts::PI
        ]
    );
    assert!(doubles[2].is_sign_negative() && doubles[3].is_sign_negative());
    let long = format!("0.1{}1", "0".repeat(100_000));
    assert_eq!(from_text::<f64>(long), Ok(0.1));
}

#[test]
fn other_texts_are_no_floats() {
    for text in [
        "1e309",
        "-1e309",
        "1.7976931348623159e308",
        "null",
        "true",
        "[]",
        "\"1\"",
        "\"\"",
        "\"nan\"",
        "\"+Infinity\"",
        "\"inf\"",
        "\"NaN:\"",
        "\"NaN:7ff0000000000000\"",
        "\"NaN:3ff0000000000000\"",
        "\"NaN:7FF8000000000001\"",
        "\"NaN:7fc00001\"",
        "\"NaN:+ff8000000000001\"",
        "\"NaN:7ff80000000000010\"",
    ] {
        let refusal = from_text::<f64>(text).unwrap_err();
        assert_eq!(refusal.to_string(), "json_invalid at byte 0", "{text}");
    }
    assert!(from_text::<f32>("3.4028236e38").is_err());
    assert!(from_text::<f32>("\"NaN:7f800000\"").is_err());
    assert!(from_text::<f32>("\"NaN:7ff8000000000001\"").is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn bits_of_an_f32_come_back(bits: u32) {
        let text = to_string(&f32::from_bits(bits)).unwrap();
        prop_assert_eq!(from_text::<f32>(&text).unwrap().to_bits(), bits, "{}", text);
    }

    #[test]
    fn bits_of_an_f64_come_back(bits: u64) {
        let text = to_string(&f64::from_bits(bits)).unwrap();
        prop_assert_eq!(from_text::<f64>(&text).unwrap().to_bits(), bits, "{}", text);
    }

    #[test]
    fn no_shorter_text_has_the_same_bits(bits: u64) {
        let float = f64::from_bits(bits);
        prop_assume!(float.is_finite());
        let digits = |text: &str| {
            let mantissa = text.split('e').next().unwrap_or_default();
            let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
            digits.trim_matches('0').len()
        };
        let written = digits(&to_string(&float).unwrap());
        let shortest = format!("{float:e}");
        prop_assert_eq!(written, digits(&shortest));
        if let Some(fewer) = written.checked_sub(2) {
            let shorter: f64 = format!("{float:.fewer$e}").parse().unwrap();
            prop_assert_ne!(shorter.to_bits(), bits);
        }
    }
}
