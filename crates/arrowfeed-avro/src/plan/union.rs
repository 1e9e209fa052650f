//! Resolution of unions: the reader's branch for each branch of the writer.

use arrow_schema::{DataType, Field, UnionFields, UnionMode};
use arrowfeed_source::{FeedError, FeedErrorKind, quoted};

use super::node::{Branch, Column, Node, UnionNode, UnionResult};
use super::projection::Projection;
use super::resolve::{Resolver, describe, same_name, unqualified};
use crate::schema::graph::{Graph, Type, TypeId};

/// Arrow numbers the branches of a union with eight bits.
const MAX_BRANCHES: usize = 127;

/// The reader's side of a union.
enum Reader {
    /// One type, or that type and null if `nullable`.
    One { ty: TypeId, nullable: bool },
    /// A dense union.
    Dense(Vec<TypeId>),
}

impl Reader {
    fn of(graph: &Graph, ty: TypeId) -> Self {
        let Type::Union(branches) = &graph.types[ty] else {
            return Reader::One { ty, nullable: false };
        };
        let is_null = |ty: &TypeId| graph.types[*ty] == Type::Null;
        match branches.as_slice() {
            [null, ty] | [ty, null] if is_null(null) && !is_null(ty) => {
                Reader::One { ty: *ty, nullable: true }
            }
            branches => Reader::Dense(branches.to_vec()),
        }
    }
}

