//! The laws of datasets at real size. Files of a few rows have one window, one part and one batch of the engine each, and so
//! cannot show what happens at the limits between them.

use std::num::{NonZeroU64, NonZeroUsize};

use arrow_schema::DataType;
use arrowfeed::dataset::{Even, GlobalBatches, LengthBatches};
use arrowfeed::predicate::Predicate;
use arrowfeed::source::run::RangeOptions;
use arrowfeed::{Dataset, IterationOptions, RowOptions};

use crate::files::Directory;
use crate::global_batches::expected as expected_global;
use crate::random_run::{mixed, number, seeds};
use crate::real_files::{RealFormat, Shape, ids, read, write};

/// Cases of each test, unless `ARROWFEED_CASES` is set: then a tenth of it.
const CASES: usize = 3;

/// Random choices of one case.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = mixed(self.0, 1);
        self.0 % end.max(1)
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize].clone()
    }
}

/// A dataset, and the numbers of its rows in file order.
struct Case {
    shape: Shape,
    dataset: Dataset,
    rows: Vec<i64>,
    shown: String,
}

impl Case {
    /// Restricts the dataset to some of its rows.
    fn restricted(mut self, draw: &mut Draw) -> Self {
        let total = self.rows.len() as u64;
        match draw.below(5) {
            0 => {
                let (skipped, taken) = (draw.below(total), draw.below(total));
                self.dataset = self.dataset.skip(skipped).take(taken);
                self.rows = self.rows.iter().skip(skipped as usize).take(taken as usize).copied().collect();
                self.shown.push_str(&format!(", rows {skipped} and {taken} after it"));
            }
            1 if self.dataset.arrow_schema().field_with_name("id").unwrap().data_type().is_integer() => {
                let (start, end, one) = (draw.below(total), draw.below(total), draw.below(total));
                let text = format!("id >= {start} and id < {end} or id = {one}");
                self.dataset = self.dataset.filter(&text.parse::<Predicate>().unwrap()).unwrap();
                let passes = |id: &i64| (start..end).contains(&(*id as u64)) || *id as u64 == one;
                self.rows.retain(passes);
                self.shown.push_str(&format!(", {text}"));
            }
            2 => {
                let (own, other) = self.dataset.split(0.6, 3).unwrap();
                let rows =
                    |dataset: &Dataset| read(self.shape, dataset, &IterationOptions::default()).concat();
                let (own_rows, mut all) = (rows(&own), rows(&other));
                all.extend(&own_rows);
                all.sort_unstable();
                assert!(all == self.rows, "{}: the parts of a split are not the whole", self.shown);
                (self.dataset, self.rows) = (own, own_rows);
                self.shown.push_str(", split");
            }
            _ => {}
        }
        self
    }

    fn read(&self, options: &IterationOptions) -> Vec<Vec<i64>> {
        read(self.shape, &self.dataset, options)
    }

    /// The batches of each of `count` processes.
    fn of_processes(&self, options: &IterationOptions, count: u64) -> Vec<Vec<Vec<i64>>> {
        let own = |index| {
            let options = IterationOptions { shard: (index, count), ..options.clone() };
            let batches = self.read(&options);
            if options.by_length.is_none() {
                let said = self.dataset.num_batches(&options).unwrap();
                assert_eq!(said, Some(batches.len() as u64), "{}: {options:?}", self.shown);
            }
            batches
        };
        (0..count).map(own).collect()
    }

