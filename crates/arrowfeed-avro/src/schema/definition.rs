//! Validation of the definitions of records, enums and fixed types.

use std::collections::HashSet;

use arrowfeed_source::{FeedError, quoted, thousands};
use serde_json::{Map, Value};

use super::graph::{COLUMN_NAME, Enum, Field, Fixed, FixedLogical, Record, Type, TypeId};
use super::json::found;
use super::logical::{Base, Logical};
use super::name::{PRIMITIVES, is_name, split};
use super::normalise::{AddedType, Validator};

impl<'a> Validator<'a> {
    pub(super) fn record(
        &mut self,
        json: &'a Map<String, Value>,
        namespace: &str,
    ) -> Result<AddedType, FeedError> {
        let Some(Value::Array(fields)) = json.get("fields") else {
            return Err(self.wrong("fields", "an array of fields", json.get("fields")));
        };
        let record = |name, aliases| Type::Record(Record { name, aliases, fields: Vec::new() });
        let id = self.define(json, namespace, record)?;
        self.logical_type(json, Base::Kind("record"));
        self.enter()?;
        let name = self.name(id).to_owned();
        let fields = self.fields(fields, split(&name).0)?;
        self.leave();
        if let Type::Record(record) = &mut self.types[id] {
            record.fields = fields;
        }
        Ok(AddedType::named(id))
    }

    fn fields(&mut self, json: &'a [Value], namespace: &str) -> Result<Vec<Field>, FeedError> {
        let mut names = HashSet::new();
        let mut fields = Vec::new();
        for field in json {
            let Value::Object(field) = field else {
                return Err(self.refuse(format!("expected a field as a JSON object, found {}", found(field))));
            };
            let name = self.string(field, "name", "a name")?;
            self.check_name(name)?;
            if !names.insert(name) {
                return Err(
                    self.refuse(format!("expected each field name once, found {} twice", quoted(name)))
                );
            }
            self.path.push(name);
            fields.push(self.field(name, field, namespace)?);
            self.path.pop();
        }
        drop_ambiguous_columns(&mut fields);
        Ok(fields)
    }

    fn field(
        &mut self,
        name: &'a str,
        json: &'a Map<String, Value>,
        namespace: &str,
    ) -> Result<Field, FeedError> {
        let ty = json.get("type").ok_or_else(|| self.wrong("type", "a type", None))?;
        self.no_logical_type(json, "a field");
        let ty = self.ty(ty, namespace)?.id;
        let mut known = HashSet::from([name]);
        let mut aliases = self.aliases(json)?;
        aliases.retain(|alias| known.insert(alias));
        let aliases = aliases.into_iter().map(str::to_owned).collect();
        let column = json.get(COLUMN_NAME).and_then(Value::as_str).map(str::to_owned);
        Ok(Field { name: name.into(), column, aliases, ty, default: json.get("default").cloned() })
    }

    pub(super) fn enumeration(
        &mut self,
        json: &'a Map<String, Value>,
        namespace: &str,
    ) -> Result<AddedType, FeedError> {
        let symbols = self.symbols(json)?;
        let default = match json.get("default") {
            None => None,
            Some(default) => {
                let index = symbols.iter().position(|symbol| default == symbol.as_str());
                if index.is_none() {
                    self.warn(&format!(
                        "ignored the enum default {}: expected one of the symbols",
                        found(default)
                    ));
                }
                index
            }
        };
        self.logical_type(json, Base::Kind("enum"));
        let id = self
            .define(json, namespace, |name, aliases| Type::Enum(Enum { name, aliases, symbols, default }))?;
        Ok(AddedType::named(id))
    }

    fn symbols(&self, json: &'a Map<String, Value>) -> Result<Vec<String>, FeedError> {
        let Some(Value::Array(values)) = json.get("symbols") else {
            return Err(self.wrong("symbols", "an array of strings", json.get("symbols")));
        };
        let mut known = HashSet::new();
        for value in values {
            let Value::String(symbol) = value else {
                return Err(
                    self.refuse(format!("expected an enum symbol as a string, found {}", found(value)))
                );
            };
            if !known.insert(symbol.as_str()) {
                return Err(
                    self.refuse(format!("expected each enum symbol once, found {} twice", quoted(symbol)))
                );
            }
        }
        if values.is_empty() {
            return Err(self.refuse("expected an enum of at least one symbol, found none"));
        }
        Ok(values.iter().filter_map(Value::as_str).map(str::to_owned).collect())
    }

