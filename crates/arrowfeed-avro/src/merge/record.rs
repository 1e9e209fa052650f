//! Merge of records: fields by name and by alias, and fields that a file does not have.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrowfeed_source::{FeedError, FeedErrorKind, SchemaChangeKind, quoted};

use super::{Addition, Kind, Merger};
use crate::plan::describe;
use crate::schema::graph::{Field, Record, Type, TypeId};

/// A record of the merged schema.
pub(super) struct RecordType {
    /// Full name.
    pub(super) name: String,
    /// Full names.
    pub(super) aliases: Vec<String>,
    pub(super) fields: Vec<FieldType>,
}

/// A field of the merged schema.
pub(super) struct FieldType {
    pub(super) name: String,
    pub(super) column: Option<String>,
    /// The names that the field has in files, each with the first of these files.
    pub(super) written: Vec<(String, Arc<str>)>,
    pub(super) aliases: Vec<String>,
    pub(super) ty: TypeId,
    /// Whether the field is null in records of files that do not have it.
    pub(super) has_null_default: bool,
}

impl FieldType {
    /// The first file in which the field has this name.
    fn file_of(&self, name: &str) -> Option<&Arc<str>> {
        self.written.iter().find(|(written, _)| written == name).map(|(_, file)| file)
    }

    fn has_alias(&self, name: &str) -> bool {
        self.file_of(name).is_some() || self.aliases.iter().any(|alias| alias == name)
    }
}

impl RecordType {
    /// The aliases of a field in the merged schema: its other names in files, and those that files declare, without names
    /// and aliases of other fields.
    pub(super) fn aliases_of(&self, number: usize) -> Vec<&str> {
        let field = &self.fields[number];
        let others =
            || self.fields.iter().enumerate().filter(|(other, _)| *other != number).map(|(_, other)| other);
        let written = field.written.iter().map(|(name, _)| name.as_str());
        let declared = field.aliases.iter().map(String::as_str);
        let declared = declared.filter(|alias| others().all(|other| !other.has_alias(alias)));
        let mut known = HashSet::from([field.name.as_str()]);
        let aliases = written.chain(declared).filter(|alias| others().all(|other| other.name != *alias));
        aliases.filter(|alias| known.insert(alias)).collect()
    }
}

/// The merged field for an added one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Match {
    number: usize,
    /// Whether the added field is the newer one: it has the name of the merged field as an alias.
    renames: bool,
}

