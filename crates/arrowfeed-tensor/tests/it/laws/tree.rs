//! Columns as trees of plain values, and their random generation.

use proptest::prelude::*;

/// A value of a column, independent of its Arrow layout.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Item {
    Null,
    Number(i64),
    List(Vec<Item>),
}

/// The layout of one level of lists.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Level {
    List,
    LargeList,
    Fixed(usize),
    View,
    LargeView,
}

/// The Arrow type of the numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Int64,
    UInt8,
    Float16,
    Float64,
    Bool,
    Utf8,
    LargeBinary,
    Utf8View,
    FixedSizeBinary,
    Dictionary,
    Timestamp,
}

/// Random numbers from a seed. The state is small, so that the printed seed of a case repeats it.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n.max(1)
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        n > 0 && self.below(n) == 0
    }
}

/// A column, and the slice of it that is converted.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) levels: Vec<Level>,
    pub(crate) kind: Kind,
    /// All rows, before the batch is sliced.
    pub(crate) rows: Vec<Item>,
    pub(crate) slice: std::ops::Range<usize>,
    /// Whether the column is in a struct, as `s.x`.
    pub(crate) in_struct: bool,
    pub(crate) seed: u64,
}

impl Case {
    /// The rows that are converted.
    pub(crate) fn wanted(&self) -> &[Item] {
        &self.rows[self.slice.clone()]
    }

    pub(crate) fn column(&self) -> &'static str {
        if self.in_struct { "s.x" } else { "x" }
    }
}

/// The frequency of nulls: one in this many; 0 for none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nulls {
    pub(crate) lists: usize,
    pub(crate) values: usize,
}

/// Levels of any layout.
pub(crate) fn any_levels(depth: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Level>> {
    let level = prop_oneof![
        Just(Level::List),
        Just(Level::LargeList),
        (0..4_usize).prop_map(Level::Fixed),
        Just(Level::View),
        Just(Level::LargeView),
    ];
    proptest::collection::vec(level, depth)
}

/// Levels of any layout, except that the last one does not have a fixed size.
pub(crate) fn without_blocks(depth: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Level>> {
    any_levels(depth).prop_map(|mut levels| {
        if let Some(last @ Level::Fixed(_)) = levels.last_mut() {
            *last = Level::List;
        }
        levels
    })
}

/// Lists of variable length, then lists of fixed size.
pub(crate) fn with_blocks() -> impl Strategy<Value = Vec<Level>> {
    let outer = proptest::collection::vec(proptest::sample::select(vec![Level::List, Level::View]), 1..3);
    let blocks = proptest::collection::vec((0..4_usize).prop_map(Level::Fixed), 1..3);
    (outer, blocks).prop_map(|(outer, blocks)| [outer, blocks].concat())
}

pub(crate) const KINDS: [Kind; 11] = [
    Kind::Int64,
    Kind::UInt8,
    Kind::Float16,
    Kind::Float64,
    Kind::Bool,
    Kind::Utf8,
    Kind::LargeBinary,
    Kind::Utf8View,
    Kind::FixedSizeBinary,
    Kind::Dictionary,
    Kind::Timestamp,
];

/// The kinds that accept an integer as default value.
pub(crate) const INTEGERS: [Kind; 3] = [Kind::Int64, Kind::UInt8, Kind::Timestamp];

/// Random cases. `length` is the length of all lists without a fixed size, or `None` for random lengths.
pub(crate) fn cases(
    levels: impl Strategy<Value = Vec<Level>>,
    kinds: &'static [Kind],
    nulls: Nulls,
    length: Option<usize>,
) -> impl Strategy<Value = Case> {
    let choices = (levels, proptest::sample::select(kinds), 0..12_usize, any::<u64>(), any::<bool>());
    choices.prop_map(move |(levels, kind, count, seed, in_struct)| {
        let mut random = Random::new(seed);
        let most = if kind == Kind::Bool { 2 } else { 100 };
        let rows: Vec<Item> = (0..count).map(|_| item(&levels, nulls, length, most, &mut random)).collect();
        let start = random.below(count + 1);
        let slice = start..start + random.below(count - start + 1);
        Case { levels, kind, rows, slice, in_struct, seed }
    })
}

fn item(levels: &[Level], nulls: Nulls, length: Option<usize>, most: usize, random: &mut Random) -> Item {
    let Some((level, below)) = levels.split_first() else {
        return if random.one_in(nulls.values) {
            Item::Null
        } else {
            Item::Number(random.below(most) as i64)
        };
    };
    if random.one_in(nulls.lists) {
        return Item::Null;
    }
    let items = match level {
        Level::Fixed(size) => *size,
        _ => length.unwrap_or_else(|| random.below(4)),
    };
    Item::List((0..items).map(|_| item(below, nulls, length, most, random)).collect())
}
