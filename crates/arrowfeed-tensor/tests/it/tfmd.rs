//! Compares the messages of this crate with those of the tensorflow-metadata package, which `tests/data/make.py` has
//! recorded.

use std::collections::BTreeSet;
use std::path::Path;

use arrowfeed_tensor::{
    ColumnPath, DefaultValue, Dense, Partition, Ragged, Representation, Sparse, SplitsDType, Structured,
    Transform, VarLenRagged, VarLenSparse, project_tfmd_schema, representations_from_tfmd,
};

const FIELDS: &str = include_str!("../data/tfmd_fields.txt");
const REPRESENTATIONS: &str = include_str!("../data/tfmd_representations.txt");
const SCHEMA: &str = include_str!("../data/tfmd_schema.txt");

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<char> = hex.trim().chars().collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap()).collect()
}

fn representations() -> Vec<(&'static str, Representation)> {
    vec![
        (
            "dense",
            Representation::Dense(Dense {
                column: "d".to_owned(),
                shape: vec![2, 3],
                default: Some(DefaultValue::Float(-1.5)),
                pad: false,
                ..Dense::default()
            }),
        ),
        (
            "scalar",
            Representation::Dense(Dense {
                column: "s".to_owned(),
                shape: vec![],
                default: Some(DefaultValue::Bytes(vec![0xff, 0])),
                pad: false,
                ..Dense::default()
            }),
        ),
        (
            "varlen",
            Representation::VarLenSparse(VarLenSparse { column: "v".to_owned(), ..Default::default() }),
        ),
        (
            "sparse",
            Representation::Sparse(Sparse {
                index_columns: vec!["i".to_owned(), "j".to_owned()],
                value_column: "v".to_owned(),
                dense_shape: vec![None, Some(10)],
                already_sorted: true,
                ..Sparse::default()
            }),
        ),
        (
            "ragged",
            Representation::Ragged(Ragged {
                path: ColumnPath::new(["a", "b"]),
                partitions: vec![Partition::RowLength("n".to_owned()), Partition::Uniform(4)],
                row_splits_dtype: SplitsDType::Int32,
                ..Ragged::default()
            }),
        ),
    ]
}

#[test]
fn bytes_agree_both_ways() {
    for (line, (name, representation)) in REPRESENTATIONS.lines().zip(representations()) {
        let (found, hex) = line.split_once(' ').unwrap();
        assert_eq!(found, name);
        assert_eq!(Representation::from_proto(&bytes(hex)).unwrap(), representation);
        assert_eq!(representation.to_proto(), bytes(hex), "{name}");
    }
    assert_eq!(REPRESENTATIONS.lines().count(), representations().len());
}

#[test]
fn kinds_that_metadata_lacks_survive_the_round_trip() {
    let columns = vec!["a".to_owned(), "b.c".to_owned()];
    let all = [
        Representation::VarLenRagged(VarLenRagged {
            column: "x".to_owned(),
            row_splits_dtype: SplitsDType::Int32,
            ..VarLenRagged::default()
        }),
        Representation::Structured(Structured {
            columns,
            row_splits_dtype: SplitsDType::Int64,
            ..Structured::default()
        }),
        Representation::Dense(Dense {
            column: "x".to_owned(),
            shape: vec![1],
            default: Some(DefaultValue::UInt(u64::MAX)),
            pad: true,
            ..Dense::default()
        }),
    ];
    for representation in all {
        assert_eq!(Representation::from_proto(&representation.to_proto()).unwrap(), representation);
    }
}

#[test]
fn a_schema_with_parts_that_are_not_known_is_read() {
    let schema = bytes(SCHEMA);
    let mut declared = representations();
    declared.sort_by_key(|(name, _)| *name);
    let found = representations_from_tfmd(&schema, "all").unwrap();
    assert_eq!(found, declared.into_iter().map(|(name, it)| (name.to_owned(), it)).collect::<Vec<_>>());
    let names = |schema: &[u8]| -> Vec<String> {
        representations_from_tfmd(schema, "").unwrap().into_iter().map(|(name, _)| name).collect()
    };
    assert_eq!(names(&schema), ["joined", "image", "##SEQUENCE##.tokens"]);
    let projected = project_tfmd_schema(&schema, &["joined"]).unwrap();
    assert_eq!(names(&projected), ["joined"]);
}

#[test]
fn a_projected_schema_has_the_transforms_and_the_columns_of_crosses() {
    let cross = Representation::VarLenSparse(VarLenSparse {
        column: "a".to_owned(),
        transforms: vec![Transform::crossed(["b"], 10), Transform::Clipped { low: None, high: Some(5.0) }],
    });
    // Two features, and a group with one representation.
    let feature = |name: &str| field(1, &field(1, name.as_bytes()));
    let entry = [field(1, b"t"), field(2, &cross.to_proto())].concat();
    let group = [field(1, b""), field(2, &field(1, &entry))].concat();
    let schema = [feature("a"), feature("b"), feature("c"), field(13, &group)].concat();
    let projected = project_tfmd_schema(&schema, &["t"]).unwrap();
    assert_eq!(representations_from_tfmd(&projected, "").unwrap(), [("t".to_owned(), cross)]);
}

/// A field of a message that contains bytes.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let key = u16::from(number) << 3 | 2;
    let key = if key < 128 { vec![key as u8] } else { vec![(key & 127) as u8 | 128, (key >> 7) as u8] };
    [key, vec![content.len() as u8], content.to_vec()].concat()
}

