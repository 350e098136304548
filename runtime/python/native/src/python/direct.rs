//! Access to objects as a version of the interpreter lays them out, or by its stable functions.

use super::{ffi, Object, Outcome};

#[cfg(not(feature = "abi3"))]
#[inline]
pub(super) unsafe fn float_of(float: *mut ffi::PyObject) -> f64 {
    // SAFETY: the caller has a float.
    unsafe { ffi::PyFloat_AS_DOUBLE(float) }
}

#[cfg(not(feature = "abi3"))]
#[inline]
pub(super) unsafe fn list_item(list: *mut ffi::PyObject, index: usize) -> *mut ffi::PyObject {
    // SAFETY: the caller has a list with this item.
    unsafe { ffi::PyList_GET_ITEM(list, index.cast_signed()) }
}

#[cfg(not(feature = "abi3"))]
#[inline]
pub(super) unsafe fn tuple_item(tuple: *mut ffi::PyObject, index: usize) -> *mut ffi::PyObject {
    // SAFETY: the caller has a tuple with this item.
    unsafe { ffi::PyTuple_GET_ITEM(tuple, index.cast_signed()) }
}

#[cfg(not(feature = "abi3"))]
#[inline]
pub(super) unsafe fn set_list_item(
    list: *mut ffi::PyObject,
    index: usize,
    item: *mut ffi::PyObject,
) {
    // SAFETY: the caller has a list with this place, which is empty.
    unsafe { ffi::PyList_SET_ITEM(list, index.cast_signed(), item) }
}

#[cfg(not(feature = "abi3"))]
#[inline]
pub(super) fn ascii(data: &[u8]) -> Outcome<Object> {
    // SAFETY: a new str of ASCII has as many bytes, which nobody else sees yet. The empty one is written no byte.
    unsafe {
        let text = Object::new(ffi::PyUnicode_New(data.len().cast_signed(), 127))?;
        std::ptr::copy_nonoverlapping(
            data.as_ptr(),
            ffi::PyUnicode_DATA(text.0.as_ptr()).cast(),
            data.len(),
        );
        Ok(text)
    }
}

#[cfg(feature = "abi3")]
#[inline]
pub(super) unsafe fn float_of(float: *mut ffi::PyObject) -> f64 {
    // SAFETY: the caller has a float.
    unsafe { ffi::PyFloat_AsDouble(float) }
}

#[cfg(feature = "abi3")]
#[inline]
pub(super) unsafe fn list_item(list: *mut ffi::PyObject, index: usize) -> *mut ffi::PyObject {
    // SAFETY: the caller has a list with this item.
    unsafe { ffi::PyList_GetItem(list, index.cast_signed()) }
}

#[cfg(feature = "abi3")]
#[inline]
pub(super) unsafe fn tuple_item(tuple: *mut ffi::PyObject, index: usize) -> *mut ffi::PyObject {
    // SAFETY: the caller has a tuple with this item.
    unsafe { ffi::PyTuple_GetItem(tuple, index.cast_signed()) }
}

#[cfg(feature = "abi3")]
#[inline]
pub(super) unsafe fn set_list_item(
    list: *mut ffi::PyObject,
    index: usize,
    item: *mut ffi::PyObject,
) {
    // SAFETY: the caller has a list with this place, which is empty. The function takes over the reference.
    unsafe { ffi::PyList_SetItem(list, index.cast_signed(), item) };
}

#[cfg(feature = "abi3")]
#[inline]
pub(super) fn ascii(data: &[u8]) -> Outcome<Object> {
    // SAFETY: the data is copied; the result is a new reference.
    unsafe {
        Object::new(ffi::PyUnicode_DecodeASCII(
            data.as_ptr().cast(),
            data.len().cast_signed(),
            std::ptr::null(),
        ))
    }
}

/// The bytes of a `str` that has them as ASCII in itself.
///
/// # Safety
/// The caller has a `str` that lives for `'a`.
#[cfg(not(feature = "abi3"))]
#[inline]
pub(super) unsafe fn ascii_of<'a>(text: *mut ffi::PyObject) -> Option<&'a [u8]> {
    // SAFETY: the caller has a str; a compact one of ASCII has a byte for each character behind its head.
    unsafe {
        if ffi::PyUnicode_IS_COMPACT_ASCII(text) == 0 {
            return None;
        }
        let size = ffi::PyUnicode_GET_LENGTH(text).cast_unsigned();
        Some(std::slice::from_raw_parts(
            ffi::PyUnicode_DATA(text).cast(),
            size,
        ))
    }
}

#[cfg(feature = "abi3")]
#[inline]
pub(super) unsafe fn ascii_of<'a>(_: *mut ffi::PyObject) -> Option<&'a [u8]> {
    None
}