impl Merger<'_> {
    pub(super) fn merge_records(
        &mut self,
        added: &mut Addition<'_>,
        to: TypeId,
        from: TypeId,
        record: &Record,
    ) -> Result<(), FeedError> {
        if !added.done.insert((to, from)) {
            return Ok(());
        }
        added.targets.entry(from).or_insert(to);
        self.adopt_names(to, &record.name, &record.aliases);
        let matches = self.matches(to, &record.fields)?;
        let found: HashSet<usize> = matches.iter().flatten().map(|found| found.number).collect();
        for number in (0..self.fields(to).len()).filter(|number| !found.contains(number)) {
            self.miss(to, number)?;
        }
        for (field, found) in record.fields.iter().zip(matches) {
            match found {
                Some(found) => self.merge_fields(added, (to, found), field)?,
                None => self.add_field(added, to, field)?,
            }
        }
        Ok(())
    }

    fn merge_fields(
        &mut self,
        added: &mut Addition<'_>,
        (record, Match { number, renames }): (TypeId, Match),
        field: &Field,
    ) -> Result<(), FeedError> {
        let file = self.file.clone();
        let known = self.field(record, number);
        let old = known.name.clone();
        if known.file_of(&field.name).is_none() {
            known.written.push((field.name.clone(), file));
        }
        let new =
            field.aliases.iter().filter(|alias| !known.aliases.contains(alias)).cloned().collect::<Vec<_>>();
        known.aliases.extend(new);
        if renames {
            known.name.clone_from(&field.name);
            known.column.clone_from(&field.column);
        }
        let (name, ty) = (known.name.clone(), known.ty);
        let merged = self.in_field(&name, |this| {
            if renames {
                this.report(SchemaChangeKind::Name, format!("renamed from {}", quoted(&old)));
            }
            this.merge(added, ty, field.ty)
        })?;
        self.field(record, number).ty = merged;
        Ok(())
    }

    fn add_field(
        &mut self,
        added: &mut Addition<'_>,
        record: TypeId,
        field: &Field,
    ) -> Result<(), FeedError> {
        self.in_field(&field.name, |this| {
            let types = &added.graph.types;
            let text = match &types[field.ty] {
                Type::Union(branches) => {
                    let branches: Vec<_> = branches.iter().map(|branch| describe(&types[*branch])).collect();
                    format!("added with the union of {}", branches.join(", "))
                }
                other => format!("added with the type {}", describe(other)),
            };
            this.report(SchemaChangeKind::Field, text);
            let ty = this.import(added, field.ty)?;
            let ty = this.nullable(ty)?;
            let new = FieldType { has_null_default: true, ..this.new_field(field, ty) };
            this.push_field(record, new);
            Ok(())
        })
    }

    /// Makes a field nullable that the file does not have.
    fn miss(&mut self, record: TypeId, number: usize) -> Result<(), FeedError> {
        let field = self.field(record, number);
        if field.has_null_default {
            return Ok(());
        }
        field.has_null_default = true;
        let (name, ty) = (field.name.clone(), field.ty);
        let ty = self.in_field(&name, |this| {
            this.report(SchemaChangeKind::Nullable, "made nullable: the file does not have it".to_owned());
            this.nullable(ty)
        })?;
        self.field(record, number).ty = ty;
        Ok(())
    }

    /// The merged field for each added one: that of the same name, else one that an alias names and whose own name the added
    /// record does not have. `None`: there is none.
    fn matches(&self, record: TypeId, added: &[Field]) -> Result<Vec<Option<Match>>, FeedError> {
        let known = self.fields(record);
        let by_name: HashMap<&str, usize> =
            known.iter().enumerate().map(|(number, field)| (field.name.as_str(), number)).collect();
        let own: HashSet<&str> = added.iter().map(|field| field.name.as_str()).collect();
        let free: Vec<usize> =
            (0..known.len()).filter(|number| !own.contains(known[*number].name.as_str())).collect();
        let mut taken = HashMap::new();
        let mut matches = Vec::with_capacity(added.len());
        for field in added {
            let same = by_name.get(field.name.as_str()).copied();
            let found = match same {
                Some(number) => Some(Match { number, renames: false }),
                None => self.by_alias(known, &free, field)?,
            };
            if let Some(found) = found
                && let Some(other) = taken.insert(found.number, field)
            {
                return Err(self.ambiguous(&known[found.number].name, &[&other.name, &field.name]));
            }
            matches.push(found);
        }
        Ok(matches)
    }

    fn by_alias(
        &self,
        known: &[FieldType],
        free: &[usize],
        field: &Field,
    ) -> Result<Option<Match>, FeedError> {
        let related = |number: &usize| {
            let to = &known[*number];
            let is_alias = to.has_alias(&field.name);
            let names = field.aliases.iter();
            if is_alias || names.clone().any(|alias| *alias == to.name || to.file_of(alias).is_some()) {
                let renames = !is_alias && field.aliases.contains(&to.name);
                return Some(Match { number: *number, renames });
            }
            None
        };
        let found: Vec<(usize, Match)> =
            free.iter().filter_map(|number| Some((*number, related(number)?))).collect();
        match &found[..] {
            [] => {}
            [(_, only)] => return Ok(Some(*only)),
            [(first, _), (second, _), ..] => {
                return Err(self.ambiguous(&field.name, &[&known[*first].name, &known[*second].name]));
            }
        }
        // The field was another name of a field that this file has too.
        let other = known.iter().find_map(|other| Some((other, other.file_of(&field.name)?)));
        match other {
            None => Ok(None),
            Some((other, file)) => {
                let (name, other) = (quoted(&field.name), quoted(&other.name));
                let expected = format!("{name} as an alias of the field {other}");
                let error = self.differs(file, &expected, &format!("fields {name} and {other}"));
                Err(error.with_field(self.path_of(&field.name)))
            }
        }
    }

    #[cold]
    fn ambiguous(&self, name: &str, fields: &[&str; 2]) -> FeedError {
        let [first, second] = fields.map(quoted);
        let message = format!("expected aliases that name one field, found {first} and {second}");
        let error = FeedError::new(FeedErrorKind::Schema, message).in_field(self.path_of(name));
        error.in_file(&self.file)
    }

    fn path_of(&self, name: &str) -> String {
        let step = arrowfeed_source::field_path::step(name, self.path.is_empty());
        self.path.concat() + &step
    }

    fn fields(&self, record: TypeId) -> &[FieldType] {
        match &self.types[record].kind {
            Kind::Record(record) => &record.fields,
            Kind::Other(_) => &[],
        }
    }

    fn field(&mut self, record: TypeId, number: usize) -> &mut FieldType {
        match &mut self.types[record].kind {
            Kind::Record(record) => &mut record.fields[number],
            Kind::Other(_) => unreachable!("only records have fields"),
        }
    }

    pub(super) fn push_field(&mut self, record: TypeId, field: FieldType) {
        if let Kind::Record(record) = &mut self.types[record].kind {
            record.fields.push(field);
        }
    }
}
