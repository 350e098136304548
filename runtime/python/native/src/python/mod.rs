//! Objects of the interpreter, for the safe rest of this crate: all that is unsafe is in this folder.
//!
//! Every function here needs the interpreter's lock, which the entry points hold: nothing is `Send`. A [`Value`] is borrowed: who
//! has one lets no other code of Python run, which only calls and new objects that the collector tracks can do.
#![allow(unsafe_code)]

mod class;
mod container;
mod direct;
mod memory;
mod module;
mod scalar;
mod value;

use pyo3_ffi as ffi;
use std::marker::PhantomData;
use std::ptr::NonNull;

pub(crate) use class::Class;
pub(crate) use container::{tuple, Dict, List};
pub(crate) use memory::Memory;
pub(crate) use scalar::{boolean, bytes, float, none, signed, text, unsigned, wide, wide_number};
pub(crate) use value::Value;

/// Why a codec stops.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The fast path does not take the bytes or the value. The runtime in Python finds the reason.
    Refused,
    /// The interpreter has an exception set, as where memory is used up.
    Raised,
}

/// The result of a step of a codec.
pub(crate) type Outcome<T> = Result<T, Stop>;

/// An object that is owned: one reference of it.
pub(crate) struct Object(NonNull<ffi::PyObject>);

impl Object {
    /// Takes over a new reference. Null means that an exception is set.
    ///
    /// # Safety
    /// The pointer is null or a reference that nobody else gives back.
    #[inline]
    pub(crate) unsafe fn new(pointer: *mut ffi::PyObject) -> Outcome<Object> {
        NonNull::new(pointer).map(Object).ok_or(Stop::Raised)
    }

    /// The pointer, whose reference passes to the caller.
    #[inline]
    pub(crate) fn into_raw(self) -> *mut ffi::PyObject {
        let pointer = self.0.as_ptr();
        std::mem::forget(self);
        pointer
    }

    #[inline]
    pub(crate) fn value(&self) -> Value<'_> {
        Value(self.0, PhantomData)
    }

    /// The object's address, by which two are the same.
    #[inline]
    pub(crate) fn address(&self) -> usize {
        self.0.as_ptr() as usize
    }

    /// Calls the object without arguments.
    pub(crate) fn call(&self) -> Outcome<Object> {
        // SAFETY: the object is alive, and the result is a new reference.
        unsafe { Object::new(ffi::PyObject_CallNoArgs(self.0.as_ptr())) }
    }

    /// Calls the object with an argument.
    pub(crate) fn call_with(&self, argument: &Object) -> Outcome<Object> {
        // SAFETY: both are alive, the list of arguments ends with null, and the result is a new reference.
        unsafe {
            Object::new(ffi::PyObject_CallFunctionObjArgs(
                self.0.as_ptr(),
                argument.0.as_ptr(),
                std::ptr::null_mut::<ffi::PyObject>(),
            ))
        }
    }
}

impl Clone for Object {
    #[inline]
    fn clone(&self) -> Object {
        // SAFETY: the object is alive.
        unsafe { ffi::Py_INCREF(self.0.as_ptr()) };
        Object(self.0)
    }
}

impl Drop for Object {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the reference is this value's own.
        unsafe { ffi::Py_DECREF(self.0.as_ptr()) };
    }
}

/// An attribute of an object that the runtime or the standard library made.
pub(crate) fn attribute(value: Value<'_>, name: &std::ffi::CStr) -> Outcome<Object> {
    // SAFETY: the object is alive, and the result is a new reference.
    unsafe { Object::new(ffi::PyObject_GetAttrString(value.raw(), name.as_ptr())) }
}
