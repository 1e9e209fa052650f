//! A path compiled against a schema: the index of the column, and a step for each level of nesting.

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, FieldRef, Fields};

use crate::column_path::ColumnPath;
use crate::error::{ConversionError, RepresentationError, RepresentationErrorKind};
use crate::indexed_schema::IndexedSchema;
use crate::lists::{self, Lists};
use crate::row_splits::{RowSplits, SplitsDType};
use crate::transform::{self, Transform};

/// A compiled path from a column of the batch to an array inside it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column {
    /// The path as the user gave it, for messages.
    pub(crate) label: String,
    /// The resolved path: the names of the column and of the fields on the path.
    pub(crate) path: ColumnPath,
    index: usize,
    steps: Vec<ColumnStep>,
    /// For each list on the path: its size, if the size is fixed.
    pub(crate) sizes: Vec<Option<usize>>,
    /// For each list on the path: the width of its offsets, if it has any.
    offsets: Vec<Option<SplitsDType>>,
    /// The type at the end of the path, which is not a list.
    pub(crate) leaf: DataType,
    /// The columns of a cross. The values at the end of the path are structs of their values.
    crossed: Vec<Self>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ColumnStep {
    /// The child of a struct with this index.
    Field(usize),
    /// The items of a list.
    Items,
}

impl Column {
    /// Compiles the path. Fails if the path is not in the schema. Enters lists at the end of the path, but not structs.
    pub(crate) fn compile(schema: &IndexedSchema, path: &ColumnPath) -> Result<Self, RepresentationError> {
        let label = path.to_string();
        let mut names: Vec<&str> = path.steps().iter().map(String::as_str).collect();
        names.reverse();
        let Some((index, mut field)) = step(schema, schema.fields(), &mut names) else {
            let kind = RepresentationErrorKind::MissingColumn;
            let expected = format!("a column of this name, one of {}", listed(schema.fields()));
            return Err(RepresentationError::new(kind, expected, "none").in_column(&label));
        };
        refuse_namesakes(schema, schema.fields(), field.name()).map_err(|error| error.in_column(&label))?;
        let (leaf, path) = (field.data_type().clone(), ColumnPath::from(field.name().as_str()));
        let mut column = Self {
            label,
            path,
            index,
            steps: Vec::new(),
            sizes: Vec::new(),
            offsets: Vec::new(),
            leaf,
            crossed: Vec::new(),
        };
        loop {
            if let Some(items) = column.enter_lists(field) {
                field = items;
            }
            if names.is_empty() {
                break;
            }
            field = column.enter_struct(schema, field, &mut names)?;
        }
        column.leaf = field.data_type().clone();
        Ok(column)
    }

    /// The column with those that a transform crosses with it. Fails if one of them is not in lists of the same depth.
    pub(crate) fn crossed(
        self,
        schema: &IndexedSchema,
        transforms: &[Transform],
    ) -> Result<Self, RepresentationError> {
        let with: Vec<&String> = transforms.iter().flat_map(Transform::with).collect();
        if with.is_empty() {
            return Ok(self);
        }
        let depth = self.depth();
        let mut crossed = vec![self.clone()];
        for name in with {
            let column = Self::compile(schema, &ColumnPath::from(name.as_str()))?;
            if column.depth() != depth {
                let expected = format!("lists of depth {depth}, as {:?} has", self.label);
                let found = format!("depth {}", column.depth());
                let error = RepresentationError::new(RepresentationErrorKind::Type, expected, found);
                return Err(error.in_column(&column.label));
            }
            crossed.push(column);
        }
        let leaves = crossed.iter().map(|column| (column.label.as_str(), column.leaf.clone()));
        let leaf = DataType::Struct(transform::fields(leaves));
        let (steps, sizes) = (vec![ColumnStep::Items; depth], vec![None; depth]);
        let offsets = vec![Some(SplitsDType::Int64); depth];
        Ok(Self { steps, sizes, offsets, leaf, crossed, ..self })
    }

