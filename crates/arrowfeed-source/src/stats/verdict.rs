//! The bottleneck of an iteration, in a sentence.

use super::stage::{Codec, Stage};
use super::summary::Stats;
use crate::{counted, thousands};

/// The share of the time up to which waits do not matter.
const SMALL_WAIT: f64 = 0.1;

/// If the caller waits for more than this share of the time, and the threads work for less than this share, they lack work.
const HALF: f64 = 0.5;

impl Stats {
    /// Names the bottleneck in a sentence, and what would help.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use arrowfeed_source::stats::{Codec, Stage, StageTimes, Stats, Waits};
    /// let mut stages = StageTimes::default();
    /// stages.add(Stage::Decompress(Codec::Zstandard), Duration::from_secs(71));
    /// stages.add(Stage::Decode, Duration::from_secs(29));
    /// let (time, waits) = (Duration::from_secs(60), Waits { share: 0.9, ..Waits::default() });
    /// let stats = Stats { threads: 2, cores: 8, batches: 1000, time, waits, stages, ..Stats::default() };
    /// let verdict = "the loader is the bottleneck: 71 % of its time is zstandard; add threads or use snappy";
    /// assert_eq!(stats.verdict(), verdict);
    /// ```
    pub fn verdict(&self) -> String {
        if self.batches < 2 {
            return format!("there is no verdict before 2 batches, found {}", self.batches);
        }
        let waited = percent(self.waits.share);
        if self.waits.share < SMALL_WAIT {
            return format!("the consumer is the bottleneck: it waited for batches for {waited} of the time");
        }
        let Some(longest) = self.stages.longest() else {
            return format!("the loader is the bottleneck: the consumer waited for {waited} of the time");
        };
        // The thread of the caller may wait for the store while the others have no work.
        let is_store_slow =
            self.stages.of(Stage::Request).as_secs_f64() > HALF * self.waits.time.as_secs_f64();
        let lacks_work = self.threads > 1 && self.waits.share > HALF && self.busy_share() < HALF;
        let stage = if lacks_work && is_store_slow { Stage::Request } else { longest };
        if lacks_work && !matches!(stage, Stage::Request | Stage::Open) {
            let (threads, busy) = (counted(self.threads as u64, "thread"), percent(self.busy_share()));
            return format!(
                "the loader is the bottleneck: its {threads} have work for {busy} of the time; write smaller blocks or more files"
            );
        }
        let share = self.stages.of(stage).as_secs_f64() / self.stages.total().as_secs_f64();
        let (share, name) = (percent(share), activity(stage));
        let advice = self.advice(stage);
        format!("the loader is the bottleneck: {share} of its time is {name}; {advice}")
    }

    fn advice(&self, stage: Stage) -> String {
        let other = match stage {
            Stage::Request => return "read more ahead, or keep a local cache".to_owned(),
            Stage::Open => return "write fewer and larger files, or save the index".to_owned(),
            Stage::Read => return "use a faster disk, or compress the files".to_owned(),
            Stage::Decompress(Codec::Gzip) => {
                return "write more files, or a format that compresses blocks".to_owned();
            }
            Stage::Decompress(Codec::Snappy | Codec::Lz4) => "write files without compression",
            Stage::Decompress(_) => "use snappy",
            Stage::Decode => "read fewer columns",
            Stage::Filter => "partition the files by the columns of the filter",
            Stage::Shuffle | Stage::Copy => "read fewer columns",
            Stage::Convert => "make fewer tensors",
        };
        let has_cores = self.threads < self.cores;
        if has_cores { format!("add threads or {other}") } else { other.to_owned() }
    }
}

fn activity(stage: Stage) -> &'static str {
    match stage {
        Stage::Request => "waiting for the store",
        Stage::Open => "opening files",
        Stage::Read => "reading files",
        Stage::Decompress(codec) => codec.name(),
        Stage::Decode => "decoding",
        Stage::Filter => "the filter",
        Stage::Shuffle => "shuffling",
        Stage::Convert => "conversion to tensors",
        Stage::Copy => "joining blocks to batches",
    }
}