impl Resolver<'_> {
    /// Resolves a union of the writer, whose branch index is on the wire.
    pub(super) fn resolve_writer_union(
        &mut self,
        writer: TypeId,
        reader: TypeId,
        projection: &Projection,
    ) -> Result<Column, FeedError> {
        let Type::Union(branches) = &self.writer.types[writer] else {
            return self.resolve(writer, reader, projection);
        };
        if branches.len() > MAX_BRANCHES {
            let n = branches.len();
            return Err(self.error(format!("expected a union of at most {MAX_BRANCHES} branches, found {n}")));
        }
        match Reader::of(self.reader, reader) {
            Reader::One { ty, nullable } => self.resolve_to_one(branches, ty, nullable, projection),
            Reader::Dense(to) => self.resolve_to_several(branches, &to, true, projection),
        }
    }

    /// Resolves a value that is not a union in the writer's schema, so the reader's branch is known.
    pub(super) fn resolve_reader_union(
        &mut self,
        writer: TypeId,
        reader: TypeId,
        projection: &Projection,
    ) -> Result<Column, FeedError> {
        match Reader::of(self.reader, reader) {
            Reader::One { ty, .. } if self.writer.types[writer] == Type::Null => {
                let column = self.reader_column(ty, projection)?;
                let null = Branch::Read { to: 0, column: Column::required(Node::Null, DataType::Null) };
                let union = UnionNode { tagged: false, branches: vec![null], result: UnionResult::One };
                Ok(Column { node: Node::Union(union), nullable: true, ..column })
            }
            Reader::One { ty, .. } => Ok(Column { nullable: true, ..self.resolve(writer, ty, projection)? }),
            Reader::Dense(to) => self.resolve_to_several(&[writer], &to, false, projection),
        }
    }

    fn resolve_to_one(
        &mut self,
        from: &[TypeId],
        ty: TypeId,
        nullable: bool,
        projection: &Projection,
    ) -> Result<Column, FeedError> {
        let mut resolved = Vec::with_capacity(from.len());
        let mut refusal = None;
        for writer in from {
            let is_null = self.writer.types[*writer] == Type::Null;
            resolved.push(if is_null && nullable {
                Some(Column::required(Node::Null, DataType::Null))
            } else {
                match self.resolve(*writer, ty, projection) {
                    Ok(column) => Some(column),
                    Err(error) if error.kind() == FeedErrorKind::Limit => return Err(error),
                    Err(error) => {
                        refusal = Some(error);
                        None
                    }
                }
            });
        }
        // As in Java, a branch that cannot be read is an error only when a value of it is met: a file may contain none.
        if let Some(refusal) = refusal
            && resolved.iter().all(Option::is_none)
        {
            return Err(refusal);
        }
        // All branches read into one type have the same Arrow type. Resolving it again for every enclosing union would
        // double the work each time.
        let is_null = |writer: &TypeId| self.writer.types[*writer] == Type::Null;
        let read = resolved
            .iter()
            .zip(from)
            .find_map(|(column, writer)| column.as_ref().filter(|_| !is_null(writer)));
        let model = match read {
            Some(column) => column.clone(),
            None => self.reader_column(ty, projection)?,
        };
        if nullable && let Some(column) = fused(&model, &resolved) {
            return Ok(column);
        }
        let branch = |(column, writer): (Option<Column>, &TypeId)| match column {
            Some(column) => Branch::Read { to: 0, column },
            None => self.refused(*writer, describe(&self.reader.types[ty])),
        };
        let branches = resolved.into_iter().zip(from).map(branch).collect();
        let union = UnionNode { tagged: true, branches, result: UnionResult::One };
        Ok(Column { node: Node::Union(union), nullable: nullable || model.nullable, ..model })
    }

    /// Resolves to a dense union. `projections`: the projection of each branch.
    pub(super) fn resolve_to_dense(
        &mut self,
        from: &[TypeId],
        to: &[TypeId],
        tagged: bool,
        projections: &[Projection],
    ) -> Result<Column, FeedError> {
        if to.len() > MAX_BRANCHES {
            let n = to.len();
            return Err(self.error(format!("expected a union of at most {MAX_BRANCHES} branches, found {n}")));
        }
        let mut branches = Vec::with_capacity(from.len());
        let mut columns: Vec<Option<Column>> = to.iter().map(|_| None).collect();
        let mut refusal = None;
        for writer in from {
            let resolved = match self.best_branch(*writer, to)? {
                Some(to_branch) => self
                    .resolve(*writer, to[to_branch], &projections[to_branch])
                    .map(|column| (to_branch, column)),
                None => Err(self.mismatch(&self.writer.types[*writer], &Type::Union(to.to_vec()))),
            };
            branches.push(match resolved {
                Ok((to, column)) => {
                    columns[to].get_or_insert_with(|| column.clone());
                    Branch::Read { to, column }
                }
                Err(error) => {
                    refusal = Some(error);
                    self.refused(*writer, "union".to_owned())
                }
            });
        }
        if let Some(refusal) = refusal
            && branches.iter().all(|branch| matches!(branch, Branch::Refused { .. }))
        {
            return Err(refusal);
        }
        let mut fields = Vec::with_capacity(to.len());
        for ((column, ty), projection) in columns.into_iter().zip(to).zip(projections) {
            let column = match column {
                Some(column) => column,
                None => self.reader_column(*ty, projection)?,
            };
            fields.push(column.field(branch_name(&self.reader.types[*ty])));
        }
        // An Arrow union has no validity buffer of its own: it is nullable if a branch is.
        let nullable = fields.iter().any(Field::is_nullable);
        let fields = UnionFields::try_from_fields(fields).map_err(|error| self.error(error.to_string()))?;
        let data_type = DataType::Union(fields.clone(), UnionMode::Dense);
        let union = UnionNode { tagged, branches, result: UnionResult::Dense(fields) };
        Ok(Column { nullable, ..Column::required(Node::Union(union), data_type) })
    }

    fn refused(&self, writer: TypeId, reader: String) -> Branch {
        Branch::Refused { branch: branch_name(&self.writer.types[writer]).to_owned(), reader }
    }

    /// The reader's branch for a writer's type: a branch of the same type and name, else one with the name as an alias, else
    /// a record that resolves, else the first branch that the type can be promoted to.
    ///
    /// # Errors
    /// Two branches have the name as an alias.
    fn best_branch(&mut self, writer: TypeId, to: &[TypeId]) -> Result<Option<usize>, FeedError> {
        let (w, reader) = (&self.writer.types[writer], &self.reader.types);
        if let Some(found) = to.iter().position(|ty| names_equal(w, &reader[*ty])) {
            return Ok(Some(found));
        }
        let mut by_alias = (0..to.len()).filter(|branch| is_alias(w, &reader[to[*branch]]));
        let found = by_alias.next();
        if let (Some(first), Some(second)) = (found, by_alias.next()) {
            let name = |branch: usize| quoted(branch_name(&reader[to[branch]]));
            let (alias, first, second) = (quoted(branch_name(w)), name(first), name(second));
            return Err(self.error(format!(
                "expected an alias of only one branch, found {alias} of the types {first} and {second}"
            )));
        }
        let alike = || to.iter().position(|ty| names_alike(w, &reader[*ty]));
        if let Some(found) = found.or_else(alike) {
            return Ok(Some(found));
        }
        let fits = |this: &mut Self, ty: TypeId| {
            let same_kind = matches!((w, &reader[ty]), (Type::Record(_), Type::Record(_)));
            same_kind && this.resolve(writer, ty, &Projection::All).is_ok()
        };
        let structure = to.iter().position(|ty| fits(self, *ty));
        // A promotion that a logical type forbids does not count.
        let promotes = |this: &mut Self, ty: TypeId| {
            is_promotion(w, &reader[ty]) && this.resolve(writer, ty, &Projection::All).is_ok()
        };
        Ok(structure.or_else(|| to.iter().position(|ty| promotes(self, *ty))))
    }
}

