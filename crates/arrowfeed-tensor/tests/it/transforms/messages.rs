//! Whole messages, values at the edges, and reports.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, DictionaryArray, Float16Array, Float32Array, Float64Array, Int8Array, Int32Array, ListArray,
    RecordBatch, StringArray, UInt8Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field};
use arrowfeed_tensor::feature::{self, Casts, Feature};
use arrowfeed_tensor::{
    DType, DefaultValue, Dense, Lookup, Padding, Representation, RepresentationError, Sparse, TensorAdapter,
    Token, Transform, Values, VarLenRagged, VarLenSparse, Vocabulary,
};

use crate::support::{adapter, batch, convert, int64, lists, refused, unfit};

fn dense(transforms: Vec<Transform>) -> Representation {
    Representation::Dense(Dense { column: "x".to_owned(), transforms, ..Dense::default() })
}

fn values(column: ArrayRef, transforms: Vec<Transform>) -> Values {
    let tensor = convert(&batch(vec![("x", column)]), &dense(transforms)).unwrap();
    tensor.as_dense().unwrap().values().clone()
}

fn strings(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn lookup(tokens: &[&str], oov: u64, default: Option<i64>) -> Transform {
    let vocabulary = Arc::new(Vocabulary::from_tokens(tokens).unwrap());
    Transform::Lookup(Lookup { vocabulary, oov, default, mask: None })
}

#[test]
fn a_nan_is_in_the_last_bucket_and_is_neither_clipped_nor_normalised() {
    let numbers =
        || Arc::new(Float64Array::from(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 1.0]));
    for count in [2, 40] {
        let boundaries: Vec<f64> = (0..count).map(f64::from).collect();
        let buckets = values(numbers(), vec![Transform::Bucketized { boundaries }]);
        assert_eq!(buckets.as_i64().unwrap(), [i64::from(count), i64::from(count), 0, 1, 2]);
    }
    let clipped = values(numbers(), vec![Transform::Clipped { low: Some(-2.5), high: Some(0.5) }]);
    assert_eq!(format!("{:?}", clipped.as_f64().unwrap()), "[NaN, 0.5, -2.5, -0.0, 0.5]");
    let normalised = values(numbers(), vec![Transform::Normalised { mean: 1.0, std: 2.0 }]);
    assert_eq!(format!("{:?}", normalised.as_f64().unwrap()), "[NaN, inf, -inf, -0.5, 0.0]");
}

