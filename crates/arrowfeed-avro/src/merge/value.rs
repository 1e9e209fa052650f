//! Merge of two types.

use std::collections::HashSet;

use arrowfeed_source::{FeedError, SchemaChangeKind, counted, quoted};

use super::numbers::{common, widest};
use super::{Addition, Kind, Merger, NULL};
use crate::plan::{describe, same_name};
use crate::schema::graph::{Enum, Fixed, Graph, Type, TypeId};

/// A type as a union: the branches other than null, and whether null is one.
pub(super) struct Branches {
    pub(super) types: Vec<TypeId>,
    pub(super) has_null: bool,
}

impl Branches {
    /// The branches of a type of a schema. A type that is no union is the only branch.
    pub(super) fn of(graph: &Graph, id: TypeId) -> Self {
        let only = [id];
        let branches = if let Type::Union(branches) = &graph.types[id] { branches } else { &only[..] };
        let is_null = |id: &TypeId| graph.types[*id] == Type::Null;
        let types = branches.iter().copied().filter(|id| !is_null(id)).collect();
        Self { types, has_null: branches.iter().any(is_null) }
    }
}

impl Merger<'_> {
    /// Merges an added type into a merged one. Returns the merged type, which may be another one.
    pub(super) fn merge(
        &mut self,
        added: &mut Addition<'_>,
        to: TypeId,
        from: TypeId,
    ) -> Result<TypeId, FeedError> {
        self.deeper(|this| {
            let (known, new) = (this.branches(to), Branches::of(added.graph, from));
            let types = match (&known.types[..], &new.types[..]) {
                (types, []) => types.to_vec(),
                ([], types) => {
                    let text = format!("changed from null to {}", describe(&added.graph.types[types[0]]));
                    this.report(SchemaChangeKind::Type, text);
                    this.import_all(added, types)?
                }
                ([to], [from]) => vec![this.merge_values(added, *to, *from)?],
                (to, from) => this.merge_branches(added, to, from)?,
            };
            if new.has_null && !known.has_null {
                this.report(SchemaChangeKind::Nullable, "made nullable, as in the file".to_owned());
            }
            let has_null = known.has_null || new.has_null;
            this.with_branches(to, types, has_null)
        })
    }

    /// The branches of a merged type.
    pub(super) fn branches(&self, id: TypeId) -> Branches {
        let only = [id];
        let branches = match &self.types[id].kind {
            Kind::Other(Type::Union(branches)) => branches,
            _ => &only[..],
        };
        let types = branches.iter().copied().filter(|id| *id != NULL).collect();
        Branches { types, has_null: branches.contains(&NULL) }
    }

    /// The union of these branches in the place of a merged type.
    fn with_branches(&mut self, id: TypeId, types: Vec<TypeId>, has_null: bool) -> Result<TypeId, FeedError> {
        let Kind::Other(Type::Union(known)) = &self.types[id].kind else {
            return self.union(types, has_null);
        };
        let branches: Vec<TypeId> = has_null.then_some(NULL).into_iter().chain(types).collect();
        if branches != *known {
            self.replace(id, Type::Union(branches));
        }
        Ok(id)
    }

    /// A union, in which null comes first; a type alone is no union.
    pub(super) fn union(&mut self, types: Vec<TypeId>, has_null: bool) -> Result<TypeId, FeedError> {
        let null = has_null.then_some(NULL);
        match (null, &types[..]) {
            (_, []) => Ok(NULL),
            (None, [only]) => Ok(*only),
            _ => self.push(Kind::Other(Type::Union(null.into_iter().chain(types).collect()))),
        }
    }

    /// The union of null and a merged type.
    pub(super) fn nullable(&mut self, id: TypeId) -> Result<TypeId, FeedError> {
        let Branches { types, has_null } = self.branches(id);
        if has_null { Ok(id) } else { self.union(types, true) }
    }

    /// Merges types that are neither null nor a union.
    pub(super) fn merge_values(
        &mut self,
        added: &mut Addition<'_>,
        to: TypeId,
        from: TypeId,
    ) -> Result<TypeId, FeedError> {
        let graph = added.graph;
        match (&self.types[to].kind, &graph.types[from]) {
            (Kind::Record(_), Type::Record(record)) => self.merge_records(added, to, from, record)?,
            (Kind::Other(Type::Enum(_)), Type::Enum(symbols)) => self.merge_enums(to, symbols)?,
            (Kind::Other(Type::Fixed(_)), Type::Fixed(fixed)) => self.merge_fixed(to, fixed)?,
            (Kind::Other(Type::Array(known)), Type::Array(items)) => {
                let known = *known;
                let merged = self.in_items(|this| this.merge(added, known, *items))?;
                if merged != known {
                    self.replace(to, Type::Array(merged));
                }
            }
            (Kind::Other(Type::Map(known)), Type::Map(values)) => {
                let known = *known;
                let merged = self.in_items(|this| this.merge(added, known, *values))?;
                if merged != known {
                    self.replace(to, Type::Map(merged));
                }
            }
            (Kind::Other(known), ty) => match widest(known, ty) {
                Some(both) if both == *known => {}
                Some(both) => {
                    let text = format!("changed from {} to {}", describe(known), describe(&both));
                    self.report(SchemaChangeKind::Type, text);
                    self.replace(to, both);
                }
                None => return Err(self.conflict(to, &describe(ty))),
            },
            (Kind::Record(_), ty) => return Err(self.conflict(to, &describe(ty))),
        }
        Ok(to)
    }

    fn merge_enums(&mut self, to: TypeId, added: &Enum) -> Result<(), FeedError> {
        self.adopt_names(to, &added.name, &added.aliases);
        let found = || describe(&Type::Enum(added.clone()));
        let Kind::Other(Type::Enum(known)) = &mut self.types[to].kind else { return Ok(()) };
        if !same_name(&added.name, &known.name, &known.aliases) {
            return Err(self.conflict(to, &found()));
        }
        let symbols: HashSet<&String> = known.symbols.iter().collect();
        let new: Vec<String> =
            added.symbols.iter().filter(|symbol| !symbols.contains(symbol)).cloned().collect();
        if new.is_empty() {
            return Ok(());
        }
        let shown: Vec<String> = new.iter().take(20).map(|symbol| quoted(symbol)).collect();
        let more = if new.len() > shown.len() { ", …" } else { "" };
        known.symbols.extend(new);
        self.report(SchemaChangeKind::Symbols, format!("added the symbols {}{more}", shown.join(", ")));
        Ok(())
    }

    fn merge_fixed(&mut self, to: TypeId, added: &Fixed) -> Result<(), FeedError> {
        self.adopt_names(to, &added.name, &added.aliases);
        let Kind::Other(Type::Fixed(known)) = &self.types[to].kind else { return Ok(()) };
        let (size, found) = (known.size, describe(&Type::Fixed(added.clone())));
        if !same_name(&added.name, &known.name, &known.aliases) {
            return Err(self.conflict(to, &found));
        }
        if size != added.size {
            let of = |size: usize| format!("a fixed of {}", counted(size as u64, "byte"));
            return Err(self.differs(&self.types[to].file, &of(size), &of(added.size)));
        }
        let Some(logical) = common(known.logical, added.logical) else {
            return Err(self.conflict(to, &found));
        };
        if logical != known.logical {
            let both = Type::Fixed(Fixed { logical, ..known.clone() });
            let text = format!("changed from {} to {}", self.name_of(to), describe(&both));
            self.report(SchemaChangeKind::Type, text);
            self.replace(to, both);
        }
        Ok(())
    }
}