/// The common union of null and one type, if the reader also has null.
fn fused(model: &Column, resolved: &[Option<Column>]) -> Option<Column> {
    let [Some(first), Some(second)] = resolved else { return None };
    let (null_branch, value) = match (&first.node, &second.node) {
        (Node::Null, _) if first.data_type == DataType::Null => (0, second),
        (_, Node::Null) if second.data_type == DataType::Null => (1, first),
        _ => return None,
    };
    // The slots of a union have no validity, so such a value is merged as a branch.
    if matches!(value.node, Node::Null | Node::Union(_)) {
        return None;
    }
    let value = Box::new(value.node.clone());
    Some(Column { node: Node::Nullable { null_branch, value }, nullable: true, ..model.clone() })
}

/// The name of a branch in an Arrow union, as in Avro's JSON encoding: the name of the type, or the full name if it is named.
pub(super) fn branch_name(ty: &Type) -> &str {
    match ty {
        Type::Record(record) => &record.name,
        Type::Enum(symbols) => &symbols.name,
        Type::Fixed(fixed) => &fixed.name,
        other => other.kind(),
    }
}

/// Whether both types are of the same kind and, if named, have the same full name.
fn names_equal(w: &Type, r: &Type) -> bool {
    let names = match (w.name_and_aliases(), r.name_and_aliases()) {
        (Some((w, _)), Some((r, _))) => w == r,
        _ => true,
    };
    w.kind() == r.kind() && names
}

/// Whether both types are of the same kind, and the name of the writer's type is an alias of the reader's.
fn is_alias(w: &Type, r: &Type) -> bool {
    let names = (w.name_and_aliases(), r.name_and_aliases());
    let is_alias =
        matches!(names, (Some((w, _)), Some((_, aliases))) if aliases.iter().any(|alias| alias == w));
    is_alias && w.kind() == r.kind()
}

/// Whether both types are of the same kind and, if named, have the same unqualified name or an alias matches.
fn names_alike(w: &Type, r: &Type) -> bool {
    let names = match (w.name_and_aliases(), r.name_and_aliases()) {
        (Some((w, _)), Some((r, aliases))) => unqualified(w) == unqualified(r) || same_name(w, r, aliases),
        _ => true,
    };
    w.kind() == r.kind() && names
}

fn is_promotion(w: &Type, r: &Type) -> bool {
    matches!(
        (w.kind(), r.kind()),
        ("int", "long" | "float" | "double")
            | ("long", "float" | "double")
            | ("float", "double")
            | ("string", "bytes")
            | ("bytes", "string")
    )
}
