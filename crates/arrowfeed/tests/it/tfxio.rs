//! Tests of `Tfxio`: a function that takes any source sees the batches, the tensors and the positions of each of them.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed::dataset::TfxioBatches;
use arrowfeed::tensor::{Dense, Representation, Tensors};
use arrowfeed::{
    Dataset, DatasetError, FeedError, FeedErrorKind, IterationOptions, TensorDefinitions, Tfxio,
};

use crate::files::{Directory, Format, batch, dataset, schema, write, write_as};

/// All tensors of a source, of which the second half is read after a resume.
fn train(source: &dyn Tfxio, options: &IterationOptions) -> Vec<Tensors> {
    let whole = source.tensors(options.clone()).unwrap().collect::<Result<Vec<_>, _>>().unwrap();
    let mut first = source.tensors(options.clone()).unwrap();
    let mut found: Vec<Tensors> = first.by_ref().take(whole.len() / 2).collect::<Result<_, _>>().unwrap();
    let mut second = source.tensors(options.clone()).unwrap();
    second.load_state(&first.state().unwrap()).unwrap();
    found.extend(second.map(Result::unwrap));
    assert_eq!(found, whole);
    found
}

#[test]
fn a_dataset_of_each_format_and_a_mixture_are_sources() {
    let directory = Directory::new();
    let options =
        IterationOptions { batch_size: 7, shuffle_buffer_size: 20, seed: Some(3), ..Default::default() };
    let mut datasets = Vec::new();
    for format in Format::ALL {
        let dataset = dataset(&write_as(format, &directory, &[30, 11], 100));
        let names: Vec<&str> = dataset.specs().iter().map(|(name, _)| name.as_str()).take(1).collect();
        let projected = Tfxio::project(&dataset, &names).unwrap();
        let expected = dataset.project(&names).unwrap();
        assert_eq!(projected.arrow_schema(), expected.arrow_schema(), "{format:?}");
        let tensors = expected.tensors(options.clone()).unwrap().collect::<Result<Vec<_>, _>>().unwrap();
        assert_eq!(train(&*projected, &options), tensors, "{format:?}");
        if format == Format::Avro {
            datasets.push(dataset);
        }
    }
    let other = Directory::new();
    datasets.push(dataset(&write(&other, &[5, 8], 100)));
    let mixed = Dataset::mixed(datasets.into_iter().zip([0.75, 0.25])).unwrap();
    let expected = mixed.project(&["id"]).unwrap();
    let tensors = expected.tensors(options.clone()).unwrap().collect::<Result<Vec<_>, _>>().unwrap();
    assert_eq!(train(&*Tfxio::project(&mixed, &["id"]).unwrap(), &options), tensors);
}

/// Numbered rows that come one batch after the other. The position is the number of the next row.
struct Queue {
    schema: SchemaRef,
    definitions: TensorDefinitions,
    rows: i64,
}

struct Queued {
    next: i64,
    rows: i64,
    batch_size: i64,
}

impl Queue {
    fn new(rows: i64) -> Self {
        let id = Representation::Dense(Dense { column: "id".to_owned(), ..Dense::default() });
        let definitions = TensorDefinitions::Representations(vec![("id".to_owned(), id)]);
        Self { schema: schema(), definitions, rows }
    }
}

fn refused(message: &str) -> DatasetError {
    FeedError::new(FeedErrorKind::Options, message.to_owned()).into()
}

impl Tfxio for Queue {
    fn arrow_schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn tensor_definitions(&self) -> &TensorDefinitions {
        &self.definitions
    }

    fn record_batches(
        &self,
        options: IterationOptions,
    ) -> Result<Box<dyn TfxioBatches<RecordBatch>>, DatasetError> {
        if options.shuffle_buffer_size > 0 {
            return Err(refused("shuffle_buffer_size: expected 0 for a queue, whose rows have an order"));
        }
        Ok(Box::new(Queued { next: 0, rows: self.rows, batch_size: options.batch_size as i64 }))
    }

    fn project(&self, names: &[&str]) -> Result<Box<dyn Tfxio>, DatasetError> {
        let definitions = self.definitions.project(self.schema.clone(), names)?;
        Ok(Box::new(Self { schema: self.schema.clone(), definitions, rows: self.rows }))
    }
}

impl Iterator for Queued {
    type Item = Result<RecordBatch, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        let numbers = self.next..(self.next + self.batch_size).min(self.rows);
        self.next = numbers.end;
        (!numbers.is_empty()).then(|| Ok(batch(numbers)))
    }
}

impl TfxioBatches<RecordBatch> for Queued {
    fn state(&mut self) -> Result<String, DatasetError> {
        Ok(self.next.to_string())
    }

    fn load_state(&mut self, state: &str) -> Result<(), DatasetError> {
        self.next = state.parse().map_err(|_| refused("state: expected a number of rows"))?;
        Ok(())
    }
}

#[test]
fn a_source_of_batches_in_order_has_tensors_and_positions() {
    let source = Queue::new(20);
    let options = IterationOptions { batch_size: 8, ..Default::default() };
    let found = train(&source, &options);
    let rows: Vec<i64> = found
        .iter()
        .flat_map(|tensors| {
            let id = tensors[0].1.as_dense().unwrap();
            id.values().as_i64().unwrap().to_vec()
        })
        .collect();
    assert!(rows.into_iter().eq(0..20));
    let none = source.project(&[]).unwrap();
    assert_eq!(none.tensor_adapter().unwrap().specs().len(), 0);
    let shuffled = IterationOptions { shuffle_buffer_size: 1, ..options };
    let error = source.tensors(shuffled).err().unwrap().to_string();
    assert_eq!(error, "shuffle_buffer_size: expected 0 for a queue, whose rows have an order");
}