    /// Other threads and another budget make the same batches, also from the middle on.
    fn check_same(&self, options: &IterationOptions, batches: &[Vec<i64>], draw: &mut Draw) {
        let other = IterationOptions {
            threads: NonZeroUsize::new(draw.one(&[1, 2, 5])),
            prefetch_bytes: draw.one(&[0, 1 << 16, 1 << 22, 64 << 20]),
            decodes_ahead: draw.below(2) == 0,
            ..options.clone()
        };
        let passed = draw.below(batches.len() as u64 + 1) as usize;
        let mut iterator = self.dataset.record_batches(options.clone()).unwrap();
        iterator.by_ref().take(passed).for_each(|batch| drop(batch.unwrap()));
        let state = iterator.state().unwrap();
        drop(iterator);
        let mut resumed = self.dataset.record_batches(other.clone()).unwrap();
        resumed.load_state(&state).unwrap();
        let rest: Vec<_> = resumed.map(|batch| ids(self.shape, &batch.unwrap())).collect();
        assert!(rest == batches[passed..], "{}: {options:?}, {other:?}, resumed after {passed}", self.shown);
    }

    /// Each row once in each epoch.
    fn check_rows(&self, options: &IterationOptions, mut given: Vec<i64>, epochs: u64) {
        let count = |rows: &[i64]| rows.len() as u64;
        assert_eq!(count(&given), epochs * count(&self.rows), "{}: {options:?}", self.shown);
        given.sort_unstable();
        let mut expected = self.rows.repeat(epochs as usize);
        expected.sort_unstable();
        assert!(given == expected, "{}: {options:?}: other rows", self.shown);
    }

    fn options(draw: &mut Draw) -> IterationOptions {
        IterationOptions {
            batch_size: draw.one(&[1_000, 8_192, 8_193, 20_000, 300_000]),
            shuffle_buffer_size: draw.one(&[0, 0, 5_000, 100_000]),
            seed: Some(draw.below(1_000)),
            threads: NonZeroUsize::new(draw.one(&[1, 2, 3])),
            prefetch_bytes: draw.one(&[0, 1 << 16, 1 << 20, 64 << 20]),
            ..Default::default()
        }
    }

    fn check_shards(&self, draw: &mut Draw) {
        let count = draw.one(&[1, 1, 2, 3, 7]);
        let epochs = 1 + draw.below(2);
        let options = IterationOptions {
            drop_remainder: draw.below(4) == 0,
            across_epochs: draw.below(2) == 0,
            epochs: NonZeroU64::new(epochs),
            ..Self::options(draw)
        };
        let shards = self.of_processes(&options, count);
        for batches in &shards {
            let is_full = |batch: &Vec<i64>| batch.len() == options.batch_size;
            let short = batches.iter().filter(|batch| !is_full(batch)).count() as u64;
            let most = if options.drop_remainder {
                0
            } else if options.across_epochs {
                1
            } else {
                epochs
            };
            assert!(short <= most, "{}: {options:?}: {short} short batches", self.shown);
        }
        if !options.drop_remainder {
            let given: Vec<i64> = shards.concat().concat();
            if options.shuffle_buffer_size == 0 && epochs == 1 {
                assert!(given == self.rows, "{}: {options:?}: not in file order", self.shown);
            }
            self.check_rows(&options, given, epochs);
        }
        let index = draw.below(count);
        let own = IterationOptions { shard: (index, count), ..options };
        self.check_same(&own, &shards[index as usize], draw);
    }

