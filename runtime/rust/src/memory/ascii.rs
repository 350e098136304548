//! Strings of bytes that are UTF-8. Most are ASCII, which is tested many bytes at once.

/// The bytes as a string if they are UTF-8. Most strings are short and ASCII, which is
/// tested by words; the others take the standard library's way.
#[inline(always)]
pub(crate) fn text(bytes: &[u8]) -> Option<&str> {
    // SAFETY: it was tested whether they are ASCII.
    unsafe { text_if(is_ascii(bytes), bytes) }
}

/// Takes a string of `n` bytes from the front. Short strings of any length are tested alike, by a
/// window that the bytes behind them fill: the processor has nothing to guess.
#[inline(always)]
pub(crate) fn take_text<'a>(s: &mut &'a [u8], n: usize) -> Option<&'a str> {
    let (bytes, rest) = s.split_at_checked(n)?;
    let ascii = if n <= 16 {
        is_ascii_front::<16>(s, n)
    } else {
        is_ascii_front::<WINDOW>(s, n)
    };
    *s = rest;
    // SAFETY: as many bytes as the string has were tested.
    unsafe { text_if(ascii, bytes) }
}

/// The bytes as a string, if they are UTF-8 or known to be ASCII.
///
/// # Safety
///
/// Bytes that are said to be ASCII are.
#[inline(always)]
unsafe fn text_if(ascii: bool, bytes: &[u8]) -> Option<&str> {
    if !ascii {
        return long_text(bytes);
    }
    // SAFETY: ASCII is UTF-8.
    Some(unsafe { core::str::from_utf8_unchecked(bytes) })
}

#[cold]
#[inline(never)]
fn long_text(bytes: &[u8]) -> Option<&str> {
    if bytes.is_ascii() {
        // SAFETY: ASCII is UTF-8.
        return Some(unsafe { core::str::from_utf8_unchecked(bytes) });
    }
    core::str::from_utf8(bytes).ok()
}

/// The largest window of bytes that are tested at once.
const WINDOW: usize = 48;

/// Tests the first `n` bytes by a window of `N`, in which the bytes behind them are masked. It is
/// false for more bytes than that, and where there is no window.
#[inline(always)]
fn is_ascii_front<const N: usize>(bytes: &[u8], n: usize) -> bool {
    static HIGH: [u8; 2 * WINDOW] = {
        let mut high = [0; 2 * WINDOW];
        let mut i = 0;
        while i < WINDOW {
            high[i] = 0x80;
            i += 1;
        }
        high
    };
    if n > N || N > bytes.len() {
        return false;
    }
    let (window, mask) = (&bytes[..N], &HIGH[WINDOW - n..][..N]);
    let (mut at, mut high) = (0, 0);
    while at < N {
        high |= word::<8>(window, at) & word::<8>(mask, at);
        at += 8;
    }
    high == 0
}

/// Tests up to 32 bytes by words that may overlap; of more it knows nothing.
#[inline(always)]
fn is_ascii(bytes: &[u8]) -> bool {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let n = bytes.len();
    match n {
        0 => true,
        1..=3 => (bytes[0] | bytes[n / 2] | bytes[n - 1]) < 0x80,
        4..=7 => (word::<4>(bytes, 0) | word::<4>(bytes, n - 4)) & HIGH == 0,
        8..=16 => (word::<8>(bytes, 0) | word::<8>(bytes, n - 8)) & HIGH == 0,
        17..=32 => {
            let first = word::<8>(bytes, 0) | word::<8>(bytes, 8);
            let last = word::<8>(bytes, n - 16) | word::<8>(bytes, n - 8);
            (first | last) & HIGH == 0
        }
        _ => false,
    }
}

/// `N` bytes, at most eight, as a number.
#[inline(always)]
fn word<const N: usize>(bytes: &[u8], position: usize) -> u64 {
    let mut padded = [0; 8];
    padded[..N].copy_from_slice(&bytes[position..position + N]);
    u64::from_ne_bytes(padded)
}
