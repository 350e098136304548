//! The module that Python imports: `compile`, and the functions of types that it makes.

use super::{ffi, none, tuple, unsigned, List, Object, Outcome, Stop, Value};
use crate::cursor::{Budgets, Cursor};
use crate::program::Program;
use crate::writer::Writer;
use std::ffi::CStr;
use std::ptr::null_mut;
use std::rc::Rc;

const NAME: &CStr = c"serial_data_protocol_native.codec";

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

static METHODS: Shared<[ffi::PyMethodDef; 2]> = Shared([
    ffi::PyMethodDef {
        ml_name: c"compile".as_ptr(),
        ml_meth: ffi::PyMethodDefPointer {
            PyCFunction: compile,
        },
        ml_flags: ffi::METH_O,
        ml_doc: c"The functions of a package's types: decode, decode_window and encode and columns of each."
            .as_ptr(),
    },
    ffi::PyMethodDef::zeroed(),
]);

/// The functions of a type, whose `self` is a capsule of its [`Codec`].
static FUNCTIONS: Shared<[ffi::PyMethodDef; 4]> = Shared([
    ffi::PyMethodDef {
        ml_name: c"decode".as_ptr(),
        ml_meth: ffi::PyMethodDefPointer {
            PyCFunction: decode,
        },
        ml_flags: ffi::METH_O,
        ml_doc: c"decode(data): the value of all the bytes, or None.".as_ptr(),
    },
    ffi::PyMethodDef {
        ml_name: c"decode_window".as_ptr(),
        ml_meth: ffi::PyMethodDefPointer {
            PyCFunctionFast: decode_window,
        },
        ml_flags: ffi::METH_FASTCALL,
        ml_doc: c"decode_window(data, start, end, elements, memory, depth): the value and its end, or None.".as_ptr(),
    },
    ffi::PyMethodDef {
        ml_name: c"encode".as_ptr(),
        ml_meth: ffi::PyMethodDefPointer {
            PyCFunction: encode,
        },
        ml_flags: ffi::METH_O,
        ml_doc: c"encode(value): the bytes, or None.".as_ptr(),
    },
    ffi::PyMethodDef {
        ml_name: c"columns".as_ptr(),
        ml_meth: ffi::PyMethodDefPointer {
            PyCFunctionFast: columns,
        },
        ml_flags: ffi::METH_FASTCALL,
        ml_doc: c"columns(data, start, end, elements, memory, depth, path): the rows at a path as columns, or None.".as_ptr(),
    },
]);

/// A type of a program.
struct Codec {
    program: Rc<Program>,
    index: usize,
}

/// Makes the module.
///
/// # Safety
/// The interpreter calls it.
#[no_mangle]
#[allow(unreachable_pub)]
pub unsafe extern "C" fn PyInit_serial_data_protocol_native() -> *mut ffi::PyObject {
    if !is_for_this_interpreter() {
        // SAFETY: the interpreter is there, and holds its lock.
        unsafe { ffi::PyErr_SetString(ffi::PyExc_ImportError, OTHER.as_ptr()) };
        return null_mut();
    }
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

/// The reason of an import that fails.
const OTHER: &CStr = match CStr::from_bytes_with_nul(
    concat!(
        "this serial_data_protocol_native is for CPython 3.",
        env!("PYTHON_MINOR"),
        " alone\0"
    )
    .as_bytes(),
) {
    Ok(text) => text,
    Err(_) => unreachable!(),
};

/// Whether objects lie in memory as the library was built for. Stable functions need no look.
fn is_for_this_interpreter() -> bool {
    // SAFETY: the version is a number that never changes.
    let version = unsafe { ffi::Py_Version } >> 16;
    cfg!(feature = "abi3")
        || env!("PYTHON_MINOR").parse() == Ok(version & 0xFF) && version >> 8 == 3
}

/// The form of programs, which the runtime asks for.
const CONTRACT: std::ffi::c_long = 1;

/// An outcome as the interpreter has it: an object, or null with an exception. A refusal is None.
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
    // SAFETY: the argument is alive during the call.
    returned(
        unsafe { Value::new(argument) }
            .ok_or(Stop::Refused)
            .and_then(|argument| {
                let program = Rc::new(Program::new(argument)?);
                let mut list = List::new(program.blocks.len())?;
                for index in 0..program.blocks.len() {
                    list.push(functions(Codec {
                        program: program.clone(),
                        index,
                    })?);
                }
                Ok(list.finish())
            }),
    )
}

/// The functions of a type, as a tuple.
fn functions(codec: Codec) -> Outcome<Object> {
    let codec = Box::into_raw(Box::new(codec));
    // SAFETY: the capsule owns the codec until it is freed; definitions live for ever; the tuple takes over what is put into it.
    unsafe {
        let capsule = Object::new(ffi::PyCapsule_New(codec.cast(), NAME.as_ptr(), Some(free)))
            .inspect_err(|_| drop(Box::from_raw(codec)))?;
        let tuple = Object::new(ffi::PyTuple_New(FUNCTIONS.0.len().cast_signed()))?.into_raw();
        for (place, definition) in FUNCTIONS.0.iter().enumerate() {
            let definition = std::ptr::from_ref(definition).cast_mut();
            let function = ffi::PyCFunction_NewEx(definition, capsule.value().raw(), null_mut());
            if function.is_null() {
                ffi::Py_DECREF(tuple);
                return Err(Stop::Raised);
            }
            ffi::PyTuple_SetItem(tuple, place.cast_signed(), function);
        }
        Object::new(tuple)
    }
}