#[test]
fn only_results_of_a_division_become_another_float_without_lossy() {
    let numbers = || Arc::new(Float64Array::from(vec![0.3, 1.0])) as ArrayRef;
    let cast = Transform::Cast { dtype: DType::Float32, lossy: false };
    let normalised = Transform::Normalised { mean: 0.1, std: 3.0 };
    let clipped = Transform::Clipped { low: Some(0.0), high: None };
    let rounded = values(numbers(), vec![normalised.clone(), clipped.clone(), cast.clone()]);
    let expected = [((0.3 - 0.1) / 3.0) as f32, ((1.0 - 0.1) / 3.0) as f32];
    assert_eq!(rounded.as_f32().unwrap(), expected);

    let integers = Transform::Cast { dtype: DType::Int64, lossy: false };
    let given = [vec![clipped, cast], vec![normalised, integers]];
    for (transforms, found) in given.into_iter().zip(["float32", "int64"]) {
        let schema = batch(vec![("x", numbers())]).schema();
        let error = TensorAdapter::try_new(schema, [("x", dense(transforms))]).unwrap_err().to_string();
        let expected = format!("expected values that {found} holds exactly, found float64");
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn limits_beyond_the_range_of_a_type_do_nothing() {
    let clipped = |column: ArrayRef, low, high| values(column, vec![Transform::Clipped { low, high }]);
    let small = clipped(Arc::new(Int8Array::from(vec![-128, 5, 127])), Some(-1000.0), Some(100.0));
    assert_eq!(small.array().as_ref(), &Int8Array::from(vec![-128, 5, 100]));
    let unsigned = clipped(Arc::new(UInt8Array::from(vec![0, 255])), Some(-1.0), None);
    assert_eq!(unsigned.array().as_ref(), &UInt8Array::from(vec![0, 255]));
    let half = clipped(Arc::new(Float16Array::from(vec![half::f16::from_f64(3.0)])), None, Some(0.5));
    assert_eq!(half.array().as_ref(), &Float16Array::from(vec![half::f16::from_f64(0.5)]));
}

#[test]
fn types_that_a_transform_does_not_take_are_named_with_their_column() {
    let floats = batch(vec![("x", Arc::new(Float32Array::from(vec![1.0])))]);
    let texts = batch(vec![("x", strings(&["a"]))]);
    for (batch, transforms, message) in [
        (&floats, vec![Transform::hashed(10)], "strings, bytes or integers for hashed(10), found Float32"),
        (
            &floats,
            vec![lookup(&["a"], 1, None)],
            r#"strings or byte strings for vocabulary(["a"]), found Float32"#,
        ),
        (
            &texts,
            vec![Transform::lookup(Vocabulary::from_integers([1]).unwrap())],
            "integers for vocabulary([1]), found Utf8",
        ),
        (
            &texts,
            vec![Transform::Bucketized { boundaries: vec![0.5] }],
            "numbers for bucketized([0.5]), found Utf8",
        ),
        (
            &texts,
            vec![Transform::hashed(10), Transform::crossed(["x"], 5)],
            r#"crossed(["x"], 5) as the first transform, found hashed(10)"#,
        ),
        (
            &texts,
            vec![Transform::Cast { dtype: DType::Int64, lossy: true }],
            "values of int64, found Utf8, which is bytes",
        ),
    ] {
        let found = unfit(batch, &dense(transforms));
        assert_eq!(found, format!(r#"tensor "t", column "x": expected {message}"#));
    }
    let feature = Feature::VarLen(feature::VarLen {
        key: "x".to_owned(),
        transforms: vec![Transform::Clipped { low: None, high: Some(1.0) }],
        ..feature::VarLen::default()
    });
    let error = TensorAdapter::from_features(texts.schema(), [("t", feature)]).unwrap_err();
    let expected = r#"tensor "t", key "x": expected numbers for clipped(None, 1.0), found Utf8"#;
    assert_eq!(error.to_string(), expected);
}

#[test]
fn arguments_out_of_their_range_are_refused() {
    let lookup = |oov, default, mask: Option<Token>| {
        let vocabulary = Arc::new(Vocabulary::from_tokens(["a"]).unwrap());
        Transform::Lookup(Lookup { vocabulary, oov, default, mask })
    };
    let bucketized = |boundaries: &[f64]| Transform::Bucketized { boundaries: boundaries.to_vec() };
    for (transform, message) in [
        (Transform::hashed(0), "expected at least 1 bucket, and less than 2^63, found 0"),
        (
            Transform::crossed(["y"], 1 << 63),
            "expected at least 1 bucket, and less than 2^63, found 9223372036854775808",
        ),
        (
            Transform::crossed([""; 0], 9),
            "expected at least one other column or key to cross with, found none",
        ),
        (bucketized(&[]), "expected at least one boundary, found none"),
        (bucketized(&[1.0, 1.0]), "expected boundaries in ascending order, found 1.0 before 1.0"),
        (bucketized(&[f64::NAN]), "expected boundaries that are numbers, found NaN"),
        (Transform::Clipped { low: None, high: None }, "expected at least one of low and high, found none"),
        (
            Transform::Clipped { low: Some(2.0), high: Some(1.0) },
            "expected low, which is at most high, found low 2.0 and high 1.0",
        ),
        (Transform::Normalised { mean: f64::NAN, std: 1.0 }, "expected a finite mean, found NaN"),
        (Transform::Normalised { mean: 0.0, std: 0.0 }, "expected a finite std above 0, found 0"),
        (Transform::Cast { dtype: DType::Bytes, lossy: false }, "expected a type of numbers, found bytes"),
        (
            lookup(1, Some(0), None),
            "expected `oov` 0 with a default for values that are not in the vocabulary, found `oov` 1",
        ),
        (
            lookup(1, None, Some(Token::Integer(3))),
            "expected a mask that is one of the strings or byte strings, found 3",
        ),
        (
            lookup(1, None, Some(Token::Bytes(b"a".to_vec()))),
            r#"expected a mask that is not one of the tokens, found "a""#,
        ),
        (lookup(u64::MAX, None, None), "expected less than 2^63 indices, found `oov` 18446744073709551615"),
    ] {
        assert_eq!(transform.validate().unwrap_err().to_string(), message);
    }
    let integers = batch(vec![("x", int64(&[1]))]);
    let clipped = |low| unfit(&integers, &dense(vec![Transform::Clipped { low: Some(low), high: None }]));
    let expected = "expected limits that are integers of at most 2^53, for Int64, found 0.5";
    assert_eq!(clipped(0.5), format!(r#"tensor "t", column "x": {expected}"#));
}

#[test]
fn tokens_that_are_no_vocabulary_are_refused() {
    let message = |made: Result<Vocabulary, RepresentationError>| made.unwrap_err().to_string();
    assert_eq!(message(Vocabulary::from_lines(b"")), "expected at least one token, found none");
    let twice = r#"expected different tokens, found "b" as tokens 1 and 3"#;
    assert_eq!(message(Vocabulary::from_lines(b"a\nb\r\nc\nb")), twice);
    let bytes = "expected lines in UTF-8, found another byte on line 2";
    assert_eq!(message(Vocabulary::from_lines(b"a\n\xff\n")), bytes);
    let line = r#"expected an integer of 64 bits on each line, found "x" on line 2"#;
    assert_eq!(message(Vocabulary::integers_from_lines(b"7\nx\n")), line);
    let twice = "expected different tokens, found 7 as tokens 0 and 1";
    assert_eq!(message(Vocabulary::integers_from_lines(b"7\n7\n")), twice);
    let null: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
    assert_eq!(message(Vocabulary::from_array(&null)), "expected tokens without nulls, found a null at 1");
    let floats: ArrayRef = Arc::new(Float32Array::from(vec![1.0]));
    let expected = "expected strings, byte strings or integers, found Float32";
    assert_eq!(message(Vocabulary::from_array(&floats)), expected);
}

#[test]
fn vocabularies_of_all_sources_are_equal() {
    let expected = Vocabulary::from_tokens(["b", "", "a"]).unwrap();
    let dictionary = DictionaryArray::new(Int32Array::from(vec![1, 2, 0]), strings(&["a", "b", ""]));
    let arrays: [ArrayRef; 2] = [strings(&["b", "", "a"]), Arc::new(dictionary)];
    for array in &arrays {
        assert_eq!(Vocabulary::from_array(array).unwrap(), expected);
    }
    assert_eq!(Vocabulary::from_lines(b"b\n\na\n").unwrap(), expected);
    assert_eq!(expected.to_string(), r#"["b", "", "a"]"#);
    let integers = Vocabulary::from_array(&int64(&[5, -1])).unwrap();
    assert_eq!(integers, Vocabulary::integers_from_lines(b"5\n-1").unwrap());
    let many = Vocabulary::from_integers(0..9).unwrap().to_string();
    assert!(many.starts_with("<9 tokens, fingerprint "), "{many}");
    assert_ne!(Vocabulary::from_integers((0..9).rev()).unwrap().to_string(), many);
}

#[test]
fn a_token_is_found_among_many_with_its_prefix_and_its_length() {
    let of = |number: usize| ["", "long prefix ", "\0\0"][number % 3].to_owned() + &(number / 7).to_string();
    let tokens: BTreeSet<String> = (0..3_000).map(of).chain(["".to_owned(), "\0".to_owned()]).collect();
    let vocabulary = Vocabulary::from_tokens(&tokens).unwrap();
    assert_eq!(vocabulary.len(), tokens.len());
    let index = |text: &str| vocabulary.index(&Token::Bytes(text.as_bytes().to_vec()));
    for (position, token) in tokens.iter().enumerate() {
        assert_eq!(index(token), Some(position), "{token:?}");
        for other in [format!("{token}\0"), format!("\0{token}"), format!("{token}x")] {
            let expected = tokens.iter().position(|token| *token == other);
            assert!(index(&other) == expected, "{other:?}");
        }
    }
}

/// A list with strings, the second of which is null over stored values.
fn hidden() -> RecordBatch {
    let items = Arc::new(Field::new_list_field(DataType::Utf8, true));
    let offsets = OffsetBuffer::from_lengths([2, 2, 2]);
    let values = strings(&["a", "b", "?", "?", "b", "c"]);
    let nulls = NullBuffer::from(vec![true, false, true]);
    batch(vec![("x", Arc::new(ListArray::new(items, offsets, values, Some(nulls))))])
}

#[test]
fn only_a_value_that_is_in_the_tensor_must_be_in_the_vocabulary() {
    let of = |tokens: &[&str]| {
        Representation::Dense(Dense {
            column: "x".to_owned(),
            shape: vec![2],
            default: Some(DefaultValue::Int(-1)),
            transforms: vec![lookup(tokens, 0, None)],
            ..Dense::default()
        })
    };
    let tensor = convert(&hidden(), &of(&["a", "b", "c"])).unwrap();
    assert_eq!(tensor.as_dense().unwrap().values().as_i64().unwrap(), [0, 1, -1, -1, 1, 2]);
    let expected = r#"expected a value of the vocabulary (`oov` 1 gives others an index), found "c""#;
    assert_eq!(refused(&hidden(), &of(&["a", "b"])), format!(r#"tensor "t", column "x", row 2: {expected}"#));
}

#[test]
fn an_unknown_value_is_named_with_its_row() {
    let expected = r#"expected a value of the vocabulary (`oov` 1 gives others an index), found "#;
    let transforms = vec![lookup(&["a"], 0, None)];
    let dictionary = DictionaryArray::new(
        Int32Array::from(vec![Some(2), None, Some(1), Some(1)]),
        strings(&["unused", "other", "a"]),
    );
    let columns: [ArrayRef; 2] =
        [Arc::new(StringArray::from(vec![Some("a"), None, Some("other"), Some("b")])), Arc::new(dictionary)];
    for column in columns {
        let batch = batch(vec![("x", column)]);
        for representation in [
            Representation::Dense(Dense {
                column: "x".to_owned(),
                default: Some(DefaultValue::Int(0)),
                transforms: transforms.clone(),
                ..Dense::default()
            }),
            Representation::VarLenSparse(VarLenSparse {
                column: "x".to_owned(),
                transforms: transforms.clone(),
            }),
        ] {
            let message = refused(&batch, &representation);
            assert_eq!(message, format!(r#"tensor "t", column "x", row 2: {expected}"other""#));
        }
    }
    let integers = Transform::Lookup(Lookup {
        vocabulary: Arc::new(Vocabulary::from_integers([1]).unwrap()),
        oov: 0,
        default: None,
        mask: None,
    });
    let message = refused(&batch(vec![("x", int64(&[1, 7]))]), &dense(vec![integers]));
    assert_eq!(message, format!(r#"tensor "t", column "x", row 1: {expected}7"#));
    let narrow = Transform::Cast { dtype: DType::Int8, lossy: true };
    let message = refused(&batch(vec![("x", int64(&[1, 700]))]), &dense(vec![narrow]));
    assert_eq!(message, r#"tensor "t", column "x", row 1: expected a value in the range of int8, found 700"#);
}

#[test]
fn crossed_columns_have_the_same_nesting() {
    let transforms = || vec![Transform::crossed(["y"], 10)];
    let ragged = || {
        Representation::VarLenRagged(VarLenRagged {
            column: "x".to_owned(),
            transforms: transforms(),
            ..VarLenRagged::default()
        })
    };
    let (first, second) = (lists(&[Some(&[1, 2]), Some(&[3])]), lists(&[Some(&[1, 2]), None]));
    let uneven = batch(vec![("x", first.clone()), ("y", second)]);
    let message = r#"tensor "t", column "y", row 1: expected 1 value as in "x", found 0"#;
    assert_eq!(refused(&uneven, &ragged()), message);
    let flat = batch(vec![("x", first.clone()), ("y", int64(&[1, 2]))]);
    let message = r#"tensor "t", column "y": expected lists of depth 1, as "x" has, found depth 0"#;
    assert_eq!(unfit(&flat, &ragged()), message);
    let floats = batch(vec![("x", int64(&[1])), ("y", Arc::new(Float32Array::from(vec![1.0])))]);
    let expected = r#"strings, bytes or integers for crossed(["y"], 10), found Float32 in "y""#;
    assert_eq!(
        unfit(&floats, &dense(transforms())),
        format!(r#"tensor "t", column "x": expected {expected}"#)
    );
    assert_eq!(ragged().source_columns().len(), 2);

    let feature = |key: &str, with: &str| {
        Feature::VarLen(feature::VarLen {
            key: key.to_owned(),
            transforms: vec![Transform::crossed([with], 10)],
            ..feature::VarLen::default()
        })
    };
    let of = |feature| TensorAdapter::from_features(uneven.schema(), [("t", feature)]);
    let adapter = of(feature("x", "y")).unwrap();
    assert_eq!(adapter.columns(), [0, 1]);
    let message = r#"tensor "t", key "y[*]", row 1: expected 1 value as in "x[*]", found 0"#;
    assert_eq!(adapter.convert(&uneven).unwrap_err().to_string(), message);
    let message = r#"tensor "t", key "y[0]": expected 1 dimension, as "x[*]" has, found 0"#;
    assert_eq!(of(feature("x", "y[0]")).unwrap_err().to_string(), message);
}

#[test]
fn the_values_of_a_sparse_tensor_are_transformed_and_its_indices_are_not() {
    let batch = batch(vec![("i", lists(&[Some(&[4, 0])])), ("x", lists(&[Some(&[30, 10])]))]);
    let sparse = Representation::Sparse(Sparse {
        index_columns: vec!["i".to_owned()],
        value_column: "x".to_owned(),
        dense_shape: vec![None],
        transforms: vec![Transform::Bucketized { boundaries: vec![20.0] }],
        ..Sparse::default()
    });
    let tensor = convert(&batch, &sparse).unwrap();
    let tensor = tensor.as_sparse().unwrap();
    assert_eq!((&tensor.indices()[..], tensor.values().as_i64().unwrap()), (&[0, 0, 0, 4][..], &[0, 1][..]));
}

#[test]
fn the_type_of_a_feature_is_that_after_its_transforms() {
    let column = batch(vec![("x", strings(&["a", "b"]))]);
    let of = |dtype, casts| {
        let feature = Feature::Dense(feature::Dense {
            key: "x".to_owned(),
            transforms: vec![Transform::hashed(10)],
            dtype: Some(dtype),
            casts,
            ..feature::Dense::default()
        });
        TensorAdapter::from_features(column.schema(), [("t", feature)])
    };
    let adapter = of(DType::Int32, Casts::Lossy).unwrap();
    assert_eq!(adapter.specs()[0].1.to_string(), "dense int32 [?]");
    assert_eq!(of(DType::Int64, Casts::Exact).unwrap().specs()[0].1.to_string(), "dense int64 [?]");
    let message = r#"tensor "t", key "x": expected values that int32 holds exactly, found int64 (`lossy` converts them)"#;
    assert_eq!(of(DType::Int32, Casts::Exact).unwrap_err().to_string(), message);
}

#[test]
fn rows_are_padded_with_values_of_the_type_of_the_results() {
    let items = Arc::new(Field::new_list_field(DataType::Utf8, true));
    let offsets = OffsetBuffer::from_lengths([2, 0, 1]);
    let column = ListArray::new(items, offsets, strings(&["a", "b", "?"]), None);
    let batch = batch(vec![("x", Arc::new(column))]);
    let padding = Padding { value: Some(DefaultValue::Int(-1)), ..Padding::default() };
    let transforms = vec![lookup(&["a", "b"], 1, None)];
    let representation = Representation::VarLenRagged(VarLenRagged {
        column: "x".to_owned(),
        padding: Some(padding.clone()),
        transforms: transforms.clone(),
        ..VarLenRagged::default()
    });
    let feature = Feature::Ragged(feature::Ragged {
        key: "x".to_owned(),
        padding: Some(padding),
        transforms,
        ..feature::Ragged::default()
    });
    let report = "t: dense int64 [?, ?]\n  values: computed, by vocabulary([\"a\", \"b\"]) of Utf8, and rows are padded";
    let of_feature = TensorAdapter::from_features(batch.schema(), [("t", feature)]).unwrap();
    for adapter in [adapter(&batch, &representation).unwrap(), of_feature] {
        let tensor = adapter.convert(&batch).unwrap().into_iter().next().unwrap().1;
        let expected = [1, 2, -1, -1, 0, -1];
        assert_eq!(tensor.as_dense().unwrap().values().as_i64().unwrap(), expected);
        assert_eq!(adapter.explain()[0].to_string(), report);
    }
    assert_eq!(Representation::from_proto(&representation.to_proto()).unwrap(), representation);
}

#[test]
fn a_report_names_the_transforms() {
    let numbers = batch(vec![("x", int64(&[1]))]);
    let transforms = vec![
        Transform::Clipped { low: Some(0.0), high: None },
        Transform::Normalised { mean: 0.5, std: 2.0 },
    ];
    let adapter = adapter(&numbers, &dense(transforms)).unwrap();
    let expected =
        "t: dense float32 [?]\n  values: computed, by clipped(0.0, None), then normalised(0.5, 2.0) of Int64";
    assert_eq!(adapter.explain()[0].to_string(), expected);
}
