use std::ptr;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrowfeed::tensor::dlpack::{Managed, VersionedTensor, import};
use arrowfeed::tensor::{Dense, DenseTensor, Hash, Representation, TensorAdapter, Transform};
use arrowfeed_c::*;
use serde_json::{Value, json};

use crate::support::*;

const ROWS: &[u8] =
    b"{\"x\": [1.0, 2.0], \"tags\": [\"a\", \"bc\"], \"n\": 7, \"flag\": true, \"nest\": [[1], [2, 3]]}\n\
                      {\"x\": [3.0, 4.0], \"tags\": [], \"n\": 8, \"flag\": false, \"nest\": []}\n\
                      {\"x\": [5.0, 6.0], \"tags\": [\"def\"], \"n\": 9, \"flag\": true, \"nest\": [[]]}\n";

struct Stream(*mut TensorStream);

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the stream comes from the interface, and is freed once.
        unsafe { arrowfeed_tensor_stream_free(self.0) };
    }
}

struct Batch(*mut TensorBatch);

impl Drop for Batch {
    fn drop(&mut self) {
        // SAFETY: the batch comes from the interface, and is freed once.
        unsafe { arrowfeed_tensor_batch_free(self.0) };
    }
}

fn tensors(dataset: &Opened, options: &str) -> Stream {
    let mut out = ptr::null_mut();
    // SAFETY: the text has this length; the places are variables.
    called(|error| unsafe {
        let (text, len) = (options.as_ptr().cast(), options.len());
        arrowfeed_tensors(dataset.0, text, len, ptr::null(), &raw mut out, error)
    })
    .unwrap();
    Stream(out)
}

fn next(stream: &Stream) -> Option<Batch> {
    let mut out = ptr::null_mut();
    // SAFETY: the places are variables.
    called(|error| unsafe { arrowfeed_tensor_stream_next(stream.0, &raw mut out, error) }).unwrap();
    (!out.is_null()).then_some(Batch(out))
}

fn part(batch: &Batch, index: usize, part: i32, level: usize) -> Result<DenseTensor, Failure> {
    let mut out: *mut VersionedTensor = ptr::null_mut();
    // SAFETY: the places are variables.
    called(|error| unsafe { arrowfeed_tensor_part(batch.0, index, part, level, &raw mut out, error) })?;
    // SAFETY: the interface hands the struct over.
    Ok(import(unsafe { Managed::from_raw(out) }.unwrap()).unwrap())
}

fn options(file: &TempFile) -> String {
    // A text, because `json!` sorts names.
    let tensors = r#"{
        "x": {"kind": "dense", "column": "x", "shape": [2]},
        "n": {"kind": "dense", "column": "n"},
        "flag": {"kind": "dense", "column": "flag"},
        "tags": {"kind": "var_len_sparse", "column": "tags"},
        "nest": {"kind": "var_len_ragged", "column": "nest", "row_splits_dtype": "int32"},
        "padded": {"kind": "var_len_ragged", "column": "x", "padding": {"to": {"multiple_of": 4}, "value": -1.0}},
        "both": {"kind": "structured", "columns": ["n", "flag"]}
    }"#;
    format!(r#"{{"paths": {:?}, "tensors": {tensors}}}"#, file.0)
}

