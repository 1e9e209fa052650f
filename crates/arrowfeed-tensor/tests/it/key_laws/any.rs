//! Random schemas, records of a schema, and keys for it.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, UnionFields, UnionMode};
use serde_json::{Value, json};

/// Generator of small numbers from a seed.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(2).wrapping_add(1))
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

const NAMES: [&str; 5] = ["a", "b", "c", "odd name", "it's"];
const TEXTS: [&str; 4] = ["aa", "bb", "it", "''"];

pub(crate) fn fields(random: &mut Random, depth: usize) -> Fields {
    let names = &NAMES[..1 + random.below(NAMES.len())];
    names.iter().map(|name| field(name, random, depth)).collect()
}

fn field(name: &str, random: &mut Random, depth: usize) -> FieldRef {
    Arc::new(Field::new(name, data_type(random, depth), true))
}

fn leaf(random: &mut Random) -> DataType {
    let text = || Box::new(DataType::Utf8);
    let leaves = [
        DataType::Int32,
        DataType::Int32,
        DataType::Int64,
        DataType::UInt64,
        DataType::Float32,
        DataType::Float64,
        DataType::Boolean,
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Utf8View,
        DataType::Binary,
        DataType::FixedSizeBinary(2),
        DataType::Dictionary(Box::new(DataType::Int32), text()),
    ];
    random.pick(&leaves).clone()
}

fn data_type(random: &mut Random, depth: usize) -> DataType {
    if depth == 0 {
        return leaf(random);
    }
    let items = |random: &mut Random| field("item", random, depth - 1);
    match random.below(10) {
        0 | 1 => DataType::Struct(fields(random, depth - 1)),
        2 | 3 => DataType::List(items(random)),
        4 => DataType::LargeList(items(random)),
        5 => DataType::ListView(items(random)),
        6 => DataType::FixedSizeList(items(random), random.below(4) as i32),
        7 => {
            let keys = Arc::new(Field::new("key", DataType::Utf8, false));
            let entries = Fields::from(vec![keys, field("value", random, depth - 1)]);
            DataType::Map(Arc::new(Field::new("entries", DataType::Struct(entries), false)), false)
        }
        8 => {
            let null = Arc::new(Field::new("null", DataType::Null, true));
            let branches =
                vec![(0, null), (3, field("x", random, depth - 1)), (4, field("com.y", random, 0))];
            DataType::Union(branches.into_iter().collect::<UnionFields>(), UnionMode::Dense)
        }
        _ => leaf(random),
    }
}

/// A random value of the type, from a range so small that values repeat.
pub(crate) fn value(data_type: &DataType, random: &mut Random) -> Value {
    if random.one_in(5) { Value::Null } else { present(data_type, random) }
}

fn present(data_type: &DataType, random: &mut Random) -> Value {
    match data_type {
        DataType::Null => Value::Null,
        DataType::Boolean => json!(random.one_in(2)),
        DataType::Float32 | DataType::Float64 => json!(random.below(3) as f64 + 0.5),
        numbers if numbers.is_integer() => json!(random.below(3)),
        DataType::Struct(fields) => record(fields, random),
        DataType::FixedSizeList(items, size) => {
            (0..*size).map(|_| value(items.data_type(), random)).collect()
        }
        DataType::List(items) | DataType::LargeList(items) | DataType::ListView(items) => {
            (0..random.below(4)).map(|_| value(items.data_type(), random)).collect()
        }
        DataType::Map(entries, _) => {
            let DataType::Struct(entry) = entries.data_type() else { panic!("no entries") };
            let one = |random: &mut Random| json!([random.pick(&TEXTS), value(entry[1].data_type(), random)]);
            (0..random.below(4)).map(|_| one(random)).collect()
        }
        DataType::Union(branches, _) => {
            let branches: Vec<_> = branches.iter().collect();
            let (_, branch) = branches[1 + random.below(2)];
            json!({ branch.name().as_str(): present(branch.data_type(), random) })
        }
        _ => json!(random.pick(&TEXTS)),
    }
}

pub(crate) fn record(fields: &Fields, random: &mut Random) -> Value {
    fields.iter().map(|field| (field.name().clone(), value(field.data_type(), random))).collect()
}

/// A step of a key, as these tests represent it.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Field(String),
    Each,
    /// All values of a map.
    Values,
    Index(i64),
    Key(String),
    Branch(String),
    Filter {
        left: Side,
        negated: bool,
        right: Side,
    },
}

#[derive(Debug, Clone)]
pub(crate) enum Side {
    Path { from_root: bool, steps: Vec<Step> },
    Constant(Value),
}

#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub(crate) steps: Vec<Step>,
    pub(crate) data_type: DataType,
}

