//! Typed inputs of targets.

use arbitrary::{Arbitrary, Unstructured};

/// Decodes an input as the macro `fuzz_target` of libfuzzer-sys does; `None` if there are too few bytes.
pub(crate) fn decoded<'a, T: Arbitrary<'a>>(bytes: &'a [u8]) -> Option<T> {
    if bytes.len() < T::size_hint(0).0 {
        return None;
    }
    T::arbitrary_take_rest(Unstructured::new(bytes)).ok()
}
