use prost::Message;

use super::*;
use crate::infer::project_tfmd_schema;
use crate::proto::sparse_feature::{IndexFeature, ValueFeature};
use crate::proto::{
    FeaturePresence, FixedShape, IntDomain, StructDomain, TensorRepresentationGroup, fixed_shape::Dim,
};

fn feature(name: &str) -> Feature {
    Feature { name: Some(name.to_owned()), ..Feature::default() }
}

fn shaped(name: &str, min_fraction: f64) -> Feature {
    let presence = FeaturePresence { min_fraction: Some(min_fraction), min_count: None };
    let dim = vec![Dim { size: Some(2), name: None }];
    Feature {
        presence_constraints: Some(PresenceConstraints::Presence(presence)),
        shape_type: Some(ShapeType::Shape(FixedShape { dim })),
        ..feature(name)
    }
}

fn index(name: &str, min: Option<i64>, max: Option<i64>) -> Feature {
    let domain = IntDomain { min, max, ..IntDomain::default() };
    Feature { domain_info: Some(DomainInfo::IntDomain(domain)), ..feature(name) }
}

fn structure(name: &str, fields: Vec<Feature>) -> Feature {
    let domain = StructDomain { feature: fields, sparse_feature: Vec::new() };
    Feature {
        domain_info: Some(DomainInfo::StructDomain(domain)),
        r#type: Some(FeatureType::Struct.into()),
        ..feature(name)
    }
}

fn sparse_feature(name: &str, indices: &[&str], value: &str) -> SparseFeature {
    SparseFeature {
        name: Some(name.to_owned()),
        index_feature: indices.iter().map(|name| IndexFeature { name: Some((*name).to_owned()) }).collect(),
        value_feature: Some(ValueFeature { name: Some(value.to_owned()) }),
        ..SparseFeature::default()
    }
}

fn found(schema: &Schema) -> Result<Vec<(String, String)>, String> {
    let found = representations_from_tfmd(&schema.encode_to_vec(), "").map_err(|error| error.to_string())?;
    Ok(found.into_iter().map(|(name, representation)| (name, format!("{representation:?}"))).collect())
}

fn names(schema: &Schema) -> Vec<String> {
    found(schema).unwrap().into_iter().map(|(name, _)| name).collect()
}

#[test]
fn features_become_the_columns_of_tfx_bsl() {
    let schema = Schema {
        feature: vec![
            shaped("dense", 1.0),
            feature("varlen"),
            structure("##SEQUENCE##", vec![feature("a"), feature("b")]),
            index("i", Some(0), Some(9)),
            feature("j"),
            feature("v"),
        ],
        sparse_feature: vec![sparse_feature("sp", &["i", "j"], "v")],
        ..Schema::default()
    };
    let found = representations_from_tfmd(&schema.encode_to_vec(), "").unwrap();
    let expected = [
        (
            "sp",
            Representation::Sparse(Sparse {
                index_columns: vec!["i".to_owned(), "j".to_owned()],
                value_column: "v".to_owned(),
                dense_shape: vec![Some(10), None],
                ..Sparse::default()
            }),
        ),
        (
            "dense",
            Representation::Dense(Dense { column: "dense".to_owned(), shape: vec![2], ..Dense::default() }),
        ),
        (
            "varlen",
            Representation::VarLenSparse(VarLenSparse { column: "varlen".to_owned(), ..Default::default() }),
        ),
        ("##SEQUENCE##.a", ragged_at(ColumnPath::new(["##SEQUENCE##", "a"]))),
        ("##SEQUENCE##.b", ragged_at(ColumnPath::new(["##SEQUENCE##", "b"]))),
    ];
    assert_eq!(found, expected.map(|(name, representation)| (name.to_owned(), representation)));
}

