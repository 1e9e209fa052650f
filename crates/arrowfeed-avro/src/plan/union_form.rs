//! The option `unions`: the Arrow type of a union of several types.

use std::collections::HashMap;

use arrow_schema::{DataType, Field, FieldRef, Fields, UnionFields};
use arrowfeed_source::{FeedError, quoted};

use super::json_text;
use super::leaf::{JSON_UNION, Mapping};
use super::node::{Column, Node, UnionConversion, UnionNode, UnionResult, null_slot_bytes};
use super::projection::Projection;
use super::resolve::Resolver;
use super::union::branch_name;
use crate::options::Unions;
use crate::schema::graph::{Type, TypeId};

impl Resolver<'_> {
    /// Resolves to several branches, as the option `unions` has them.
    pub(super) fn resolve_to_several(
        &mut self,
        from: &[TypeId],
        to: &[TypeId],
        tagged: bool,
        projection: &Projection,
    ) -> Result<Column, FeedError> {
        let mapping = self.mapping;
        let mut branches = vec![Projection::All; to.len()];
        match mapping.unions {
            Unions::Struct => {
                if *projection != Projection::All {
                    branches = to.iter().map(|branch| self.without_fields(*branch)).collect();
                }
                let chosen = self.chosen_branches(to, projection)?;
                for (branch, projection) in &chosen {
                    branches[*branch].clone_from(projection);
                }
                let dense = self.resolve_to_dense(from, to, tagged, &branches)?;
                let chosen: Vec<usize> = chosen.into_iter().map(|(branch, _)| branch).collect();
                self.as_struct(dense, &chosen)
            }
            Unions::Dense | Unions::Json if *projection != Projection::All => Err(self
                .error("expected a record to select fields from, found a union of several types".to_owned())),
            Unions::Dense => self.resolve_to_dense(from, to, tagged, &branches),
            Unions::Json => {
                self.mapping = Mapping::inside_json();
                let dense = self.resolve_to_dense(from, to, tagged, &branches);
                self.mapping = mapping;
                Ok(as_json(dense?, mapping.string()))
            }
        }
    }

    /// The projection of a branch that is left out. The fields of a record are skipped, and may be recursive.
    fn without_fields(&self, mut branch: TypeId) -> Projection {
        loop {
            match &self.reader.types[branch] {
                Type::Array(items) | Type::Map(items) => branch = *items,
                Type::Union(branches) => match self.only_branch(branches) {
                    Some(only) => branch = only,
                    None => return Projection::Fields(Vec::new()),
                },
                Type::Record(_) => return Projection::Fields(Vec::new()),
                _ => return Projection::All,
            }
        }
    }

    /// The branch of a union of null and one type.
    fn only_branch(&self, branches: &[TypeId]) -> Option<TypeId> {
        let mut others = branches.iter().filter(|branch| self.reader.types[**branch] != Type::Null);
        others.next().copied().filter(|_| others.next().is_none())
    }

    /// The branches that become fields of a struct: those in the projection, or all except null.
    fn chosen_branches(
        &self,
        to: &[TypeId],
        projection: &Projection,
    ) -> Result<Vec<(usize, Projection)>, FeedError> {
        let name = |branch: usize| branch_name(&self.reader.types[to[branch]]);
        let stored = || (0..to.len()).filter(|branch| self.reader.types[to[*branch]] != Type::Null);
        let Projection::Fields(wanted) = projection else {
            return Ok(stored().map(|branch| (branch, Projection::All)).collect());
        };
        let find = |(wanted, projection): &(String, Projection)| match stored().find(|at| name(*at) == wanted)
        {
            Some(branch) => Ok((branch, projection.clone())),
            None => {
                let known = stored().map(|branch| quoted(name(branch))).collect::<Vec<_>>().join(", ");
                let wanted = quoted(wanted);
                Err(self.error(format!("expected a branch of the union ({known}), found {wanted}")))
            }
        };
        wanted.iter().map(find).collect()
    }

    /// Converts a dense union to a struct of the chosen branches.
    fn as_struct(&self, dense: Column, chosen: &[usize]) -> Result<Column, FeedError> {
        let Node::Union(UnionNode { tagged, branches, result: UnionResult::Dense(union) }) = dense.node
        else {
            return Ok(dense);
        };
        let null = null_branch(&union);
        let all: Vec<(i8, &FieldRef)> = union.iter().collect();
        let chosen = chosen.iter().map(|branch| all[*branch]);
        let (ids, fields): (Vec<i8>, Vec<Field>) =
            chosen.map(|(id, field)| (id, field.as_ref().clone().with_nullable(true))).unzip();
        let fields = Fields::from(fields);
        for (i, field) in fields.iter().enumerate() {
            if fields.iter().skip(i + 1).any(|other| other.name() == field.name()) {
                let name = quoted(field.name());
                return Err(self.error(format!(
                    "expected branches with different names in a union that becomes a struct, found two named {name}; \
                     read it as a dense union or as JSON"
                )));
            }
        }
        let slots = fields.iter().map(|field| null_slot_bytes(field.data_type()).saturating_add(1));
        let slot_bytes = slots.fold(1, usize::saturating_add);
        let data_type = DataType::Struct(Fields::clone(&fields));
        let conversion = UnionConversion::Struct { fields, branches: ids, null, slot_bytes };
        let result = UnionResult::Converted(union, Box::new(conversion));
        let node = Node::Union(UnionNode { tagged, branches, result });
        Ok(Column { nullable: dense.nullable, ..Column::required(node, data_type) })
    }
}

/// Converts a dense union to the JSON text of its values.
fn as_json(mut dense: Column, data_type: DataType) -> Column {
    let text_bytes = json_text::text_bytes(&mut dense).saturating_add(size_of::<u128>());
    if let Node::Union(union) = &mut dense.node
        && let UnionResult::Dense(fields) = &union.result
    {
        let null = null_branch(fields);
        let conversion = UnionConversion::Json { data_type: data_type.clone(), null, text_bytes };
        union.result = UnionResult::Converted(fields.clone(), Box::new(conversion));
    }
    let metadata = HashMap::from([(JSON_UNION.to_owned(), "json".to_owned())]);
    Column { data_type, metadata, ..dense }
}

/// The branch null of a dense union.
fn null_branch(fields: &UnionFields) -> Option<i8> {
    fields.iter().find_map(|(id, field)| (*field.data_type() == DataType::Null).then_some(id))
}
