//! Law: tensors that are converted to a batch and back stay the same.

use arrowfeed_tensor::{
    Dense, InnerNulls, Representation, SplitsDType, Tensor, TensorAdapter, TensorsToRecordBatch,
    TensorsToRecordBatchOptions,
};
use proptest::prelude::*;

use super::arrays::{batch, numbers};
use super::tree::{Case, KINDS, Level, Nulls, any_levels, cases};
use super::{convert, support};

/// All parts of a tensor: values as numbers, indices, row splits and shape.
fn parts(tensor: &Tensor) -> (Vec<i64>, Vec<i64>, Vec<Vec<usize>>, Vec<usize>) {
    match tensor {
        Tensor::Dense(dense) => (numbers(dense.values()), vec![], vec![], dense.shape().to_vec()),
        Tensor::Sparse(sparse) => {
            let shape = sparse.dense_shape().iter().map(|size| *size as usize).collect();
            (numbers(sparse.values()), sparse.indices().to_vec(), vec![], shape)
        }
        Tensor::Ragged(ragged) => {
            let flat = ragged.flat_values();
            (numbers(flat.values()), vec![], support::splits(tensor), flat.shape().to_vec())
        }
        Tensor::Structured(_) => unreachable!("structured tensors have no columns"),
    }
}

fn there_and_back(case: &Case, representation: &Representation) -> (Tensor, Tensor) {
    let there = convert(case, representation, InnerNulls::Error).unwrap();
    let adapter = TensorAdapter::try_new(batch(case).schema(), [("t", representation)]).unwrap();
    let converter =
        TensorsToRecordBatch::try_new(adapter.specs(), &TensorsToRecordBatchOptions::default()).unwrap();
    let tensors = vec![("t".to_owned(), there.clone())];
    let written = converter.convert(&tensors).unwrap();
    let adapter =
        TensorAdapter::try_new(written.schema(), converter.representations().iter().cloned()).unwrap();
    (there, adapter.convert(&written).unwrap().into_iter().next().unwrap().1)
}

const FULL: Nulls = Nulls { lists: 0, values: 0 };

proptest! {
    #![proptest_config(crate::random_config::config(100))]

    #[test]
    fn sparse_and_ragged_tensors_come_back(case in cases(any_levels(1..4), &KINDS, Nulls { lists: 4, values: 0 }, None)) {
        let (there, back) = there_and_back(&case, &support::varlen(case.column()));
        let (there, back) = (parts(&there), parts(&back));
        prop_assert_eq!((&back.0, &back.1), (&there.0, &there.1));
        // Index columns do not show empty lists at the end.
        prop_assert!(case.levels.len() > 1 || back.3 == there.3);
        // Inner dimensions of size 0 have no column, and null vectors become nulls among the values.
        let blocks = case.levels[1..].iter().rev().take_while(|level| matches!(level, Level::Fixed(_)));
        if blocks.count() == 0 {
            let (there, back) = there_and_back(&case, &support::varlen_ragged(case.column(), SplitsDType::Int32));
            prop_assert_eq!(parts(&back), parts(&there));
        }
    }

    #[test]
    fn dense_tensors_come_back(case in cases(any_levels(0..4), &KINDS, FULL, Some(2))) {
        let shape = case.levels.iter().map(|level| if let Level::Fixed(size) = level { *size } else { 2 }).collect();
        let dense = Dense { column: case.column().to_owned(), shape, ..Dense::default() };
        let (there, back) = there_and_back(&case, &Representation::Dense(dense));
        prop_assert_eq!(parts(&back), parts(&there));
    }
}
