//! Random columns and transforms.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef};
use arrowfeed_tensor::{DType, Hash, Lookup, Token, Transform, Vocabulary};
use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A type of values, and values of it.
pub(crate) fn leaf() -> impl Strategy<Value = DataType> {
    use DataType::*;
    prop_oneof![
        prop_oneof![
            Just(Utf8),
            Just(LargeUtf8),
            Just(Utf8View),
            Just(Binary),
            Just(FixedSizeBinary(2)),
            Just(Dictionary(Box::new(Int32), Box::new(Utf8))),
        ],
        prop_oneof![Just(Int8), Just(Int32), Just(Int64), Just(UInt64)],
        prop_oneof![Just(Float32), Just(Float64)],
    ]
}

/// Short texts, most of them from few, and some that are longer than a block of the hash.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-c]{0,2}", 2 => ".{0,12}", 1 => "[a-z]{13,200}", 1 => "[ab]{64}|[ab]{128}|[ab]{192}"]
}

fn value(leaf: &DataType) -> BoxedStrategy<Value> {
    match leaf {
        DataType::FixedSizeBinary(_) => "[a-c]{2}".prop_map(Value::from).boxed(),
        DataType::Int8 => any::<i8>().prop_map(Value::from).boxed(),
        DataType::Int32 => prop_oneof![-3..4, any::<i32>()].prop_map(Value::from).boxed(),
        DataType::Int64 => prop_oneof![-3..4_i64, any::<i64>()].prop_map(Value::from).boxed(),
        DataType::UInt64 => prop_oneof![0..4_u64, any::<u64>()].prop_map(Value::from).boxed(),
        DataType::Float32 => (-9.0..9.0_f32).prop_map(|value| json!(f64::from(value))).boxed(),
        DataType::Float64 => {
            prop_oneof![-9.0..9.0, (-4..5).prop_map(f64::from)].prop_map(Value::from).boxed()
        }
        _ => text().prop_map(Value::from).boxed(),
    }
}

/// Values inside lists of this depth, with nulls at all levels.
pub(crate) fn nested(leaf: &DataType, depth: usize) -> BoxedStrategy<Value> {
    (0..depth).fold(option::weighted(0.8, value(leaf)).prop_map(or_null).boxed(), |items, _| {
        option::weighted(0.8, vec(items, 0..4).prop_map(Value::Array)).prop_map(or_null).boxed()
    })
}

fn or_null(value: Option<Value>) -> Value {
    value.unwrap_or(Value::Null)
}

/// Lists of one of the layouts.
pub(crate) fn lists(leaf: DataType, layouts: &[u8]) -> DataType {
    layouts.iter().fold(leaf, |items, layout| {
        let items: FieldRef = Arc::new(Field::new_list_field(items, true));
        match layout % 3 {
            0 => DataType::List(items),
            1 => DataType::LargeList(items),
            _ => DataType::ListView(items),
        }
    })
}

/// One to three transforms, of which the first takes values of a type.
pub(crate) fn transforms(leaf: &DataType) -> BoxedStrategy<Vec<Transform>> {
    let first = match leaf {
        number if number.is_integer() => prop_oneof![hashed(), integers(), numbers()].boxed(),
        number if number.is_floating() => numbers().boxed(),
        _ => prop_oneof![hashed(), strings()].boxed(),
    };
    (first, vec(numbers(), 0..3)).prop_map(|(first, rest)| [vec![first], rest].concat()).boxed()
}

fn hashed() -> impl Strategy<Value = Transform> {
    let hash = prop_oneof![
        option::of(any::<u64>()).prop_map(|seed| Hash::Fingerprint64 { seed }),
        any::<[u64; 2]>().prop_map(|key| Hash::SipHash { key }),
    ];
    let buckets = prop_oneof![1..20_u64, 1..i64::MAX as u64];
    (buckets, hash).prop_map(|(buckets, hash)| Transform::Hashed { buckets, hash })
}

fn numbers() -> impl Strategy<Value = Transform> {
    let boundaries = vec(-8..8_i8, 1..60).prop_map(|mut all| {
        all.sort_unstable();
        all.dedup();
        Transform::Bucketized { boundaries: all.into_iter().map(|one| f64::from(one) / 2.0).collect() }
    });
    let clipped = (option::of(0..5_i8), option::of(5..10_i8)).prop_map(|(low, high)| match (low, high) {
        (None, None) => Transform::Clipped { low: Some(1.0), high: None },
        (low, high) => Transform::Clipped { low: low.map(f64::from), high: high.map(f64::from) },
    });
    prop_oneof![
        boundaries,
        clipped,
        (-5.0..5.0, 0.1..5.0).prop_map(|(mean, std)| Transform::Normalised { mean, std }),
        prop_oneof![Just(DType::Float32), Just(DType::Float64)]
            .prop_map(|dtype| Transform::Cast { dtype, lossy: true }),
    ]
}

fn lookup(vocabulary: Vocabulary, (oov, default): (u64, i64), mask: Option<Token>) -> Transform {
    let default = (oov == 0).then_some(default);
    let mask = mask.filter(|mask| vocabulary.index(mask).is_none());
    Transform::Lookup(Lookup { vocabulary: vocabulary.into(), oov, default, mask })
}

fn strings() -> impl Strategy<Value = Transform> {
    let tokens = btree_set(text(), 1..20).prop_map(Vec::from_iter).prop_shuffle();
    (tokens, (0..4_u64, any::<i64>()), option::of(text())).prop_map(|(tokens, others, mask)| {
        let mask = mask.map(|mask| Token::Bytes(mask.into_bytes()));
        lookup(Vocabulary::from_tokens(tokens).unwrap(), others, mask)
    })
}

fn integers() -> impl Strategy<Value = Transform> {
    let tokens = btree_set(-3..9_i64, 1..8);
    (tokens, (0..4_u64, any::<i64>()), option::of(-3..9_i64)).prop_map(|(tokens, others, mask)| {
        lookup(Vocabulary::from_integers(tokens).unwrap(), others, mask.map(Token::Integer))
    })
}
