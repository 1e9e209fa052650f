//! The JSON of the merged schema.

use arrowfeed_source::{FeedError, Limits};
use serde_json::{Value, json};

use super::record::RecordType;
use super::{Kind, Merger};
use crate::schema::graph::{COLUMN_NAME, Decimal, Fixed, FixedLogical, Type, TypeId};
use crate::schema::name::split;

/// The JSON of the merged types: each definition at its first use, with its namespace.
///
/// # Errors
/// The types are nested too deeply.
pub(super) fn json(merger: &Merger<'_>, root: TypeId) -> Result<String, FeedError> {
    let mut writer =
        Writer { merger, written: vec![false; merger.types.len()], out: String::new(), depth: 0 };
    writer.ty(root, "")?;
    Ok(writer.out)
}

struct Writer<'a> {
    merger: &'a Merger<'a>,
    /// Named types whose definition is written or is being written.
    written: Vec<bool>,
    out: String,
    depth: usize,
}

impl Writer<'_> {
    /// Writes a type in a namespace.
    fn ty(&mut self, id: TypeId, namespace: &str) -> Result<(), FeedError> {
        // The parser of the text counts as the limits say; this bounds the recursion.
        if self.depth > Limits::MAX_SCHEMA_DEPTH {
            let message =
                format!("expected merged types nested at most {} deep, found more", Limits::MAX_SCHEMA_DEPTH);
            return Err(FeedError::limit_reached("schema_depth", message));
        }
        self.depth += 1;
        let merger = self.merger;
        match &merger.types[id].kind {
            Kind::Record(record) => self.named(id, &record.name, &record.aliases, namespace, |this| {
                this.out.push_str(r#","type":"record","fields":["#);
                for number in 0..record.fields.len() {
                    this.field(record, number)?;
                }
                this.out.push(']');
                Ok(())
            })?,
            Kind::Other(Type::Enum(symbols)) => {
                self.named(id, &symbols.name, &symbols.aliases, namespace, |this| {
                    this.attribute("type", &json!("enum"));
                    this.attribute("symbols", &json!(symbols.symbols));
                    if let Some(default) = symbols.default.and_then(|index| symbols.symbols.get(index)) {
                        this.attribute("default", &json!(default));
                    }
                    Ok(())
                })?;
            }
            Kind::Other(Type::Fixed(fixed)) => {
                self.named(id, &fixed.name, &fixed.aliases, namespace, |this| {
                    this.attribute("type", &json!("fixed"));
                    this.attribute("size", &json!(fixed.size));
                    this.logical_of_fixed(fixed);
                    Ok(())
                })?;
            }
            Kind::Other(Type::Array(items)) => {
                self.container(r#"{"type":"array","items":"#, *items, namespace)?
            }
            Kind::Other(Type::Map(values)) => {
                self.container(r#"{"type":"map","values":"#, *values, namespace)?
            }
            Kind::Other(Type::Union(branches)) => {
                for (number, branch) in branches.iter().enumerate() {
                    self.out.push(if number == 0 { '[' } else { ',' });
                    self.ty(*branch, namespace)?;
                }
                self.out.push(']');
            }
            Kind::Other(leaf) => self.out.push_str(&leaf_json(leaf).to_string()),
        }
        self.depth -= 1;
        Ok(())
    }

    fn container(&mut self, start: &str, inner: TypeId, namespace: &str) -> Result<(), FeedError> {
        self.out.push_str(start);
        self.ty(inner, namespace)?;
        self.out.push('}');
        Ok(())
    }

    /// Writes a definition the first time, and the name afterwards.
    fn named(
        &mut self,
        id: TypeId,
        name: &str,
        aliases: &[String],
        namespace: &str,
        rest: impl FnOnce(&mut Self) -> Result<(), FeedError>,
    ) -> Result<(), FeedError> {
        if std::mem::replace(&mut self.written[id], true) {
            let name = json!(self.reference(name, namespace));
            self.out.push_str(&name.to_string());
            return Ok(());
        }
        let (own, simple) = split(name);
        self.out.push_str(&format!(r#"{{"name":{}"#, json!(simple)));
        self.attribute("namespace", &json!(own));
        if !aliases.is_empty() {
            let full = |alias: &String| if alias.contains('.') { alias.clone() } else { format!(".{alias}") };
            self.attribute("aliases", &aliases.iter().map(full).collect());
        }
        rest(self)?;
        self.out.push('}');
        Ok(())
    }

    /// The text that names a type in a namespace. A name without a namespace is also found in another one, unless that has
    /// a type of this name.
    fn reference(&self, name: &str, namespace: &str) -> String {
        let is_hidden = || self.merger.names.contains_key(&format!("{namespace}.{name}"));
        if name.contains('.') || namespace.is_empty() || !is_hidden() {
            name.to_owned()
        } else {
            format!(".{name}")
        }
    }

    fn field(&mut self, record: &RecordType, number: usize) -> Result<(), FeedError> {
        let field = &record.fields[number];
        let separator = if number == 0 { "" } else { "," };
        self.out.push_str(&format!(r#"{separator}{{"name":{},"type":"#, json!(field.name)));
        self.ty(field.ty, split(&record.name).0)?;
        if field.has_null_default {
            self.attribute("default", &Value::Null);
        }
        let aliases = record.aliases_of(number);
        if !aliases.is_empty() {
            self.attribute("aliases", &json!(aliases));
        }
        if let Some(column) = &field.column {
            self.attribute(COLUMN_NAME, &json!(column));
        }
        self.out.push('}');
        Ok(())
    }

    fn logical_of_fixed(&mut self, fixed: &Fixed) {
        match fixed.logical {
            None => {}
            Some(FixedLogical::Duration) => self.attribute("logicalType", &json!("duration")),
            Some(FixedLogical::Uuid) => self.attribute("logicalType", &json!("uuid")),
            Some(FixedLogical::Decimal(Decimal { precision, scale })) => {
                self.attribute("logicalType", &json!("decimal"));
                self.attribute("precision", &json!(precision));
                self.attribute("scale", &json!(scale));
            }
        }
    }

    /// Writes a member of an object after others.
    fn attribute(&mut self, name: &str, value: &Value) {
        self.out.push_str(&format!(",{}:{value}", json!(name)));
    }
}

/// The JSON of a type without parts and without a name.
fn leaf_json(ty: &Type) -> Value {
    let logical = |ty: &str, name: &str| json!({ "type": ty, "logicalType": name });
    match ty {
        Type::Boolean => json!("boolean"),
        Type::Int(None) => json!("int"),
        Type::Int(Some(of)) => logical("int", of.name()),
        Type::Long(None) => json!("long"),
        Type::Long(Some(of)) => logical("long", of.name()),
        Type::Float => json!("float"),
        Type::Double => json!("double"),
        Type::Bytes(None) => json!("bytes"),
        Type::Bytes(Some(Decimal { precision, scale })) => {
            json!({ "type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale })
        }
        Type::String { uuid: false } => json!("string"),
        Type::String { uuid: true } => logical("string", "uuid"),
        _ => json!("null"),
    }
}