#[test]
fn the_parts_of_all_kinds_are_those_of_the_rows() {
    let file = TempFile::new("tensors.jsonl", ROWS);
    let dataset = open(&options(&file)).unwrap();
    let stream = tensors(&dataset, "{}");
    drop(dataset);
    let batch = next(&stream).unwrap();
    assert!(next(&stream).is_none());
    // SAFETY: the batch is not freed.
    let described: Vec<_> = unsafe {
        (0..arrowfeed_tensor_count(batch.0)).map(|index| {
            let mut rank = 0;
            let shape = arrowfeed_tensor_shape(batch.0, index, &raw mut rank);
            let shape = std::slice::from_raw_parts(shape, rank).to_vec();
            let (kind, splits) =
                (arrowfeed_tensor_kind(batch.0, index), arrowfeed_tensor_row_splits(batch.0, index));
            (text(arrowfeed_tensor_name(batch.0, index)).unwrap(), kind, shape, splits)
        })
    }
    .collect();
    let named = |name: &str, kind, shape: &[i64], splits| (name.to_owned(), kind, shape.to_vec(), splits);
    assert_eq!(
        described,
        [
            named("x", tensor_kind::DENSE, &[3, 2], 0),
            named("n", tensor_kind::DENSE, &[3], 0),
            named("flag", tensor_kind::DENSE, &[3], 0),
            named("tags", tensor_kind::SPARSE, &[3], 0),
            named("nest", tensor_kind::RAGGED, &[3], 2),
            named("padded", tensor_kind::DENSE, &[3, 4], 0),
            named("both.n", tensor_kind::DENSE, &[3], 0),
            named("both.flag", tensor_kind::DENSE, &[3], 0),
        ]
    );
    let part = |index, of, level| part(&batch, index, of, level).unwrap();
    let x = part(0, tensor_part::VALUES, 0);
    assert_eq!((x.shape(), x.values().as_f64().unwrap()), (&[3, 2][..], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]));
    assert_eq!(part(2, tensor_part::VALUES, 0).values().bools().unwrap(), [1, 0, 1]);
    assert_eq!(part(5, tensor_part::VALUES, 0).values().as_f64().unwrap()[2..4], [-1.0, -1.0]);
    assert_eq!(part(3, tensor_part::INDICES, 0).shape(), [3, 2]);
    assert_eq!(part(3, tensor_part::INDICES, 0).values().as_i64().unwrap(), [0, 0, 0, 1, 2, 0]);
    assert_eq!(part(3, tensor_part::DENSE_SHAPE, 0).values().as_i64().unwrap(), [3, 2]);
    assert_eq!(part(3, tensor_part::OFFSETS, 0).values().as_i64().unwrap(), [0, 1, 3, 6]);
    let bytes = part(3, tensor_part::VALUES, 0);
    assert_eq!(&bytes.values().buffer().unwrap()[..], b"abcdef");
    assert_eq!(part(4, tensor_part::ROW_SPLITS, 0).values().as_i32().unwrap(), [0, 2, 2, 3]);
    assert_eq!(part(4, tensor_part::ROW_SPLITS, 1).values().as_i32().unwrap(), [0, 1, 3, 3]);
}

#[test]
fn a_part_outlives_its_batch() {
    let file = TempFile::new("outlives.jsonl", ROWS);
    let dataset = open(&options(&file)).unwrap();
    let stream = tensors(&dataset, "{\"batch_size\": 2}");
    let (first, second) = (next(&stream).unwrap(), next(&stream).unwrap());
    let values = part(&first, 1, tensor_part::VALUES, 0).unwrap();
    drop((first, second, stream, dataset));
    assert_eq!(values.values().as_i64().unwrap(), [7, 8]);
}

#[test]
fn a_part_that_a_tensor_lacks_is_an_error() {
    let file = TempFile::new("parts.jsonl", ROWS);
    let dataset = open(&options(&file)).unwrap();
    let batch = next(&tensors(&dataset, "{}")).unwrap();
    let refused = |index, of, level| part(&batch, index, of, level).err().unwrap().shown();
    let expected = |message: &str| (ErrorKind::Argument, message.to_owned());
    assert_eq!(
        refused(0, tensor_part::OFFSETS, 0),
        expected("part: expected a part of the tensor \"x\", found part 2 of level 0")
    );
    assert_eq!(
        refused(4, tensor_part::ROW_SPLITS, 2),
        expected("part: expected a part of the tensor \"nest\", found part 5 of level 2")
    );
    assert_eq!(
        refused(0, tensor_part::VALUES, 1),
        expected("part: expected a part of the tensor \"x\", found part 1 of level 1")
    );
    assert_eq!(refused(8, 1, 0), expected("index: expected a number below 8, found 8"));
    // SAFETY: the batch is not freed.
    unsafe {
        assert!(arrowfeed_tensor_name(batch.0, 8).is_null());
        assert!(arrowfeed_tensor_shape(batch.0, 8, ptr::null_mut()).is_null());
        assert_eq!((arrowfeed_tensor_kind(batch.0, 8), arrowfeed_tensor_row_splits(batch.0, 8)), (0, 0));
        assert_eq!(arrowfeed_tensor_count(ptr::null()), 0);
    }
}

#[test]
fn tensors_resume_from_their_state() {
    let file = TempFile::new("state.jsonl", ROWS);
    let dataset = open(&options(&file)).unwrap();
    let stream = tensors(&dataset, "{\"batch_size\": 1}");
    next(&stream).unwrap();
    let mut state = ptr::null_mut();
    // SAFETY: the places are variables.
    called(|error| unsafe { arrowfeed_tensor_stream_state(stream.0, &raw mut state, error) }).unwrap();
    let (state, resumed) = (taken(state), tensors(&dataset, "{\"batch_size\": 1}"));
    // SAFETY: the text has this length.
    called(|error| unsafe {
        arrowfeed_tensor_stream_load_state(resumed.0, state.as_ptr().cast(), state.len(), error)
    })
    .unwrap();
    let numbers = std::iter::from_fn(|| next(&resumed));
    let numbers: Vec<i64> = numbers
        .map(|batch| part(&batch, 1, tensor_part::VALUES, 0).unwrap().values().as_i64().unwrap()[0])
        .collect();
    assert_eq!(numbers, [8, 9]);
}

