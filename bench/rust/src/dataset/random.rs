//! Random values from the seed that the public suite uses. They are of its shapes and ranges, not its very values.

use rand_pcg::rand_core::Rng;
use rand_pcg::Lcg64Xsh32;

pub(super) struct Random(Lcg64Xsh32);

impl Random {
    /// A new source for each data set, so that none depends on another.
    pub(super) fn new() -> Self {
        Self(Lcg64Xsh32::new(3_141_592_653, 5_897_932_384))
    }

    pub(super) fn bits32(&mut self) -> u32 {
        self.0.next_u32()
    }

    pub(super) fn bits64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number of `least..most`, which is never empty.
    pub(super) fn between(&mut self, least: i32, most: i32) -> i32 {
        let width = u64::from(most.abs_diff(least));
        let offset = (u64::from(self.bits32()) * width) >> 32;
        least + i32::try_from(offset).expect("the offset is below a width of 31 bits")
    }

    /// A number below `most`.
    pub(super) fn below(&mut self, most: usize) -> usize {
        let most = i32::try_from(most).expect("lengths are small");
        usize::try_from(self.between(0, most)).expect("the range starts at 0")
    }

    /// One of `choices`.
    pub(super) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// True with the given probability in percent.
    pub(super) fn percent(&mut self, probability: i32) -> bool {
        self.between(0, 100) < probability
    }

    pub(super) fn flag(&mut self) -> bool {
        self.percent(50)
    }

    /// A value with probability 0.5.
    pub(super) fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.flag().then(|| make(self))
    }

    /// `least..most` values.
    pub(super) fn many<T>(
        &mut self,
        least: i32,
        most: i32,
        mut make: impl FnMut(&mut Self) -> T,
    ) -> Vec<T> {
        (0..self.between(least, most)).map(|_| make(self)).collect()
    }

    /// A float of [0, 1) with all 24 bits that one can have there.
    #[expect(clippy::cast_precision_loss, reason = "24 bits fit a float's mantissa")]
    pub(super) fn float(&mut self) -> f32 {
        (self.bits32() >> 8) as f32 / 16_777_216.0
    }

    /// A double of [0, 1) with all 53 bits that one can have there.
    #[expect(
        clippy::cast_precision_loss,
        reason = "53 bits fit a double's mantissa"
    )]
    pub(super) fn double(&mut self) -> f64 {
        (self.bits64() >> 11) as f64 / 9_007_199_254_740_992.0
    }
}
