//! Small valid files with many schemas, codecs and block layouts.

use arrowfeed_avro::Codec;

use super::compress::CODECS;
use super::container::Container;
use super::random::Random;
use super::schemas::{KINDS, Kind};

/// Rows of each block.
const LAYOUTS: [&[usize]; 4] = [&[3], &[2, 0, 3], &[1, 1, 1, 1], &[7, 2]];

/// A valid file, and the ends of its blocks.
pub(crate) struct Seed {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) codec: Codec,
    pub(crate) bytes: Vec<u8>,
    /// Offset and number of rows at the end of the header and of each block.
    pub(crate) borders: Vec<(usize, usize)>,
}

/// The first `n` seeds, each with another combination of schema, codec and layout.
pub(crate) fn seeds(n: usize) -> Vec<Seed> {
    // The numbers of schemas, codecs and layouts have common factors. A shift in each round makes the combinations differ.
    (0..n)
        .map(|i| seed(&KINDS[i % KINDS.len()], CODECS[(i + i / 18) % 6], LAYOUTS[(i + i / 36) % 4], i))
        .collect()
}

fn seed(kind: &Kind, codec: Codec, layout: &[usize], number: usize) -> Seed {
    let mut random = Random::new(number as u64);
    let mut file = Container::new(kind.schema, codec);
    let mut borders = vec![(file.bytes.len(), 0)];
    let mut rows = 0;
    for &count in layout {
        let payload: Vec<u8> = (0..count).flat_map(|_| (kind.write)(&mut random)).collect();
        // A block without records may have no bytes at all, with any codec.
        file = if count == 0 { file.data(0, &[]) } else { file.block(count as i64, &payload) };
        rows += count;
        borders.push((file.bytes.len(), rows));
    }
    let name = format!("{} in {} as {layout:?}", kind.name, codec.name());
    Seed { name, kind: *kind, codec, bytes: file.bytes, borders }
}
