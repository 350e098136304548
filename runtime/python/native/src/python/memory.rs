//! The memory of arrays of numbers, such as arrays of numpy.

use super::{ffi, Value};

/// The numbers of an array, which stay in their place meanwhile.
pub(crate) struct Memory(ffi::Py_buffer);

impl Memory {
    /// The memory of an object of C code, of one dimension and without gaps. `arrays` is the address of the class `array.array`.
    ///
    /// Classes that a program makes may run its code when they are asked for their memory: they have none here.
    pub(crate) fn of(value: Value<'_>, arrays: usize) -> Option<Memory> {
        // SAFETY: the object is alive. Its class is one of C, whose memory is had without code of Python. The memory is given
        // back when the value is dropped.
        unsafe {
            let class = ffi::Py_TYPE(value.raw());
            let own = ffi::PyType_GetFlags(class) & ffi::Py_TPFLAGS_HEAPTYPE != 0;
            if (own && class as usize != arrays)
                || ffi::PyBytes_Check(value.raw()) != 0
                || ffi::PyByteArray_Check(value.raw()) != 0
                || ffi::PyObject_CheckBuffer(value.raw()) == 0
            {
                return None;
            }
            let mut buffer = ffi::Py_buffer::new();
            let flags = ffi::PyBUF_FORMAT | ffi::PyBUF_C_CONTIGUOUS;
            if ffi::PyObject_GetBuffer(value.raw(), &raw mut buffer, flags) != 0 {
                ffi::PyErr_Clear();
                return None;
            }
            Some(Memory(buffer)).filter(|memory| memory.0.ndim == 1)
        }
    }

    /// The code of a number, as of the module `struct`, and its width, if numbers lie as on this machine.
    pub(crate) fn form(&self) -> Option<(u8, usize)> {
        // SAFETY: a format is a text that ends with zero, and lives as long as the memory; there may be none.
        let format = unsafe {
            self.0
                .format
                .as_ref()
                .map_or(c"B", |format| std::ffi::CStr::from_ptr(format))
        };
        let code = match format.to_bytes() {
            [code] | [b'@' | b'=' | b'<', code] => *code,
            _ => return None,
        };
        Some((code, self.0.itemsize.cast_unsigned()))
    }

    /// All numbers, as bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        if self.0.len == 0 {
            return &[];
        }
        // SAFETY: the memory has these bytes, and is held.
        unsafe { std::slice::from_raw_parts(self.0.buf.cast(), self.0.len.cast_unsigned()) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the buffer was taken, and is given back once.
        unsafe { ffi::PyBuffer_Release(&raw mut self.0) };
    }
}
