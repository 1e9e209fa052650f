//! Random Arrow arrays of every type that has a form in Avro, in every layout.

use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::{ArrowNativeType, BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer, i256};
use arrow_schema::{DataType, Field, FieldRef, Fields, IntervalUnit, TimeUnit, UnionFields, UnionMode};
use half::f16;

use crate::support::value::Seed;

/// Upper bound on the unused slots before and after those that are used.
const MAX_AROUND: usize = 5;

/// A field with a random type, nested at most `depth` deep.
pub(crate) fn field(seed: &mut Seed, name: &str, depth: usize) -> Field {
    let data_type = data_type(seed, depth);
    let nullable = has_nulls(&data_type) || seed.one_in(2);
    let field = Field::new(name, data_type, nullable);
    match field.data_type() {
        DataType::FixedSizeBinary(16) if seed.one_in(2) => {
            field.with_metadata([("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned())].into())
        }
        _ => field,
    }
}

/// Whether the type can have nulls without a validity buffer.
fn has_nulls(data_type: &DataType) -> bool {
    match data_type {
        DataType::Null | DataType::Union(..) => true,
        DataType::Dictionary(_, values) => has_nulls(values),
        DataType::RunEndEncoded(_, values) => has_nulls(values.data_type()),
        _ => false,
    }
}

fn data_type(seed: &mut Seed, depth: usize) -> DataType {
    if depth == 0 || seed.one_in(2) {
        return leaf(seed);
    }
    let item = |seed: &mut Seed| -> FieldRef { Arc::new(field(seed, "item", depth - 1)) };
    match seed.below(10) {
        0 => DataType::List(item(seed)),
        1 => DataType::LargeList(item(seed)),
        2 => DataType::ListView(item(seed)),
        3 => DataType::LargeListView(item(seed)),
        4 => DataType::FixedSizeList(item(seed), seed.below(4) as i32),
        5 => map(seed, depth),
        6 => DataType::Struct(fields(seed, depth - 1)),
        7 => union(seed, depth - 1),
        8 => {
            let ends = seed.pick(&[DataType::Int16, DataType::Int32, DataType::Int64]);
            let values = Field::new("values", data_type(seed, depth - 1), true);
            DataType::RunEndEncoded(Arc::new(Field::new("run_ends", ends, false)), Arc::new(values))
        }
        _ => dictionary(seed, depth),
    }
}

fn fields(seed: &mut Seed, depth: usize) -> Fields {
    (0..seed.below(4)).map(|i| field(seed, &format!("f{i}"), depth)).collect()
}

fn map(seed: &mut Seed, depth: usize) -> DataType {
    let keys = [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View, DataType::Int32, DataType::Binary];
    let key = Field::new("key", seed.pick(&keys), false);
    let entries = DataType::Struct(vec![key, field(seed, "value", depth - 1)].into());
    DataType::Map(Arc::new(Field::new("entries", entries, false)), false)
}

/// A union whose children have different Avro types.
fn union(seed: &mut Seed, depth: usize) -> DataType {
    let mut kinds = vec![
        DataType::Null,
        DataType::Boolean,
        DataType::Int16,
        DataType::Int64,
        DataType::Utf8View,
        DataType::Binary,
        DataType::List(Arc::new(field(seed, "item", depth))),
        DataType::Struct(fields(seed, depth)),
        DataType::FixedSizeBinary(seed.below(4) as i32),
    ];
    seed.shuffle(&mut kinds);
    kinds.truncate(1 + seed.below(5));
    let mut ids: Vec<i8> = (0..20).collect();
    seed.shuffle(&mut ids);
    let field = |(i, data_type): (usize, DataType)| {
        let nullable = data_type == DataType::Null || i.is_multiple_of(2);
        Field::new(format!("u{i}"), data_type, nullable)
    };
    let children: Vec<Field> = kinds.into_iter().enumerate().map(field).collect();
    let ids: Vec<i8> = ids.into_iter().take(children.len()).collect();
    let mode = seed.pick(&[UnionMode::Dense, UnionMode::Sparse]);
    DataType::Union(UnionFields::try_new(ids, children).expect("different ids"), mode)
}

fn dictionary(seed: &mut Seed, depth: usize) -> DataType {
    use DataType::*;
    let key = seed.pick(&[Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64]);
    let values =
        if seed.one_in(2) { seed.pick(&[Utf8, LargeUtf8, Utf8View]) } else { data_type(seed, depth - 1) };
    Dictionary(Box::new(key), Box::new(values))
}

fn leaf(seed: &mut Seed) -> DataType {
    use DataType::*;
    use TimeUnit::*;
    let zone = |seed: &mut Seed| seed.pick(&[None, Some("UTC".into()), Some("+02:30".into())]);
    let unit = |seed: &mut Seed| seed.pick(&[Second, Millisecond, Microsecond, Nanosecond]);
    match seed.below(16) {
        0 => seed.pick(&[Null, Boolean]),
        1 => seed.pick(&[Int8, Int16, UInt8, UInt16]),
        2 => seed.pick(&[Int32, UInt32]),
        3 => seed.pick(&[Int64, UInt64]),
        4 => seed.pick(&[Float16, Float32, Float64]),
        5 => seed.pick(&[Utf8, LargeUtf8, Utf8View]),
        6 => seed.pick(&[Binary, LargeBinary, BinaryView]),
        7 => FixedSizeBinary(seed.pick(&[0, 1, 5, 16])),
        8 => seed.pick(&[Date32, Date64]),
        9 => seed.pick(&[Time32(Second), Time32(Millisecond), Time64(Microsecond), Time64(Nanosecond)]),
        10 => Timestamp(unit(seed), zone(seed)),
        11 => {
            Interval(seed.pick(&[IntervalUnit::YearMonth, IntervalUnit::DayTime, IntervalUnit::MonthDayNano]))
        }
        12 => {
            let precision = 1 + seed.below(9) as u8;
            Decimal32(precision, seed.below(10) as i8)
        }
        13 => Decimal64(1 + seed.below(18) as u8, seed.below(19) as i8),
        14 => Decimal128(1 + seed.below(38) as u8, seed.below(39) as i8),
        _ => Decimal256(1 + seed.below(76) as u8, seed.below(77) as i8),
    }
}

/// An array of `n` slots, which is a slice of a longer one.
pub(crate) fn array(seed: &mut Seed, field: &Field, n: usize) -> ArrayRef {
    let (before, behind) = (seed.below(MAX_AROUND), seed.below(MAX_AROUND));
    let whole = whole(seed, field.data_type(), before + n + behind, field.is_nullable());
    whole.slice(before, n)
}

fn nulls(seed: &mut Seed, n: usize, nullable: bool) -> Option<NullBuffer> {
    let share = seed.pick(&[2, 5, 1000]);
    (nullable && !seed.one_in(4))
        .then(|| NullBuffer::new(BooleanBuffer::collect_bool(n, |_| !seed.one_in(share))))
}

fn integer(seed: &mut Seed) -> i64 {
    let value = seed.next() as i64;
    value >> seed.pick(&[0, 1, 20, 40, 50, 56, 60, 63])
}

fn whole(seed: &mut Seed, data_type: &DataType, n: usize, nullable: bool) -> ArrayRef {
    macro_rules! numbers {
        ($type:ty, $value:expr) => {{
            let values: Vec<_> = (0..n).map(|_| $value).collect();
            let array = PrimitiveArray::<$type>::new(values.into(), nulls(seed, n, nullable));
            Arc::new(array.with_data_type(data_type.clone())) as ArrayRef
        }};
    }
    macro_rules! texts {
        ($type:ty, $value:expr) => {{
            let nulls = nulls(seed, n, nullable);
            let valid = |i: usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(i));
            let values: Vec<_> = (0..n).map(|_| $value).collect();
            let values = values.into_iter().enumerate().map(|(i, value)| valid(i).then_some(value));
            Arc::new(values.collect::<$type>()) as ArrayRef
        }};
    }
    let below_power = |seed: &mut Seed, digits: u8| -> i256 {
        let most = i256::from_i128(10).checked_pow(u32::from(digits)).expect("at most 76 digits");
        let random =
            i256::from_parts(u128::from(seed.next()) << 64 | u128::from(seed.next()), seed.next() as i128);
        let shifted = random.wrapping_rem(most);
        if seed.one_in(4) { i256::from_i128(i128::from(integer(seed))).wrapping_rem(most) } else { shifted }
    };
    let narrow = |value: i256| value.to_i128().expect("at most 38 digits");
    use DataType as D;
    match data_type {
        D::Null => Arc::new(NullArray::new(n)),
        D::Boolean => {
            let values = BooleanBuffer::collect_bool(n, |_| seed.one_in(2));
            Arc::new(BooleanArray::new(values, nulls(seed, n, nullable)))
        }
        D::Int8 => numbers!(Int8Type, integer(seed) as i8),
        D::Int16 => numbers!(Int16Type, integer(seed) as i16),
        D::Int32 => numbers!(Int32Type, integer(seed) as i32),
        D::Int64 => numbers!(Int64Type, integer(seed)),
        D::UInt8 => numbers!(UInt8Type, integer(seed) as u8),
        D::UInt16 => numbers!(UInt16Type, integer(seed) as u16),
        D::UInt32 => numbers!(UInt32Type, integer(seed) as u32),
        D::UInt64 => numbers!(UInt64Type, integer(seed) as u64),
        D::Float16 => numbers!(Float16Type, f16::from_f32(integer(seed) as f32 / 8.0)),
        D::Float32 => numbers!(Float32Type, f32::from_bits(seed.next() as u32)),
        D::Float64 => numbers!(Float64Type, f64::from_bits(seed.next())),
        D::Date32 => numbers!(Date32Type, integer(seed) as i32),
        D::Date64 => numbers!(Date64Type, (integer(seed) as i32 as i64) * 86_400_000),
        D::Time32(TimeUnit::Second) => numbers!(Time32SecondType, seed.below(86_400) as i32),
        D::Time32(_) => numbers!(Time32MillisecondType, seed.below(86_400_000) as i32),
        D::Time64(TimeUnit::Nanosecond) => {
            numbers!(Time64NanosecondType, seed.below(86_400_000_000) as i64 * 1000)
        }
        D::Time64(_) => numbers!(Time64MicrosecondType, seed.below(86_400_000_000) as i64),
        D::Timestamp(TimeUnit::Second, _) => numbers!(TimestampSecondType, integer(seed) >> 12),
        D::Timestamp(TimeUnit::Millisecond, _) => numbers!(TimestampMillisecondType, integer(seed)),
        D::Timestamp(TimeUnit::Microsecond, _) => numbers!(TimestampMicrosecondType, integer(seed)),
        D::Timestamp(TimeUnit::Nanosecond, _) => numbers!(TimestampNanosecondType, integer(seed)),
        D::Interval(IntervalUnit::YearMonth) => numbers!(IntervalYearMonthType, seed.below(1 << 31) as i32),
        D::Interval(IntervalUnit::DayTime) => numbers!(
            IntervalDayTimeType,
            arrow_buffer::IntervalDayTime::new(seed.below(1 << 31) as i32, seed.below(1 << 31) as i32)
        ),
        D::Interval(_) => numbers!(
            IntervalMonthDayNanoType,
            arrow_buffer::IntervalMonthDayNano::new(
                seed.below(1 << 31) as i32,
                seed.below(1000) as i32,
                seed.below(1 << 32) as i64 * 1_000_000
            )
        ),
        D::Decimal32(digits, _) => numbers!(Decimal32Type, narrow(below_power(seed, *digits)) as i32),
        D::Decimal64(digits, _) => numbers!(Decimal64Type, narrow(below_power(seed, *digits)) as i64),
        D::Decimal128(digits, _) => numbers!(Decimal128Type, narrow(below_power(seed, *digits))),
        D::Decimal256(digits, _) => numbers!(Decimal256Type, below_power(seed, *digits)),
        D::Utf8 => texts!(StringArray, text(seed)),
        D::LargeUtf8 => texts!(LargeStringArray, text(seed)),
        D::Utf8View => texts!(StringViewArray, text(seed)),
        D::Binary => texts!(BinaryArray, bytes(seed)),
        D::LargeBinary => texts!(LargeBinaryArray, bytes(seed)),
        D::BinaryView => texts!(BinaryViewArray, bytes(seed)),
        D::FixedSizeBinary(size) => {
            let values = seed.bytes(n * *size as usize);
            let nulls = nulls(seed, n, nullable);
            Arc::new(
                FixedSizeBinaryArray::try_new_with_len(*size, values.into(), nulls, n)
                    .expect("so many bytes"),
            )
        }
        D::List(item) => lists::<i32>(seed, item, n, nullable),
        D::LargeList(item) => lists::<i64>(seed, item, n, nullable),
        D::ListView(item) => list_views::<i32>(seed, item, n, nullable),
        D::LargeListView(item) => list_views::<i64>(seed, item, n, nullable),
        D::FixedSizeList(item, size) => {
            let items = array(seed, item, n * *size as usize);
            let nulls = nulls(seed, n, nullable);
            Arc::new(
                FixedSizeListArray::try_new_with_length(item.clone(), *size, items, nulls, n)
                    .expect("as many items as slots need"),
            )
        }
        D::Map(entries, sorted) => {
            let (offsets, items) = offsets::<i32>(seed, entries, n);
            let nulls = nulls(seed, n, nullable);
            let entries_array = arrow_array::cast::AsArray::as_struct(&items).clone();
            Arc::new(MapArray::new(entries.clone(), offsets, entries_array, nulls, *sorted))
        }
        D::Struct(fields) => {
            let columns: Vec<ArrayRef> = fields.iter().map(|field| array(seed, field, n)).collect();
            let nulls = nulls(seed, n, nullable);
            Arc::new(
                StructArray::try_new_with_length(fields.clone(), columns, nulls, n)
                    .expect("columns of one length"),
            )
        }
        D::Union(fields, mode) => unions(seed, fields, *mode, n),
        D::Dictionary(key, values) => dictionaries(seed, key, values, n, nullable),
        D::RunEndEncoded(ends, values) => match ends.data_type() {
            D::Int16 => runs::<Int16Type>(seed, values, n, nullable),
            D::Int32 => runs::<Int32Type>(seed, values, n, nullable),
            _ => runs::<Int64Type>(seed, values, n, nullable),
        },
        other => panic!("no array of {other}"),
    }
}

fn text(seed: &mut Seed) -> String {
    let words = ["", "a", "B_2", "größe", "名前", "\0", "a longer text that no view can hold inline", "x y"];
    (0..seed.below(3)).map(|_| seed.pick(&words)).collect()
}

fn bytes(seed: &mut Seed) -> Vec<u8> {
    let n = seed.pick(&[0, 1, 12, 13, 70]);
    seed.bytes(n)
}

/// Offsets that begin anywhere, and the items, some of which belong to no slot.
fn offsets<O: OffsetSizeTrait>(seed: &mut Seed, item: &FieldRef, n: usize) -> (OffsetBuffer<O>, ArrayRef) {
    let mut ends = vec![seed.below(MAX_AROUND)];
    for _ in 0..n {
        let last = ends[ends.len() - 1];
        ends.push(last + seed.pick(&[0, 0, 1, 2, 5]));
    }
    let items = ends[n] + seed.below(MAX_AROUND);
    let ends: Vec<O> = ends.into_iter().map(O::usize_as).collect();
    (OffsetBuffer::new(ends.into()), array(seed, item, items))
}

fn lists<O: OffsetSizeTrait>(seed: &mut Seed, item: &FieldRef, n: usize, nullable: bool) -> ArrayRef {
    let (offsets, items) = offsets::<O>(seed, item, n);
    let nulls = nulls(seed, n, nullable);
    Arc::new(GenericListArray::<O>::new(item.clone(), offsets, items, nulls))
}

/// Views in any order, which may overlap.
fn list_views<O: OffsetSizeTrait>(seed: &mut Seed, item: &FieldRef, n: usize, nullable: bool) -> ArrayRef {
    let most = seed.below(20);
    let items = array(seed, item, most);
    let (mut starts, mut sizes): (Vec<O>, Vec<O>) = (Vec::new(), Vec::new());
    for _ in 0..n {
        let start = seed.below(most + 1);
        starts.push(O::usize_as(start));
        sizes.push(O::usize_as(seed.below((most - start).min(4) + 1)));
    }
    let nulls = nulls(seed, n, nullable);
    Arc::new(GenericListViewArray::<O>::new(item.clone(), starts.into(), sizes.into(), items, nulls))
}

fn unions(seed: &mut Seed, fields: &UnionFields, mode: UnionMode, n: usize) -> ArrayRef {
    let ids: Vec<i8> = fields.iter().map(|(id, _)| id).collect();
    let type_ids: Vec<i8> = (0..n).map(|_| seed.pick(&ids)).collect();
    let mut lengths = [0_i32; 128];
    let mut offsets = Vec::new();
    for id in &type_ids {
        let length = &mut lengths[*id as usize];
        *length += i32::from(seed.one_in(3));
        offsets.push(*length);
        *length += 1;
    }
    let length = |id: i8| if mode == UnionMode::Dense { lengths[id as usize] as usize } else { n };
    let children = fields.iter().map(|(id, field)| array(seed, field, length(id))).collect();
    let offsets = (mode == UnionMode::Dense).then(|| ScalarBuffer::from(offsets));
    Arc::new(UnionArray::try_new(fields.clone(), type_ids.into(), offsets, children).expect("a valid union"))
}

fn dictionaries(seed: &mut Seed, key: &DataType, values: &DataType, n: usize, nullable: bool) -> ArrayRef {
    let count = 1 + seed.below(6);
    // Enums are derived from the values of the first rows: each occurs once, and no value is null.
    let values: ArrayRef = match values {
        DataType::Utf8 if seed.one_in(2) => {
            Arc::new(symbols(count).into_iter().map(Some).collect::<StringArray>())
        }
        DataType::Utf8View if seed.one_in(2) => {
            Arc::new(symbols(count).into_iter().map(Some).collect::<StringViewArray>())
        }
        values => whole(seed, values, count, nullable),
    };
    macro_rules! keyed {
        ($type:ty, $native:ty) => {{
            let keys: Vec<$native> = (0..n).map(|_| seed.below(count) as $native).collect();
            let keys = PrimitiveArray::<$type>::new(keys.into(), nulls(seed, n, nullable));
            Arc::new(DictionaryArray::<$type>::new(keys, values)) as ArrayRef
        }};
    }
    match key {
        DataType::Int8 => keyed!(Int8Type, i8),
        DataType::Int16 => keyed!(Int16Type, i16),
        DataType::Int32 => keyed!(Int32Type, i32),
        DataType::Int64 => keyed!(Int64Type, i64),
        DataType::UInt8 => keyed!(UInt8Type, u8),
        DataType::UInt16 => keyed!(UInt16Type, u16),
        DataType::UInt32 => keyed!(UInt32Type, u32),
        _ => keyed!(UInt64Type, u64),
    }
}

fn symbols(count: usize) -> Vec<String> {
    (0..count).map(|i| format!("S{i}")).collect()
}

fn runs<R: RunEndIndexType>(seed: &mut Seed, values: &FieldRef, n: usize, nullable: bool) -> ArrayRef {
    let mut ends: Vec<R::Native> = Vec::new();
    let mut at = 0;
    while at < n {
        at += 1 + seed.below(4);
        ends.push(R::Native::from_usize(at).expect("few slots"));
    }
    let stored = whole(seed, values.data_type(), ends.len(), nullable);
    let ends = PrimitiveArray::<R>::new(ends.into(), None);
    Arc::new(RunArray::<R>::try_new(&ends, &stored).expect("ends that rise").slice(0, n))
}
