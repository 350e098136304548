//! Decodes bytes in every way that there is, and fails where two ways differ.

use sdp::{explain, DecodeOptions, Error, Kind, Mode};

use crate::values::Value;

/// Decodes bytes in every way. All accept them and give the same value, or refuse
/// them and say the same; so does the walk that names refusals.
pub(crate) fn agree<T: Value>(bytes: &[u8], options: &DecodeOptions) -> Result<T, Error> {
    let decoded = T::decode_with(bytes, options);
    let borrowed = T::owned_from_borrowed(bytes, options);
    same::<T, _>("the borrowed form", bytes, &borrowed, &decoded);

    let mut reused = T::default();
    let result = reused.decode_into_with(bytes, options).map(|()| reused);
    same::<T, _>("decoding into a value", bytes, &result, &decoded);

    let viewed = T::owned_from_view(bytes, options);
    same::<T, _>("the view", bytes, &viewed, &decoded);

    let prefix = T::decode_prefix_with(bytes, options);
    let borrowed = T::borrow_prefix_with(bytes, options);
    same::<T, _>("the borrowed prefix", bytes, &borrowed, &prefix);
    // Bytes behind the value are the only fault that decoding finds in the bytes.
    let whole = prefix.and_then(|(value, n)| {
        if n < bytes.len() {
            return Err(Error::at(Kind::TrailingBytes, n, ""));
        }
        Ok(value)
    });
    same::<T, _>("the prefix", bytes, &whole, &decoded);

    let limits = &options.limits;
    let named = explain(
        &T::layout(),
        bytes,
        0,
        Mode::Whole,
        options.exact,
        limits,
        None,
    );
    let walked = named.map_or(Ok(()), Err);
    let verdict = decoded.as_ref().map(drop).map_err(Error::clone);
    same::<T, _>("the walk", bytes, &walked, &verdict);
    decoded
}

fn same<T: Value, R: PartialEq>(
    way: &str,
    bytes: &[u8],
    got: &Result<R, Error>,
    want: &Result<R, Error>,
) {
    assert!(
        got == want,
        "{way} says {}, decoding {} of {}",
        said(got),
        said(want),
        shown::<T>(bytes),
    );
}

/// The verdict without the value, which may be large.
fn said<R>(result: &Result<R, Error>) -> String {
    result
        .as_ref()
        .err()
        .map_or("fine".into(), Error::to_string)
}

/// The type and the bytes, if they are few.
fn shown<T: Value>(bytes: &[u8]) -> String {
    let (name, n) = (std::any::type_name::<T>(), bytes.len());
    format!("{name}, {n} bytes: {:02x?}", &bytes[..n.min(100)])
}

/// Holds a value that was decoded against its bytes [WIRE-14.1] [WIRE-14.2].
pub(crate) fn comes_back<T: Value>(value: &T, bytes: &[u8], options: &DecodeOptions) {
    let encoded = value.encode_to_vec().unwrap();
    assert_eq!(value.encoded_size(), encoded.len());
    assert_eq!(value.validate(), Ok(()));
    let mut out = b"before".to_vec();
    value.append(&mut out).unwrap();
    assert!(out[6..] == encoded && out.starts_with(b"before"));
    let mut out = vec![0xaa; encoded.len()];
    assert_eq!(value.encode_to_slice(&mut out), Ok(encoded.len()));
    assert!(out == encoded);

    if T::decode_with(bytes, &options.with_exact(true)).is_ok() {
        assert!(
            encoded == bytes,
            "other bytes came back of {}",
            shown::<T>(bytes)
        );
    }
    let again = T::decode_with(&encoded, &DecodeOptions::new()).unwrap();
    assert_eq!(again, *value);
    assert!(again.encode_to_vec().unwrap() == encoded);
}

/// Compares as text what a view of bytes shows with their value.
pub(crate) fn shows_the_same<T: Value>(value: &T, bytes: &[u8], options: &DecodeOptions) {
    let shown = T::shown_by_view(bytes, options).unwrap();
    assert_eq!(shown, format!("{value:?}"));
}

/// Decodes bytes in each way and compares its allocations, naming a refusal included, with the
/// promise of the type [WIRE-8.7].
pub(crate) fn keeps_bound<T: Value>(bytes: &[u8]) {
    let options = &DecodeOptions::new();
    let most = (T::FACTOR * bytes.len() + (64 << 10)) as u64;
    let mut reused = T::default();
    let ways: [(&str, &mut dyn FnMut() -> bool); 4] = [
        ("viewing", &mut || T::view_with(bytes, options).is_ok()),
        ("decoding", &mut || T::decode_with(bytes, options).is_ok()),
        ("borrowing", &mut || T::borrow_with(bytes, options).is_ok()),
        ("decoding into a value", &mut || {
            reused.decode_into_with(bytes, options).is_ok()
        }),
    ];
    for (way, decode) in ways {
        let mut accepted = false;
        let spent = allocation_counter::measure(|| accepted = decode()).bytes_total;
        assert!(
            spent <= most,
            "{way} allocated {spent} bytes, at most {most} are allowed (accepted: {accepted}): {}",
            shown::<T>(bytes),
        );
    }
}
