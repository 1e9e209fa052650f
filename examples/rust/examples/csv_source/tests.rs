use std::num::NonZeroU64;

use arrow_array::types::Float32Type;

use super::*;

/// A file that is removed on drop.
struct Written(PathBuf);

impl Written {
    fn new(name: &str, text: &str) -> Self {
        let path = env::temp_dir().join(format!("arrowfeed-{}-{name}.csv", std::process::id()));
        std::fs::write(&path, text).unwrap();
        Self(path)
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn rows_come_as_tensors_of_batches() {
    let file = Written::new("rows", "x, y\n1, 2\n3, 4\n5, 6\n");
    let source = Csv::open(file.0.clone()).unwrap();
    let options = |drop_remainder| IterationOptions { batch_size: 2, drop_remainder, ..Default::default() };
    let values = |source: &Csv, drop_remainder| -> Vec<Vec<(String, Vec<f32>)>> {
        let batches = source.tensors(options(drop_remainder)).unwrap();
        let one = |(name, tensor): (String, arrowfeed::tensor::Tensor)| {
            let dense = tensor.as_dense().unwrap();
            (name, dense.values().as_primitive::<Float32Type>().unwrap().to_vec())
        };
        batches.map(|tensors| tensors.unwrap().into_iter().map(one).collect()).collect()
    };
    let of = |name: &str, values: &[f32]| (name.to_owned(), values.to_vec());
    let first = vec![of("x", &[1.0, 3.0]), of("y", &[2.0, 4.0])];
    assert_eq!(values(&source, false), [first.clone(), vec![of("x", &[5.0]), of("y", &[6.0])]]);
    assert_eq!(values(&source, true), [first]);
    let projected = source.project(&["y"]).unwrap();
    assert_eq!(values(&projected, true), [[of("y", &[2.0, 4.0])]]);
}

#[test]
fn what_it_cannot_do_is_an_error() {
    let file = Written::new("wrong", "x\n1\nmany\n");
    let source = Csv::open(file.0.clone()).unwrap();
    let refused = |options| source.tensors(options).err().unwrap().to_string();
    assert_eq!(
        refused(IterationOptions { epochs: NonZeroU64::new(2), ..Default::default() }),
        "epochs: expected the default, found a value that this source does not support"
    );
    assert_eq!(
        refused(IterationOptions { batch_size: 0, ..Default::default() }),
        "batch_size: expected 1 or more, found 0"
    );
    let error = source.tensors(IterationOptions::default()).unwrap().next().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "invalid float literal");
    assert_eq!(
        source.project(&["z"]).err().unwrap().to_string(),
        r#"expected the name of a tensor, one of ["x"], found "z""#
    );
    assert!(Csv::open("no such file".into()).is_err());
}
