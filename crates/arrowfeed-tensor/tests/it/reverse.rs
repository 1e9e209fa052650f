//! Conversion of tensors to a batch and back.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BinaryArray, Float32Array, Int64Array};
use arrow_schema::DataType;
use arrowfeed_tensor::{
    DType, DenseTensor, RaggedTensor, RowSplits, SparseTensor, SplitsDType, Tensor, TensorAdapter,
    TensorSpec, TensorsToRecordBatch, TensorsToRecordBatchOptions, Values,
};

use crate::support::int64;

fn values(array: ArrayRef) -> Values {
    Values::try_new(array).unwrap()
}

fn named(tensors: Vec<(&str, Tensor)>) -> Vec<(String, Tensor)> {
    tensors.into_iter().map(|(name, tensor)| (name.to_owned(), tensor)).collect()
}

fn converter(specs: &[(&str, TensorSpec)], generic: &[&str]) -> TensorsToRecordBatch {
    let specs: Vec<(String, TensorSpec)> =
        specs.iter().map(|(name, it)| ((*name).to_owned(), it.clone())).collect();
    let generic_sparse = generic.iter().map(|name| (*name).to_owned()).collect();
    let options = TensorsToRecordBatchOptions { generic_sparse, ..Default::default() };
    TensorsToRecordBatch::try_new(&specs, &options).unwrap()
}

#[test]
fn tensors_come_back_as_they_were() {
    let dense = DenseTensor::try_new(values(int64(&[1, 2, 3, 4, 5, 6])), vec![3, 1, 2]).unwrap();
    let bytes: ArrayRef = Arc::new(arrow_array::LargeBinaryArray::from(vec![&b"a"[..], b"", b"c"]));
    let varlen = SparseTensor::try_new(vec![0, 0, 2, 0, 2, 1].into(), values(bytes), vec![3, 2]).unwrap();
    let floats: ArrayRef = Arc::new(Float32Array::from(vec![0.5, 1.5]));
    let sparse = SparseTensor::try_new(vec![0, 3, 1, 2, 0, 0].into(), values(floats), vec![3, 5, 2]).unwrap();
    let flat = DenseTensor::try_new(values(int64(&[1, 2, 3, 4, 5, 6])), vec![3, 2]).unwrap();
    let outer = RowSplits::from_i32(vec![0, 1, 1, 2].into()).unwrap();
    let inner = RowSplits::from_i32(vec![0, 1, 3].into()).unwrap();
    let ragged = RaggedTensor::try_new(flat, vec![outer, inner]).unwrap();
    let converter = converter(
        &[
            ("v", TensorSpec::sparse(DType::Bytes, &[None])),
            ("d", TensorSpec::dense(DType::Int64, &[1, 2])),
            ("s", TensorSpec::sparse(DType::Float32, &[Some(5), Some(2)])),
            ("r", TensorSpec::ragged(DType::Int64, 2, &[2], SplitsDType::Int32)),
        ],
        &[],
    );
    let names: Vec<&str> = converter.schema().fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["d", "r", "s$values", "s$index0", "s$index1", "v"]);
    let tensors = named(vec![
        ("d", Tensor::Dense(dense)),
        ("r", Tensor::Ragged(ragged)),
        ("s", Tensor::Sparse(sparse)),
        ("v", Tensor::Sparse(varlen)),
    ]);
    let batch = converter.convert(&tensors).unwrap();
    let representations = converter.representations().iter().map(|(name, it)| (name, it));
    let adapter = TensorAdapter::try_new(batch.schema(), representations).unwrap();
    assert_eq!(adapter.convert(&batch).unwrap()[..], tensors[..]);
}

#[test]
fn dense_and_ragged_values_are_not_copied() {
    let numbers = int64(&[1, 2, 3, 4]);
    let address = numbers.to_data().buffers()[0].as_ptr();
    let dense = DenseTensor::try_new(values(numbers), vec![2, 2]).unwrap();
    let converter = converter(&[("d", TensorSpec::dense(DType::Int64, &[2]))], &[]);
    let batch = converter.convert(&named(vec![("d", Tensor::Dense(dense))])).unwrap();
    let column = batch.column(0).to_data();
    assert_eq!(column.child_data()[0].buffers()[0].as_ptr(), address);
}

#[test]
fn byte_strings_of_every_layout_become_large_binary() {
    let bytes: ArrayRef = Arc::new(BinaryArray::from(vec![&b"a"[..], b"bc"]));
    let dense = DenseTensor::try_new(values(bytes), vec![2]).unwrap();
    let converter = converter(&[("d", TensorSpec::dense(DType::Bytes, &[]))], &[]);
    let batch = converter.convert(&named(vec![("d", Tensor::Dense(dense))])).unwrap();
    let DataType::LargeList(items) = batch.schema().field(0).data_type().clone() else { panic!("a list") };
    assert_eq!(items.data_type(), &DataType::LargeBinary);
}

#[test]
fn values_beyond_a_list_are_refused_unless_indices_are_requested() {
    let two = values(Arc::new(Int64Array::from(vec![7, 8])));
    let sparse = SparseTensor::try_new(vec![0, 0, 0, 2].into(), two, vec![1, 3]).unwrap();
    let tensors = named(vec![("s", Tensor::Sparse(sparse))]);
    let spec = [("s", TensorSpec::sparse(DType::Int64, &[None]))];
    let message = converter(&spec, &[]).convert(&tensors).unwrap_err().to_string();
    let expected = r#"tensor "s", row 0: expected the index 1, or the tensor in `generic_sparse`, found 2"#;
    assert_eq!(message, expected);
    let generic = converter(&spec, &["s"]);
    let batch = generic.convert(&tensors).unwrap();
    let representations = generic.representations().iter().map(|(name, it)| (name, it));
    let adapter = TensorAdapter::try_new(batch.schema(), representations).unwrap();
    assert_eq!(adapter.convert(&batch).unwrap()[..], tensors[..]);
}

#[test]
fn tensors_of_another_spec_are_refused() {
    let dense = DenseTensor::try_new(values(int64(&[1, 2, 3])), vec![1, 3]).unwrap();
    let converter = converter(&[("d", TensorSpec::dense(DType::Int64, &[2]))], &[]);
    let message = converter.convert(&named(vec![("d", Tensor::Dense(dense))])).unwrap_err().to_string();
    assert_eq!(message, r#"tensor "d": expected dense int64 [?, 2], found dense int64 [1, 3]"#);
    let message = converter.convert(&[]).unwrap_err().to_string();
    assert_eq!(message, "expected 1 tensor, found 0");
}