    fn check_global(&self, draw: &mut Draw) {
        let streams = draw.one(&[1_u64, 6, 12, 64]);
        // A batch that repeats rows of 100 kB must not exceed 2 GiB.
        let most = (self.rows.len() / streams as usize).max(1);
        let each = draw.one(&[1_usize, 16, 128, 1_000, 10_000]).min(most);
        let even = draw.one(&[None, Some(Even::Drop), Some(Even::Repeat)]);
        let global = GlobalBatches { streams, even, ..GlobalBatches::new(each * streams as usize) };
        let options = IterationOptions {
            global: Some(global),
            drop_remainder: draw.below(3) == 0,
            across_epochs: draw.below(3) == 0,
            ..Self::options(draw)
        };
        let counts: Vec<u64> = (1..=streams.min(8)).filter(|count| streams.is_multiple_of(*count)).collect();
        let count = draw.one(&counts);
        let processes = self.of_processes(&options, count);
        let most = processes.iter().map(Vec::len).max().unwrap_or(0);
        let of_all = |k: usize| -> Vec<i64> {
            processes.iter().filter_map(|batches| batches.get(k)).flatten().copied().collect()
        };
        let batches: Vec<Vec<i64>> = (0..most).map(of_all).collect();
        let shown = format!("{}: {options:?}, {count} processes", self.shown);
        if options.shuffle_buffer_size == 0 && !options.across_epochs {
            let expected = expected_global(&self.rows, &global, options.drop_remainder);
            let different = batches.iter().zip(&expected).position(|(found, expected)| found != expected);
            assert!(
                batches == expected,
                "{shown}: {} batches instead of {}, batch {different:?} is different",
                batches.len(),
                expected.len(),
            );
        } else {
            match even {
                None if !options.drop_remainder => self.check_rows(&options, batches.concat(), 1),
                Some(Even::Repeat) => {
                    let rounds = self.rows.len().div_ceil(global.size);
                    assert!(batches.concat().len() == rounds * global.size, "{shown}");
                }
                _ => {
                    assert!(batches.concat().len() == self.rows.len() / global.size * global.size, "{shown}")
                }
            }
        }
        let index = draw.below(count);
        self.check_same(
            &IterationOptions { shard: (index, count), ..options },
            &processes[index as usize],
            draw,
        );
    }

    /// Batches of rows of similar length.
    fn check_lengths(&self, draw: &mut Draw) {
        let max_tokens = draw.one(&[0_u64, 300_000, 5_000_000]);
        let by_length = LengthBatches {
            boundaries: draw.one(&[vec![], vec![5, 17]]),
            max_tokens: NonZeroU64::new(max_tokens),
            ..LengthBatches::new("text", draw.one(&[9_000, 100_000]))
        };
        let options = IterationOptions { by_length: Some(by_length), ..Self::options(draw) };
        let count = draw.one(&[1, 3]);
        let shards = self.of_processes(&options, count);
        // A feature of `tf.Example` is a list with one text.
        let is_text =
            self.dataset.arrow_schema().field_with_name("text").unwrap().data_type() == &DataType::Utf8;
        let length = |id: &i64| if is_text { 1 + id % 29 } else { 1 };
        let longest = |batch: &[i64]| batch.iter().map(length).max().unwrap_or(0) as u64;
        for batch in shards.iter().flatten() {
            assert!(batch.len() <= options.batch_size);
            // A text of CSV and JSON has one more character.
            let tokens = batch.len() as u64 * longest(batch);
            assert!(max_tokens == 0 || batch.len() == 1 || tokens <= max_tokens, "{}: {tokens}", self.shown);
        }
        self.check_rows(&options, shards.concat().concat(), 1);
        let index = draw.below(count);
        self.check_same(
            &IterationOptions { shard: (index, count), ..options },
            &shards[index as usize],
            draw,
        );
    }

    /// A mixture has each row of its datasets once, in processes and in global batches too.
    fn check_mixture(&self, draw: &mut Draw) {
        let cut = draw.below(self.rows.len() as u64);
        let parts = [(self.dataset.take(cut), 1.0), (self.dataset.skip(cut), draw.one(&[0.3, 1.0, 7.0]))];
        let mixture = Self {
            shape: self.shape,
            dataset: Dataset::mixed(parts).unwrap(),
            rows: self.rows.clone(),
            shown: format!("{}, mixed at {cut}", self.shown),
        };
        let is_global = draw.below(2) == 0;
        let options = IterationOptions {
            global: is_global.then(|| GlobalBatches { streams: 12, ..GlobalBatches::new(12_000) }),
            ..Self::options(draw)
        };
        let count = draw.one(&[1, 3, 4]);
        let processes = mixture.of_processes(&options, count);
        mixture.check_rows(&options, processes.concat().concat(), 1);
        let index = draw.below(count);
        mixture.check_same(
            &IterationOptions { shard: (index, count), ..options },
            &processes[index as usize],
            draw,
        );
    }