    /// Enters the nested lists of `field`, and returns the items of the innermost one. `None` if `field` is not a list.
    fn enter_lists<'a>(&mut self, mut field: &'a FieldRef) -> Option<&'a FieldRef> {
        let mut entered = None;
        while let Some(items) = lists::items(field.data_type()) {
            self.steps.push(ColumnStep::Items);
            self.sizes.push(match field.data_type() {
                DataType::FixedSizeList(_, size) => usize::try_from(*size).ok(),
                _ => None,
            });
            self.offsets.push(lists::offsets(field.data_type()));
            (field, entered) = (items, Some(items));
        }
        entered
    }

    fn enter_struct<'a>(
        &mut self,
        schema: &IndexedSchema,
        field: &'a Field,
        names: &mut Vec<&str>,
    ) -> Result<&'a FieldRef, RepresentationError> {
        let missing = |expected: String, found: &str| {
            let kind = RepresentationErrorKind::MissingColumn;
            Err(RepresentationError::new(kind, expected, found).in_column(&self.label))
        };
        let name = names.last().copied().unwrap_or_default();
        let DataType::Struct(fields) = field.data_type() else {
            return missing(format!("a struct with the field {name:?}"), &field.data_type().to_string());
        };
        let Some((index, field)) = step(schema, fields, names) else {
            let expected = format!("a field of {:?}, one of {}", self.path.to_string(), listed(fields));
            return missing(expected, &format!("{name:?}"));
        };
        refuse_namesakes(schema, fields, field.name()).map_err(|error| error.in_column(&self.label))?;
        self.steps.push(ColumnStep::Field(index));
        self.path = self.path.child(field.name());
        Ok(field)
    }

    /// Number of lists on the path.
    pub(crate) fn depth(&self) -> usize {
        self.sizes.len()
    }

    /// Sizes of the fixed-size lists at the end of the path. The outermost list is never one of them.
    pub(crate) fn fixed_tail(&self) -> Vec<usize> {
        let below = self.sizes.get(1..).unwrap_or_default();
        let tail = below.iter().rev().map_while(|size| *size);
        let mut tail: Vec<usize> = tail.collect();
        tail.reverse();
        tail
    }

    /// For each list before the fixed tail: the width of its offsets, if it has any.
    pub(crate) fn offsets(&self) -> &[Option<SplitsDType>] {
        &self.offsets[..self.depth() - self.fixed_tail().len()]
    }

    /// Whether one of the lists is a list view.
    pub(crate) fn has_views(&self) -> bool {
        self.sizes.iter().zip(&self.offsets).any(|(size, offsets)| size.is_none() && offsets.is_none())
    }

    /// Index of the column in the schema.
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// Indices in the schema of the column and of those that are crossed with it.
    pub(crate) fn indices(&self) -> Vec<usize> {
        match self.crossed.is_empty() {
            true => vec![self.index],
            false => self.crossed.iter().map(Self::index).collect(),
        }
    }

    /// Starts a walk at the array of the column. Fails if crossed columns have lists of different lengths.
    pub(crate) fn start<'a>(&'a self, batch: &RecordBatch) -> Result<ColumnCursor<'a>, ConversionError> {
        let array = match self.crossed.is_empty() {
            true => batch.column(self.index).clone(),
            false => {
                let names: Vec<&str> = self.crossed.iter().map(|column| column.label.as_str()).collect();
                let cursors = self.crossed.iter().map(|column| column.start(batch));
                transform::zipped(&names, cursors.collect::<Result<_, _>>()?, &mut Vec::new())?
            }
        };
        let nulls = lists::with_parents(None, &array);
        Ok(ColumnCursor { steps: &self.steps, array, nulls })
    }

    /// Descends to the leaf, and makes row splits of all lists except the last `tail`, which have fixed sizes.
    pub(crate) fn rows(
        &self,
        batch: &RecordBatch,
        tail: usize,
        dtype: Option<SplitsDType>,
    ) -> Result<Leaves, ConversionError> {
        let mut walk = self.start(batch)?;
        let mut splits = Vec::with_capacity(self.depth());
        let ragged = self.depth() - tail;
        let in_column = |error: ConversionError| error.in_column(&self.label);
        while splits.len() < ragged {
            let Some(lists) = walk.next_lists() else { break };
            let rows = lists.into_rows(dtype).map_err(in_column)?;
            splits.push(rows.splits);
            walk.enter(rows.values);
        }
        walk.enter_structs();
        for _ in 0..tail {
            walk.enter_fixed();
        }
        Ok(Leaves { rows: batch.num_rows(), splits, array: walk.array, nulls: walk.nulls })
    }
}

/// A position between a column and its leaf.
#[derive(Debug)]
pub(crate) struct ColumnCursor<'a> {
    steps: &'a [ColumnStep],
    pub(crate) array: ArrayRef,
    pub(crate) nulls: Option<NullBuffer>,
}