#[test]
fn specs_describe_the_tensors() {
    let file = TempFile::new("specs.jsonl", ROWS);
    let dataset = open(&options(&file)).unwrap();
    let mut specs = ptr::null_mut();
    // SAFETY: the places are variables.
    called(|error| unsafe { arrowfeed_tensor_specs(dataset.0, &raw mut specs, error) }).unwrap();
    let specs: Value = serde_json::from_str(&taken(specs)).unwrap();
    let expected = json!({
        "name": "nest", "kind": "ragged", "dtype": "int64", "shape": [null, null, null], "ragged_rank": 2,
        "row_splits_dtype": "int32", "fields": [],
    });
    assert_eq!(specs[4], expected);
    assert_eq!(specs[6]["fields"][1]["name"], "flag");
    let failure = open("{\"paths\": [], \"tensors\": {\"a\": {\"kind\": \"dens\"}}}").err().unwrap();
    assert_eq!(
        failure.message,
        "options: tensors.a.kind: unknown variant `dens`, expected one of `dense`, `var_len_sparse`, `sparse`, `ragged`, `var_len_ragged`, \
         `structured`"
    );
}

#[test]
fn tensors_that_the_columns_do_not_allow_are_errors_of_tensors_only() {
    let file = TempFile::new("wrong.jsonl", ROWS);
    let wrong = json!({"paths": file.0, "tensors": {"t": {"kind": "dense", "column": "none"}}});
    let dataset = open(&wrong.to_string()).unwrap();
    assert_eq!(dataset.rows(), 3);
    let mut out = ptr::null_mut();
    // SAFETY: the places are variables.
    let failure = called(|error| unsafe {
        arrowfeed_tensors(dataset.0, ptr::null(), 0, ptr::null(), &raw mut out, error)
    });
    let failure = failure.unwrap_err();
    assert_eq!((failure.kind, failure.field.as_deref()), (ErrorKind::Representation, Some("none")));
}

#[test]
fn an_error_of_a_tensor_has_its_column_and_its_row() {
    let file = TempFile::new("rows-of-tensors.jsonl", b"{\"x\": [1]}\n{\"x\": [2]}\n{\"x\": [3, 4]}\n");
    let tensors_of = json!({"x": {"kind": "dense", "column": "x", "shape": [1]}});
    let dataset = open(&json!({"paths": file.0, "tensors": tensors_of}).to_string()).unwrap();
    let (stream, mut out) = (tensors(&dataset, "{}"), ptr::null_mut());
    // SAFETY: the places are variables.
    let failure =
        called(|error| unsafe { arrowfeed_tensor_stream_next(stream.0, &raw mut out, error) }).unwrap_err();
    assert_eq!((failure.kind, failure.field.as_deref()), (ErrorKind::Conversion, Some("x")));
    assert_eq!(failure.place, (-1, 2, -1));
    // The error has ended the stream.
    assert!(next(&stream).is_none());
}

#[test]
fn a_state_of_other_files_is_a_change() {
    let (file, other) = (TempFile::new("before.jsonl", ROWS), TempFile::new("after.jsonl", b"{\"n\": 1}\n"));
    let stream = tensors(&open(&options(&file)).unwrap(), "{}");
    let mut state = ptr::null_mut();
    // SAFETY: the places are variables.
    called(|error| unsafe { arrowfeed_tensor_stream_state(stream.0, &raw mut state, error) }).unwrap();
    let (state, resumed) = (taken(state), tensors(&other.open().unwrap(), "{}"));
    let load = |state: &str| {
        // SAFETY: the text has this length.
        let failure = called(|error| unsafe {
            arrowfeed_tensor_stream_load_state(resumed.0, state.as_ptr().cast(), state.len(), error)
        });
        failure.unwrap_err().kind
    };
    assert_eq!((load(&state), load("{")), (ErrorKind::Changed, ErrorKind::State));
}

