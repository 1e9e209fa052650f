//! The figures as text.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use super::summary::Stats;
use super::verdict::percent;
use crate::{Requests, counted, thousands};

/// The header and the rows of a table.
pub type Table = (Vec<&'static str>, Vec<Vec<String>>);

impl Stats {
    /// The figures as tables, with a header for each: all figures, the stages, and the formats if there are several.
    pub fn tables(&self) -> Vec<Table> {
        let mut tables = vec![self.figures(), self.times()];
        if self.formats.len() > 1 {
            tables.push(self.of_formats());
        }
        tables
    }

    fn figures(&self) -> Table {
        let Stats { waits, .. } = self;
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut add = |name: &str, figure: String| rows.push(vec![name.to_owned(), figure]);
        add("time", duration(self.time));
        if let Some(first) = self.first_batch {
            add("first batch", format!("after {}", duration(first)));
        }
        add(
            "wait",
            format!("{}, {} of the time after the first batch", duration(waits.time), percent(waits.share)),
        );
        let [p50, p95, p99] = [waits.p50, waits.p95, waits.p99].map(duration);
        add("wait per batch", format!("p50 {p50}, p95 {p95}, p99 {p99}"));
        add("batches", thousands(self.batches));
        let per_second = thousands(self.rows_per_second().round() as u64);
        add("rows", format!("{}, {per_second} per second", thousands(self.rows)));
        add("bytes", format!("{}, {} per second", bytes(self.bytes as f64), bytes(self.bytes_per_second())));
        let unit = if self.batches_ready == 1 { "batch" } else { "batches" };
        let (used, budget) = (bytes(self.ready_bytes as f64), bytes(self.budget as f64));
        add("ready", format!("{} {unit}, {used} of {budget}", thousands(self.batches_ready)));
        let cores = counted(self.cores as u64, "core");
        add(
            "threads",
            format!("{} for {cores}, busy for {} of the time", self.threads, percent(self.busy_share())),
        );
        if self.shard.1 > 1 {
            add("shard", format!("{} of {}", self.shard.0, self.shard.1));
        }
        if self.requests != Requests::default() {
            let Requests { requests, retries, bytes: received, cached_bytes, .. } = self.requests;
            let sizes = (bytes(received as f64), bytes(cached_bytes as f64));
            let counts = (thousands(requests), thousands(retries));
            let text = format!(
                "{}, {} of them retries, {} received, {} from the cache",
                counts.0, counts.1, sizes.0, sizes.1
            );
            add("requests", text);
        }
        (vec!["figure", "value"], rows)
    }

    fn times(&self) -> Table {
        let total = self.stages.total().as_secs_f64();
        let mut rows = Vec::new();
        let mut add = |name: String, time: Duration| {
            let share = if total > 0.0 { time.as_secs_f64() / total } else { 0.0 };
            rows.push(vec![name, duration(time), percent(share)]);
        };
        for (name, time) in self.stages.by_name().into_iter().filter(|(_, time)| !time.is_zero()) {
            match name == "decompress" {
                true => {
                    self.stages.codecs().for_each(|(codec, time)| add(format!("decompress {codec}"), time))
                }
                false => add(name.to_owned(), time),
            }
        }
        (vec!["stage", "time of all threads", "share"], rows)
    }

    fn of_formats(&self) -> Table {
        let rows = self.formats.iter().map(|format| {
            let time = duration(format.stages.total());
            vec![format.name.to_owned(), thousands(format.rows), bytes(format.bytes as f64), time]
        });
        (vec!["format", "rows", "bytes", "time of all threads"], rows.collect())
    }
}

impl Display for Stats {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.verdict())?;
        for (header, rows) in self.tables() {
            let header = header.into_iter().map(str::to_owned).collect();
            let rows: Vec<Vec<String>> = std::iter::once(header).chain(rows).collect();
            let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
            let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
            writeln!(f)?;
            for row in &rows {
                let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
                write!(f, "\n{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
            }
        }
        Ok(())
    }
}

