//! Random valid messages survive the round trip through their representations, byte by byte.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::*;

fn name() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[a-z.]{1,3}"]
}

/// An optional shape. Each dimension has a name, a size, both or none.
fn shape(sizes: impl Strategy<Value = i64> + 'static, dims: usize) -> impl Strategy<Value = FixedShape> {
    let dim = (option::of(sizes), option::of(name())).prop_map(|(size, name)| Dim { size, name });
    vec(dim, dims).prop_map(|dim| FixedShape { dim })
}

fn default_value() -> impl Strategy<Value = message::DefaultValue> {
    use default_value::Kind;
    let float = prop_oneof![Just(0.0), Just(-0.0), Just(f64::NAN), any::<f64>()];
    prop_oneof![
        float.prop_map(Kind::FloatValue),
        prop_oneof![Just(0), any::<i64>()].prop_map(Kind::IntValue),
        prop_oneof![Just(0), any::<u64>()].prop_map(Kind::UintValue),
        vec(any::<u8>(), 0..3).prop_map(Kind::BytesValue),
    ]
    .prop_map(|kind| message::DefaultValue { kind: Some(kind) })
}

fn dense() -> impl Strategy<Value = message::DenseTensor> {
    let shape = (0..3_usize).prop_flat_map(|dims| option::of(shape(0..9_i64, dims)));
    let columns = (option::of(name()), shape, option::of(default_value()), option::of(any::<bool>()));
    columns.prop_map(|(column_name, shape, default_value, pad)| {
        let pad = pad.filter(|pad| !pad || default_value.is_some());
        message::DenseTensor { column_name, shape, default_value, pad }
    })
}

fn sparse() -> impl Strategy<Value = message::SparseTensor> {
    let shape = (0..3_usize).prop_flat_map(|dims| (shape(-1..9_i64, dims), vec(name(), dims)));
    let fields = (shape, any::<bool>(), option::of(name()), option::of(any::<bool>()));
    fields.prop_map(|((dense_shape, index_column_names), is_set, value_column_name, already_sorted)| {
        let dense_shape = Some(dense_shape).filter(|shape| is_set || !shape.dim.is_empty());
        message::SparseTensor { dense_shape, index_column_names, value_column_name, already_sorted }
    })
}

/// Not set, unspecified, 64 bits, 32 bits, or a type that a later version may have.
fn row_partition_dtype() -> impl Strategy<Value = Option<i32>> {
    prop_oneof![Just(None), (0..3).prop_map(Some), Just(Some(99))]
}

fn ragged() -> impl Strategy<Value = message::RaggedTensor> {
    let partition = prop_oneof![
        (1..9_i64).prop_map(partition::Kind::UniformRowLength),
        name().prop_map(partition::Kind::RowLength),
    ];
    let partition = partition.prop_map(|kind| ragged_tensor::Partition { kind: Some(kind) });
    let path = option::of(vec(name(), 0..3).prop_map(|step| Path { step }));
    (path, vec(partition, 0..3), row_partition_dtype()).prop_map(
        |(feature_path, partition, row_partition_dtype)| message::RaggedTensor {
            feature_path,
            partition,
            row_partition_dtype,
        },
    )
}

fn any_message() -> impl Strategy<Value = TensorRepresentation> {
    use message::Kind;
    let padding =
        ("longest|7|multiple of 8", option::of(any::<bool>())).prop_map(|(to, mask)| (to, mask, None));
    let packing = ("[1-9]", "values|segment_ids|positions").prop_map(|(to, pack)| (to, None, Some(pack)));
    let padding = option::of(prop_oneof![padding, packing]);
    let varlen_ragged = (option::of(name()), row_partition_dtype(), padding).prop_map(
        |(column_name, row_partition_dtype, padding)| {
            let (pad_to, mask, pack) =
                padding.map_or((None, None, None), |(to, mask, pack)| (Some(to), mask, pack));
            let (pad_value, truncate) = (None, None);
            message::VarLenRaggedTensor {
                column_name,
                row_partition_dtype,
                pad_to,
                pad_value,
                truncate,
                mask,
                pack,
            }
        },
    );
    let structured = (vec(name(), 1..3), row_partition_dtype()).prop_map(|(column_names, dtype)| {
        message::StructuredTensor { column_names, row_partition_dtype: dtype }
    });
    prop_oneof![
        dense().prop_map(Kind::DenseTensor),
        name().prop_map(|name| {
            Kind::VarlenSparseTensor(message::VarLenSparseTensor { column_name: Some(name) })
        }),
        sparse().prop_map(Kind::SparseTensor),
        ragged().prop_map(Kind::RaggedTensor),
        varlen_ragged.prop_map(Kind::VarlenRaggedTensor),
        structured.prop_map(Kind::StructuredTensor),
    ]
    .prop_map(|kind| TensorRepresentation { kind: Some(kind), transform: Vec::new() })
}

proptest! {
    #![proptest_config(crate::random_config::config(100))]

    #[test]
    fn a_message_comes_back_as_it_was(message in any_message()) {
        let bytes = message.encode_to_vec();
        let parsed = Representation::from_proto(&bytes).unwrap();
        prop_assert_eq!(parsed.to_proto(), bytes.clone());
        prop_assert_eq!(parsed.clone().to_proto(), bytes);
        // Set or not, the fields say the same.
        let explicit = parsed.to_explicit_proto();
        let made = Representation::from_proto(&explicit).unwrap();
        prop_assert_eq!(made.to_proto(), explicit.clone());
        prop_assert_eq!(made.to_explicit_proto(), explicit);
        prop_assert_eq!(format!("{:?}", made.source_columns()), format!("{:?}", parsed.source_columns()));
    }

    #[test]
    fn a_changed_representation_is_not_that_of_its_message(message in ragged()) {
        let Ok(Representation::Ragged(mut ragged)) = Representation::from_message(&TensorRepresentation {
            kind: Some(message::Kind::RaggedTensor(message)),
            transform: Vec::new(),
        }) else { panic!("a ragged tensor") };
        ragged.partitions.push(Partition::Uniform(7));
        let changed = Representation::Ragged(ragged);
        prop_assert_eq!(changed.to_proto(), changed.to_explicit_proto());
        let again = Representation::from_proto(&changed.to_proto()).unwrap();
        prop_assert_eq!(again, changed);
    }
}

#[test]
fn fields_that_are_not_set_have_their_defaults() {
    let step = Path { step: vec!["x".to_owned()] };
    for row_partition_dtype in [None, Some(0), Some(99)] {
        let message = message::RaggedTensor {
            feature_path: Some(step.clone()),
            partition: Vec::new(),
            row_partition_dtype,
        };
        let kind = Some(message::Kind::RaggedTensor(message));
        let parsed =
            Representation::from_message(&TensorRepresentation { kind, transform: Vec::new() }).unwrap();
        let path = ColumnPath::from("x");
        let made = Representation::Ragged(Ragged {
            path,
            row_splits_dtype: SplitsDType::Int64,
            ..Ragged::default()
        });
        assert_eq!(parsed, made);
        assert_ne!(parsed.to_proto(), made.to_proto());
    }
}
