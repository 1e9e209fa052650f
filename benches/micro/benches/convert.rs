//! One conversion of each kind, on a batch of 1,024 rows: `cargo bench -p arrowfeed-tensor`.

use std::hint::black_box;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, Float32Array, Int64Array, LargeListArray, RecordBatch,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{Field, Schema};
use arrowfeed_tensor::{
    ColumnPath, DefaultValue, Dense, Partition, Ragged, Representation, Sparse, TensorAdapter, VarLenSparse,
};
use criterion::{Criterion, criterion_group, criterion_main};

const ROWS: usize = 1024;
const VALUES: usize = 16;

fn lists(values: ArrayRef, lengths: impl Iterator<Item = usize>, nulls: Option<NullBuffer>) -> ArrayRef {
    let field = Arc::new(Field::new_list_field(values.data_type().clone(), true));
    Arc::new(LargeListArray::new(field, OffsetBuffer::from_lengths(lengths), values, nulls))
}

fn floats(n: usize) -> ArrayRef {
    Arc::new(Float32Array::from_iter_values((0..n).map(|i| i as f32)))
}

/// Lists of 0 to 15 values, a third of them null in `holes`.
fn batch() -> RecordBatch {
    let length = |row: usize| row * 7 % VALUES;
    let varying = || (0..ROWS).map(length);
    let total: usize = varying().sum();
    let indices = (0..ROWS).flat_map(|row| (0..length(row)).map(move |i| (i * 3 + row) as i64 % 1000));
    let sorted = (0..ROWS).flat_map(|row| (0..length(row)).map(|i| i as i64 * 3));
    let holes = NullBuffer::from_iter((0..ROWS).map(|row| row % 3 != 0));
    let kept = (0..ROWS).map(|row| if row % 3 == 0 { 0 } else { VALUES });
    let fixed = Field::new_list_field(arrow_schema::DataType::Float32, true);
    let fixed = FixedSizeListArray::new(Arc::new(fixed), VALUES as i32, floats(ROWS * VALUES), None);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("fixed", Arc::new(fixed)),
        ("equal", lists(floats(ROWS * VALUES), std::iter::repeat_n(VALUES, ROWS), None)),
        ("holes", lists(floats(kept.clone().sum()), kept, Some(holes))),
        ("varying", lists(floats(total), varying(), None)),
        ("indices", lists(Arc::new(Int64Array::from_iter_values(indices)), varying(), None)),
        ("sorted", lists(Arc::new(Int64Array::from_iter_values(sorted)), varying(), None)),
        (
            "halves",
            lists(
                Arc::new(Int64Array::from(vec![(VALUES / 2) as i64; ROWS * 2])),
                std::iter::repeat_n(2, ROWS),
                None,
            ),
        ),
    ];
    let fields: Vec<Field> =
        columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true)).collect();
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).expect("columns of one length")
}

fn representations() -> Vec<(&'static str, Representation)> {
    let dense = |column: &str| Dense { column: column.to_owned(), shape: vec![VALUES], ..Dense::default() };
    let default = Some(DefaultValue::Float(0.0));
    let sparse = |index: &str| {
        Representation::Sparse(Sparse {
            index_columns: vec![index.to_owned()],
            value_column: "varying".to_owned(),
            dense_shape: vec![Some(1024)],
            ..Sparse::default()
        })
    };
    let ragged = |column: &str, partitions| {
        let path = ColumnPath::from(column);
        Representation::Ragged(Ragged { path, partitions, ..Ragged::default() })
    };
    vec![
        ("dense, fixed size", Representation::Dense(dense("fixed"))),
        ("dense, equal lists", Representation::Dense(dense("equal"))),
        ("dense, default fill", Representation::Dense(Dense { default: default.clone(), ..dense("holes") })),
        ("dense, padded", Representation::Dense(Dense { default, pad: true, ..dense("varying") })),
        (
            "varlen sparse",
            Representation::VarLenSparse(VarLenSparse { column: "varying".to_owned(), ..Default::default() }),
        ),
        ("sparse, sorted", sparse("sorted")),
        ("sparse, to be sorted", sparse("indices")),
        ("ragged", ragged("varying", Vec::new())),
        ("ragged, row lengths", ragged("equal", vec![Partition::RowLength("halves".to_owned())])),
    ]
}

fn convert(criterion: &mut Criterion) {
    let batch = batch();
    for (name, representation) in representations() {
        let adapter = TensorAdapter::try_new(batch.schema(), [(name, &representation)])
            .expect("the representation fits");
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| adapter.convert(black_box(&batch)).expect("it fits"))
        });
    }
}

criterion_group!(benches, convert);
criterion_main!(benches);
