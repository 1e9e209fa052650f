//! Copies of the types of a file that the merged schema does not have.

use std::iter;

use arrowfeed_source::FeedError;
use serde_json::Value;

use super::record::{FieldType, RecordType};
use super::value::Branches;
use super::{Addition, Kind, Merger, NULL};
use crate::plan::{describe, same_name};
use crate::schema::graph::{Enum, Field, Fixed, Type, TypeId};

impl Merger<'_> {
    /// Copies an added type. A named type that the merged schema has is merged with that one.
    pub(super) fn import(&mut self, added: &mut Addition<'_>, id: TypeId) -> Result<TypeId, FeedError> {
        self.deeper(|this| match &added.graph.types[id] {
            Type::Null => Ok(NULL),
            Type::Union(_) => {
                let Branches { types, has_null } = Branches::of(added.graph, id);
                let types = this.import_all(added, &types)?;
                this.union(types, has_null)
            }
            Type::Array(items) => {
                let items = this.in_items(|this| this.import(added, *items))?;
                this.push(Kind::Other(Type::Array(items)))
            }
            Type::Map(values) => {
                let values = this.in_items(|this| this.import(added, *values))?;
                this.push(Kind::Other(Type::Map(values)))
            }
            Type::Record(_) | Type::Enum(_) | Type::Fixed(_) => this.import_named(added, id),
            ty => this.push(Kind::Other(ty.clone())),
        })
    }

    /// Copies added types. Several of them may be the same merged type.
    pub(super) fn import_all(
        &mut self,
        added: &mut Addition<'_>,
        types: &[TypeId],
    ) -> Result<Vec<TypeId>, FeedError> {
        let mut imported = Vec::with_capacity(types.len());
        for id in types {
            let id = self.import(added, *id)?;
            if !imported.contains(&id) {
                imported.push(id);
            }
        }
        Ok(imported)
    }

    fn import_named(&mut self, added: &mut Addition<'_>, id: TypeId) -> Result<TypeId, FeedError> {
        if let Some(known) = self.known(added, id)? {
            return self.merge_values(added, known, id);
        }
        let ty = &added.graph.types[id];
        let Some((name, aliases)) = ty.name_and_aliases() else { return Ok(NULL) };
        // A file has another type under this name, for which its reader would choose the new type.
        if let Some(other) = self.aliases.get(name).filter(|_| self.written.contains(name)) {
            return Err(self.conflict(*other, &describe(ty)));
        }
        let is_free =
            |alias: &&String| !self.names.contains_key(*alias) && !self.aliases.contains_key(*alias);
        let free: Vec<String> = aliases.iter().filter(is_free).cloned().collect();
        let kind = match ty.clone() {
            Type::Record(record) => {
                let fields = Vec::with_capacity(record.fields.len());
                Kind::Record(RecordType { name: record.name, aliases: free.clone(), fields })
            }
            Type::Enum(symbols) => Kind::Other(Type::Enum(Enum { aliases: free.clone(), ..symbols })),
            Type::Fixed(fixed) => Kind::Other(Type::Fixed(Fixed { aliases: free.clone(), ..fixed })),
            ty => Kind::Other(ty),
        };
        let new = self.push(kind)?;
        self.names.insert(name.to_owned(), new);
        self.aliases.extend(free.into_iter().map(|alias| (alias, new)));
        added.targets.insert(id, new);
        added.done.insert((new, id));
        if let Type::Record(record) = ty {
            for field in &record.fields {
                let ty = self.in_field(&field.name, |this| this.import(added, field.ty))?;
                let field = self.new_field(field, ty);
                self.push_field(new, field);
            }
        }
        Ok(new)
    }

    /// The merged type for an added named type: that of the same name, else the one with which it is merged elsewhere, else
    /// the one that an alias names and that the added schema has no type for.
    fn known(&self, added: &Addition<'_>, id: TypeId) -> Result<Option<TypeId>, FeedError> {
        let ty = &added.graph.types[id];
        let Some((name, aliases)) = ty.name_and_aliases() else { return Ok(None) };
        if let Some(known) = self.names.get(name) {
            return if self.is_of_kind(*known, ty) {
                Ok(Some(*known))
            } else {
                Err(self.conflict(*known, &describe(ty)))
            };
        }
        if let Some(known) = added.targets.get(&id) {
            return Ok(Some(*known));
        }
        let by_alias = self.aliases.get(name).into_iter();
        let named = aliases.iter().filter_map(|alias| self.names.get(alias));
        let mut found = by_alias.chain(named).copied();
        let is_other = |known: TypeId| added.names.contains(self.names_of(known).0);
        Ok(found.find(|known| self.is_of_kind(*known, ty) && !is_other(*known)))
    }

    /// The full name and the aliases of a merged named type.
    pub(super) fn names_of(&self, id: TypeId) -> (&str, &[String]) {
        match &self.types[id].kind {
            Kind::Record(record) => (&record.name, &record.aliases),
            Kind::Other(ty) => ty.name_and_aliases().unwrap_or_default(),
        }
    }

    /// Adds the names of an added type to the aliases of the merged type, so that a reader finds it. An alias is neither the
    /// name nor an alias of another merged type. Types that are not records must be related by name.
    pub(super) fn adopt_names(&mut self, id: TypeId, name: &str, more: &[String]) {
        let (known, aliases) = self.names_of(id);
        let is_record = matches!(self.types[id].kind, Kind::Record(_));
        if !is_record && !same_name(name, known, aliases) && !same_name(known, name, more) {
            return;
        }
        let names = iter::once(name).chain(more.iter().map(String::as_str));
        let is_new = |name: &&str| {
            *name != known && !self.names.contains_key(*name) && !self.aliases.contains_key(*name)
        };
        let new: Vec<String> = names.filter(is_new).map(str::to_owned).collect();
        self.aliases.extend(new.iter().map(|alias| (alias.clone(), id)));
        if self.aliases.get(name) == Some(&id) {
            self.written.insert(name.to_owned());
        }
        match &mut self.types[id].kind {
            Kind::Record(record) => record.aliases.extend(new),
            Kind::Other(Type::Enum(symbols)) => symbols.aliases.extend(new),
            Kind::Other(Type::Fixed(fixed)) => fixed.aliases.extend(new),
            Kind::Other(_) => {}
        }
    }

    /// A field as a file has it. Of its default, only null is kept.
    pub(super) fn new_field(&self, field: &Field, ty: TypeId) -> FieldType {
        let has_null_default = field.default == Some(Value::Null) && self.branches(ty).has_null;
        FieldType {
            name: field.name.clone(),
            column: field.column.clone(),
            written: vec![(field.name.clone(), self.file.clone())],
            aliases: field.aliases.clone(),
            ty,
            has_null_default,
        }
    }
}
