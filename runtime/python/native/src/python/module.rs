//! The module that Python imports: `compile`, `decode` and `encode`.

use super::{ffi, none, unsigned, Object, Outcome, Stop, Value};
use crate::program::Program;
use crate::reader::{Budgets, Reader};
use crate::writer::Writer;
use std::ffi::CStr;
use std::ptr::null_mut;

const NAME: &CStr = c"serial_data_protocol_native.program";

/// A module whose definition lives for ever.
struct Shared<T>(T);

// SAFETY: the interpreter alone uses the definitions, under its lock.
unsafe impl<T> Sync for Shared<T> {}

/// The interpreter writes into the definition when it makes the module.
static DEFINITION: Shared<std::cell::UnsafeCell<ffi::PyModuleDef>> =
    Shared(std::cell::UnsafeCell::new(ffi::PyModuleDef {
        m_base: ffi::PyModuleDef_HEAD_INIT,
        m_name: c"serial_data_protocol_native".as_ptr(),
        m_doc: c"The native engine of the runtime of SDP. Only the runtime calls it.".as_ptr(),
        m_size: 0,
        m_methods: METHODS.0.as_ptr().cast_mut(),
        m_slots: null_mut(),
        m_traverse: None,
        m_clear: None,
        m_free: None,
    }));

static METHODS: Shared<[ffi::PyMethodDef; 4]> = Shared([
    ffi::PyMethodDef {
        ml_name: c"compile".as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunction: compile },
        ml_flags: ffi::METH_O,
        ml_doc: c"The program of a package's types.".as_ptr(),
    },
    ffi::PyMethodDef {
        ml_name: c"decode".as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionFast: decode },
        ml_flags: ffi::METH_FASTCALL,
        ml_doc: c"decode(program, index, data[, start, end, elements, memory, depth]): the value and its end, or None.".as_ptr(),
    },
    ffi::PyMethodDef {
        ml_name: c"encode".as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionFast: encode },
        ml_flags: ffi::METH_FASTCALL,
        ml_doc: c"encode(program, index, value): the bytes, or None.".as_ptr(),
    },
    ffi::PyMethodDef::zeroed(),
]);

/// Makes the module.
///
/// # Safety
/// The interpreter calls it.
#[no_mangle]
#[allow(unreachable_pub)]
pub unsafe extern "C" fn PyInit_serial_data_protocol_native() -> *mut ffi::PyObject {
    // SAFETY: the interpreter is there, and holds its lock.
    unsafe {
        let module = ffi::PyModule_Create(DEFINITION.0.get());
        if !module.is_null()
            && ffi::PyModule_AddIntConstant(module, c"CONTRACT".as_ptr(), CONTRACT) != 0
        {
            ffi::Py_DECREF(module);
            return null_mut();
        }
        module
    }
}

/// The form of programs, which the runtime asks for.
const CONTRACT: std::ffi::c_long = 1;

/// An outcome as the interpreter has it: an object, or null with an exception. What is refused is None.
fn returned(outcome: Outcome<Object>) -> *mut ffi::PyObject {
    match outcome {
        Ok(value) => value.into_raw(),
        Err(Stop::Refused) => none().into_raw(),
        Err(Stop::Raised) => null_mut(),
    }
}

unsafe extern "C" fn compile(
    _: *mut ffi::PyObject,
    argument: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the argument is alive during the call; the capsule owns the program until it is freed.
    unsafe {
        returned(
            Value::new(argument)
                .ok_or(Stop::Refused)
                .and_then(Program::new)
                .and_then(|program| {
                    let program = Box::into_raw(Box::new(program));
                    Object::new(ffi::PyCapsule_New(
                        program.cast(),
                        NAME.as_ptr(),
                        Some(free),
                    ))
                    .inspect_err(|_| drop(Box::from_raw(program)))
                }),
        )
    }
}

unsafe extern "C" fn free(capsule: *mut ffi::PyObject) {
    // SAFETY: the capsule has the pointer that `compile` put there.
    unsafe {
        let program = ffi::PyCapsule_GetPointer(capsule, NAME.as_ptr()).cast::<Program>();
        if !program.is_null() {
            drop(Box::from_raw(program));
        }
    }
}

