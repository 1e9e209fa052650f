//! The types of a schema, parsed from JSON and written as JSON.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

/// A type. Named types are given by their full name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Type {
    Primitive(&'static str, Option<Logical>),
    Array(Box<Type>),
    Map(Box<Type>),
    Union(Vec<Type>),
    Named(String),
}

/// A logical type that is valid for its base type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Logical {
    Simple(&'static str),
    Decimal { precision: usize, scale: usize },
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Named {
    pub(crate) aliases: Vec<String>,
    pub(crate) definition: Definition,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Definition {
    Record(Vec<Field>),
    Enum { symbols: Vec<String>, default: Option<String> },
    Fixed(usize, Option<Logical>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) default: Option<Json>,
    pub(crate) ty: Type,
}

#[derive(Debug, Clone)]
pub(crate) struct Schema {
    pub(crate) root: Type,
    pub(crate) named: BTreeMap<String, Named>,
}

const PRIMITIVES: [&str; 8] = ["null", "boolean", "int", "long", "float", "double", "bytes", "string"];

const LOGICAL: [(&str, &[&str]); 11] = [
    ("date", &["int"]),
    ("time-millis", &["int"]),
    ("time-micros", &["long"]),
    ("timestamp-millis", &["long"]),
    ("timestamp-micros", &["long"]),
    ("timestamp-nanos", &["long"]),
    ("local-timestamp-millis", &["long"]),
    ("local-timestamp-micros", &["long"]),
    ("local-timestamp-nanos", &["long"]),
    ("uuid", &["string", "fixed16"]),
    ("duration", &["fixed12"]),
];

impl Schema {
    /// Parses JSON that is known to be a valid schema.
    pub(crate) fn parse(text: &str) -> Self {
        let json: Json = serde_json::from_str(text).expect("a schema is JSON");
        let mut named = BTreeMap::new();
        let root = parse(&json, "", &mut named);
        Self { root, named }
    }

    pub(crate) fn definition(&self, name: &str) -> &Definition {
        &self.named[name].definition
    }

    /// The fields of a record; `None` for another type.
    pub(crate) fn fields(&self, ty: &Type) -> Option<&[Field]> {
        match ty {
            Type::Named(name) => match self.definition(name) {
                Definition::Record(fields) => Some(fields),
                _ => None,
            },
            _ => None,
        }
    }

    /// For a union of null and one other type: the index of null, and the other type.
    pub(crate) fn nullable(branches: &[Type]) -> Option<(usize, &Type)> {
        let is_null = |ty: &Type| matches!(ty, Type::Primitive("null", _));
        match branches {
            [null, other] if is_null(null) && !is_null(other) => Some((0, other)),
            [other, null] if is_null(null) && !is_null(other) => Some((1, other)),
            _ => None,
        }
    }

    /// Whether all values of a type take no bytes.
    pub(crate) fn is_empty(&self, ty: &Type) -> bool {
        match ty {
            Type::Primitive(name, _) => *name == "null",
            Type::Named(name) => match self.definition(name) {
                Definition::Record(fields) => fields.iter().all(|field| self.is_empty(&field.ty)),
                Definition::Fixed(size, _) => *size == 0,
                Definition::Enum { .. } => false,
            },
            _ => false,
        }
    }

    /// The JSON of these types, with full names and every definition at its first use.
    pub(crate) fn to_json(&self) -> String {
        self.json(&self.root, &mut BTreeSet::new()).to_string()
    }

    fn json<'a>(&'a self, ty: &'a Type, written: &mut BTreeSet<&'a str>) -> Json {
        match ty {
            Type::Primitive(name, None) => json!(name),
            Type::Primitive(name, Some(logical)) => with_logical(json!({ "type": name }), logical),
            Type::Array(items) => json!({ "type": "array", "items": self.json(items, written) }),
            Type::Map(values) => json!({ "type": "map", "values": self.json(values, written) }),
            Type::Union(branches) => branches.iter().map(|branch| self.json(branch, written)).collect(),
            Type::Named(name) if !written.insert(name) => json!(name),
            Type::Named(name) => {
                let Named { aliases, definition } = &self.named[name];
                let mut json = match definition {
                    Definition::Record(fields) => {
                        let fields: Vec<Json> =
                            fields.iter().map(|field| self.field_json(field, written)).collect();
                        json!({ "type": "record", "fields": fields })
                    }
                    Definition::Enum { symbols, default: None } => {
                        json!({ "type": "enum", "symbols": symbols })
                    }
                    Definition::Enum { symbols, default } => {
                        json!({ "type": "enum", "symbols": symbols, "default": default })
                    }
                    Definition::Fixed(size, None) => json!({ "type": "fixed", "size": size }),
                    Definition::Fixed(size, Some(logical)) => {
                        with_logical(json!({ "type": "fixed", "size": size }), logical)
                    }
                };
                let (space, simple) = name.rsplit_once('.').unwrap_or(("", name));
                (json["name"], json["namespace"]) = (json!(simple), json!(space));
                json["aliases"] = json!(aliases);
                json
            }
        }
    }

    fn field_json<'a>(&'a self, field: &'a Field, written: &mut BTreeSet<&'a str>) -> Json {
        let ty = self.json(&field.ty, written);
        let mut json = json!({ "name": field.name, "aliases": field.aliases, "type": ty });
        if let Some(default) = &field.default {
            json["default"] = default.clone();
        }
        json
    }
}