    fn check_rows_by_number(&self, draw: &mut Draw) {
        let count = self.rows.len() as u64;
        if count == 0 {
            return;
        }
        let asked: Vec<i64> = (0..draw.one(&[5, 3_000])).map(|_| draw.below(count) as i64).collect();
        let found = self.dataset.rows(&asked, &RowOptions::default()).unwrap();
        let expected: Vec<i64> = asked.iter().map(|row| self.rows[*row as usize]).collect();
        assert!(ids(self.shape, &found) == expected, "{}: rows by number", self.shown);
    }
}

/// The case of a seed.
fn check(shape: Shape, whole: &Dataset, name: &str, seed: u64) {
    let mut draw = Draw(seed);
    let rows = (0..whole.num_rows().unwrap() as i64).collect();
    let case = Case { shape, dataset: whole.clone(), rows, shown: format!("{name}, seed {seed}") };
    let case = case.restricted(&mut draw);
    match (shape, draw.below(5)) {
        // A part of a large block decodes the rows before it too, so that many streams would take minutes.
        (Shape::LargeBlocks, _) | (_, 0) => case.check_shards(&mut draw),
        (_, 1) => case.check_global(&mut draw),
        (_, 2) => case.check_mixture(&mut draw),
        // A row of 100 kB exceeds the limits of tokens.
        (Shape::LongRows, _) | (_, 3) => case.check_rows_by_number(&mut draw),
        _ => case.check_lengths(&mut draw),
    }
}

/// The number of cases of one shape and format.
fn cases() -> usize {
    number("ARROWFEED_CASES").map_or(CASES, |cases| (cases / 10).max(1) as usize)
}

/// All laws for files of a shape: of Avro and of another format, or of all formats if there are many cases.
fn laws(shape: Shape) {
    let seeds: Vec<u64> = seeds(100).take(cases()).collect();
    let other = RealFormat::ALL[1 + (seeds[0] % 5) as usize];
    let formats = if cases() > CASES { RealFormat::ALL.to_vec() } else { vec![RealFormat::Avro, other] };
    for (nth, format) in formats.iter().enumerate() {
        // Many files are also objects of a store: more than are opened or requested ahead.
        let are_objects = shape == Shape::ManyFiles && nth % 2 == 1;
        let directory = if are_objects { Directory::of_objects() } else { Directory::local() };
        let whole = write(shape, *format, &directory);
        let name = format!("{shape:?} {format:?}");
        let rows = read(shape, &whole, &IterationOptions::default()).concat();
        assert!(rows.iter().copied().eq(0..rows.len() as i64), "{name}: not in file order");
        assert_eq!(rows.len() as u64, whole.num_rows().unwrap(), "{name}");
        for target in [1 << 16, 3 << 20] {
            let splits = whole.plan_splits(target, None).unwrap();
            let read = |split| whole.read_split(split, None, RangeOptions::default()).unwrap();
            let found = splits.iter().flat_map(read).flat_map(|batch| ids(shape, &batch.unwrap()));
            assert!(found.eq(rows.iter().copied()), "{name}: splits of {target} bytes");
        }
        for seed in seeds.iter().skip(nth).step_by(formats.len()) {
            check(shape, &whole, &name, *seed);
        }
    }
}

#[test]
fn a_million_small_rows() {
    laws(Shape::SmallRows);
}

#[test]
fn rows_of_100_kilobytes() {
    laws(Shape::LongRows);
}

#[test]
fn hundreds_of_files() {
    laws(Shape::ManyFiles);
}

#[test]
fn thousands_of_columns() {
    laws(Shape::ManyColumns);
}

#[test]
fn blocks_of_many_megabytes() {
    laws(Shape::LargeBlocks);
}
