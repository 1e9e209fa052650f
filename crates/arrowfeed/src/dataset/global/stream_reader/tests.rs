use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use arrowfeed_source::format::{ChunkFormat, ChunkOptions, ChunkSource};

use super::super::stream_lengths::StreamLengths;
use super::*;
use crate::dataset::files::chunk_index::ChunkIndex;
use crate::dataset::rows::gather::Rows;

/// A file of one row: its number.
#[derive(Debug)]
struct Number(i64, SchemaRef);

impl ChunkSource for Number {
    fn name(&self) -> &str {
        "number"
    }

    fn schema(&self) -> &SchemaRef {
        &self.1
    }

    fn chunk_rows(&self) -> &[u64] {
        &[1]
    }

    fn fingerprint(&self) -> [u8; 16] {
        [0; 16]
    }

    fn read(&self, _: u64, _: &[usize]) -> Result<RecordBatch, FeedError> {
        let column = Arc::new(Int64Array::from(vec![self.0]));
        Ok(RecordBatch::try_new(self.1.clone(), vec![column]).expect("one column of numbers"))
    }
}

/// Reads one stream of all rows of `files` files, epoch after epoch. Each file is a part.
fn reader(files: i64, shuffle_buffer_size: usize) -> StreamReader {
    let schema = Arc::new(Schema::new(vec![Field::new("number", DataType::Int64, false)]));
    let sources = (0..files).map(|n| Arc::new(Number(n, schema.clone())) as Arc<dyn ChunkSource>);
    let set = Arc::new(ChunkFormat::files(sources, ChunkOptions::default()).unwrap());
    let options = IterationOptions { shuffle_buffer_size, ..Default::default() };
    let index = Arc::new(ChunkIndex::build(&set, &set, &options).unwrap().0);
    let lengths = StreamLengths { streams: 1, rows: files as u64, continuous: Some(0) };
    let laps = StreamLaps::new(index, options.clone(), lengths, (1, 0), 1);
    let start = StreamStart {
        streams: 0..1,
        rows: vec![0],
        laps: None,
        quota: Quota::AtMost(u64::MAX),
        batch_rows: 1,
    };
    StreamReader::new(&set, laps, (options, 1 << 20), None, Workers::Caller, start)
}

fn take(reader: &mut StreamReader, count: u64) -> Vec<i64> {
    assert!(reader.prepare(0, count, true).unwrap());
    let mut gather = Gather::default();
    assert_eq!(reader.take(0, count, Some(&mut gather)).unwrap(), count);
    let batch = Rows::Gathered(gather).into_batch().unwrap();
    batch.column(0).as_primitive::<Int64Type>().values().to_vec()
}

/// Laps of more parts than are planned ahead: each one is planned when its rows are needed.
#[test]
fn a_stream_plans_a_bounded_number_of_parts_ahead_and_returns_all_rows() {
    for (files, planned_first) in [(100, 300), (600, 600)] {
        let mut in_order = reader(files, 0);
        in_order.plan().unwrap();
        let planned = in_order
            .schedule
            .with(|schedule| schedule.streams[0].iter().map(|lap| lap.segments.len()).sum::<usize>());
        assert_eq!(planned.unwrap(), planned_first, "{files} files");
        let rows: Vec<i64> = (0..3).flat_map(|_| take(&mut in_order, 1000)).collect();
        assert_eq!(rows, (0..3000).map(|row| row % files).collect::<Vec<_>>());

        let mut shuffled = reader(files, 250);
        let rows: Vec<i64> = (0..3).flat_map(|_| take(&mut shuffled, 1000)).collect();
        for epoch in rows.chunks_exact(files as usize) {
            let mut sorted = epoch.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..files).collect::<Vec<_>>());
            assert_ne!(epoch, sorted);
        }
    }
}
