//! Files of the sizes that users have, with the blocks that writers make by default, and the numbers of their rows.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray, cast::AsArray};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrowfeed::avro::{AvroFormat, AvroOptions, AvroWriter, WriteOptions};
use arrowfeed::ipc::{IpcFormat, IpcOptions};
use arrowfeed::parquet::{ParquetFormat, ParquetOptions};
use arrowfeed::source::Limits;
use arrowfeed::text::{CsvFormat, CsvOptions, JsonLinesFormat, JsonLinesOptions};
use arrowfeed::tfrecord::example::ExampleEncoder;
use arrowfeed::tfrecord::{Compression, RecordFormat, RecordKind, RecordOptions, RecordWriter};
use arrowfeed::{Dataset, DatasetOptions, IterationOptions};
use parquet::arrow::ArrowWriter;

use crate::files::Directory;
use crate::objects;
use crate::random_run::number;

/// Characters of a long text.
const LONG: usize = 100_000;

/// The formats whose default blocks are tested. The limits of one format do not depend on its compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RealFormat {
    Avro,
    Parquet,
    Ipc,
    Csv,
    JsonLines,
    Example,
}

impl RealFormat {
    pub(crate) const ALL: [Self; 6] =
        [Self::Avro, Self::Parquet, Self::Ipc, Self::Csv, Self::JsonLines, Self::Example];
}

/// The sizes of files, rows and schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// More than a million rows of a few bytes: batches above 8,192 rows, windows of several blocks, joined parts.
    SmallRows,
    /// A thousand rows of 100 kB: batches above 2 MiB, blocks above the bytes of a part, files above the bytes of `prefetch_bytes`.
    LongRows,
    /// More files than are kept open or listed.
    ManyFiles,
    /// 4,096 columns.
    ManyColumns,
    /// A block, row group or body of 60 MB, in `make test-long` of 320 MB: more than decoders buffer, and than pools keep. Avro has
    /// blocks of at most 128 MiB.
    LargeBlocks,
}

impl Shape {
    /// Rows of each file.
    fn rows(self) -> Vec<usize> {
        match self {
            Self::SmallRows => vec![500_000, 1, 349_999, 0, 250_000],
            Self::LongRows => vec![700, 0, 300],
            Self::ManyFiles => vec![37; 300],
            Self::ManyColumns => vec![500, 300],
            Self::LargeBlocks if is_long() => vec![160_000, 10],
            Self::LargeBlocks => vec![30_000, 10],
        }
    }

    fn schema(self) -> SchemaRef {
        let numbers =
            |count: i64| (0..count).map(|nth| Field::new(format!("c{nth}"), DataType::Int64, false));
        let id = Field::new("id", DataType::Int64, false);
        let text = Field::new("text", DataType::Utf8, false);
        Arc::new(Schema::new(match self {
            Self::ManyColumns => [id, text].into_iter().chain(numbers(4094)).collect::<Vec<_>>(),
            _ => vec![id, text],
        }))
    }

    fn text(self, number: i64) -> String {
        match self {
            Self::LongRows => format!("{}{number:0>20}", "0".repeat(LONG - 20)),
            Self::LargeBlocks => format!("{number:0>2000}"),
            // The lengths are the numbers of tokens of batches by length.
            _ => format!("{number:0>width$}", width = 1 + (number % 29) as usize),
        }
    }

    fn batch(self, numbers: Range<i64>) -> RecordBatch {
        let texts = StringArray::from_iter_values(numbers.clone().map(|number| self.text(number)));
        let schema = self.schema();
        let columns = schema.fields().iter().enumerate().map(|(nth, field)| -> ArrayRef {
            match field.data_type() {
                DataType::Utf8 => Arc::new(texts.clone()),
                _ => {
                    Arc::new(Int64Array::from_iter_values(numbers.clone().map(|number| number + nth as i64)))
                }
            }
        });
        RecordBatch::try_new(schema.clone(), columns.collect()).unwrap()
    }

    /// The rows in batches, as a program that writes files has them.
    fn batches(self, numbers: Range<i64>) -> impl Iterator<Item = RecordBatch> {
        let step = match self {
            Self::LongRows => 100,
            Self::LargeBlocks => 1_000_000,
            _ => 50_000,
        };
        let starts = numbers.clone().step_by(step);
        starts.map(move |start| self.batch(start..(start + step as i64).min(numbers.end)))
    }
}

/// Whether this run has many cases.
pub(crate) fn is_long() -> bool {
    number("ARROWFEED_CASES").is_some_and(|cases| cases >= 1_000)
}

/// Writes the files of a shape. The rows are numbered from 0.
pub(crate) fn write(shape: Shape, format: RealFormat, directory: &Directory) -> Dataset {
    let mut next = 0;
    let write = |(nth, rows): (usize, usize)| {
        let numbers = next..next + rows as i64;
        next = numbers.end;
        let path = directory.0.join(format!("part-{nth:05}"));
        write_file(shape, format, &path, numbers);
        path
    };
    open(format, shape.rows().into_iter().enumerate().map(write).collect())
}