/// A share as `71 %`, with a digit more if it is small.
pub(super) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent < 9.95 {
        true => format!("{percent:.1} %"),
        false => format!("{} %", thousands(percent.round() as u64)),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::stats::{StageTimes, Waits};

    fn stats(wait: f64, threads: usize, times: &[(Stage, u64)]) -> Stats {
        let mut stages = StageTimes::default();
        times.iter().for_each(|(stage, seconds)| stages.add(*stage, Duration::from_secs(*seconds)));
        let waits = Waits { share: wait, time: Duration::from_secs_f64(100.0 * wait), ..Waits::default() };
        let time = Duration::from_secs(100);
        Stats { threads, cores: 4, batches: 10, time, waits, stages, ..Stats::default() }
    }

    fn loader(threads: usize, times: &[(Stage, u64)]) -> String {
        let verdict = stats(0.9, threads, times).verdict();
        verdict.strip_prefix("the loader is the bottleneck: ").unwrap().to_owned()
    }

    #[test]
    fn a_short_wait_is_not_the_fault_of_the_loader() {
        let times = [(Stage::Decode, 90)];
        let text = |share: &str| {
            format!("the consumer is the bottleneck: it waited for batches for {share} of the time")
        };
        assert_eq!(stats(0.0, 1, &times).verdict(), text("0.0 %"));
        assert_eq!(stats(0.0046, 1, &times).verdict(), text("0.5 %"));
        assert_eq!(stats(0.0999, 1, &[]).verdict(), text("10 %"));
        let loader = "the loader is the bottleneck: the consumer waited for 10 % of the time";
        assert_eq!(stats(0.1, 1, &[]).verdict(), loader);
        let few = Stats { batches: 1, ..stats(1.0, 1, &times) };
        assert_eq!(few.verdict(), "there is no verdict before 2 batches, found 1");
    }

    #[test]
    fn the_longest_stage_decides_what_helps() {
        let with_decode = |stage| [(stage, 60), (Stage::Decode, 40)];
        for (stage, text) in [
            (
                Stage::Request,
                "60 % of its time is waiting for the store; read more ahead, or keep a local cache",
            ),
            (
                Stage::Open,
                "60 % of its time is opening files; write fewer and larger files, or save the index",
            ),
            (Stage::Read, "60 % of its time is reading files; use a faster disk, or compress the files"),
            (
                Stage::Decompress(Codec::Gzip),
                "60 % of its time is gzip; write more files, or a format that compresses blocks",
            ),
            (Stage::Decompress(Codec::Xz), "60 % of its time is xz; add threads or use snappy"),
            (
                Stage::Decompress(Codec::Snappy),
                "60 % of its time is snappy; add threads or write files without compression",
            ),
            (
                Stage::Filter,
                "60 % of its time is the filter; add threads or partition the files by the columns of the filter",
            ),
            (Stage::Shuffle, "60 % of its time is shuffling; add threads or read fewer columns"),
            (Stage::Convert, "60 % of its time is conversion to tensors; add threads or make fewer tensors"),
            (Stage::Copy, "60 % of its time is joining blocks to batches; add threads or read fewer columns"),
        ] {
            assert_eq!(loader(1, &with_decode(stage)), text);
        }
        assert_eq!(
            loader(1, &[(Stage::Decode, 90)]),
            "100 % of its time is decoding; add threads or read fewer columns"
        );
        assert_eq!(loader(4, &[(Stage::Decode, 390)]), "100 % of its time is decoding; read fewer columns");
    }

    #[test]
    fn threads_may_lack_work() {
        let text = "its 4 threads have work for 25 % of the time; write smaller blocks or more files";
        assert_eq!(loader(4, &[(Stage::Decode, 90), (Stage::Convert, 10)]), text);
        let text = "100 % of its time is waiting for the store; read more ahead, or keep a local cache";
        assert_eq!(loader(4, &[(Stage::Request, 100)]), text);
        let text = "44 % of its time is waiting for the store; read more ahead, or keep a local cache";
        assert_eq!(loader(4, &[(Stage::Request, 80), (Stage::Decode, 100)]), text);
        let text = "90 % of its time is opening files; write fewer and larger files, or save the index";
        assert_eq!(loader(4, &[(Stage::Open, 90), (Stage::Decode, 10)]), text);
        let busy_consumer = stats(0.3, 4, &[(Stage::Decode, 90)]).verdict();
        assert_eq!(
            busy_consumer,
            "the loader is the bottleneck: 100 % of its time is decoding; read fewer columns"
        );
    }
}
