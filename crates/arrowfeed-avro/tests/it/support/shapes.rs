//! Random schemas, as a tree that proptest can shrink and that always becomes a valid schema in JSON.

use std::collections::HashSet;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// A type without names, which are assigned when it is written.
#[derive(Debug, Clone)]
pub(crate) enum Shape {
    /// A name, and further attributes.
    Primitive(&'static str, Json),
    /// An enum with this number of symbols.
    Enum(usize),
    Fixed(usize, Json),
    Array(Box<Shape>),
    Map(Box<Shape>),
    Record(Vec<Shape>),
    Nullable(Box<Shape>, bool),
    /// A union. Branches that it must not have are dropped.
    Union(Vec<Shape>),
    /// One of the earlier named types.
    Again(usize),
    /// A recursive record.
    Tree,
}

/// The kinds of types that schemas may contain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kinds {
    All,
    /// Recursive records too.
    Recursive,
    /// Only types that other libraries accept too: ASCII names, no invalid logical types, no decimals that Arrow does not
    /// support, no empty records, no fixed of no bytes.
    Common,
}

/// The JSON of a random schema.
pub(crate) fn schema_json(kinds: Kinds) -> impl Strategy<Value = String> {
    let fields = vec(shape(kinds), usize::from(kinds == Kinds::Common)..6);
    let record = fields.prop_map(Shape::Record);
    let root = if kinds == Kinds::Common {
        record.boxed()
    } else {
        prop_oneof![9 => record, 1 => shape(kinds)].boxed()
    };
    (root, 0..5_usize).prop_map(move |(root, salt)| {
        let mut writer = Writer { named: Vec::new(), count: 0, salt, ascii: kinds == Kinds::Common };
        writer.write(&root, "").0.to_string()
    })
}

fn shape(kinds: Kinds) -> impl Strategy<Value = Shape> {
    let common = kinds == Kinds::Common;
    let tree = if kinds == Kinds::Recursive { Just(Shape::Tree).boxed() } else { plain().boxed() };
    let invalid = if common { plain().boxed() } else { invalid_logical().boxed() };
    let again = (0..8_usize).prop_map(Shape::Again);
    let symbols = (1..6_usize).prop_map(Shape::Enum);
    let leaf = prop_oneof![
        8 => plain(), 4 => logical(common), 1 => invalid, 2 => symbols,
        2 => (usize::from(common)..20).prop_map(|size| Shape::Fixed(size, json!({}))),
        3 => again, 1 => tree,
    ];
    leaf.prop_recursive(4, 24, 5, move |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        prop_oneof![
            2 => boxed.clone().prop_map(Shape::Array),
            1 => boxed.clone().prop_map(Shape::Map),
            2 => vec(inner.clone(), usize::from(common)..5).prop_map(Shape::Record),
            3 => (boxed, any::<bool>()).prop_map(|(inner, first)| Shape::Nullable(inner, first)),
            2 => vec(inner, 1..5).prop_map(Shape::Union),
        ]
    })
}

fn plain() -> impl Strategy<Value = Shape> {
    let names = vec!["int", "long", "null", "boolean", "float", "double", "bytes", "string"];
    proptest::sample::select(names).prop_map(|name| Shape::Primitive(name, json!({})))
}

fn logical(common: bool) -> impl Strategy<Value = Shape> {
    // Up to the digits that Arrow supports, or more.
    let (most_digits, most_bytes) = if common { (76_usize, 32_usize) } else { (90, 40) };
    let primitives = [
        ("int", "date"),
        ("int", "time-millis"),
        ("long", "time-micros"),
        ("long", "timestamp-millis"),
        ("long", "timestamp-micros"),
        ("long", "timestamp-nanos"),
        ("long", "local-timestamp-millis"),
        ("long", "local-timestamp-micros"),
        ("long", "local-timestamp-nanos"),
        ("string", "uuid"),
    ];
    let primitive = proptest::sample::select(primitives.to_vec())
        .prop_map(|(name, logical)| Shape::Primitive(name, json!({ "logicalType": logical })));
    let fixed = proptest::sample::select(vec![(12, "duration"), (16, "uuid")])
        .prop_map(|(size, logical)| Shape::Fixed(size, json!({ "logicalType": logical })));
    let decimal = |precision: usize, scale: usize| json!({ "logicalType": "decimal", "precision": precision, "scale": scale });
    let bytes = (1..=most_digits, 0..90_usize).prop_map(move |(precision, scale)| {
        Shape::Primitive("bytes", decimal(precision, scale % (precision + 1)))
    });
    // The digits of any number with this many bytes.
    let sized = (1..=most_bytes, 0..90_usize).prop_map(move |(size, scale)| {
        let precision = ((size * 8 - 1) as f64 * std::f64::consts::LOG10_2) as usize;
        Shape::Fixed(size, decimal(precision, scale % (precision + 1)))
    });
    prop_oneof![4 => primitive, 1 => fixed, 1 => bytes, 1 => sized]
}

fn invalid_logical() -> impl Strategy<Value = Shape> {
    let cases = vec![
        Shape::Primitive("string", json!({ "logicalType": "date" })),
        Shape::Primitive("int", json!({ "logicalType": "timestamp-millis" })),
        Shape::Primitive("long", json!({ "logicalType": 5 })),
        Shape::Primitive("bytes", json!({ "logicalType": "decimal" })),
        Shape::Primitive("bytes", json!({ "logicalType": "decimal", "precision": 3, "scale": 4 })),
        Shape::Primitive("bytes", json!({ "logicalType": "uuid" })),
        Shape::Primitive("double", json!({ "logicalType": "of-my-own", "doc": "kept" })),
        Shape::Fixed(2, json!({ "logicalType": "decimal", "precision": 5 })),
        Shape::Fixed(15, json!({ "logicalType": "uuid" })),
        Shape::Fixed(13, json!({ "logicalType": "duration" })),
    ];
    proptest::sample::select(cases)
}

