//! Reader schemas, made from a writer's schema by random steps that the specification allows.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::resolve::PROMOTIONS;
use super::schema::{Definition, Field, Named, Schema, Type};
use super::value::Seed;

/// A reader schema that fits every value of `writer`.
pub(crate) fn evolve(writer: &Schema, seed: &mut Seed) -> Schema {
    let mut reader = writer.clone();
    let mut added = BTreeMap::new();
    for named in reader.named.values_mut() {
        match &mut named.definition {
            Definition::Record(fields) => evolve_fields(fields, seed, &mut added),
            Definition::Enum { symbols, default } => evolve_symbols(symbols, default, seed),
            Definition::Fixed(..) => {}
        }
    }
    change(&mut reader.root, seed);
    reader.named.extend(added);
    rename(&reader, seed)
}

fn evolve_fields(fields: &mut Vec<Field>, seed: &mut Seed, added: &mut BTreeMap<String, Named>) {
    if seed.one_in(2) {
        seed.shuffle(fields);
    }
    fields.retain(|_| !seed.one_in(6));
    for (i, field) in fields.iter_mut().enumerate() {
        if seed.one_in(6) {
            field.aliases = vec!["nobody".to_owned() + &i.to_string(), field.name.clone()];
            field.name = format!("renamed{i}");
        }
        change(&mut field.ty, seed);
    }
    for i in 0..seed.below(3) {
        let (ty, default) = seed.pick(&additions());
        let schema = Schema::parse(&ty.to_string());
        added.extend(schema.named);
        let field =
            Field { name: format!("added{i}"), aliases: Vec::new(), default: Some(default), ty: schema.root };
        let at = seed.below(fields.len() + 1);
        fields.insert(at, field);
    }
}

/// New fields, and their defaults.
fn additions() -> Vec<(Json, Json)> {
    let point = json!({ "type": "record", "name": "added.Point", "fields": [
        { "name": "x", "type": "int", "default": -3 },
        { "name": "tags", "type": { "type": "array", "items": "string" }, "default": ["a", "größer"] },
    ] });
    vec![
        (json!("null"), json!(null)),
        (json!("boolean"), json!(true)),
        (json!("int"), json!(i32::MIN)),
        (json!({ "type": "long", "logicalType": "timestamp-millis" }), json!(i64::MAX)),
        (json!("float"), json!(0.1)),
        (json!("double"), json!(1)),
        (json!("string"), json!("a default of more than twelve bytes")),
        (json!("bytes"), json!("\u{0}\u{ff}")),
        (json!(["null", "string"]), json!(null)),
        (json!(["string", "null"]), json!("text")),
        (json!(["int", "string", "null"]), json!("second branch")),
        (json!({ "type": "array", "items": ["null", "long"] }), json!([1, null, 3])),
        (json!({ "type": "map", "values": "int" }), json!({ "a": 1, "b": 2 })),
        (json!({ "type": "enum", "name": "added.Suit", "symbols": ["C", "D"] }), json!("D")),
        (json!({ "type": "fixed", "name": "added.Pair", "size": 2 }), json!("\u{1}\u{fe}")),
        (point.clone(), json!({})),
        (point, json!({ "x": 7, "unknown": 1 })),
    ]
}

fn evolve_symbols(symbols: &mut Vec<String>, default: &mut Option<String>, seed: &mut Seed) {
    if seed.one_in(2) {
        symbols.push("Added".to_owned());
    }
    if seed.one_in(2) {
        seed.shuffle(symbols);
    }
    if seed.one_in(3) && symbols.len() > 1 {
        symbols.remove(seed.below(symbols.len()));
        *default = Some(seed.pick(symbols));
    }
}

/// Changes a type in place.
fn change(ty: &mut Type, seed: &mut Seed) {
    match ty {
        Type::Array(inner) | Type::Map(inner) => change(inner, seed),
        Type::Union(branches) => return change_union(branches, seed),
        _ => {}
    }
    promote(ty, seed);
    if seed.one_in(6) {
        let null = Type::Primitive("null", None);
        let other = Type::Primitive(seed.pick(&["null", "boolean", "string", "double"]), None);
        let mut branches = vec![ty.clone()];
        for extra in [null, other] {
            if branches.iter().all(|branch| kind(branch) != kind(&extra)) && seed.one_in(2) {
                branches.push(extra);
            }
        }
        seed.shuffle(&mut branches);
        *ty = Type::Union(branches);
    }
}

fn change_union(branches: &mut Vec<Type>, seed: &mut Seed) {
    for i in 0..branches.len() {
        let mut changed = branches[i].clone();
        match &mut changed {
            Type::Array(inner) | Type::Map(inner) => change(inner, seed),
            other => promote(other, seed),
        }
        let others = branches.iter().enumerate().filter(|(other, _)| *other != i);
        if others.map(|(_, other)| kind(other)).all(|other| other != kind(&changed)) {
            branches[i] = changed;
        }
    }
    let extra = Type::Primitive(seed.pick(&["null", "boolean", "bytes", "double"]), None);
    if seed.one_in(4) && branches.iter().all(|branch| kind(branch) != kind(&extra)) {
        let at = seed.below(branches.len() + 1);
        branches.insert(at, extra);
    }
}

fn promote(ty: &mut Type, seed: &mut Seed) {
    let Type::Primitive(name, _) = ty else { return };
    if let Some((_, to)) = PROMOTIONS.iter().find(|(from, _)| from == name)
        && seed.one_in(3)
    {
        *ty = Type::Primitive(seed.pick(to), None);
    }
}

/// The kind of a type, which a union may contain only once.
fn kind(ty: &Type) -> &str {
    match ty {
        Type::Primitive(name, _) => name,
        Type::Array(_) => "array",
        Type::Map(_) => "map",
        Type::Named(name) => name,
        Type::Union(_) => "union",
    }
}

/// Gives some types new names, with the old ones as aliases. A type without a namespace stays without one, because a name
/// without a namespace cannot be an alias of a name with one.
fn rename(schema: &Schema, seed: &mut Seed) -> Schema {
    let mut names = BTreeMap::new();
    for (i, name) in schema.named.keys().enumerate() {
        if seed.one_in(4) && !name.starts_with("added.") && !name.starts_with("t.Tree") {
            let new = if name.contains('.') { format!("new.space.N{i}") } else { format!("N{i}") };
            names.insert(name.clone(), new);
        }
    }
    let mut named = BTreeMap::new();
    for (old, mut definition) in schema.named.clone() {
        if let Definition::Record(fields) = &mut definition.definition {
            fields.iter_mut().for_each(|field| rename_in(&mut field.ty, &names));
        }
        match names.get(&old) {
            Some(new) => {
                definition.aliases.push(old);
                named.insert(new.clone(), definition);
            }
            None => _ = named.insert(old, definition),
        }
    }
    let mut root = schema.root.clone();
    rename_in(&mut root, &names);
    Schema { root, named }
}

fn rename_in(ty: &mut Type, names: &BTreeMap<String, String>) {
    match ty {
        Type::Named(name) => {
            if let Some(new) = names.get(name) {
                *name = new.clone();
            }
        }
        Type::Array(inner) | Type::Map(inner) => rename_in(inner, names),
        Type::Union(branches) => branches.iter_mut().for_each(|branch| rename_in(branch, names)),
        Type::Primitive(..) => {}
    }
}