#[test]
fn variable_length_is_ragged_on_request_and_stages_are_left_out() {
    let stage = |name, stage: i32| Feature { lifecycle_stage: Some(stage), ..feature(name) };
    let schema = Schema {
        feature: vec![
            feature("a"),
            stage("planned", LifecycleStage::Planned.into()),
            stage("beta", LifecycleStage::Beta.into()),
            stage("a stage to come", 77),
            Feature { deprecated: Some(true), ..feature("deprecated") },
        ],
        represent_variable_length_as_ragged: Some(true),
        ..Schema::default()
    };
    assert_eq!(names(&schema), ["a", "beta", "a stage to come"]);
    assert!(found(&schema).unwrap()[0].1.starts_with("Ragged"));
    let inferred = representations_from_tfmd(&schema.encode_to_vec(), "").unwrap();
    // The path of a ragged tensor, and no type of the row splits.
    assert_eq!(inferred[0].1.to_proto(), [0x22, 5, 0x0a, 3, 0x0a, 1, b'a']);
}

#[test]
fn declared_representations_precede_inferred_ones() {
    let declared = Representation::Dense(Dense { column: "a".to_owned(), ..Dense::default() });
    let group = TensorRepresentationGroup {
        tensor_representation: [
            ("x".to_owned(), declared.to_message()),
            ("b".to_owned(), declared.to_message()),
        ]
        .into(),
    };
    let schema = Schema {
        feature: vec![feature("a"), feature("b"), feature("c")],
        tensor_representation_group: [(String::new(), group.clone()), ("serving".to_owned(), group)].into(),
        ..Schema::default()
    };
    assert_eq!(names(&schema), ["b", "x", "c"]);
    let bytes = schema.encode_to_vec();
    assert_eq!(representations_from_tfmd(&bytes, "serving").unwrap().len(), 2);
    let error = representations_from_tfmd(&bytes, "other").unwrap_err().to_string();
    let expected = r#"expected a group of tensor representations, one of ["", "serving"], found "other""#;
    assert_eq!(error, expected);
}

#[test]
fn features_without_a_representation_are_an_error() {
    let of = |feature, sparse_feature| {
        found(&Schema { feature, sparse_feature, ..Schema::default() }).expect_err("an error")
    };
    assert_eq!(
        of(vec![shaped("f", 0.5)], vec![]),
        r#"tensor "f": expected a presence with min_fraction 1 for a feature with a shape, found min_fraction 0.5"#
    );
    assert_eq!(
        of(vec![feature("v")], vec![sparse_feature("sp", &["i"], "v")]),
        r#"tensor "sp": expected a feature as index that no other sparse feature uses, found none named "i""#
    );
    assert_eq!(
        of(vec![index("i", None, None), feature("v")], vec![sparse_feature("sp", &["i"], "v")]),
        r#"tensor "sp", column "i": expected 0 as minimum of the domain of an index feature, found none"#
    );
    assert_eq!(
        of(vec![structure("s", vec![structure("t", vec![])])], vec![]),
        r#"tensor "s": expected a struct without structs inside, found "t""#
    );
    let error = representations_from_tfmd(&[0xff, 1], "").unwrap_err();
    assert_eq!(error.kind(), RepresentationErrorKind::Proto);
}

#[test]
fn a_projection_keeps_the_fields_of_structs_that_tensors_need() {
    let schema = Schema {
        feature: vec![feature("a"), structure("s", vec![feature("x"), feature("y")]), feature("b")],
        ..Schema::default()
    };
    let bytes = schema.encode_to_vec();
    let projected = parse(&project_tfmd_schema(&bytes, &["s.y", "b"]).unwrap()).unwrap();
    assert_eq!(projected.feature, [structure("s", vec![feature("y")]), feature("b")]);
    assert_eq!(names(&projected), ["b", "s.y"]);
    let error = project_tfmd_schema(&bytes, &["z"]).unwrap_err().to_string();
    assert_eq!(error, r#"expected the name of a tensor, one of ["a", "s.x", "s.y", "b"], found "z""#);
}
