//! The projection, as a tree over the reader's schema.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use arrowfeed_source::{FeedError, FeedErrorKind, Limits, quoted};

use super::ROOT_COLUMN;
use super::union::branch_name;
use crate::options::Unions;
use crate::schema::graph::{Graph, Record, Type, TypeId};
use arrowfeed_source::field_path::{quoted_step, split_quoted};

/// The projection of one value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Projection {
    All,
    /// These fields of a record, or branches of a union that becomes a struct, also in an array or map, in the order of
    /// first mention.
    Fields(Vec<(String, Projection)>),
}

impl Projection {
    /// Builds the tree from field paths such as `user.scores` over the reader's schema. A field that is mentioned both as a
    /// whole and in part is read whole.
    ///
    /// A step names the column of a field, or the field itself if no other field of the record has a column of this name.
    /// A quoted step (`['a.b']`) is a name. Any other text is read in every way that the field names allow; if there are
    /// several ways, the path is ambiguous. A path to an unknown field is kept up to that field, so that the resolution
    /// error names it.
    pub(crate) fn from_paths<S: AsRef<str>>(
        paths: &[S],
        schema: &Graph,
        unions: Unions,
    ) -> Result<Self, FeedError> {
        let fields = Fields::new(schema, unions);
        let mut root = Mentioned::default();
        for path in paths {
            root.add(Readings::new(&fields, path.as_ref()).one()?);
        }
        Ok(root.into())
    }
}

/// The fields that paths have mentioned so far.
#[derive(Default)]
struct Mentioned {
    is_whole: bool,
    fields: Vec<(String, Mentioned)>,
    indices: HashMap<String, usize>,
}

impl Mentioned {
    fn add(&mut self, names: impl IntoIterator<Item = String>) {
        let mut at = self;
        for name in names {
            if at.is_whole {
                return;
            }
            let index = *at.indices.entry(name.clone()).or_insert_with(|| {
                at.fields.push((name, Self::default()));
                at.fields.len() - 1
            });
            at = &mut at.fields[index].1;
        }
        at.is_whole = true;
    }
}

impl From<Mentioned> for Projection {
    fn from(mentioned: Mentioned) -> Self {
        match mentioned.is_whole {
            true => Projection::All,
            false => Projection::Fields(
                mentioned.fields.into_iter().map(|(name, inner)| (name, inner.into())).collect(),
            ),
        }
    }
}

/// A field of a record, or a branch of a union.
#[derive(Clone, Copy)]
struct Member<'a> {
    /// The name in a [`Projection`]: that of the Arrow column.
    name: &'a str,
    ty: TypeId,
}

/// The names of the fields of one type.
#[derive(Default)]
struct Names<'a> {
    members: HashMap<&'a str, Member<'a>>,
    /// Further fields of a name: branches of unions may have the same name.
    others: Vec<Member<'a>>,
    /// Size of the longest name in bytes.
    longest: usize,
}

impl<'a> Names<'a> {
    /// The fields of a record: by the names of their columns, and by their own names, unless a column has this name.
    fn of_record(record: &'a Record) -> Self {
        let mut names: Self = record.fields.iter().map(|field| (field.column_name(), field.ty)).collect();
        for field in &record.fields {
            names.longest = names.longest.max(field.name.len());
            let member = Member { name: field.column_name(), ty: field.ty };
            names.members.entry(&field.name).or_insert(member);
        }
        names
    }
}

impl<'a> FromIterator<(&'a str, TypeId)> for Names<'a> {
    fn from_iter<I: IntoIterator<Item = (&'a str, TypeId)>>(fields: I) -> Self {
        let mut names = Self::default();
        for (name, ty) in fields {
            names.longest = names.longest.max(name.len());
            match names.members.entry(name) {
                Entry::Vacant(entry) => {
                    entry.insert(Member { name, ty });
                }
                Entry::Occupied(_) => names.others.push(Member { name, ty }),
            }
        }
        names
    }
}

/// The fields of all types of a schema.
struct Fields<'a> {
    schema: &'a Graph,
    unions: Unions,
    known: RefCell<HashMap<TypeId, Option<Rc<Names<'a>>>>>,
}

impl<'a> Fields<'a> {
    fn new(schema: &'a Graph, unions: Unions) -> Self {
        Self { schema, unions, known: RefCell::default() }
    }