#[test]
fn transforms_and_packed_rows_are_those_of_rust() {
    let file = TempFile::new(
        "transforms.jsonl",
        b"{\"site\": \"news\", \"price\": 1, \"tokens\": [1, 2]}\n{\"site\": \"shop\", \"price\": 5, \"tokens\": [3]}\n",
    );
    let dense = |column: &str, transforms: Value| json!({"kind": "dense", "column": column, "transforms": transforms});
    let packed = |pack: &str| json!({"kind": "var_len_ragged", "column": "tokens", "padding": {"to": 4, "pack": pack}});
    let given = [
        ("bucket", dense("site", json!([{"kind": "hashed", "buckets": 10}]))),
        ("seeded", dense("site", json!([{"kind": "hashed", "buckets": 10, "seed": 7}]))),
        ("keyed", dense("site", json!([{"kind": "hashed", "buckets": 10, "key": [1, 2]}]))),
        ("index", dense("site", json!([{"kind": "vocabulary", "tokens": ["news"], "mask": "none"}]))),
        ("range", dense("price", json!([{"kind": "bucketized", "boundaries": [2, 4]}]))),
        (
            "scaled",
            dense(
                "price",
                json!([{"kind": "clipped", "high": 3}, {"kind": "normalised", "mean": 1, "std": 2}]),
            ),
        ),
        ("exact", dense("price", json!([{"kind": "cast", "dtype": "float32", "lossy": true}]))),
        ("cross", dense("site", json!([{"kind": "crossed", "keys": ["price"], "buckets": 10}]))),
        ("tokens", packed("values")),
        ("segments", packed("segment_ids")),
    ];
    let definitions: serde_json::Map<String, Value> =
        given.iter().map(|(name, definition)| ((*name).to_owned(), definition.clone())).collect();
    let dataset = open(&json!({"paths": file.0, "tensors": definitions}).to_string()).unwrap();
    let batch = next(&tensors(&dataset, "{}")).unwrap();
    // The names are sorted in `json!`.
    let index = |name: &str| definitions.keys().position(|key| key == name).unwrap();
    let values = |name: &str| part(&batch, index(name), tensor_part::VALUES, 0).unwrap().values().clone();

    let text = |text: &str| Arc::new(StringArray::from(vec![text, "shop"])) as ArrayRef;
    let price = Arc::new(Int64Array::from(vec![1, 5])) as ArrayRef;
    let rows = RecordBatch::try_from_iter([("site", text("news")), ("price", price)]).unwrap();
    let ids = |transform| {
        let site = Dense { column: "site".to_owned(), transforms: vec![transform], ..Default::default() };
        let adapter = TensorAdapter::try_new(rows.schema(), [("x", Representation::Dense(site))]).unwrap();
        adapter.convert(&rows).unwrap().dense("x").unwrap().values().as_i64().unwrap().to_vec()
    };
    let hashed = |hash| ids(Transform::Hashed { buckets: 10, hash });
    assert_eq!(values("bucket").as_i64().unwrap(), hashed(Hash::Fingerprint64 { seed: None }));
    assert_eq!(values("seeded").as_i64().unwrap(), hashed(Hash::Fingerprint64 { seed: Some(7) }));
    assert_eq!(values("keyed").as_i64().unwrap(), hashed(Hash::SipHash { key: [1, 2] }));
    assert_eq!(values("cross").as_i64().unwrap(), ids(Transform::crossed(["price"], 10)));
    assert_eq!(values("index").as_i64().unwrap(), [2, 1]);
    assert_eq!(values("range").as_i64().unwrap(), [0, 2]);
    assert_eq!(values("scaled").as_f32().unwrap(), [0.0, 1.0]);
    assert_eq!(values("exact").as_f32().unwrap(), [1.0, 5.0]);
    assert_eq!(values("tokens").as_i64().unwrap(), [1, 2, 3, 0]);
    assert_eq!(values("segments").as_i32().unwrap(), [1, 1, 2, 0]);
}

#[test]
fn a_wrong_transform_is_an_error_that_names_it() {
    let refused = |transform: Value| {
        let tensor = json!({"kind": "dense", "column": "x", "transforms": [transform]});
        open(&json!({"paths": [], "tensors": {"x": tensor}}).to_string()).err().unwrap().message
    };
    let cases = [
        (json!({"kind": "hashed", "buckets": 0}), "expected at least 1 bucket, and less than 2^63, found 0"),
        (
            json!({"kind": "hashed", "buckets": 9, "seed": 1, "key": [1, 2]}),
            "expected a seed or a key, found both",
        ),
        (
            json!({"kind": "cast", "dtype": "int"}),
            "expected one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, \
             bytes, found \"int\"",
        ),
        (
            json!({"kind": "vocabulary", "tokens": [1, "a"]}),
            "expected tokens to be a list of strings or of integers",
        ),
        (json!({"kind": "clipped", "lower": 1}), "unknown field `lower`, expected `low` or `high`"),
        (json!([]), "invalid type: sequence, expected a JSON object"),
    ];
    for (transform, expected) in cases {
        assert_eq!(refused(transform), format!("options: tensors.x: transforms: {expected}"));
    }
}