/// Writes shapes as JSON, and assigns names in all possible forms.
struct Writer {
    /// Namespaces and names of the types that are complete.
    named: Vec<(String, String)>,
    count: usize,
    salt: usize,
    ascii: bool,
}

impl Writer {
    /// The JSON of a type, and its kind, which a union may contain only once.
    fn write(&mut self, shape: &Shape, namespace: &str) -> (Json, String) {
        match shape {
            Shape::Primitive(name, extra) if extra.as_object().is_some_and(|extra| extra.is_empty()) => {
                (json!(name), (*name).to_owned())
            }
            Shape::Primitive(name, extra) => (with(json!({ "type": name }), extra), (*name).to_owned()),
            Shape::Array(items) => {
                (json!({ "type": "array", "items": self.write(items, namespace).0 }), "array".to_owned())
            }
            Shape::Map(values) => {
                (json!({ "type": "map", "values": self.write(values, namespace).0 }), "map".to_owned())
            }
            Shape::Nullable(inner, null_first) => {
                let null = Shape::Primitive("null", json!({}));
                let mut branches = vec![(**inner).clone(), null];
                branches.rotate_left(usize::from(*null_first));
                self.union(&branches, namespace)
            }
            Shape::Union(branches) => self.union(branches, namespace),
            Shape::Again(i) if !self.named.is_empty() => {
                let (space, name) = &self.named[i % self.named.len()];
                let full = if space.is_empty() { name.clone() } else { format!("{space}.{name}") };
                // In its own namespace, a name may be written without it.
                let text = if space == namespace && i % 2 == 0 { name } else { &full };
                (json!(text), full)
            }
            Shape::Again(_) => (json!("int"), "int".to_owned()),
            Shape::Enum(n) => {
                let symbols: Vec<String> = (0..*n).map(|i| format!("S{i}")).collect();
                self.define(json!({ "type": "enum", "symbols": symbols }), namespace, |_, _| None)
            }
            Shape::Fixed(size, extra) => {
                let json = with(json!({ "type": "fixed", "size": size }), extra);
                self.define(json, namespace, |_, _| None)
            }
            Shape::Record(fields) => self.define(json!({ "type": "record" }), namespace, |writer, space| {
                let fields = fields.iter().enumerate();
                Some(fields.map(|(i, field)| writer.field(i, field, space)).collect())
            }),
            Shape::Tree => self.tree(),
        }
    }

    fn field(&mut self, i: usize, shape: &Shape, namespace: &str) -> Json {
        let stem = if self.ascii { "f" } else { ["f", "_", "größe", "F"][(i + self.salt) % 4] };
        json!({ "name": format!("{stem}{i}"), "type": self.write(shape, namespace).0 })
    }

    fn union(&mut self, branches: &[Shape], namespace: &str) -> (Json, String) {
        let mut known = HashSet::new();
        let mut written = Vec::new();
        self.branches(branches, namespace, &mut known, &mut written);
        (Json::Array(written), "union".to_owned())
    }

    fn branches(
        &mut self,
        of: &[Shape],
        namespace: &str,
        known: &mut HashSet<String>,
        written: &mut Vec<Json>,
    ) {
        for branch in of {
            match branch {
                Shape::Union(inner) => self.branches(inner, namespace, known, written),
                Shape::Nullable(inner, _) => {
                    let inner = std::slice::from_ref(&**inner);
                    self.branches(inner, namespace, known, written);
                }
                branch => {
                    let before = (self.named.len(), self.count);
                    let (json, key) = self.write(branch, namespace);
                    if known.insert(key) {
                        written.push(json);
                    } else {
                        self.named.truncate(before.0);
                        self.count = before.1;
                    }
                }
            }
        }
    }

    /// Defines a named type; `fields` writes the fields of a record in the namespace of the type.
    fn define(
        &mut self,
        mut json: Json,
        namespace: &str,
        fields: impl FnOnce(&mut Self, &str) -> Option<Vec<Json>>,
    ) -> (Json, String) {
        let name = format!("T{}", self.count);
        let style = (self.count + self.salt) % 5;
        // Not every library can refer from inside a namespace to names without one.
        let style = if self.ascii { 2 + style % 2 } else { style };
        self.count += 1;
        let space = match style {
            0 | 1 => namespace,
            2 | 3 => ["a.b", "org.example"][self.count % 2],
            _ => "",
        };
        if style == 2 {
            json["name"] = json!(format!("{space}.{name}"));
        } else {
            json["name"] = json!(name);
        }
        if style > 2 {
            json["namespace"] = json!(space);
        }
        if let Some(fields) = fields(self, space) {
            json["fields"] = json!(fields);
        }
        let full = if space.is_empty() { name.clone() } else { format!("{space}.{name}") };
        self.named.push((space.to_owned(), name));
        (json, full)
    }

    fn tree(&mut self) -> (Json, String) {
        let name = format!("t.Tree{}", self.count);
        self.count += 1;
        let kids = json!({ "name": "kids", "type": { "type": "array", "items": name } });
        let next = json!({ "name": "next", "type": ["null", "int", name] });
        (json!({ "type": "record", "name": name, "fields": [kids, next] }), name)
    }
}

fn with(mut json: Json, extra: &Json) -> Json {
    for (key, value) in extra.as_object().into_iter().flatten() {
        json[key] = value.clone();
    }
    json
}