/// A random key of the schema, which ends at a leaf, or sometimes before one.
pub(crate) fn key(fields: &Fields, random: &mut Random) -> Key {
    let root = DataType::Struct(fields.clone());
    let mut steps = Vec::new();
    let data_type = walk(&root, &root, true, &mut steps, random);
    Key { steps, data_type }
}

fn walk(
    root: &DataType,
    from: &DataType,
    dimensions: bool,
    steps: &mut Vec<Step>,
    random: &mut Random,
) -> DataType {
    let mut data_type = from.clone();
    loop {
        if !steps.is_empty() && random.one_in(12) {
            return data_type;
        }
        let (step, next) = match &data_type {
            DataType::Struct(fields) => {
                let field = random.pick(fields);
                (Step::Field(field.name().clone()), field.data_type().clone())
            }
            DataType::Map(entries, _) => {
                let DataType::Struct(entry) = entries.data_type() else { panic!("no entries") };
                let key = Step::Key((*random.pick(&TEXTS)).to_owned());
                let step = if dimensions && random.one_in(2) { Step::Values } else { key };
                (step, entry[1].data_type().clone())
            }
            DataType::Union(branches, _) => {
                let branches: Vec<_> = branches.iter().collect();
                let (_, branch) = branches[1 + random.below(2)];
                let name = if branch.name() == "com.y" && random.one_in(2) { "y" } else { branch.name() };
                (Step::Branch(name.to_owned()), branch.data_type().clone())
            }
            DataType::List(items)
            | DataType::LargeList(items)
            | DataType::ListView(items)
            | DataType::FixedSizeList(items, _) => {
                let step = match random.below(5) {
                    0 | 1 if dimensions => filter(root, items.data_type(), random).unwrap_or(Step::Each),
                    2 | 3 if dimensions => Step::Each,
                    _ => Step::Index(random.below(7) as i64 - 3),
                };
                (step, items.data_type().clone())
            }
            _ => return data_type,
        };
        steps.push(step);
        data_type = next;
    }
}

/// A random filter, if the elements have a value that it can test.
fn filter(root: &DataType, element: &DataType, random: &mut Random) -> Option<Step> {
    let (left, left_type) = side(root, element, random)?;
    let right = match random.below(4) {
        0 => Side::Constant(Value::Null),
        1 | 2 => Side::Constant(if class(&left_type)? == "none" {
            Value::Null
        } else {
            present(&left_type, random)
        }),
        _ => {
            let mut sides = (0..8).filter_map(|_| side(root, element, random));
            sides.find(|(_, other)| class(other) == class(&left_type) && class(other) != Some("none"))?.0
        }
    };
    let (left, right) = if random.one_in(4) { (right, left) } else { (left, right) };
    Some(Step::Filter { left, negated: random.one_in(2), right })
}

fn side(root: &DataType, element: &DataType, random: &mut Random) -> Option<(Side, DataType)> {
    let from_root = random.one_in(3);
    let from = if from_root { root } else { element };
    let mut steps = Vec::new();
    let data_type = walk(root, from, false, &mut steps, random);
    (!steps.is_empty()).then_some((Side::Path { from_root, steps }, data_type))
}

/// The class of a type: values are compared within one class.
fn class(data_type: &DataType) -> Option<&'static str> {
    Some(match data_type {
        DataType::Boolean => "bool",
        DataType::Float32 | DataType::Float64 => "float",
        numbers if numbers.is_integer() => "integer",
        list if list.is_nested() => "none",
        DataType::Null => "none",
        _ => "text",
    })
}

fn plain(name: &str) -> bool {
    name.chars().all(char::is_alphanumeric)
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

impl Key {
    pub(crate) fn rank(&self) -> usize {
        let adds = |step: &&Step| matches!(step, Step::Each | Step::Values | Step::Filter { .. });
        self.steps.iter().filter(adds).count()
    }
}

/// The text of a key.
pub(crate) fn text(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Field(name) if plain(name) && text.is_empty() => text += name,
            Step::Field(name) if plain(name) => text += &format!(".{name}"),
            Step::Field(name) | Step::Key(name) => text += &format!("[{}]", quoted(name)),
            Step::Each | Step::Values => text += "[*]",
            Step::Index(index) => text += &format!("[{index}]"),
            Step::Branch(name) if plain(name) => text += &format!(":{name}"),
            Step::Branch(name) => text += &format!(":[{}]", quoted(name)),
            Step::Filter { left, negated, right } => {
                text += &format!(
                    "[{}{}{}]",
                    side_text(left),
                    if *negated { "!=" } else { "=" },
                    side_text(right)
                );
            }
        }
    }
    text
}

fn side_text(side: &Side) -> String {
    match side {
        Side::Path { from_root, steps } => format!("{}{}", if *from_root { "@" } else { "" }, text(steps)),
        Side::Constant(Value::String(text)) => quoted(text),
        Side::Constant(other) => other.to_string(),
    }
}
