//! Lists and dicts.

use super::direct::set_list_item;
use super::{ffi, Object, Outcome, Stop};

/// A list that is being filled. The collector sees it when it is full.
pub(crate) struct List {
    object: Object,
    count: usize,
    filled: usize,
}

impl List {
    #[inline]
    pub(crate) fn new(count: usize) -> Outcome<List> {
        // SAFETY: the result is a new reference, which the collector tracks.
        unsafe {
            let object = Object::new(ffi::PyList_New(
                isize::try_from(count).map_err(|_| Stop::Refused)?,
            ))?;
            ffi::PyObject_GC_UnTrack(object.0.as_ptr().cast());
            Ok(List {
                object,
                count,
                filled: 0,
            })
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, value: Object) {
        assert!(self.filled < self.count);
        // SAFETY: the place is within the list, and empty.
        unsafe { set_list_item(self.object.0.as_ptr(), self.filled, value.into_raw()) };
        self.filled += 1;
    }

    #[inline]
    pub(crate) fn finish(self) -> Object {
        // SAFETY: the collector does not track the list at present.
        unsafe { ffi::PyObject_GC_Track(self.object.0.as_ptr().cast()) };
        self.object
    }
}

/// A dict that is being filled.
pub(crate) struct Dict(Object);

impl Dict {
    pub(crate) fn new() -> Outcome<Dict> {
        // SAFETY: the result is a new reference.
        unsafe { Object::new(ffi::PyDict_New()).map(Dict) }
    }

    pub(crate) fn insert(&mut self, key: &Object, value: &Object) -> Outcome<()> {
        // SAFETY: all are alive.
        if unsafe { ffi::PyDict_SetItem(self.0 .0.as_ptr(), key.0.as_ptr(), value.0.as_ptr()) } == 0
        {
            Ok(())
        } else {
            Err(Stop::Raised)
        }
    }

    pub(crate) fn finish(self) -> Object {
        self.0
    }
}

/// A tuple of objects.
pub(crate) fn tuple(
    objects: impl IntoIterator<Item = Object, IntoIter: ExactSizeIterator>,
) -> Outcome<Object> {
    let objects = objects.into_iter();
    // SAFETY: the new tuple has a place for each object, and takes over their references.
    unsafe {
        let tuple = Object::new(ffi::PyTuple_New(objects.len().cast_signed()))?.into_raw();
        for (place, object) in objects.enumerate() {
            ffi::PyTuple_SetItem(tuple, place.cast_signed(), object.into_raw());
        }
        Object::new(tuple)
    }
}
