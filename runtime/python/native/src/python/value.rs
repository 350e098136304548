//! Borrowed objects, and their contents.

use super::direct::{ascii_of, float_of, list_item, tuple_item};
use super::{ffi, Object, Outcome, Stop};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A borrowed object.
#[derive(Clone, Copy)]
pub(crate) struct Value<'a>(
    pub(super) NonNull<ffi::PyObject>,
    pub(super) PhantomData<&'a Object>,
);

impl<'a> Value<'a> {
    /// Borrows an object.
    ///
    /// # Safety
    /// The object lives for `'a`.
    #[inline]
    pub(crate) unsafe fn new(pointer: *mut ffi::PyObject) -> Option<Value<'a>> {
        NonNull::new(pointer).map(|pointer| Value(pointer, PhantomData))
    }

    #[inline]
    pub(super) fn raw(self) -> *mut ffi::PyObject {
        self.0.as_ptr()
    }

    /// A reference of its own.
    #[inline]
    pub(crate) fn object(self) -> Object {
        // SAFETY: the object is alive.
        unsafe { ffi::Py_INCREF(self.raw()) };
        Object(self.0)
    }

    /// The address of the object's class.
    #[inline]
    pub(crate) fn class(self) -> usize {
        // SAFETY: the object is alive.
        unsafe { ffi::Py_TYPE(self.raw()) as usize }
    }

    #[inline]
    pub(crate) fn is_none(self) -> bool {
        // SAFETY: a comparison of addresses.
        unsafe { self.raw() == ffi::Py_None() }
    }

    /// The value of `True` or `False`.
    #[inline]
    pub(crate) fn boolean(self) -> Option<bool> {
        // SAFETY: comparisons of addresses.
        unsafe {
            if self.raw() == ffi::Py_True() {
                Some(true)
            } else if self.raw() == ffi::Py_False() {
                Some(false)
            } else {
                None
            }
        }
    }

    /// The number of an integer within `i64`.
    #[inline]
    pub(crate) fn signed(self) -> Option<i64> {
        // SAFETY: the object is alive and an integer, which is why no code of Python runs.
        unsafe {
            if !is_integer(self.raw()) {
                return None;
            }
            let mut overflow = 0;
            let number = ffi::PyLong_AsLongLongAndOverflow(self.raw(), &raw mut overflow);
            (overflow == 0).then_some(number)
        }
    }

    /// The number of an integer within `u64`.
    #[inline]
    pub(crate) fn unsigned(self) -> Option<u64> {
        if let Some(number) = self.signed() {
            return u64::try_from(number).ok();
        }
        // SAFETY: as above. An exception of a number that is too large is taken away.
        unsafe {
            if !is_integer(self.raw()) {
                return None;
            }
            let number = ffi::PyLong_AsUnsignedLongLong(self.raw());
            if number == u64::MAX && !ffi::PyErr_Occurred().is_null() {
                ffi::PyErr_Clear();
                return None;
            }
            Some(number)
        }
    }

    /// The number of a float, or of an integer that a float holds.
    #[inline]
    pub(crate) fn float(self) -> Option<f64> {
        // SAFETY: the object is alive, and a float or an integer, which is why no code of Python runs.
        unsafe {
            if ffi::PyFloat_CheckExact(self.raw()) != 0 || ffi::PyFloat_Check(self.raw()) != 0 {
                return Some(float_of(self.raw()));
            }
            if ffi::PyLong_CheckExact(self.raw()) == 0 {
                return None;
            }
            let number = ffi::PyLong_AsDouble(self.raw());
            if !ffi::PyErr_Occurred().is_null() {
                ffi::PyErr_Clear();
                return None;
            }
            Some(number)
        }
    }

    /// The UTF-8 of a `str`, unless it has lone surrogates.
    #[inline]
    pub(crate) fn text(self) -> Option<&'a [u8]> {
        // SAFETY: the object is alive and a str, which keeps its UTF-8 as long as it lives.
        unsafe {
            if ffi::PyUnicode_CheckExact(self.raw()) == 0 {
                return None;
            }
            if let Some(ascii) = ascii_of(self.raw()) {
                return Some(ascii);
            }
            let mut size = 0;
            let data = ffi::PyUnicode_AsUTF8AndSize(self.raw(), &raw mut size);
            if data.is_null() {
                ffi::PyErr_Clear();
                return None;
            }
            Some(std::slice::from_raw_parts(
                data.cast(),
                size.cast_unsigned(),
            ))
        }
    }

    /// The bytes of a `bytes`.
    #[inline]
    pub(crate) fn bytes(self) -> Option<&'a [u8]> {
        // SAFETY: the object is alive and a bytes, which never changes.
        unsafe {
            if ffi::PyBytes_CheckExact(self.raw()) == 0 {
                return None;
            }
            Some(std::slice::from_raw_parts(
                ffi::PyBytes_AsString(self.raw()).cast(),
                ffi::PyBytes_Size(self.raw()).cast_unsigned(),
            ))
        }
    }

    /// The items of a `list` or `tuple`.
    #[inline]
    pub(crate) fn sequence(self) -> Option<Sequence<'a>> {
        // SAFETY: the object is alive.
        unsafe {
            if ffi::PyList_CheckExact(self.raw()) != 0 {
                return Some(Sequence {
                    value: self,
                    list: true,
                    count: ffi::PyList_Size(self.raw()).cast_unsigned(),
                });
            }
            if ffi::PyTuple_CheckExact(self.raw()) != 0 {
                return Some(Sequence {
                    value: self,
                    list: false,
                    count: ffi::PyTuple_Size(self.raw()).cast_unsigned(),
                });
            }
        }
        None
    }

    /// The entries of a `dict`.
    pub(crate) fn entries(self) -> Option<Vec<(Value<'a>, Value<'a>)>> {
        // SAFETY: the object is alive and a dict, and nothing changes it between two steps.
        unsafe {
            if ffi::PyDict_CheckExact(self.raw()) == 0 {
                return None;
            }
            let mut entries = Vec::with_capacity(ffi::PyDict_Size(self.raw()).cast_unsigned());
            let (mut place, mut key, mut item) = (0, std::ptr::null_mut(), std::ptr::null_mut());
            while ffi::PyDict_Next(self.raw(), &raw mut place, &raw mut key, &raw mut item) != 0 {
                entries.push((Value::new(key)?, Value::new(item)?));
            }
            Some(entries)
        }
    }

    /// An item of a tuple that the runtime made.
    pub(crate) fn item(self, index: usize) -> Outcome<Value<'a>> {
        self.sequence()
            .and_then(|items| items.get(index))
            .ok_or(Stop::Refused)
    }
}

/// The items of a `list` or `tuple`.
#[derive(Clone, Copy)]
pub(crate) struct Sequence<'a> {
    value: Value<'a>,
    list: bool,
    /// How many there were at the start.
    pub(crate) count: usize,
}

impl<'a> Sequence<'a> {
    #[inline]
    pub(crate) fn get(self, index: usize) -> Option<Value<'a>> {
        if index >= self.count {
            return None;
        }
        // SAFETY: the index is within the items, which nothing changes while they are borrowed.
        unsafe {
            Value::new(if self.list {
                list_item(self.value.raw(), index)
            } else {
                tuple_item(self.value.raw(), index)
            })
        }
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Value<'a>> {
        (0..self.count).map_while(move |index| self.get(index))
    }
}

/// Whether an object is an integer, or of a subclass. Most are no subclass's, which needs no look at flags.
///
/// # Safety
/// The object is alive.
#[inline]
unsafe fn is_integer(object: *mut ffi::PyObject) -> bool {
    // SAFETY: as above.
    unsafe { ffi::PyLong_CheckExact(object) != 0 || ffi::PyLong_Check(object) != 0 }
}