    /// The fields of the root record, or the one column of another root.
    fn columns(&self) -> Rc<Names<'a>> {
        let root = self.schema.root;
        match &self.schema.types[root] {
            Type::Record(_) => self.of(root).unwrap_or_default(),
            _ => Rc::new(Names::from_iter([(ROOT_COLUMN, root)])),
        }
    }

    /// The fields of a record, or of the record inside arrays, maps and nullable unions. `None`: there is no record.
    fn of(&self, ty: TypeId) -> Option<Rc<Names<'a>>> {
        let mut known = self.known.borrow_mut();
        known.entry(ty).or_insert_with(|| self.names(ty).map(Rc::new)).clone()
    }

    fn names(&self, mut ty: TypeId) -> Option<Names<'a>> {
        // Arrays, maps and unions take no step of the path. Without a record between them, they cannot be recursive.
        for _ in 0..=Limits::MAX_SCHEMA_DEPTH {
            ty = match &self.schema.types[ty] {
                Type::Record(record) => return Some(Names::of_record(record)),
                Type::Array(inner) | Type::Map(inner) => *inner,
                Type::Union(branches) => {
                    let is_null = |ty: &&TypeId| self.schema.types[**ty] == Type::Null;
                    let types: Vec<TypeId> = branches.iter().filter(|ty| !is_null(ty)).copied().collect();
                    let is_nullable = types.len() == 1 && branches.len() == 2;
                    match types[..] {
                        _ if self.unions == Unions::Struct && !is_nullable => {
                            let branch = |ty: TypeId| (branch_name(&self.schema.types[ty]), ty);
                            return Some(types.into_iter().map(branch).collect());
                        }
                        [only] => only,
                        _ => return None,
                    }
                }
                _ => return None,
            };
        }
        None
    }
}

/// The name of the column of a step, its type, and the remaining path; `None` at the end of the path.
type FieldStep<'a> = (String, TypeId, Option<&'a str>);

/// The possible ways to read one path.
struct Readings<'a, 'g> {
    fields: &'a Fields<'g>,
    path: &'a str,
    /// Cache: at most two readings, each a list of names, by type and length of the remaining path.
    known: HashMap<(TypeId, usize), Vec<Vec<String>>>,
}

impl<'a, 'g> Readings<'a, 'g> {
    fn new(fields: &'a Fields<'g>, path: &'a str) -> Self {
        Self { fields, path, known: HashMap::new() }
    }

    fn one(mut self) -> Result<Vec<String>, FeedError> {
        let mut readings = Vec::new();
        for step in self.fields.columns().steps(self.path) {
            self.go_on(step, 0, &mut readings);
        }
        match readings.len() {
            0 => Ok(self.longest()),
            1 => Ok(readings.remove(0)),
            _ => {
                let text =
                    |names: &Vec<String>| names.iter().map(|name| quoted_step(name)).collect::<String>();
                let (first, second) = (quoted(&text(&readings[0])), quoted(&text(&readings[1])));
                let message = format!(
                    "expected a path of one field, found {}, which may be {first} or {second}: write one of these",
                    quoted(self.path)
                );
                Err(FeedError::new(FeedErrorKind::Schema, message))
            }
        }
    }

    /// The readings of `path` in a value of this type.
    fn of(&mut self, ty: TypeId, path: &'a str, depth: usize) -> Vec<Vec<String>> {
        // Deeper than any schema that resolution accepts.
        if depth > Limits::MAX_SCHEMA_DEPTH + 2 {
            return Vec::new();
        }
        if let Some(known) = self.known.get(&(ty, path.len())) {
            return known.clone();
        }
        let mut readings = Vec::new();
        let steps = self.fields.of(ty).map(|names| names.steps(path));
        for step in steps.into_iter().flatten() {
            self.go_on(step, depth, &mut readings);
        }
        self.known.insert((ty, path.len()), readings.clone());
        readings
    }

    fn go_on(&mut self, (name, ty, rest): FieldStep<'a>, depth: usize, readings: &mut Vec<Vec<String>>) {
        let rests = match rest {
            None => vec![Vec::new()],
            Some(rest) => self.of(ty, rest, depth + 1),
        };
        readings.extend(rests.into_iter().map(|rest| std::iter::once(name.clone()).chain(rest).collect()));
        readings.truncate(2);
    }

    /// Reads a path to an unknown field: the longest matching name at each step, then the unknown name.
    fn longest(&self) -> Vec<String> {
        let mut names = Vec::new();
        let (mut rest, mut fields) = (self.path, Some(self.fields.columns()));
        while names.len() <= Limits::MAX_SCHEMA_DEPTH + 2 {
            let found = fields.map(|fields| fields.steps(rest)).unwrap_or_default();
            let Some((name, ty, behind)) = found.into_iter().next_back() else {
                let step = split_quoted(rest).map(|(name, _)| name);
                names.push(step.unwrap_or_else(|| rest.split('.').next().unwrap_or_default().to_owned()));
                break;
            };
            names.push(name);
            let Some(behind) = behind else { break };
            (rest, fields) = (behind, self.fields.of(ty));
        }
        names
    }
}

