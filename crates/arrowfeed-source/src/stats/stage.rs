//! The stages of a reading.

use std::time::Duration;

/// What a thread does. A thread is in one stage at a time: a stage inside another one interrupts it.
///
/// [`Stats`](crate::stats::Stats) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Waiting for the response of a store.
    Request,
    /// Opening files, and scanning the positions of their rows.
    Open,
    /// Reading the bytes of files.
    Read,
    /// Decompressing bytes of Avro, Arrow IPC and text files.
    Decompress(Codec),
    /// Decoding bytes to columns, with the decompression of Parquet and of compressed TFRecord files.
    Decode,
    /// Testing rows with a predicate, and copying those that pass. Avro and Parquet files test most rows while they decode,
    /// which counts as [`Decode`](Self::Decode), because the clock would be read for each block.
    Filter,
    /// Gathering the rows of a batch in a random order.
    Shuffle,
    /// Converting a batch to tensors.
    Convert,
    /// Joining the rows of several blocks to a batch.
    Copy,
}

/// The codec of [`Stage::Decompress`].
///
/// [`Stats`](crate::stats::Stats) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Codec {
    Bzip2,
    Deflate,
    Gzip,
    Lz4,
    Snappy,
    Xz,
    Zstandard,
}

/// The stages other than decompression, in the order of their slots. The slots of the codecs follow.
const PLAIN: [Stage; 8] = [
    Stage::Request,
    Stage::Open,
    Stage::Read,
    Stage::Decode,
    Stage::Filter,
    Stage::Shuffle,
    Stage::Convert,
    Stage::Copy,
];

const CODECS: [Codec; 7] =
    [Codec::Bzip2, Codec::Deflate, Codec::Gzip, Codec::Lz4, Codec::Snappy, Codec::Xz, Codec::Zstandard];

/// Number of counters of times: one for each stage, and for each codec.
pub(super) const SLOTS: usize = PLAIN.len() + CODECS.len();

impl Codec {
    /// The name, as files and options have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bzip2 => "bzip2",
            Self::Deflate => "deflate",
            Self::Gzip => "gzip",
            Self::Lz4 => "lz4",
            Self::Snappy => "snappy",
            Self::Xz => "xz",
            Self::Zstandard => "zstandard",
        }
    }
}

impl Stage {
    /// The name, which all codecs share.
    pub fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Open => "open",
            Self::Read => "read",
            Self::Decompress(_) => "decompress",
            Self::Decode => "decode",
            Self::Filter => "filter",
            Self::Shuffle => "shuffle",
            Self::Convert => "convert",
            Self::Copy => "copy",
        }
    }

    pub(super) fn slot(self) -> usize {
        match self {
            Self::Request => 0,
            Self::Open => 1,
            Self::Read => 2,
            Self::Decode => 3,
            Self::Filter => 4,
            Self::Shuffle => 5,
            Self::Convert => 6,
            Self::Copy => 7,
            Self::Decompress(codec) => PLAIN.len() + codec as usize,
        }
    }

    /// All stages, in the order of the data flow.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let (before, after) = PLAIN.split_at(3);
        let codecs = CODECS.into_iter().map(Self::Decompress);
        before.iter().copied().chain(codecs).chain(after.iter().copied())
    }
}

/// The time that threads spent in each stage.
///
/// [`Stats`](crate::stats::Stats) has an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StageTimes(pub(super) [Duration; SLOTS]);

impl StageTimes {
    /// The time in a stage. For decompression: with this codec.
    pub fn of(&self, stage: Stage) -> Duration {
        self.0[stage.slot()]
    }

    /// Adds time in a stage.
    pub fn add(&mut self, stage: Stage, time: Duration) {
        self.0[stage.slot()] += time;
    }

    /// The sum over all stages.
    pub fn total(&self) -> Duration {
        self.0.iter().sum()
    }

    /// The names of all stages, in the order of the data flow, with the time in each.
    pub fn by_name(&self) -> Vec<(&'static str, Duration)> {
        let mut named: Vec<(&'static str, Duration)> = Vec::with_capacity(SLOTS);
        for stage in Stage::all() {
            match named.last_mut().filter(|(name, _)| *name == stage.name()) {
                Some((_, time)) => *time += self.of(stage),
                None => named.push((stage.name(), self.of(stage))),
            }
        }
        named
    }

    /// The codecs that decompressed, with the time in each.
    pub fn codecs(&self) -> impl Iterator<Item = (&'static str, Duration)> {
        let times = CODECS.into_iter().map(|codec| (codec.name(), self.of(Stage::Decompress(codec))));
        times.filter(|(_, time)| !time.is_zero())
    }

    /// The stage that took the most time.
    pub(super) fn longest(&self) -> Option<Stage> {
        Stage::all().filter(|stage| !self.of(*stage).is_zero()).max_by_key(|stage| self.of(*stage))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_has_a_slot_of_its_own() {
        let mut slots: Vec<usize> = Stage::all().map(Stage::slot).collect();
        slots.sort_unstable();
        assert_eq!(slots, (0..SLOTS).collect::<Vec<_>>());
        for (slot, stage) in PLAIN.iter().enumerate() {
            assert_eq!(stage.slot(), slot);
        }
        for (slot, codec) in CODECS.into_iter().enumerate() {
            assert_eq!(Stage::Decompress(codec).slot(), PLAIN.len() + slot);
        }
    }

    #[test]
    fn the_codecs_are_one_stage() {
        let mut times = StageTimes::default();
        times.add(Stage::Decompress(Codec::Snappy), Duration::from_secs(2));
        times.add(Stage::Decompress(Codec::Zstandard), Duration::from_secs(3));
        times.add(Stage::Decode, Duration::from_secs(4));
        let names: Vec<_> = times.by_name().iter().map(|(name, time)| (*name, time.as_secs())).collect();
        let expected = [("request", 0), ("open", 0), ("read", 0), ("decompress", 5), ("decode", 4)];
        assert_eq!(names[..5], expected);
        assert_eq!(names[5..], [("filter", 0), ("shuffle", 0), ("convert", 0), ("copy", 0)]);
        assert_eq!(times.codecs().map(|(name, _)| name).collect::<Vec<_>>(), ["snappy", "zstandard"]);
        assert_eq!(times.longest(), Some(Stage::Decode));
        assert_eq!(times.total().as_secs(), 9);
    }
}
