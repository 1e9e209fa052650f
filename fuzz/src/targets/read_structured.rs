//! Reads files with a schema of any shape and blocks of any bytes, some with wrong counts and sizes.

use arbitrary::{Arbitrary, Unstructured};
use arrowfeed_avro::Codec;

use crate::avro;
use crate::hostile::compress::CODECS;
use crate::hostile::container::Container;
use crate::hostile::ways::read;

/// A type of a schema. Named types are numbered in order of their definitions.
#[derive(Debug, Arbitrary)]
enum Shape {
    Primitive(u8),
    Logical(u8),
    Enum(u8),
    Fixed(u8),
    Array(Box<Shape>),
    Map(Box<Shape>),
    Optional(Box<Shape>),
    Union(Vec<Shape>),
    Record(Vec<Shape>),
    Again(u8),
}

#[derive(Debug, Arbitrary)]
struct Block {
    /// A number to add to the count, and a false size; `None` if both are correct.
    lies: Option<(i8, i64)>,
    count: u8,
    payload: Vec<u8>,
}

pub(crate) fn run(bytes: &[u8]) {
    let mut bytes = Unstructured::new(bytes);
    let Ok((codec, shape, blocks)) = <(u8, Shape, Vec<Block>)>::arbitrary(&mut bytes) else { return };
    let codec: Codec = CODECS[usize::from(codec) % CODECS.len()];
    let mut file = Container::new(&json(&shape, &mut 0), codec);
    for Block { lies, count, payload } in blocks {
        file = match lies {
            None => file.block(count.into(), &payload),
            Some((more, size)) => file.framed(i64::from(count) + i64::from(more), size, &payload),
        };
    }
    avro::check(&read(&file.bytes, &avro::options()));
}

fn json(shape: &Shape, named: &mut usize) -> String {
    let primitives = ["null", "boolean", "int", "long", "float", "double", "bytes", "string"];
    let logical = [
        r#"{"type":"int","logicalType":"date"}"#,
        r#"{"type":"long","logicalType":"timestamp-nanos"}"#,
        r#"{"type":"string","logicalType":"uuid"}"#,
        r#"{"type":"bytes","logicalType":"decimal","precision":38,"scale":3}"#,
        r#"{"type":"bytes","logicalType":"decimal","precision":76}"#,
        r#"{"type":"fixed","name":"Duration","size":12,"logicalType":"duration"}"#,
    ];
    let mut name = || {
        *named += 1;
        format!("N{named}")
    };
    match shape {
        Shape::Primitive(i) => format!("\"{}\"", primitives[usize::from(*i) % primitives.len()]),
        Shape::Logical(i) => logical[usize::from(*i) % logical.len()].to_owned(),
        Shape::Enum(n) => {
            let symbols: Vec<String> = (0..=n % 4).map(|i| format!("\"S{i}\"")).collect();
            format!(r#"{{"type":"enum","name":"{}","symbols":[{}]}}"#, name(), symbols.join(","))
        }
        Shape::Fixed(size) => format!(r#"{{"type":"fixed","name":"{}","size":{size}}}"#, name()),
        Shape::Array(items) => format!(r#"{{"type":"array","items":{}}}"#, json(items, named)),
        Shape::Map(values) => format!(r#"{{"type":"map","values":{}}}"#, json(values, named)),
        Shape::Optional(value) => format!(r#"["null",{}]"#, json(value, named)),
        Shape::Union(branches) => {
            let branches: Vec<String> = branches.iter().map(|branch| json(branch, named)).collect();
            format!("[{}]", branches.join(","))
        }
        Shape::Record(fields) => {
            let record = name();
            let field = |(i, shape)| format!(r#"{{"name":"f{i}","type":{}}}"#, json(shape, named));
            let fields: Vec<String> = fields.iter().enumerate().map(field).collect();
            format!(r#"{{"type":"record","name":"{record}","fields":[{}]}}"#, fields.join(","))
        }
        Shape::Again(i) => format!("\"N{i}\""),
    }
}