/// A feature of a schema that is always present and has a shape of these sizes.
fn feature(name: &str, sizes: &[i64]) -> Vec<u8> {
    let mut shape = Vec::new();
    for size in sizes {
        let varint: Vec<u8> = match size {
            -1 => [vec![0xff; 9], vec![1]].concat(),
            size => vec![*size as u8],
        };
        shape.extend(field(2, &[vec![0x08], varint].concat()));
    }
    let presence = [vec![0x09], 1.0_f64.to_le_bytes().to_vec()].concat();
    field(1, &[field(1, name.as_bytes()), field(14, &presence), field(23, &shape)].concat())
}

#[test]
fn a_size_that_is_not_known_is_of_its_feature_only() {
    let schema = [feature("a", &[2]), feature("b", &[-1]), feature("c", &[3, -1])].concat();
    let varlen = |name: &str| {
        Representation::VarLenSparse(VarLenSparse { column: name.to_owned(), ..Default::default() })
    };
    let a = Representation::Dense(Dense { column: "a".to_owned(), shape: vec![2], ..Dense::default() });
    let expected = vec![("a".to_owned(), a), ("b".to_owned(), varlen("b")), ("c".to_owned(), varlen("c"))];
    assert_eq!(representations_from_tfmd(&schema, "").unwrap(), expected);
}

#[test]
fn the_last_of_two_features_with_one_name_counts() {
    let schema = [feature("a", &[2]), feature("b", &[1]), feature("a", &[3])].concat();
    let dense = |name: &str, size| {
        Representation::Dense(Dense { column: name.to_owned(), shape: vec![size], ..Dense::default() })
    };
    let expected = vec![("a".to_owned(), dense("a", 3)), ("b".to_owned(), dense("b", 1))];
    assert_eq!(representations_from_tfmd(&schema, "").unwrap(), expected);
}

#[test]
fn fields_and_bytes_that_are_not_known_do_no_harm() {
    let mut message =
        Representation::VarLenSparse(VarLenSparse { column: "v".to_owned(), ..Default::default() })
            .to_proto();
    // Field 77, an unknown string.
    message.extend([0xea, 0x04, 1, b'x']);
    assert!(matches!(Representation::from_proto(&message), Ok(Representation::VarLenSparse(_))));
    // A ragged tensor whose type of row splits is unknown.
    let ragged = [0x22, 0x07, 0x0a, 0x03, 0x0a, 0x01, b'a', 0x10, 0x63];
    let Ok(Representation::Ragged(ragged)) = Representation::from_proto(&ragged) else {
        panic!("a ragged tensor")
    };
    assert_eq!(ragged.row_splits_dtype, SplitsDType::Int64);
    let error = Representation::from_proto(&[]).unwrap_err().to_string();
    assert_eq!(error, "expected a known kind of representation, found an unknown kind");
    let error = Representation::from_proto(&[0x0a, 0x7f]).unwrap_err().to_string();
    assert!(error.starts_with("expected the bytes of a TensorRepresentation, found "), "{error}");
}

/// `Message.field number type label oneof`, and `Enum.VALUE number`, of the files in `proto`.
fn ours() -> Vec<(String, i32)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto");
    let files = ["path", "representation", "schema"];
    let files = files.map(|name| root.join(format!("arrowfeed/metadata/v0/{name}.proto")));
    let mut lines = Vec::new();
    for file in protox::compile(files, [root]).unwrap().file {
        let mut messages: Vec<_> = file.message_type.into_iter().map(|it| (String::new(), it)).collect();
        let mut enums: Vec<_> = file.enum_type.into_iter().map(|it| (String::new(), it)).collect();
        while let Some((prefix, message)) = messages.pop() {
            let name = format!("{prefix}{}", message.name());
            for field in &message.field {
                let oneof = field.oneof_index.map_or("-", |index| message.oneof_decl[index as usize].name());
                let kind = match field.type_name().strip_prefix(".arrowfeed.metadata.v0.") {
                    Some(name) => name.to_owned(),
                    None => (field.r#type() as i32).to_string(),
                };
                let (number, label) = (field.number(), field.label() as i32);
                lines.push((format!("{name}.{} {number} {kind} {label} {oneof}", field.name()), number));
            }
            messages.extend(message.nested_type.into_iter().map(|nested| (format!("{name}."), nested)));
            enums.extend(message.enum_type.into_iter().map(|nested| (format!("{name}."), nested)));
        }
        for (prefix, made) in enums {
            let values = made.value.iter().map(|value| (value.name(), value.number()));
            lines.extend(
                values.map(|(value, number)| (format!("{prefix}{}.{value} {number}", made.name()), number)),
            );
        }
    }
    lines
}

#[test]
fn every_field_is_tensorflow_metadatas_or_has_a_number_of_our_own() {
    let known: BTreeSet<&str> = FIELDS.lines().collect();
    let ours = ours();
    let of_our_own = ["VarLenRaggedTensor", "StructuredTensor"];
    let mut compared = 0;
    for (line, number) in &ours {
        let is_our_own = line.starts_with("Transform.")
            || of_our_own.iter().any(|name| line.contains(&format!(".{name}.")));
        if *number >= 1001 || is_our_own {
            assert!(!known.contains(line.as_str()), "{line}");
        } else {
            assert!(known.contains(line.as_str()), "not in TensorFlow Metadata: {line}");
            compared += 1;
        }
    }
    assert!(compared > 100, "compared {compared}");
}