impl ColumnCursor<'_> {
    /// The next level of lists, if there is one. The caller continues with [`enter`](Self::enter) and their values.
    pub(crate) fn next_lists(&mut self) -> Option<Lists> {
        self.enter_structs();
        Lists::new(&self.array, self.nulls.clone())
    }

    /// Continues with the values of the last lists.
    pub(crate) fn enter(&mut self, values: ArrayRef) {
        self.steps = self.steps.get(1..).unwrap_or_default();
        self.nulls = lists::with_parents(None, &values);
        self.array = values;
    }

    /// Descends through structs to the next list or the leaf. A null struct makes its fields null.
    pub(crate) fn enter_structs(&mut self) {
        while let Some((ColumnStep::Field(child), rest)) = self.steps.split_first() {
            let array = self.array.as_struct().column(*child).clone();
            self.nulls = lists::with_parents(self.nulls.as_ref(), &array);
            (self.array, self.steps) = (array, rest);
        }
    }

    /// Enters fixed-size lists. All values of a null list are null.
    fn enter_fixed(&mut self) {
        let Some(list) = self.array.as_fixed_size_list_opt() else { return };
        let size = list.value_length() as usize;
        let values = list.values().clone();
        let nulls = self.nulls.as_ref().map(|nulls| nulls.expand(size));
        self.nulls = lists::with_parents(nulls.as_ref(), &values);
        (self.array, self.steps) = (values, self.steps.get(1..).unwrap_or_default());
        self.enter_structs();
    }
}

/// The values at the end of a path, with the row splits that map them to the rows of the batch.
#[derive(Debug)]
pub(crate) struct Leaves {
    /// Number of rows of the batch.
    pub(crate) rows: usize,
    /// One for each list on the path except the fixed-size tail, outermost first.
    pub(crate) splits: Vec<RowSplits>,
    pub(crate) array: ArrayRef,
    pub(crate) nulls: Option<NullBuffer>,
}

impl Leaves {
    /// The row of the batch that contains item `item` of the innermost lists.
    pub(crate) fn row_of(&self, item: usize) -> usize {
        row_of(&self.splits, item)
    }
}

/// The row of the batch that contains item `item` of the innermost level.
pub(crate) fn row_of(splits: &[RowSplits], item: usize) -> usize {
    splits.iter().rev().fold(item, |item, splits| splits.row_of(item))
}

/// Finds the field for the next name: the field with that name, or else the one with its longest prefix before a dot
/// that leads to the rest of the name. Pushes the rest back to `names`.
fn step<'a>(
    schema: &IndexedSchema,
    fields: &'a Fields,
    names: &mut Vec<&str>,
) -> Option<(usize, &'a FieldRef)> {
    let name = names.pop()?;
    if let Some(found) = schema.find(fields, name) {
        return Some(found);
    }
    let dots = name.rmatch_indices('.');
    for (dot, _) in dots {
        let (head, tail) = (&name[..dot], &name[dot + 1..]);
        if let Some((index, field)) =
            schema.find(fields, head).filter(|(_, field)| leads_to(schema, field.data_type(), tail))
        {
            names.push(tail);
            return Some((index, field));
        }
    }
    // No field leads to the whole path. Follow its longest known prefix, so that the error says where the path ends.
    let part = name.rmatch_indices('.').find_map(|(dot, _)| Some((dot, schema.find(fields, &name[..dot])?)));
    let Some((dot, found)) = part else {
        names.push(name);
        return None;
    };
    names.push(&name[dot + 1..]);
    Some(found)
}

/// Fails if several fields have the requested name.
pub(crate) fn refuse_namesakes(
    schema: &IndexedSchema,
    fields: &Fields,
    name: &str,
) -> Result<(), RepresentationError> {
    let found = schema.count(fields, name);
    if found < 2 {
        return Ok(());
    }
    let expected = format!("one column or field named {name:?}");
    let found = format!("{found}: the name is ambiguous");
    Err(RepresentationError::new(RepresentationErrorKind::Name, expected, found))
}

/// Whether `name` is a path inside `data_type`.
fn leads_to(schema: &IndexedSchema, data_type: &DataType, name: &str) -> bool {
    match data_type {
        DataType::Struct(fields) => {
            schema.find(fields, name).is_some()
                || name.match_indices('.').any(|(dot, _)| {
                    let head = schema.find(fields, &name[..dot]);
                    head.is_some_and(|(_, field)| leads_to(schema, field.data_type(), &name[dot + 1..]))
                })
        }
        other => lists::items(other).is_some_and(|items| leads_to(schema, items.data_type(), name)),
    }
}

/// The names of the first ten fields, for a message.
pub(crate) fn listed(fields: &Fields) -> String {
    let mut names: Vec<String> = fields.iter().take(10).map(|field| format!("{:?}", field.name())).collect();
    if fields.len() > names.len() {
        names.push("…".to_owned());
    }
    format!("[{}]", names.join(", "))
}
