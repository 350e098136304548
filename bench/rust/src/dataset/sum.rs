//! The checksum that keeps readers honest: one that leaves a field out comes to another sum.

/// The running checksum of a value that is read field by field, the same as in the other languages.
#[derive(Default)]
pub struct Sum(pub u64);

impl Sum {
    /// Adds an integer.
    #[inline]
    pub fn uint(&mut self, value: impl Into<u64>) {
        self.0 = self.0.wrapping_add(value.into());
    }

    /// Adds an integer with a sign, as the 64 bits of its two's complement.
    #[inline]
    pub fn int(&mut self, value: impl Into<i64>) {
        self.uint(value.into().cast_unsigned());
    }

    /// Adds the bits of a float.
    #[inline]
    pub fn float(&mut self, value: f32) {
        self.uint(value.to_bits());
    }

    /// Adds the bits of a double.
    #[inline]
    pub fn double(&mut self, value: f64) {
        self.uint(value.to_bits());
    }

    /// Adds 1 for true.
    #[inline]
    pub fn flag(&mut self, value: bool) {
        self.uint(value);
    }

    /// Adds the length and the last byte, so that a reader must find the contents, not only the length.
    #[inline]
    pub fn text(&mut self, value: &str) {
        if let Some(last) = value.as_bytes().last() {
            self.uint(value.len() as u64 + u64::from(*last));
        }
    }
}
