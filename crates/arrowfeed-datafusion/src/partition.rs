//! Partitions of a scan: byte ranges of files, as even as possible.

use std::fmt;
use std::ops::Range;

/// Below this share of a partition, the rest of a file is not cut off.
const SMALLEST_SHARE: u64 = 10;

/// A byte range of a file. A chunk belongs to the range in which it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) file: usize,
    pub(crate) range: Range<u64>,
    /// Length of the file when it was listed.
    pub(crate) len: u64,
}

/// How files are divided.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Division {
    /// Maximum number of partitions.
    pub(crate) partitions: usize,
    /// A file is cut only if each partition has at least this many bytes.
    pub(crate) least_bytes: u64,
    /// Whether files may be cut.
    pub(crate) cuts_files: bool,
}

impl Piece {
    fn whole(file: usize, len: u64) -> Self {
        Self { file, range: 0..len, len }
    }

    /// Whether the range is the whole file.
    pub(crate) fn is_whole(&self) -> bool {
        self.range == (0..self.len)
    }
}

impl Division {
    /// Divides files, given as their numbers and lengths, into consecutive partitions. There is at least one.
    pub(crate) fn divide(self, files: &[(usize, u64)]) -> Vec<Vec<Piece>> {
        let total: u64 = files.iter().map(|(_, len)| *len).sum();
        let by_bytes = if self.cuts_files { total / self.least_bytes.max(1) } else { 0 };
        let by_bytes = usize::try_from(by_bytes).unwrap_or(usize::MAX);
        let count = self.partitions.min(by_bytes.max(files.len())).max(1);
        if !self.cuts_files || by_bytes < count {
            return Self::whole_files(files, total, count);
        }
        let share = total.div_ceil(count as u64);
        let mut partitions = vec![Vec::new()];
        let mut left = share;
        for &(file, len) in files {
            let mut start = 0;
            while start < len || len == 0 {
                let rest = len - start;
                let is_last = partitions.len() == count;
                let taken = if is_last || rest <= left + share / SMALLEST_SHARE { rest } else { left };
                let range = start..start + taken;
                partitions.last_mut().expect("at least one").push(Piece { file, range, len });
                (start, left) = (start + taken, left.saturating_sub(taken));
                if left <= share / SMALLEST_SHARE && !is_last {
                    partitions.push(Vec::new());
                    left = share;
                }
                if len == 0 {
                    break;
                }
            }
        }
        partitions.retain(|pieces| !pieces.is_empty());
        partitions
    }

    /// Divides whole files. Each counts as one byte more, so that files without bytes are divided too.
    fn whole_files(files: &[(usize, u64)], total: u64, count: usize) -> Vec<Vec<Piece>> {
        let total = total + files.len() as u64;
        let mut partitions = vec![Vec::new(); count];
        let mut before = 0;
        for &(file, len) in files {
            let middle = before + len.div_ceil(2);
            let partition = u128::from(middle) * count as u128 / u128::from(total.max(1));
            partitions[usize::try_from(partition).unwrap_or(0).min(count - 1)].push(Piece::whole(file, len));
            before += len + 1;
        }
        partitions.retain(|pieces| !pieces.is_empty());
        if partitions.is_empty() {
            partitions.push(Vec::new());
        }
        partitions
    }
}

/// Shows the number of files and pieces of each partition.
pub(crate) struct Shown<'a>(pub(crate) &'a [Vec<Piece>]);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pieces: usize = self.0.iter().map(Vec::len).sum();
        let partial = self.0.iter().flatten().filter(|piece| !piece.is_whole()).count();
        write!(f, "{} partitions of {} files", self.0.len(), pieces - partial)?;
        if partial > 0 { write!(f, " and {partial} byte ranges") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divided(partitions: usize, least_bytes: u64, lens: &[u64]) -> Vec<Vec<(usize, Range<u64>)>> {
        let files: Vec<(usize, u64)> = lens.iter().copied().enumerate().collect();
        let divided = Division { partitions, least_bytes, cuts_files: true }.divide(&files);
        let shown = |piece: Piece| {
            assert_eq!(piece.len, lens[piece.file]);
            (piece.file, piece.range)
        };
        divided.into_iter().map(|pieces| pieces.into_iter().map(shown).collect()).collect()
    }

    #[test]
    fn large_files_are_cut_evenly() {
        assert_eq!(divided(2, 10, &[100]), [[(0, 0..50)], [(0, 50..100)]]);
        assert_eq!(divided(2, 10, &[60, 40]), [vec![(0, 0..50)], vec![(0, 50..60), (1, 0..40)]]);
        assert_eq!(divided(2, 10, &[52, 48]), [[(0, 0..52)], [(1, 0..48)]]);
    }

    #[test]
    fn small_files_stay_whole() {
        assert_eq!(divided(4, 1000, &[100]), [[(0, 0..100)]]);
        assert_eq!(divided(2, 1000, &[10, 10, 10, 10]), [[(0, 0..10), (1, 0..10)], [(2, 0..10), (3, 0..10)]]);
        assert_eq!(divided(4, 1000, &[0, 0]), [[(0, 0..0)], [(1, 0..0)]]);
    }

    #[test]
    fn partitions_cover_each_byte_once() {
        let lens = [7, 0, 1000, 3, 3, 250, 0];
        for partitions in 1..12 {
            for least_bytes in [1, 50, 500, 5000] {
                let divided = divided(partitions, least_bytes, &lens);
                assert!(!divided.is_empty() && divided.len() <= partitions, "{divided:?}");
                let mut pieces = divided.into_iter().flatten().peekable();
                for (file, len) in lens.into_iter().enumerate() {
                    let mut end = 0;
                    let mut count = 0;
                    while let Some((_, range)) = pieces.next_if(|(found, _)| *found == file) {
                        assert_eq!(range.start, end);
                        (end, count) = (range.end, count + 1);
                    }
                    assert!(end == len && count > 0, "{partitions} {least_bytes}: file {file}");
                }
                assert_eq!(pieces.next(), None);
            }
        }
    }
}
