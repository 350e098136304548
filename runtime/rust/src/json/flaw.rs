//! Flaws that keep a text from being well-formed JSON [JSON-1.3]. `serde_json` checks
//! the grammar. This adds what it leaves open: how many brackets may be open,
//! halves of surrogate pairs, and the offset of the first byte that cannot
//! stand where it is.

use std::io::Read;

use serde::de::IgnoredAny;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::Deserializer;

use crate::JSON_BRACKETS;

/// The value of a well-formed text, or else the offset of the first flaw.
pub(super) fn well_formed(text: &[u8]) -> Result<&RawValue, usize> {
    let utf8 = text.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let parsed = serde_json::from_str(utf8).ok();
    let value = parsed.filter(|_| utf8.len() == text.len());
    let end = if value.is_some() {
        text.len()
    } else {
        syntax_flaw(utf8)
    };
    hidden_flaw(text, end)?;
    value.ok_or(end)
}

/// Where the grammar breaks, at the latest at the end of the text. The positions
/// in the errors of `serde_json` are not exact, but its reader sees at which
/// byte it stops. That is at the latest a zero behind the text, which can stand
/// nowhere.
fn syntax_flaw(text: &str) -> usize {
    let mut reader = text.as_bytes().chain(&b"\0"[..]);
    let mut parser = Deserializer::from_reader(&mut reader);
    let stop = IgnoredAny::deserialize(&mut parser).and_then(|_| parser.end());
    debug_assert!(stop.is_err(), "nothing stands behind the zero");
    let (text_left, zero_left) = reader.into_inner();
    text.len() - text_left.len() - zero_left.len()
}

/// Refuses flaws that `serde_json` lets pass, in a text that has no others
/// before `end`.
fn hidden_flaw(text: &[u8], end: usize) -> Result<(), usize> {
    let (mut at, mut open, mut in_string) = (0, 0, false);
    while at < end {
        match text[at] {
            b'\\' => {
                at += escape_length(text, at)?;
                continue;
            }
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                if open == JSON_BRACKETS {
                    return Err(at);
                }
                open += 1;
            }
            b']' | b'}' if !in_string => open -= 1,
            _ => {}
        }
        at += 1;
    }
    Ok(())
}

/// How many bytes the escape at a backslash takes; a surrogate pair is one.
fn escape_length(text: &[u8], position: usize) -> Result<usize, usize> {
    if text.get(position + 1) != Some(&b'u') {
        return Ok(2);
    }
    match code_unit(text, position)? {
        0xd800..=0xdbff => {}
        0xdc00..=0xdfff => return Err(position),
        _ => return Ok(6),
    }
    // A text that ends here may have been about to go on as it should.
    for (i, byte) in [(position + 6, b'\\'), (position + 7, b'u')] {
        let next = *text.get(i).ok_or(i)?;
        if next != byte {
            return Err(position);
        }
    }
    match code_unit(text, position + 6)? {
        0xdc00..=0xdfff => Ok(12),
        _ => Err(position),
    }
}

/// The number behind `\u`, or else where its digits end.
fn code_unit(text: &[u8], position: usize) -> Result<u32, usize> {
    let mut unit = 0;
    for i in position + 2..position + 6 {
        let digit = text.get(i).and_then(|&c| char::from(c).to_digit(16));
        unit = unit << 4 | digit.ok_or(i)?;
    }
    Ok(unit)
}
