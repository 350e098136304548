//! Numbers, texts and bytes.

use super::direct::ascii;
use super::{ffi, Object, Outcome, Stop, Value};

#[inline]
pub(crate) fn none() -> Object {
    // SAFETY: None lives for ever.
    unsafe { Object::new(ffi::Py_NewRef(ffi::Py_None())).unwrap_or_else(|_| unreachable!()) }
}

#[inline]
pub(crate) fn boolean(truth: bool) -> Object {
    // SAFETY: both live for ever.
    unsafe {
        Object::new(ffi::Py_NewRef(if truth {
            ffi::Py_True()
        } else {
            ffi::Py_False()
        }))
        .unwrap_or_else(|_| unreachable!())
    }
}

#[inline]
pub(crate) fn signed(number: i64) -> Outcome<Object> {
    // SAFETY: the result is a new reference.
    unsafe { Object::new(ffi::PyLong_FromLongLong(number)) }
}

#[inline]
pub(crate) fn unsigned(number: u64) -> Outcome<Object> {
    // SAFETY: the result is a new reference.
    unsafe { Object::new(ffi::PyLong_FromUnsignedLongLong(number)) }
}

#[inline]
pub(crate) fn float(number: f64) -> Outcome<Object> {
    // SAFETY: the result is a new reference.
    unsafe { Object::new(ffi::PyFloat_FromDouble(number)) }
}

#[inline]
pub(crate) fn bytes(data: &[u8]) -> Outcome<Object> {
    // SAFETY: the data is copied; the result is a new reference.
    unsafe {
        Object::new(ffi::PyBytes_FromStringAndSize(
            data.as_ptr().cast(),
            data.len().cast_signed(),
        ))
    }
}

/// The `str` of bytes that are UTF-8.
#[inline]
pub(crate) fn text(data: &[u8]) -> Outcome<Object> {
    if data.is_ascii() {
        return ascii(data);
    }
    let valid = std::str::from_utf8(data).map_err(|_| Stop::Refused)?;
    // SAFETY: the data is copied; the result is a new reference.
    unsafe {
        Object::new(ffi::PyUnicode_FromStringAndSize(
            valid.as_ptr().cast(),
            valid.len().cast_signed(),
        ))
    }
}

/// An integer of 128 bits.
#[allow(clippy::cast_possible_truncation)] // the lower half is meant
pub(crate) fn wide(number: u128) -> Outcome<Object> {
    let (high, low) = (
        unsigned((number >> 64) as u64)?,
        unsigned((number & u128::from(u64::MAX)) as u64)?,
    );
    // SAFETY: all are alive, and results are new references.
    unsafe {
        let shift = signed(64)?;
        let high = Object::new(ffi::PyNumber_Lshift(high.0.as_ptr(), shift.0.as_ptr()))?;
        Object::new(ffi::PyNumber_Or(high.0.as_ptr(), low.0.as_ptr()))
    }
}

/// The number of an integer of 128 bits.
pub(crate) fn wide_number(value: Value<'_>) -> Outcome<u128> {
    // SAFETY: all are alive, and results are new references. Integers alone are shifted.
    unsafe {
        if ffi::PyLong_CheckExact(value.raw()) == 0 {
            return Err(Stop::Refused);
        }
        let (shift, mask) = (signed(64)?, unsigned(u64::MAX)?);
        let high = Object::new(ffi::PyNumber_Rshift(value.raw(), shift.0.as_ptr()))?;
        let low = Object::new(ffi::PyNumber_And(value.raw(), mask.0.as_ptr()))?;
        let high = high.value().unsigned().ok_or(Stop::Refused)?;
        Ok(u128::from(high) << 64 | u128::from(low.value().unsigned().ok_or(Stop::Refused)?))
    }
}
