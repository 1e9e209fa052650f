//! Projection of the fields that can be read from a schema with recursive types.

use std::collections::HashSet;

use arrowfeed_source::{FeedError, Limits, thousands};

use super::ROOT_COLUMN;
use super::projection::Projection;
use crate::schema::graph::{Graph, Type, TypeId};

/// All non-recursive fields, that is, all but those in which a record occurs again inside itself.
pub(super) fn nonrecursive(graph: &Graph, limits: &Limits) -> Result<Projection, FeedError> {
    let most = limits.expanded_fields;
    let mut walk = RecursionFinder { graph, open: Vec::new(), ends: HashSet::new(), left: most, most };
    let projection = walk.of(graph.root)?;
    Ok(match &graph.types[graph.root] {
        Type::Record(_) => projection.unwrap_or(Projection::All),
        _ => Projection::Fields(
            projection.map(|projection| (ROOT_COLUMN.to_owned(), projection)).into_iter().collect(),
        ),
    })
}

struct RecursionFinder<'a> {
    graph: &'a Graph,
    /// The records around the current type.
    open: Vec<TypeId>,
    /// Records without recursive fields.
    ends: HashSet<TypeId>,
    /// Types that may still be visited. The limit is needed because a few named types can expand to any number.
    left: usize,
    most: usize,
}

impl RecursionFinder<'_> {
    /// The non-recursive part of a type, or `None` for a record inside itself.
    fn of(&mut self, ty: TypeId) -> Result<Option<Projection>, FeedError> {
        self.left = self.left.checked_sub(1).ok_or_else(|| {
            let message =
                format!("the schema is over the limit expanded_fields of {}", thousands(self.most as u64));
            FeedError::limit_reached("expanded_fields", message)
        })?;
        match &self.graph.types[ty] {
            Type::Array(items) | Type::Map(items) => self.of(*items),
            Type::Union(branches) => self.of_union(branches),
            Type::Record(_) if self.ends.contains(&ty) => Ok(Some(Projection::All)),
            Type::Record(_) if self.open.contains(&ty) => Ok(None),
            Type::Record(record) => {
                self.open.push(ty);
                let mut fields = Vec::new();
                for field in &record.fields {
                    if let Some(projection) = self.of(field.ty)? {
                        fields.push((field.column_name().to_owned(), projection));
                    }
                }
                self.open.pop();
                if fields.len() == record.fields.len()
                    && fields.iter().all(|(_, projection)| *projection == Projection::All)
                {
                    self.ends.insert(ty);
                    return Ok(Some(Projection::All));
                }
                Ok(Some(Projection::Fields(fields)))
            }
            _ => Ok(Some(Projection::All)),
        }
    }

    /// Fields of a union of several types cannot be selected, so the result is all of the union or none of it.
    fn of_union(&mut self, branches: &[TypeId]) -> Result<Option<Projection>, FeedError> {
        let is_null = |ty: &&TypeId| matches!(self.graph.types[**ty], Type::Null);
        let types: Vec<TypeId> = branches.iter().filter(|ty| !is_null(ty)).copied().collect();
        if let [only] = types.as_slice() {
            return self.of(*only);
        }
        for ty in types {
            if self.of(ty)? != Some(Projection::All) {
                return Ok(None);
            }
        }
        Ok(Some(Projection::All))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AvroSchema;
    use crate::options::Unions;

    fn paths(schema: &str, paths: &[&str]) -> Projection {
        Projection::from_paths(paths, AvroSchema::parse(schema).unwrap().graph(), Unions::Dense).unwrap()
    }

    fn ending_of(schema: &str) -> Projection {
        nonrecursive(AvroSchema::parse(schema).unwrap().graph(), &Limits::default()).unwrap()
    }

    #[test]
    fn fields_that_contain_their_record_are_left_out_at_any_depth() {
        let schema = r#"{"type": "record", "name": "Root", "fields": [
            {"name": "id", "type": "long"},
            {"name": "tree", "type": ["null", {"type": "record", "name": "Tree", "fields": [
                {"name": "label", "type": "string"},
                {"name": "children", "type": {"type": "array", "items": "Tree"}},
                {"name": "by_name", "type": {"type": "map", "values": ["null", "Tree"]}},
                {"name": "other", "type": ["Tree", "string"]}]}]},
            {"name": "forest", "type": {"type": "array", "items": "Tree"}},
            {"name": "pair", "type": ["int", {"type": "record", "name": "End", "fields": [
                {"name": "x", "type": "int"}]}]},
            {"name": "end", "type": "End"}]}"#;
        let expected = ["id", "tree.label", "forest.label", "pair", "end"];
        assert_eq!(ending_of(schema), paths(schema, &expected));
    }

    #[test]
    fn a_root_that_is_no_record_is_one_column() {
        let list = r#"{"type": "record", "name": "List", "fields": [
            {"name": "head", "type": "int"}, {"name": "tail", "type": ["null", "List"]}]}"#;
        let array = format!(r#"{{"type": "array", "items": {list}}}"#);
        assert_eq!(ending_of(list), paths(list, &["head"]));
        assert_eq!(ending_of(&array), paths(&array, &["value.head"]));
        let numbers = r#"{"type": "array", "items": "int"}"#;
        assert_eq!(ending_of(numbers), paths(numbers, &["value"]));
        assert_eq!(ending_of(r#"{"type": "record", "name": "R", "fields": []}"#), Projection::All);
    }

    /// The schema has 2^60 paths from the root back to it.
    #[test]
    fn a_schema_that_doubles_with_every_name_reaches_the_limit() {
        let mut schema = r#""R0""#.to_owned();
        for i in (0..60).rev() {
            schema = format!(
                r#"{{"type": "record", "name": "R{i}", "fields": [
                {{"name": "a", "type": {schema}}}, {{"name": "b", "type": "{}"}}]}}"#,
                if i == 59 { "R0".to_owned() } else { format!("R{}", i + 1) }
            );
        }
        let schema = AvroSchema::parse(&schema).unwrap();
        let error = nonrecursive(schema.graph(), &Limits::default()).unwrap_err();
        assert_eq!(error.limit(), Some("expanded_fields"));
        assert_eq!(error.to_string(), "the schema is over the limit expanded_fields of 100,000");
    }
}