/// A duration with three digits and its unit: `12.3 s`.
fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds >= 1.0 || seconds == 0.0 {
        return format!("{} s", three_digits(seconds));
    }
    match seconds >= 1e-3 {
        true => format!("{} ms", three_digits(seconds * 1e3)),
        false => format!("{} µs", three_digits(seconds * 1e6)),
    }
}

/// A number of bytes with three digits and its unit: `12.3 MB`.
fn bytes(bytes: f64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB"];
    let power = (0..4).find(|power| bytes < 999.5 * 1000_f64.powi(*power)).unwrap_or(4);
    match power {
        0 => format!("{bytes:.0} bytes"),
        power => format!("{} {}", three_digits(bytes / 1000_f64.powi(power)), units[power as usize]),
    }
}

fn three_digits(number: f64) -> String {
    match number {
        number if number < 9.995 => format!("{number:.2}"),
        number if number < 99.95 => format!("{number:.1}"),
        number => thousands(number.round() as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Codec, FormatStats, Stage, StageTimes, Waits};

    #[test]
    fn all_figures_are_shown() {
        let mut stages = StageTimes::default();
        stages.add(Stage::Decompress(Codec::Zstandard), Duration::from_millis(7100));
        stages.add(Stage::Decode, Duration::from_millis(2900));
        let waits = Waits {
            time: Duration::from_millis(4500),
            share: 0.75,
            p50: Duration::from_micros(12),
            p95: Duration::from_micros(1234),
            p99: Duration::from_millis(98),
        };
        let format =
            |name, rows| FormatStats { name, rows, bytes: 1_500_000, stages, ..FormatStats::default() };
        let requests = Requests { requests: 1200, retries: 3, bytes: 3_000_000_000, ..Requests::default() };
        let stats = Stats {
            threads: 2,
            cores: 8,
            shard: (1, 4),
            time: Duration::from_secs(6),
            first_batch: Some(Duration::from_millis(140)),
            waits,
            batches: 1000,
            rows: 1_024_000,
            blocks: 100,
            bytes: 3_000_000,
            requests,
            stages,
            formats: vec![format("avro", 1_000_000), format("parquet", 24_000)],
            batches_ready: 3,
            ready_bytes: 999,
            budget: 32 << 20,
        };
        let expected = "\
the loader is the bottleneck: 71 % of its time is zstandard; add threads or use snappy

figure          value
time            6.00 s
first batch     after 140 ms
wait            4.50 s, 75 % of the time after the first batch
wait per batch  p50 12.0 µs, p95 1.23 ms, p99 98.0 ms
batches         1,000
rows            1,024,000, 170,667 per second
bytes           3.00 MB, 500 kB per second
ready           3 batches, 999 bytes of 33.6 MB
threads         2 for 8 cores, busy for 83 % of the time
shard           1 of 4
requests        1,200, 3 of them retries, 3.00 GB received, 0 bytes from the cache

stage                 time of all threads  share
decompress zstandard  7.10 s               71 %
decode                2.90 s               29 %

format   rows       bytes    time of all threads
avro     1,000,000  1.50 MB  10.0 s
parquet  24,000     1.50 MB  10.0 s";
        assert_eq!(stats.to_string(), expected);
    }

    #[test]
    fn an_iteration_without_batches_has_figures() {
        let expected = "\
there is no verdict before 2 batches, found 0

figure          value
time            0.00 s
wait            0.00 s, 0.0 % of the time after the first batch
wait per batch  p50 0.00 s, p95 0.00 s, p99 0.00 s
batches         0
rows            0, 0 per second
bytes           0 bytes, 0 bytes per second
ready           0 batches, 0 bytes of 0 bytes
threads         0 for 0 cores, busy for 0.0 % of the time

stage  time of all threads  share";
        assert_eq!(Stats::default().to_string(), expected);
        assert_eq!(["0 bytes", "999 bytes", "1.00 kB"], [0.0, 999.0, 1000.0].map(bytes));
        assert_eq!(bytes(1e15), "1,000 TB");
    }
}