unsafe extern "C" fn free(capsule: *mut ffi::PyObject) {
    // SAFETY: the capsule has the pointer that `functions` put there.
    unsafe {
        let codec = ffi::PyCapsule_GetPointer(capsule, NAME.as_ptr()).cast::<Codec>();
        if !codec.is_null() {
            drop(Box::from_raw(codec));
        }
    }
}

/// The codec of a function's capsule.
///
/// # Safety
/// The interpreter passes the capsule that the function was made with, and keeps it for `'a`.
unsafe fn codec_of<'a>(capsule: *mut ffi::PyObject) -> Outcome<&'a Codec> {
    // SAFETY: a capsule of this name has a codec, which lives as long.
    unsafe {
        ffi::PyCapsule_GetPointer(capsule, NAME.as_ptr())
            .cast::<Codec>()
            .as_ref()
            .ok_or(Stop::Raised)
    }
}

unsafe extern "C" fn decode(
    capsule: *mut ffi::PyObject,
    argument: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter passes the capsule and the argument, which live during the call.
    let (codec, data) = unsafe { (codec_of(capsule), Value::new(argument)) };
    returned(codec.and_then(|codec| decoded(codec, data.ok_or(Stop::Refused)?)))
}

fn decoded(codec: &Codec, data: Value<'_>) -> Outcome<Object> {
    let data = data.bytes().ok_or(Stop::Refused)?;
    let program = &codec.program;
    if data.len() > program.most {
        return Err(Stop::Refused);
    }
    let (elements, memory, depth) = program.budgets;
    let budgets = Budgets {
        elements,
        memory,
        depth,
    };
    let (value, end) = Cursor::new(program, data, 0, data.len(), budgets).value(codec.index)?;
    if end == data.len() {
        Ok(value)
    } else {
        Err(Stop::Refused)
    }
}

unsafe extern "C" fn decode_window(
    capsule: *mut ffi::PyObject,
    arguments: *mut *mut ffi::PyObject,
    count: isize,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter passes the capsule and `count` arguments, which live during the call.
    let (codec, arguments) = unsafe { (codec_of(capsule), Arguments::new(arguments, count)) };
    returned(codec.and_then(|codec| {
        let (value, end) = arguments.window(codec)?.value(codec.index)?;
        tuple([value, unsigned(end as u64)?])
    }))
}

/// The arguments of a call.
struct Arguments<'a>(&'a [*mut ffi::PyObject]);

impl<'a> Arguments<'a> {
    /// # Safety
    /// There are `count` arguments, which live for `'a`.
    unsafe fn new(arguments: *mut *mut ffi::PyObject, count: isize) -> Arguments<'a> {
        if count == 0 {
            return Arguments(&[]);
        }
        // SAFETY: as above.
        Arguments(unsafe { std::slice::from_raw_parts(arguments, count.cast_unsigned()) })
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

    /// The window of the first six arguments: data, start, end, elements, memory, depth.
    fn window(&self, codec: &'a Codec) -> Outcome<Cursor<'a>> {
        let data = self.value(0)?.bytes().ok_or(Stop::Refused)?;
        let (start, end) = (self.index(1)?, self.index(2)?);
        if start > end || end > data.len() {
            return Err(Stop::Refused);
        }
        let depth = u32::try_from(self.number(5)?).map_err(|_| Stop::Refused)?;
        let budgets = Budgets {
            elements: self.number(3)?,
            memory: self.number(4)?,
            depth,
        };
        Ok(Cursor::new(&codec.program, data, start, end, budgets))
    }
}

unsafe extern "C" fn columns(
    capsule: *mut ffi::PyObject,
    arguments: *mut *mut ffi::PyObject,
    count: isize,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter passes the capsule and `count` arguments, which live during the call.
    let (codec, arguments) = unsafe { (codec_of(capsule), Arguments::new(arguments, count)) };
    returned(codec.and_then(|codec| gathered(codec, &arguments)))
}

fn gathered(codec: &Codec, arguments: &Arguments<'_>) -> Outcome<Object> {
    let mut cursor = arguments.window(codec)?;
    let path = arguments.value(6)?.sequence().ok_or(Stop::Refused)?;
    let path: Vec<usize> = path
        .iter()
        .map(|step| {
            step.unsigned()
                .and_then(|step| usize::try_from(step).ok())
                .ok_or(Stop::Refused)
        })
        .collect::<Outcome<_>>()?;
    crate::rows::table(&mut cursor, codec.index, &path)
}

unsafe extern "C" fn encode(
    capsule: *mut ffi::PyObject,
    argument: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter passes the capsule and the argument, which live during the call.
    let (codec, value) = unsafe { (codec_of(capsule), Value::new(argument)) };
    returned(codec.and_then(|codec| {
        Writer::write(
            &codec.program,
            codec.index,
            value.ok_or(Stop::Refused)?,
            super::bytes,
        )
    }))
}
