//! Resolution of records: the reader's field for each field of the writer, and the defaults of all others.

use std::collections::{HashMap, HashSet};

use arrow_schema::{DataType, Field};
use arrowfeed_source::{FeedError, quoted};

use super::node::{Column, FieldStep, Node, Output, RecordNode};
use super::projection::Projection;
use super::resolve::{Resolver, first_indices};
use crate::schema::graph::{Field as AvroField, Record, TypeId};

impl<'a> Resolver<'a> {
    pub(super) fn resolve_record(
        &mut self,
        writer: TypeId,
        reader: TypeId,
        w: &'a Record,
        r: &'a Record,
        projection: &Projection,
    ) -> Result<Column, FeedError> {
        // A projection that names its fields one by one is finite, even if it passes through the same record repeatedly.
        if *projection == Projection::All && self.open.contains(&(writer, reader)) {
            let name = quoted(&r.name);
            return Err(self.error(format!(
                "record {name} is recursive and cannot become an Arrow column; leave it out with `exclude` or `columns`"
            )));
        }
        self.open.push((writer, reader));
        let node = self.record_node(w, r, projection);
        self.open.pop();
        let node = node?;
        let data_type = DataType::Struct(node.fields.clone());
        Ok(Column::required(Node::Record(node), data_type))
    }

    fn record_node(
        &mut self,
        w: &'a Record,
        r: &'a Record,
        projection: &Projection,
    ) -> Result<RecordNode, FeedError> {
        let chosen = self.chosen(r, projection)?;
        let slots: HashMap<usize, usize> =
            chosen.iter().enumerate().rev().map(|(slot, (field, _))| (*field, slot)).collect();
        let reader_fields = ReaderFields::new(w, r);
        let mut steps = Vec::with_capacity(w.fields.len());
        let mut outputs: Vec<Option<Output>> = chosen.iter().map(|_| None).collect();
        let mut fields: Vec<Option<Field>> = outputs.iter().map(|_| None).collect();
        let mut reads = 0;
        for field in &w.fields {
            let found = reader_fields.of(field).map_err(|message| self.error(message))?;
            let slot = found.and_then(|i| slots.get(&i).copied());
            let Some(slot) = slot else {
                steps.push(self.skip(&field.name, field.ty));
                continue;
            };
            let (i, projection) = &chosen[slot];
            let column =
                self.inside(&r.fields[*i].name, |this| this.resolve(field.ty, r.fields[*i].ty, projection))?;
            fields[slot] = Some(column.field(r.fields[*i].column_name()));
            outputs[slot] = Some(Output::Read(reads));
            reads += 1;
            steps.push(FieldStep::Read { name: field.name.clone(), column });
        }
        for (slot, (i, projection)) in chosen.iter().enumerate() {
            if outputs[slot].is_none() {
                let field = &r.fields[*i];
                let (column, output) = self.inside(&field.name, |this| this.default_of(field, projection))?;
                fields[slot] = Some(column.field(field.column_name()));
                outputs[slot] = Some(output);
            }
        }
        let fields = fields.into_iter().flatten().collect();
        Ok(RecordNode { steps, outputs: outputs.into_iter().flatten().collect(), fields })
    }

    /// Indices of the reader's fields in the projection, in column order.
    fn chosen(&self, r: &Record, projection: &Projection) -> Result<Vec<(usize, Projection)>, FeedError> {
        let Projection::Fields(wanted) = projection else {
            return Ok((0..r.fields.len()).map(|i| (i, Projection::All)).collect());
        };
        let by_column = first_indices(r.fields.iter().map(AvroField::column_name));
        let by_name = first_indices(r.fields.iter().map(|field| field.name.as_str()));
        let index = |name: &str| by_column.get(name).or_else(|| by_name.get(name)).copied();
        let find = |(name, projection): &(String, Projection)| match index(name) {
            Some(i) => Ok((i, projection.clone())),
            None => {
                let known = r
                    .fields
                    .iter()
                    .take(20)
                    .map(|field| quoted(field.column_name()))
                    .collect::<Vec<_>>()
                    .join(", ");
                let more = if r.fields.len() > 20 { ", …" } else { "" };
                let (name, record) = (quoted(name), quoted(&r.name));
                Err(self.error(format!("expected a field of record {record} ({known}{more}), found {name}")))
            }
        };
        wanted.iter().map(find).collect()
    }
}

/// The fields of a reader's record, by the names that a writer's field may have.
struct ReaderFields<'a> {
    record: &'a Record,
    by_name: HashMap<&'a str, usize>,
    /// The first two fields with an alias whose own names the writer does not have.
    by_alias: HashMap<&'a str, (usize, Option<usize>)>,
}

impl<'a> ReaderFields<'a> {
    fn new(w: &'a Record, r: &'a Record) -> Self {
        let by_name = first_indices(r.fields.iter().map(|field| field.name.as_str()));
        let own: HashSet<&str> = w.fields.iter().map(|field| field.name.as_str()).collect();
        let mut by_alias: HashMap<&str, (usize, Option<usize>)> = HashMap::new();
        for (index, field) in r.fields.iter().enumerate().filter(|(_, field)| !own.contains(&*field.name)) {
            for alias in &field.aliases {
                let found = by_alias.entry(alias.as_str()).or_insert((index, None));
                if found.0 != index {
                    found.1.get_or_insert(index);
                }
            }
        }
        Self { record: r, by_name, by_alias }
    }

    /// The index of the reader's field for a field of the writer: the field of the same name, else the one that has the name
    /// as an alias and whose own name the writer does not have.
    ///
    /// # Errors
    /// There are two of the latter; the text says so.
    fn of(&self, field: &AvroField) -> Result<Option<usize>, String> {
        let name = field.name.as_str();
        if let Some(found) = self.by_name.get(name) {
            return Ok(Some(*found));
        }
        match self.by_alias.get(name) {
            Some((first, Some(second))) => {
                let of = |field: &usize| quoted(&self.record.fields[*field].name);
                let (alias, first, second) = (quoted(name), of(first), of(second));
                Err(format!(
                    "expected an alias of only one field, found {alias} of the fields {first} and {second}"
                ))
            }
            found => Ok(found.map(|(index, _)| *index)),
        }
    }
}
