//! Short rows packed into sequences of one length, and the lines of padded and packed tensors.

use std::ops::Range;

use crate::row_splits::RowSplits;

/// Places rows in sequences of one length, in order: each row follows those of the first sequence with enough room.
///
/// ```
/// use arrowfeed_tensor::FirstFit;
///
/// let mut sequences = FirstFit::new(8);
/// let places = [5, 6, 3, 2].map(|length| sequences.place(length, usize::MAX));
/// assert_eq!(places, [Some((0, 0)), Some((1, 0)), Some((0, 5)), Some((1, 6))]);
/// // Two sequences have no room for another row.
/// assert_eq!(sequences.place(1, 2), None);
/// ```
#[derive(Debug, Clone)]
pub struct FirstFit {
    length: usize,
    /// The number of values in each sequence.
    used: Vec<usize>,
    /// Number of sequences at the front without room.
    full: usize,
}

impl FirstFit {
    /// No sequences yet. Each will have this length.
    pub fn new(length: usize) -> Self {
        Self { length, used: Vec::new(), full: 0 }
    }

    /// Places a row of `length` values. Returns its sequence and its position in it; `None` if it has no room in `most`
    /// sequences. A row that is longer than a sequence takes a whole one.
    pub fn place(&mut self, length: usize, most: usize) -> Option<(usize, usize)> {
        let length = length.min(self.length);
        let open = self.used[self.full..].iter().position(|used| used + length <= self.length);
        let sequence = open.map_or(self.used.len(), |open| self.full + open);
        if sequence == self.used.len() {
            if sequence >= most {
                return None;
            }
            self.used.push(0);
        }
        let position = self.used[sequence];
        self.used[sequence] += length;
        while self.used.get(self.full).is_some_and(|used| *used == self.length) {
            self.full += 1;
        }
        Some((sequence, position))
    }

    /// Number of sequences.
    pub fn sequences(&self) -> usize {
        self.used.len()
    }
}

/// The lines of a dense tensor that is made of the rows of a ragged one: a line for each row, or sequences of several rows.
pub(crate) struct Lines<'a> {
    splits: &'a RowSplits,
    /// Number of places in a line.
    pub(crate) length: usize,
    pub(crate) count: usize,
    /// The sequence and the number of each row that is not empty, in the order of the sequences. `None`: a line has one row.
    packed: Option<Vec<(usize, usize)>>,
}

/// The values of one row in a line.
pub(crate) struct Piece {
    /// The number of the row in its line, from 1.
    pub(crate) segment: usize,
    pub(crate) values: Range<usize>,
    /// Number of places after the values that are filled.
    pub(crate) filled: usize,
}

impl<'a> Lines<'a> {
    /// A line for each row, which is cut to `length`.
    pub(crate) fn padded(splits: &'a RowSplits, length: usize) -> Self {
        Self { splits, length, count: splits.rows(), packed: None }
    }

    /// Lines of several rows. Each row is cut to `length`. Empty rows are in no line.
    pub(crate) fn packed(splits: &'a RowSplits, length: usize) -> Self {
        let (mut sequences, mut packed) = (FirstFit::new(length), Vec::new());
        splits.for_each_row(|row, values| {
            if values > 0
                && let Some((sequence, _)) = sequences.place(values, usize::MAX)
            {
                packed.push((sequence, row));
            }
        });
        packed.sort_unstable();
        Self { splits, length, count: sequences.sequences(), packed: Some(packed) }
    }

    /// Calls `each` with the rows of each line.
    pub(crate) fn for_each(&self, mut each: impl FnMut(Piece)) {
        let Some(packed) = &self.packed else {
            let mut first = 0;
            self.splits.for_each_row(|_, values| {
                let kept = values.min(self.length);
                each(Piece { segment: 1, values: first..first + kept, filled: self.length - kept });
                first += values;
            });
            return;
        };
        for line in packed.chunk_by(|(one, _), (next, _)| one == next) {
            let mut free = self.length;
            for (number, (_, row)) in line.iter().enumerate() {
                let mut values = self.splits.range(*row).unwrap_or_default();
                values.end = values.end.min(values.start + self.length);
                free -= values.len();
                let filled = if number + 1 == line.len() { free } else { 0 };
                each(Piece { segment: number + 1, values, filled });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_fill_a_sequence_leave_no_room() {
        let mut sequences = FirstFit::new(4);
        assert_eq!(sequences.place(9, 1), Some((0, 0)));
        assert_eq!((sequences.full, sequences.place(1, 1)), (1, None));
        assert_eq!(sequences.place(0, 1), None);
        assert_eq!(sequences.place(4, 2), Some((1, 0)));
        assert_eq!((sequences.full, sequences.sequences()), (2, 2));
    }

    #[test]
    fn lines_have_the_rows_in_order() {
        let splits = RowSplits::from_i64(vec![0, 3, 3, 5, 6, 12].into()).unwrap();
        let mut found = Vec::new();
        let lines = Lines::packed(&splits, 4);
        lines.for_each(|piece| found.push((piece.segment, piece.values, piece.filled)));
        assert_eq!((lines.count, found), (3, vec![(1, 0..3, 0), (2, 5..6, 0), (1, 3..5, 2), (1, 6..10, 0)]));
        let mut found = Vec::new();
        Lines::padded(&splits, 4).for_each(|piece| found.push((piece.values, piece.filled)));
        assert_eq!(found, [(0..3, 1), (3..3, 4), (3..5, 2), (5..6, 3), (6..10, 0)]);
    }
}
