//! Random choices from a list of numbers. The first choice is the simplest, and a shorter list makes a simpler case.

use proptest::prelude::*;

/// A source of choices.
#[derive(Debug, Clone)]
pub(crate) struct Choices(std::vec::IntoIter<u32>);

pub(crate) fn choices(most: usize) -> impl Strategy<Value = Choices> {
    prop::collection::vec(any::<u32>(), 0..most).prop_map(|numbers| Choices(numbers.into_iter()))
}

impl Choices {
    /// A number below `n`; 0 at the end of the list.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0.next().unwrap_or(0) as usize % n
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    pub(crate) fn pick<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())].clone()
    }

    /// 128 random bits, of which each prefix may be zero.
    pub(crate) fn bits(&mut self) -> i128 {
        let all = (0..4).fold(0i128, |bits, _| bits << 32 | i128::from(self.0.next().unwrap_or(0)));
        let width = self.below(128);
        all >> width
    }
}