/// The arguments of a call.
struct Arguments<'a>(&'a [*mut ffi::PyObject]);

impl<'a> Arguments<'a> {
    /// # Safety
    /// The interpreter passes `count` arguments, which live for `'a`.
    unsafe fn new(arguments: *mut *mut ffi::PyObject, count: isize) -> Arguments<'a> {
        Arguments(if count == 0 {
            &[]
        } else {
            // SAFETY: as above.
            unsafe { std::slice::from_raw_parts(arguments, count.cast_unsigned()) }
        })
    }

    fn value(&self, index: usize) -> Outcome<Value<'a>> {
        // SAFETY: arguments live during the call.
        self.0
            .get(index)
            .and_then(|argument| unsafe { Value::new(*argument) })
            .ok_or(Stop::Refused)
    }

    fn number(&self, index: usize) -> Outcome<u64> {
        self.value(index)?.unsigned().ok_or(Stop::Refused)
    }

    fn index(&self, index: usize) -> Outcome<usize> {
        usize::try_from(self.number(index)?).map_err(|_| Stop::Refused)
    }

    fn program(&self) -> Outcome<&'a Program> {
        let capsule = self.value(0)?;
        // SAFETY: a capsule of this name has a program, which lives as long as the capsule, an argument.
        unsafe {
            ffi::PyCapsule_GetPointer(capsule.raw(), NAME.as_ptr())
                .cast::<Program>()
                .as_ref()
                .ok_or(Stop::Raised)
        }
    }
}

unsafe extern "C" fn decode(
    _: *mut ffi::PyObject,
    arguments: *mut *mut ffi::PyObject,
    count: isize,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter passes the arguments.
    let arguments = unsafe { Arguments::new(arguments, count) };
    returned(decoded(&arguments))
}

fn decoded(arguments: &Arguments<'_>) -> Outcome<Object> {
    let program = arguments.program()?;
    let data = arguments.value(2)?.bytes().ok_or(Stop::Refused)?;
    if arguments.0.len() == 3 {
        let (elements, memory, depth) = program.budgets;
        let (value, end) = Reader::new(
            program,
            data,
            0,
            data.len(),
            Budgets {
                elements,
                memory,
                depth,
            },
        )
        .value(arguments.index(1)?)?;
        return if end == data.len() {
            Ok(value)
        } else {
            Err(Stop::Refused)
        };
    }
    let (start, end) = (arguments.index(3)?, arguments.index(4)?);
    if start > end || end > data.len() {
        return Err(Stop::Refused);
    }
    let depth = u32::try_from(arguments.number(7)?).map_err(|_| Stop::Refused)?;
    let budgets = Budgets {
        elements: arguments.number(5)?,
        memory: arguments.number(6)?,
        depth,
    };
    let (value, end) =
        Reader::new(program, data, start, end, budgets).value(arguments.index(1)?)?;
    pair(value, unsigned(end as u64)?)
}

fn pair(left: Object, right: Object) -> Outcome<Object> {
    // SAFETY: a new tuple of two takes over both references.
    unsafe {
        let tuple = Object::new(ffi::PyTuple_New(2))?;
        let pointer = tuple.into_raw();
        ffi::PyTuple_SetItem(pointer, 0, left.into_raw());
        ffi::PyTuple_SetItem(pointer, 1, right.into_raw());
        Object::new(pointer)
    }
}

unsafe extern "C" fn encode(
    _: *mut ffi::PyObject,
    arguments: *mut *mut ffi::PyObject,
    count: isize,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter passes the arguments.
    let arguments = unsafe { Arguments::new(arguments, count) };
    returned(encoded(&arguments))
}

fn encoded(arguments: &Arguments<'_>) -> Outcome<Object> {
    Writer::write(
        arguments.program()?,
        arguments.index(1)?,
        arguments.value(2)?,
        super::bytes,
    )
}
