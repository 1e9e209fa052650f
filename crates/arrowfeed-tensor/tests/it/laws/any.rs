//! Any representation on any column gives a consistent tensor that matches its spec, or an error.

use arrowfeed_tensor::{
    AdapterOptions, ColumnPath, DefaultValue, Dense, DenseTensor, InnerNulls, Partition, Ragged,
    RaggedTensor, Representation, RowSplits, Sparse, SparseTensor, SplitsDType, Structured, StructuredTensor,
    Tensor, TensorAdapter, TensorSpec,
};
use proptest::prelude::*;

use super::arrays::batch;
use super::support;
use super::tree::{KINDS, Nulls, any_levels, cases};

fn representations(column: &'static str) -> impl Strategy<Value = Representation> {
    let size = prop_oneof![4 => 0..4_usize, 1 => Just(usize::MAX), 1 => Just(1 << 40)];
    let shape = proptest::collection::vec(size.clone(), 0..4);
    let default = prop_oneof![
        Just(None),
        any::<i64>().prop_map(|value| Some(DefaultValue::Int(value))),
        (0..2_i64).prop_map(|value| Some(DefaultValue::Int(value))),
        any::<i32>().prop_map(|value| Some(DefaultValue::Float(f64::from(value) / 8.0))),
        any::<[u8; 8]>().prop_map(|value| Some(DefaultValue::Bytes(value.to_vec()))),
    ];
    let dense = (shape.clone(), default, any::<bool>()).prop_map(move |(shape, default, pad)| {
        // A default would fill rows of 2^40 values, for which no machine has the memory.
        let default = default.filter(|_| shape.iter().all(|size| *size < 4));
        Representation::Dense(Dense { column: column.to_owned(), shape, default, pad, ..Dense::default() })
    });
    let partition = prop_oneof![
        (0..4_usize).prop_map(Partition::Uniform),
        Just(Partition::Uniform(usize::MAX)),
        Just(Partition::RowLength("x".to_owned())),
    ];
    let partitions = proptest::collection::vec(partition, 0..4);
    let dtype = prop_oneof![Just(SplitsDType::Int32), Just(SplitsDType::Int64)];
    let ragged = (partitions, dtype.clone()).prop_map(move |(partitions, row_splits_dtype)| {
        Representation::Ragged(Ragged {
            path: ColumnPath::from(column),
            partitions,
            row_splits_dtype,
            ..Ragged::default()
        })
    });
    let sparse = (proptest::option::of(size), any::<bool>()).prop_map(move |(size, already_sorted)| {
        Representation::Sparse(Sparse { already_sorted, ..support::sparse(&[column], column, &[size]) })
    });
    let structured = dtype.clone().prop_map(move |row_splits_dtype| {
        Representation::Structured(Structured {
            columns: vec![column.to_owned()],
            row_splits_dtype,
            ..Structured::default()
        })
    });
    let varlen_ragged = dtype.prop_map(move |dtype| support::varlen_ragged(column, dtype));
    prop_oneof![dense, ragged, sparse, structured, varlen_ragged, Just(support::varlen(column))]
}

/// Makes the tensor again from its parts, with the constructors that check them.
fn check(tensor: &Tensor, spec: &TensorSpec) {
    let fits = |sizes: &[usize]| {
        assert!(
            sizes
                .iter()
                .zip(&spec.shape[spec.shape.len() - sizes.len()..])
                .all(|(size, spec)| { spec.is_none_or(|spec| spec == *size) })
        );
    };
    let flat = |dense: &DenseTensor| {
        assert_eq!(Some(dense.values().dtype()), spec.dtype);
        fits(&dense.shape()[1..]);
        DenseTensor::try_new(dense.values().clone(), dense.shape().to_vec()).unwrap()
    };
    match tensor {
        Tensor::Dense(dense) => assert_eq!(flat(dense).shape().len(), spec.shape.len()),
        Tensor::Sparse(sparse) => {
            let (values, shape) = (sparse.values().clone(), sparse.dense_shape().to_vec());
            assert_eq!(shape.len(), spec.shape.len());
            SparseTensor::try_new(sparse.indices().clone(), values, shape).unwrap();
        }
        Tensor::Ragged(ragged) => {
            let splits = ragged.row_splits().iter().map(again).collect::<Vec<_>>();
            assert!(splits.iter().all(|splits| Some(splits.dtype()) == spec.row_splits_dtype));
            assert_eq!(splits.len(), spec.ragged_rank);
            RaggedTensor::try_new(flat(ragged.flat_values()), splits).unwrap();
        }
        Tensor::Structured(structured) => {
            structured
                .fields()
                .iter()
                .zip(&spec.fields)
                .for_each(|((_, tensor), (_, spec))| check(tensor, spec));
            let (splits, fields) = (structured.row_splits().to_vec(), structured.fields().to_vec());
            StructuredTensor::try_new(structured.rows(), splits, fields).unwrap();
        }
    }
}

fn again(splits: &RowSplits) -> RowSplits {
    match (splits.as_i32(), splits.as_i64()) {
        (Some(splits), _) => RowSplits::from_i32(splits.clone()).unwrap(),
        (_, Some(splits)) => RowSplits::from_i64(splits.clone()).unwrap(),
        _ => unreachable!("splits have one of two widths"),
    }
}

proptest! {
    #![proptest_config(crate::random_config::config(100))]

    #[test]
    fn a_tensor_holds_together_or_there_is_an_error(
        case in cases(any_levels(0..4), &KINDS, Nulls { lists: 4, values: 8 }, None),
        plain in representations("x"),
        inside in representations("s.x"),
        fill: bool,
    ) {
        let representation = if case.in_struct { inside } else { plain };
        let batch = batch(&case);
        let inner_nulls = if fill { InnerNulls::Fill } else { InnerNulls::Error };
        let options = AdapterOptions { inner_nulls, ..AdapterOptions::default() };
        let Ok(adapter) = TensorAdapter::with_options(batch.schema(), [("t", &representation)], options) else {
            return Ok(());
        };
        prop_assert_eq!(adapter.explain().len(), 1);
        let empty = adapter.convert(&batch.slice(0, 0)).unwrap();
        check(&empty[0].1, &adapter.specs()[0].1);
        match adapter.convert(&batch) {
            Ok(tensors) => {
                prop_assert_eq!(tensors[0].1.rows(), batch.num_rows());
                check(&tensors[0].1, &adapter.specs()[0].1);
            }
            Err(error) => prop_assert!(error.tensor() == Some("t") && error.column().is_some(), "{}", error),
        }
    }

    #[test]
    fn representations_come_back_from_their_bytes(representation in representations("a.b")) {
        let valid = TensorAdapter::try_new(std::sync::Arc::new(arrow_schema::Schema::empty()), [("t", &representation)]);
        let missing = valid.unwrap_err().kind() == arrowfeed_tensor::RepresentationErrorKind::MissingColumn;
        let again = Representation::from_proto(&representation.to_proto());
        prop_assert_eq!(again.ok(), Some(representation).filter(|_| missing));
    }

    #[test]
    fn any_bytes_are_a_representation_or_an_error(bytes: Vec<u8>) {
        if let Ok(representation) = Representation::from_proto(&bytes) {
            prop_assert_eq!(Representation::from_proto(&representation.to_proto()).unwrap(), representation);
        }
        let _ = arrowfeed_tensor::representations_from_tfmd(&bytes, "");
    }
}