fn with_logical(mut json: Json, logical: &Logical) -> Json {
    match logical {
        Logical::Simple(name) => json["logicalType"] = json!(name),
        Logical::Decimal { precision, scale } => {
            json["logicalType"] = json!("decimal");
            (json["precision"], json["scale"]) = (json!(precision), json!(scale));
        }
    }
    json
}

fn parse(json: &Json, namespace: &str, named: &mut BTreeMap<String, Named>) -> Type {
    match json {
        Json::String(name) => by_name(name, namespace, named),
        Json::Array(branches) => {
            Type::Union(branches.iter().map(|branch| parse(branch, namespace, named)).collect())
        }
        _ => match json["type"].as_str() {
            Some("array") => Type::Array(Box::new(parse(&json["items"], namespace, named))),
            Some("map") => Type::Map(Box::new(parse(&json["values"], namespace, named))),
            Some("record" | "enum" | "fixed") => define(json, namespace, named),
            Some(name) => match by_name(name, namespace, named) {
                Type::Primitive(name, _) => Type::Primitive(name, logical(json, name)),
                reference => reference,
            },
            None => parse(&json["type"], namespace, named),
        },
    }
}

fn by_name(name: &str, namespace: &str, named: &BTreeMap<String, Named>) -> Type {
    if let Some(primitive) = PRIMITIVES.into_iter().find(|primitive| *primitive == name) {
        return Type::Primitive(primitive, None);
    }
    let full = full_name(name, namespace);
    Type::Named(if named.contains_key(&full) { full } else { name.to_owned() })
}

fn full_name(name: &str, namespace: &str) -> String {
    match name.rsplit_once('.') {
        // Such a name has no namespace.
        Some(("", simple)) => simple.to_owned(),
        None if !namespace.is_empty() => format!("{namespace}.{name}"),
        _ => name.to_owned(),
    }
}

fn define(json: &Json, namespace: &str, named: &mut BTreeMap<String, Named>) -> Type {
    let own = json["namespace"].as_str().unwrap_or(namespace);
    let name = full_name(json["name"].as_str().expect("a name"), own);
    let space = name.rsplit_once('.').map_or("", |(space, _)| space).to_owned();
    let aliases = strings(&json["aliases"]).iter().map(|alias| full_name(alias, &space)).collect();
    // Inserted first, because a record may refer to itself.
    named.insert(name.clone(), Named { aliases, definition: Definition::Record(Vec::new()) });
    let definition = match json["type"].as_str() {
        Some("record") => {
            let fields = json["fields"].as_array().expect("fields").iter();
            Definition::Record(fields.map(|field| parse_field(field, &space, named)).collect())
        }
        Some("enum") => {
            let default = json["default"].as_str().map(str::to_owned);
            Definition::Enum { symbols: strings(&json["symbols"]), default }
        }
        _ => {
            let size = json["size"].as_u64().expect("a size") as usize;
            Definition::Fixed(size, logical(json, &format!("fixed{size}")))
        }
    };
    named.get_mut(&name).expect("just inserted").definition = definition;
    Type::Named(name)
}

fn parse_field(json: &Json, namespace: &str, named: &mut BTreeMap<String, Named>) -> Field {
    Field {
        name: json["name"].as_str().expect("a field name").to_owned(),
        aliases: strings(&json["aliases"]),
        default: json.get("default").cloned(),
        ty: parse(&json["type"], namespace, named),
    }
}

fn strings(json: &Json) -> Vec<String> {
    json.as_array().into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect()
}

/// The logical type in `json`, if it is valid for `base`.
fn logical(json: &Json, base: &str) -> Option<Logical> {
    let name = json["logicalType"].as_str()?;
    if name != "decimal" {
        let found = LOGICAL.iter().find(|(logical, bases)| *logical == name && bases.contains(&base));
        return found.map(|(name, _)| Logical::Simple(name));
    }
    let precision = json["precision"].as_u64()? as usize;
    let scale = json.get("scale").map_or(Some(0), Json::as_u64)? as usize;
    let most = match base.strip_prefix("fixed") {
        Some(size) => {
            let bits = 8 * size.parse::<usize>().expect("a size");
            (bits.saturating_sub(1) as f64 * std::f64::consts::LOG10_2) as usize
        }
        None if base == "bytes" => usize::MAX,
        None => return None,
    };
    (1..=most).contains(&precision).then_some(())?;
    (scale <= precision).then_some(Logical::Decimal { precision, scale })
}

/// The column path of a field of a record, without brackets for the arrays around the record.
pub(crate) fn field_path(record: &str, name: &str) -> String {
    match record.trim_end_matches("[]") {
        "" => name.to_owned(),
        record => format!("{record}.{name}"),
    }
}
