//! Values as plain data, and the random generator for them.

/// A value of an Avro type in its wire form, or of an Arrow array.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    /// Every integer type of Avro and Arrow.
    Int(i64),
    /// Bits, so that NaN equals itself.
    Float(u32),
    /// Bits.
    Double(u64),
    Bytes(Vec<u8>),
    Text(String),
    /// A symbol of an Avro enum, by its index.
    Symbol(usize),
    /// Arrow only: the unscaled number in digits.
    Decimal(String),
    /// Arrow only: months, days, nanoseconds.
    Interval(i32, i32, i64),
    List(Vec<Value>),
    /// Keys and values, in order.
    Map(Vec<(Value, Value)>),
    /// Fields, in order.
    Record(Vec<Value>),
    /// A value of a union, with the index of its branch.
    Branch(usize, Box<Value>),
}

/// Reproducible random numbers, which depend only on the initial state.
#[derive(Debug, Clone)]
pub(crate) struct Seed(pub(crate) u64);

impl Seed {
    /// The splitmix64 sequence.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    pub(crate) fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.next() as u8).collect()
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        (1..items.len()).rev().for_each(|i| items.swap(i, self.below(i + 1)));
    }
}
