//! Key expressions on records with friends: rows per second, beside those of a plain array of the same names.

use std::hint::black_box;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, ListArray, RecordBatch, StringArray, StructArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{Field, Schema};
use arrowfeed_tensor::{ExpressionPlan, KeyExpression};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const ROWS: usize = 8192;

/// Records of seven friends, each with two names and one of three genders.
fn batch() -> RecordBatch {
    let friends = ROWS * 7;
    let names = |salt: usize| -> ArrayRef {
        Arc::new(
            (0..friends).map(|i| Some(format!("name {}", (i * 31 + salt) % 1000))).collect::<StringArray>(),
        )
    };
    let genders = ["female", "male", "unknown"];
    let genders: ArrayRef = Arc::new((0..friends).map(|i| Some(genders[i * 7 % 3])).collect::<StringArray>());
    let field = |name: &str, array: &ArrayRef| Arc::new(Field::new(name, array.data_type().clone(), true));
    let (first, last) = (names(0), names(7));
    let name = vec![(field("first", &first), first), (field("last", &last), last)];
    let name: ArrayRef = Arc::new(StructArray::from(name));
    let friend: ArrayRef =
        Arc::new(StructArray::from(vec![(field("name", &name), name), (field("gender", &genders), genders)]));
    let offsets = OffsetBuffer::from_lengths((0..ROWS).map(|_| 7));
    let list: ArrayRef = Arc::new(ListArray::new(field("item", &friend), offsets, friend, None));
    let first_name: ArrayRef =
        Arc::new((0..ROWS).map(|i| Some(format!("name {}", i % 1000))).collect::<StringArray>());
    let columns = vec![field("friends", &list), field("first", &first_name)];
    RecordBatch::try_new(Arc::new(Schema::new(columns)), vec![list, first_name])
        .expect("columns of one length")
}

fn keys(criterion: &mut Criterion) {
    let batch = batch();
    let mut group = criterion.benchmark_group("keys");
    group.throughput(Throughput::Elements(ROWS as u64));
    for key in [
        "friends[*].name.first",
        "friends[2].name.first",
        "friends[gender='unknown'].name.first",
        "friends[name.first=name.last].name.first",
        "friends[name.first=@first].name.first",
    ] {
        let parsed = KeyExpression::parse(key).expect("a key");
        let plan = ExpressionPlan::try_new(batch.schema(), &parsed).expect("a key of the schema");
        group.bench_function(key, |bencher| {
            bencher.iter(|| black_box(plan.evaluate(&batch)).expect("values"))
        });
    }
    group.finish();
}

criterion_group!(benches, keys);
criterion_main!(benches);