fn write_file(shape: Shape, format: RealFormat, path: &Path, numbers: Range<i64>) {
    let schema = shape.schema();
    let batches = shape.batches(numbers);
    let file = || File::create(path).unwrap();
    match format {
        RealFormat::Avro => {
            let mut options = WriteOptions::default();
            if shape == Shape::LargeBlocks {
                options.block_bytes = 128 << 20;
            }
            let mut writer = AvroWriter::create(path, schema, options).unwrap();
            batches.for_each(|batch| writer.write(&batch).unwrap());
            writer.finish().unwrap();
        }
        RealFormat::Parquet => {
            let mut writer = ArrowWriter::try_new(file(), schema, None).unwrap();
            batches.for_each(|batch| writer.write(&batch).unwrap());
            writer.close().unwrap();
        }
        RealFormat::Ipc => {
            let mut writer = FileWriter::try_new(file(), &schema).unwrap();
            batches.for_each(|batch| writer.write(&batch).unwrap());
            writer.finish().unwrap();
        }
        RealFormat::Csv | RealFormat::JsonLines => {
            let mut file = BufWriter::new(file());
            let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            if format == RealFormat::Csv {
                writeln!(file, "{}", names.join(",")).unwrap();
            }
            for batch in batches {
                let (ids, texts) = (
                    batch.column(0).as_primitive::<Int64Type>().values(),
                    batch.column(1).as_string::<i32>(),
                );
                for (id, text) in ids.iter().zip(texts) {
                    let cells = (0..names.len() as i64).map(|nth| match nth {
                        // Without a letter, the text would be a number.
                        1 => format!("\"x{}\"", text.unwrap()),
                        _ => (id + nth).to_string(),
                    });
                    let line = match format {
                        RealFormat::Csv => cells.collect::<Vec<_>>().join(","),
                        _ => {
                            let cells =
                                names.iter().zip(cells).map(|(name, cell)| format!("\"{name}\":{cell}"));
                            format!("{{{}}}", cells.collect::<Vec<_>>().join(","))
                        }
                    };
                    writeln!(file, "{line}").unwrap();
                }
            }
            file.flush().unwrap();
        }
        RealFormat::Example => {
            let mut writer = RecordWriter::new(BufWriter::new(file()), Compression::None);
            for batch in batches {
                let mut encoder = ExampleEncoder::new(&batch).unwrap();
                (0..batch.num_rows()).for_each(|row| writer.write(encoder.encode(row)).unwrap());
            }
            writer.finish().unwrap();
        }
    }
}

fn open(format: RealFormat, paths: Vec<PathBuf>) -> Dataset {
    let paths = paths.iter().map(|path| objects::source(path));
    let files = match format {
        RealFormat::Avro => AvroFormat::files(paths, AvroOptions::default(), None),
        RealFormat::Parquet => ParquetFormat::files(paths, ParquetOptions::default(), None),
        RealFormat::Ipc => IpcFormat::files(paths, large_bodies(), None),
        RealFormat::Csv => CsvFormat::files(paths, CsvOptions::default(), None),
        RealFormat::JsonLines => JsonLinesFormat::files(paths, JsonLinesOptions::default(), None),
        RealFormat::Example => {
            let kind = RecordKind::Example { features: None, sample: None };
            RecordFormat::files(paths, RecordOptions::new(kind), None)
        }
    };
    Dataset::open(files.unwrap(), DatasetOptions::default()).unwrap()
}

/// Options for bodies above the default limit of 256 MiB.
fn large_bodies() -> IpcOptions {
    IpcOptions {
        limits: Limits { decoded_block_bytes: 1 << 30, ..Limits::default() },
        ..IpcOptions::default()
    }
}

/// The numbers of the rows of a batch. Compares the other columns of some rows with them.
pub(crate) fn ids(shape: Shape, batch: &RecordBatch) -> Vec<i64> {
    let column = |name: &str| batch.column_by_name(name).unwrap();
    let numbers = |name: &str| match column(name).as_list_opt::<i64>() {
        Some(lists) => {
            assert!(lists.offsets().windows(2).all(|pair| pair[0] + 1 == pair[1]));
            lists.values().as_primitive::<Int64Type>().slice(lists.offsets()[0] as usize, lists.len())
        }
        None => column(name).as_primitive::<Int64Type>().clone(),
    };
    let ids = numbers("id").values().to_vec();
    for row in (0..ids.len()).step_by(1 + ids.len() / 8) {
        let texts = column("text");
        let text = match (texts.as_list_opt::<i64>(), texts.as_string_opt::<i32>()) {
            (Some(lists), _) => {
                std::str::from_utf8(lists.value(row).as_binary::<i64>().value(0)).unwrap().to_owned()
            }
            (None, Some(texts)) => texts.value(row).to_owned(),
            (None, None) => panic!("expected texts, found {}", texts.data_type()),
        };
        assert_eq!(text.trim_start_matches('x'), shape.text(ids[row]));
        for nth in [7_i64, 2_000, 4_095].into_iter().filter(|_| shape == Shape::ManyColumns) {
            assert_eq!(numbers(&format!("c{}", nth - 2)).value(row), ids[row] + nth);
        }
    }
    ids
}

/// The numbers of the rows of each batch.
pub(crate) fn read(shape: Shape, dataset: &Dataset, options: &IterationOptions) -> Vec<Vec<i64>> {
    dataset.record_batches(options.clone()).unwrap().map(|batch| ids(shape, &batch.unwrap())).collect()
}
