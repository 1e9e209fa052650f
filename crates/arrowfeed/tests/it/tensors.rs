//! Tests that the tensors of a dataset are those of its batches, whichever thread converts them.

use std::num::{NonZeroU64, NonZeroUsize};

use arrowfeed::avro::{AvroFormat, AvroOptions};
use arrowfeed::tensor::feature::{Feature, Ragged, Sparse};
use arrowfeed::tensor::{Tensor, Tensors};
use arrowfeed::{Dataset, DatasetError, DatasetOptions, IterationOptions, TensorDefinitions};
use proptest::prelude::*;

use crate::files::{Directory, write};

/// A dataset with a sparse tensor whose indices are its values, in a dimension of `size`.
fn dataset(paths: &[std::path::PathBuf], size: usize) -> Dataset {
    let (list, key) = (|| "list".to_owned(), || "@list[*]".to_owned());
    let sparse = Sparse {
        key: list(),
        index_keys: vec![key()],
        value_key: key(),
        size: vec![Some(size)],
        ..Sparse::default()
    };
    let ragged = Ragged { key: "list[*]".to_owned(), ..Ragged::default() };
    let features = vec![("a".to_owned(), Feature::Sparse(sparse)), ("b".to_owned(), Feature::Ragged(ragged))];
    let tensors = Some(TensorDefinitions::Features(features));
    let files = AvroFormat::files(paths, AvroOptions::default(), None).unwrap();
    Dataset::open(files, DatasetOptions { tensors, ..Default::default() }).unwrap()
}

/// The tensors before an error, the state after them, and the error.
fn given(dataset: &Dataset, options: &IterationOptions) -> (Vec<Tensors>, String, Option<DatasetError>) {
    let mut iterator = dataset.tensors(options.clone()).unwrap();
    let mut tensors = Vec::new();
    let error = iterator.by_ref().find_map(|item| item.map(|item| tensors.push(item)).err());
    (tensors, iterator.state().unwrap(), error)
}

proptest! {
    #![proptest_config(crate::random_config::config(10))]

    #[test]
    fn tensors_are_those_of_the_batches(
        rows in proptest::collection::vec(0_usize..200, 1..5),
        batch_size in 1_usize..120,
        shuffle_buffer_size in prop_oneof![Just(0_usize), 1_usize..300],
        across_epochs: bool,
    ) {
        let directory = Directory::new();
        let dataset = dataset(&write(&directory, &rows, 300), 1000);
        let (seed, epochs) = (Some(1), NonZeroU64::new(2));
        let options = IterationOptions {
            batch_size, shuffle_buffer_size, across_epochs, seed, epochs, threads: NonZeroUsize::new(1), ..Default::default()
        };
        let batches = dataset.record_batches(options.clone()).unwrap();
        let adapter = dataset.tensor_adapter();
        let expected: Vec<Tensors> = batches.map(|batch| adapter.convert(&batch.unwrap()).unwrap()).collect();
        for (threads, prefetch_bytes) in [(1, 0), (2, 0), (2, 1000), (3, 64 << 20)] {
            let (threads, decodes_ahead) = (NonZeroUsize::new(threads), prefetch_bytes == 0);
            let options = IterationOptions { threads, decodes_ahead, prefetch_bytes, ..options.clone() };
            let (found, _, error) = given(&dataset, &options);
            prop_assert!(error.is_none());
            prop_assert_eq!(&found, &expected);
        }
    }
}

#[test]
fn a_row_that_does_not_fit_is_an_error_after_the_batches_before_it() {
    let directory = Directory::new();
    let paths = write(&directory, &[100, 100], 300);
    let dataset = dataset(&paths, 197);
    for shuffle_buffer_size in [0, 20] {
        let options = |threads| IterationOptions {
            batch_size: 16,
            shuffle_buffer_size,
            seed: Some(4),
            threads: NonZeroUsize::new(threads),
            ..Default::default()
        };
        let (expected, state, error) = given(&dataset, &options(1));
        let error = error.unwrap().to_string();
        assert!(error.contains("expected an index of 0 or more, below 197, found 19"), "{error}");
        assert!(!expected.is_empty());
        for (threads, decodes_ahead) in [(1, true), (2, false), (3, false)] {
            let options = |threads| IterationOptions { decodes_ahead, ..options(threads) };
            let (found, place, same) = given(&dataset, &options(threads));
            assert_eq!((found.len(), same.unwrap().to_string()), (expected.len(), error.clone()));
            assert_eq!(found, expected);
            // The amount read ahead differs, but the position does not.
            let mut resumed = dataset.tensors(options(threads)).unwrap();
            resumed.load_state(&place).unwrap();
            assert_eq!(resumed.next().unwrap().unwrap_err().to_string(), error);
            resumed.load_state(&state).unwrap();
            assert_eq!(resumed.next().unwrap().unwrap_err().to_string(), error);
        }
        assert!(expected.iter().flatten().all(|(_, tensor)| match tensor {
            Tensor::Sparse(sparse) => sparse.indices().iter().all(|index| *index < 197),
            _ => true,
        }));
    }
}