    pub(super) fn fixed(
        &mut self,
        json: &'a Map<String, Value>,
        namespace: &str,
    ) -> Result<AddedType, FeedError> {
        let Some(size) = json.get("size").and_then(Value::as_u64) else {
            return Err(self.wrong("size", "an integer of 0 or more", json.get("size")));
        };
        let most = self.limits.decoded_block_bytes;
        let Some(size) = usize::try_from(size).ok().filter(|size| *size <= most) else {
            let (most, size) = (thousands(most as u64), thousands(size));
            let message = format!("expected a fixed of at most {most} bytes, found one of {size}");
            return Err(self.place(FeedError::limit_reached("decoded_block_bytes", message)));
        };
        let logical = match self.logical_type(json, Base::Fixed(size)) {
            Some(Logical::Decimal(decimal)) => Some(FixedLogical::Decimal(decimal)),
            Some(Logical::Duration) => Some(FixedLogical::Duration),
            Some(Logical::Uuid) => Some(FixedLogical::Uuid),
            _ => None,
        };
        let id = self
            .define(json, namespace, |name, aliases| Type::Fixed(Fixed { name, aliases, size, logical }))?;
        Ok(AddedType::named(id))
    }

    /// Adds the named type that `of` makes of its full name and its aliases. Later types may refer to it.
    fn define(
        &mut self,
        json: &'a Map<String, Value>,
        namespace: &str,
        of: impl FnOnce(String, Vec<String>) -> Type,
    ) -> Result<TypeId, FeedError> {
        let name = self.definition_name(json, namespace)?;
        let aliases = self.type_aliases(json, &name)?;
        let id = self.types.len();
        if self.defined.insert(name.clone(), id).is_some() {
            return Err(
                self.refuse(format!("expected each type defined once, found {} twice", quoted(&name)))
            );
        }
        self.types.push(of(name, aliases));
        Ok(id)
    }

    /// The aliases as full names, in the namespace of `name` unless they are dotted.
    fn type_aliases(&mut self, json: &'a Map<String, Value>, name: &str) -> Result<Vec<String>, FeedError> {
        let mut known = HashSet::from([name.to_owned()]);
        let mut aliases = Vec::new();
        for alias in self.aliases(json)? {
            let alias = self.full_name(alias, split(name).0)?;
            if known.insert(alias.clone()) {
                aliases.push(alias);
            }
        }
        Ok(aliases)
    }

    /// The full name: a dotted `name` is already full; any other is in its own `namespace`, or else in the enclosing one.
    fn definition_name(
        &mut self,
        json: &'a Map<String, Value>,
        namespace: &str,
    ) -> Result<String, FeedError> {
        let name = self.string(json, "name", "a name")?;
        let namespace = match json.get("namespace") {
            None | Some(Value::Null) => namespace,
            Some(Value::String(own)) => own,
            other => return Err(self.wrong("namespace", "names joined by dots", other)),
        };
        let full_name = self.full_name(name, namespace)?;
        self.check_name(&full_name)?;
        if PRIMITIVES.contains(&full_name.as_str()) {
            let name = quoted(&full_name);
            return Err(
                self.refuse(format!("expected a type name that is not a primitive type, found {name}"))
            );
        }
        Ok(full_name)
    }

    fn check_name(&self, name: &str) -> Result<(), FeedError> {
        match is_name(name) {
            true => Ok(()),
            false => {
                let name = quoted(name);
                Err(self.refuse(format!("expected a name without the character U+0000, found {name}")))
            }
        }
    }

    fn aliases(&self, json: &'a Map<String, Value>) -> Result<Vec<&'a str>, FeedError> {
        let wrong = || self.wrong("aliases", "an array of strings", json.get("aliases"));
        match json.get("aliases") {
            None => Ok(Vec::new()),
            Some(Value::Array(values)) => {
                values.iter().map(|value| value.as_str().ok_or_else(wrong)).collect()
            }
            Some(_) => Err(wrong()),
        }
    }

    fn string(&self, json: &'a Map<String, Value>, key: &str, what: &str) -> Result<&'a str, FeedError> {
        match json.get(key) {
            Some(Value::String(text)) => Ok(text),
            other => Err(self.wrong(key, what, other)),
        }
    }
}

/// Drops the column names of a record in which two columns would have the same name.
fn drop_ambiguous_columns(fields: &mut [Field]) {
    let mut known = HashSet::new();
    let name = |field: &Field| field.column.clone().unwrap_or_else(|| field.name.clone());
    if !fields.iter().all(|field| known.insert(name(field))) {
        fields.iter_mut().for_each(|field| field.column = None);
    }
}

#[cfg(test)]
mod tests;