impl Names<'_> {
    /// The fields that `path` may begin with, the shortest name first.
    fn steps<'p>(&self, path: &'p str) -> Vec<FieldStep<'p>> {
        if let Some((name, behind)) = split_quoted(path)
            && let Some((member, rest)) = self.members.get(name.as_str()).zip(rest_of(behind))
        {
            return vec![(member.name.to_owned(), member.ty, rest)];
        }
        // Every step must consume a character, so that every path has an end. An empty name before `['` would consume nothing.
        let least = usize::from(path.starts_with("['"));
        let ends = (least..=path.len().min(self.longest)).filter(|end| path.is_char_boundary(*end));
        let mut steps = Vec::new();
        for end in ends {
            let (name, behind) = path.split_at(end);
            let Some((rest, first)) = rest_of(behind).zip(self.members.get(name)) else { continue };
            let others = self.others.iter().filter(|other| other.name == name);
            let members = std::iter::once(first).chain(others);
            steps.extend(members.map(|member| (member.name.to_owned(), member.ty, rest)));
        }
        steps
    }
}

/// The path after a step: `Some(None)` at the end of the path, `None` if the step does not end here.
fn rest_of(behind: &str) -> Option<Option<&str>> {
    match behind {
        "" => Some(None),
        _ if behind.starts_with("['") => Some(Some(behind)),
        _ => behind.strip_prefix('.').map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AvroSchema;

    const NESTED: &str = r#"{"type": "record", "name": "R", "fields": [
        {"name": "a", "type": {"type": "record", "name": "A", "fields": [
            {"name": "q", "type": "int"}, {"name": "b.c", "type": "int"}, {"name": "d", "type": "int"}]}},
        {"name": "a.b", "type": ["null", {"type": "array", "items": {"type": "record", "name": "B", "fields": [
            {"name": "c", "type": "int"}, {"name": "x", "type": "int"}]}}]},
        {"name": "a.d.e", "type": "int"},
        {"name": "['a']", "type": "int"},
        {"name": "it's [EUR]", "type": "int"},
        {"name": "", "type": "int"},
        {"name": "next", "type": ["null", "R"]}]}"#;

    fn of_paths(paths: &[&str], schema: &AvroSchema) -> Result<Projection, FeedError> {
        Projection::from_paths(paths, schema.graph(), Unions::Dense)
    }

    fn names(path: &str) -> Result<Vec<String>, String> {
        let schema = AvroSchema::parse(NESTED).unwrap();
        let fields = Fields::new(schema.graph(), Unions::Dense);
        Readings::new(&fields, path).one().map_err(|error| error.to_string())
    }

    #[test]
    fn first_mention_gives_the_order_and_the_whole_wins() {
        let schema = AvroSchema::parse(
            r#"{"type": "record", "name": "R", "fields": [
                {"name": "a", "type": "int"},
                {"name": "b", "type": {"type": "record", "name": "B", "fields": [
                    {"name": "x", "type": "int"},
                    {"name": "y", "type": {"type": "record", "name": "Y", "fields": [
                        {"name": "z", "type": "int"}]}}]}},
                {"name": "c", "type": {"type": "record", "name": "C", "fields": [{"name": "d", "type": "int"}]}}]}"#,
        )
        .unwrap();
        let projection = of_paths(&["b.x", "a", "b.y.z", "c.d", "c", "a.q"], &schema).unwrap();
        let fields = |fields: &[(&str, Projection)]| {
            Projection::Fields(
                fields.iter().map(|(name, projection)| ((*name).to_owned(), projection.clone())).collect(),
            )
        };
        let b = fields(&[("x", Projection::All), ("y", fields(&[("z", Projection::All)]))]);
        assert_eq!(projection, fields(&[("b", b), ("a", Projection::All), ("c", Projection::All)]));
    }

    #[test]
    fn a_path_is_read_as_the_names_of_fields_allow() {
        for (path, expected) in [
            ("a", &["a"][..]),
            ("a.q", &["a", "q"]),
            ("a.b", &["a.b"]),
            ("a.b.x", &["a.b", "x"]),
            ("a.d", &["a", "d"]),
            ("a.d.e", &["a.d.e"]),
            ("['a.b'].c", &["a.b", "c"]),
            ("['a']['b.c']", &["a", "b.c"]),
            ("a['b.c']", &["a", "b.c"]),
            ("['a']", &["a"]),
            ("['[''a'']']", &["['a']"]),
            ("it's [EUR]", &["it's [EUR]"]),
            ("['it''s [EUR]']", &["it's [EUR]"]),
            ("", &[""]),
            ("['']", &[""]),
            ("next.next.a.d", &["next", "next", "a", "d"]),
        ] {
            assert_eq!(names(path).unwrap(), expected, "{path}");
        }
    }

    #[test]
    fn an_ambiguous_path_is_an_error() {
        let message = r#"expected a path of one field, found "a.b.c", which may be "['a']['b.c']" or "['a.b']['c']": write one of these"#;
        assert_eq!(names("a.b.c").unwrap_err(), message);
        let message = r#"expected a path of one field, found "next.a.b.c", which may be "['next']['a']['b.c']" or "['next']['a.b']['c']": write one of these"#;
        assert_eq!(names("next.a.b.c").unwrap_err(), message);
    }

    /// `write_avro` renames columns whose names are not valid in Avro.
    #[test]
    fn a_path_names_columns_and_fields() {
        let schema = AvroSchema::parse(
            r#"{"type": "record", "name": "R", "fields": [
                {"name": "st_x", "arrowfeed.name": "st x", "type": {"type": "record", "name": "S", "fields": [
                    {"name": "in_ner", "arrowfeed.name": "in.ner", "type": "int"}, {"name": "ok", "type": "int"}]}},
                {"name": "a_b", "arrowfeed.name": "a.b", "type": "int"},
                {"name": "b", "arrowfeed.name": "c", "type": {"type": "record", "name": "B", "fields": [
                    {"name": "x", "type": "int"}]}},
                {"name": "b_2", "arrowfeed.name": "b", "type": {"type": "record", "name": "B2", "fields": [
                    {"name": "y", "type": "int"}]}}]}"#,
        )
        .unwrap();
        let fields = Fields::new(schema.graph(), Unions::Dense);
        for (path, expected) in [
            ("st x", &["st x"][..]),
            ("st_x", &["st x"]),
            ("['st x']", &["st x"]),
            ("st x.ok", &["st x", "ok"]),
            ("st_x.ok", &["st x", "ok"]),
            ("st x.in.ner", &["st x", "in.ner"]),
            ("st_x.in_ner", &["st x", "in.ner"]),
            ("['st x']['in.ner']", &["st x", "in.ner"]),
            ("st x.nope", &["st x", "nope"]),
            ("a.b", &["a.b"]),
            ("['a.b']", &["a.b"]),
            ("a_b", &["a.b"]),
            ("a.b.c", &["a.b", "c"]),
            // The column `b`, and not the field of this name.
            ("b.y", &["b", "y"]),
            ("b.x", &["b", "x"]),
            ("c.x", &["c", "x"]),
            ("b_2.y", &["b", "y"]),
        ] {
            assert_eq!(Readings::new(&fields, path).one().unwrap(), expected, "{path}");
        }
        let projection = of_paths(&["st_x.ok", "st x.in.ner", "st x.ok"], &schema).unwrap();
        let inner = ["ok", "in.ner"].map(|name| (name.to_owned(), Projection::All));
        let expected = vec![("st x".to_owned(), Projection::Fields(inner.to_vec()))];
        assert_eq!(projection, Projection::Fields(expected));
    }

    #[test]
    fn two_branches_of_a_union_may_have_the_same_name() {
        let schema = AvroSchema::parse(
            r#"{"type": "record", "name": "R", "fields": [{"name": "u", "type": [
                {"type": "array", "items": "int"}, {"type": "fixed", "name": "array", "size": 4}]}]}"#,
        )
        .unwrap();
        let message = r#"expected a path of one field, found "u.array", which may be "['u']['array']" or "['u']['array']": write one of these"#;
        let error = Projection::from_paths(&["u.array"], schema.graph(), Unions::Struct).unwrap_err();
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn a_path_that_leads_nowhere_is_kept_as_far_as_it_is_understood() {
        for (path, expected) in [
            ("x", &["x"][..]),
            ("x.y", &["x"]),
            ("a.z.y", &["a", "z"]),
            ("a.b.z", &["a.b", "z"]),
            ("a.d.e.f", &["a.d.e", "f"]),
            ("['x'].y", &["x"]),
            ("a.", &["a", ""]),
            (".a", &["", "a"]),
        ] {
            assert_eq!(names(path).unwrap(), expected, "{path}");
        }
        assert!(names(&"next.".repeat(100_000)).unwrap().len() < 200);
    }

    /// The path has more than 2^60 readings.
    #[test]
    fn paths_of_many_readings_take_no_longer() {
        let schema = AvroSchema::parse(
            r#"{"type": "record", "name": "R", "fields": [
                {"name": "a", "type": ["null", "R"]}, {"name": "a.a", "type": ["null", "R"]}]}"#,
        )
        .unwrap();
        let path = vec!["a"; 90].join(".");
        assert!(of_paths(&[&path], &schema).is_err());
    }
}
