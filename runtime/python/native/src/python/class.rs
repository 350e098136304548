//! Classes of generated code, and their objects.

use super::{attribute, ffi, Object, Outcome, Stop, Value};

/// A class whose objects are made by writing their slots.
pub(crate) struct Class {
    itself: Object,
    /// Where the slots are within an object, in the order of their names.
    slots: Vec<usize>,
    size: usize,
    collected: bool,
    tracked: bool,
}

impl Class {
    /// A class and the names of its slots. Objects that can be in no cycle need not be `tracked` by the collector.
    pub(crate) fn new(class: Value<'_>, names: Value<'_>, tracked: bool) -> Outcome<Class> {
        // SAFETY: what is called takes any object, and results are new references.
        unsafe {
            if ffi::PyType_Check(class.raw()) == 0
                || attribute(class, c"__dictoffset__")?.value().signed() != Some(0)
            {
                return Err(Stop::Refused);
            }
            let size = attribute(class, c"__basicsize__")?
                .value()
                .unsigned()
                .ok_or(Stop::Refused)?;
            let size = usize::try_from(size).map_err(|_| Stop::Refused)?;
            let flags = ffi::PyType_GetFlags(class.raw().cast());
            let collected = flags & ffi::Py_TPFLAGS_HAVE_GC != 0;
            let mut found = Class {
                itself: class.object(),
                slots: Vec::new(),
                size,
                collected,
                tracked,
            };
            for name in names.sequence().ok_or(Stop::Refused)?.iter() {
                let slot = found.slot(name)?;
                found.slots.push(slot);
            }
            Ok(found)
        }
    }

    /// Finds a slot: a new object gets an attribute, and its address is sought in the object's memory.
    fn slot(&self, name: Value<'_>) -> Outcome<usize> {
        let object = self.object()?;
        // SAFETY: all is alive; words are read within the object alone.
        unsafe {
            let mark = Object::new(ffi::PyList_New(0))?;
            if ffi::PyObject_GenericSetAttr(object.0.as_ptr(), name.raw(), mark.0.as_ptr()) != 0 {
                return Err(Stop::Raised);
            }
            let word = size_of::<usize>();
            let words = (size_of::<ffi::PyObject>()..self.size)
                .step_by(word)
                .filter(|at| at + word <= self.size);
            for at in words {
                if object.0.as_ptr().cast::<usize>().byte_add(at).read() == mark.address() {
                    return Ok(at);
                }
            }
            Err(Stop::Refused)
        }
    }

    #[inline]
    fn object(&self) -> Outcome<Object> {
        // SAFETY: the class is alive. Slots are empty before anybody sees the object.
        unsafe {
            let class: *mut ffi::PyTypeObject = self.itself.0.as_ptr().cast();
            if !self.collected {
                return Object::new(ffi::PyType_GenericAlloc(class, 0));
            }
            let object = Object::new(ffi::PyObject_GC_New::<ffi::PyObject>(class))?;
            let head = size_of::<ffi::PyObject>();
            object
                .0
                .as_ptr()
                .cast::<u8>()
                .add(head)
                .write_bytes(0, self.size - head);
            Ok(object)
        }
    }

    /// A new object without values in its slots, which the collector does not see yet.
    #[inline]
    pub(crate) fn instance(&self) -> Outcome<Instance<'_>> {
        Ok(Instance {
            object: self.object()?,
            class: self,
        })
    }

    #[inline]
    pub(crate) fn address(&self) -> usize {
        self.itself.address()
    }

    /// The value in a slot of an object of this very class.
    #[inline]
    pub(crate) fn read<'a>(&self, value: Value<'a>, slot: usize) -> Outcome<Value<'a>> {
        debug_assert_eq!(value.class(), self.address());
        // SAFETY: the object is of this class, so that the slot is a pointer in it; it may be empty.
        unsafe {
            Value::new(
                value
                    .raw()
                    .cast::<*mut ffi::PyObject>()
                    .byte_add(self.slots[slot])
                    .read(),
            )
            .ok_or(Stop::Refused)
        }
    }
}

/// An object that is being filled.
pub(crate) struct Instance<'a> {
    object: Object,
    class: &'a Class,
}

impl Instance<'_> {
    /// Fills an empty slot.
    #[inline]
    pub(crate) fn set(&mut self, slot: usize, value: Object) {
        // SAFETY: the slot is a pointer in the object, and empty: codecs fill each once.
        unsafe {
            self.object
                .0
                .as_ptr()
                .cast::<*mut ffi::PyObject>()
                .byte_add(self.class.slots[slot])
                .write(value.into_raw());
        };
    }

    /// The filled object.
    #[inline]
    pub(crate) fn finish(self) -> Object {
        if self.class.collected && self.class.tracked {
            // SAFETY: the collector does not track the object yet.
            unsafe { ffi::PyObject_GC_Track(self.object.0.as_ptr().cast()) };
        }
        self.object
    }
}
