//! A path compiled against a schema: which column, and what to do at each level of it.

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};

use crate::column_path::ColumnPath;
use crate::error::{ConversionError, RepresentationError, RepresentationErrorKind};
use crate::lists::{self, Lists};
use crate::row_splits::{RowSplits, SplitsDType};

/// Steps from a column of the batch to an array inside it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column {
    /// The path as the user gave it, for messages.
    pub(crate) label: String,
    /// Names of the column and of the fields that the path leads through.
    pub(crate) path: ColumnPath,
    index: usize,
    steps: Vec<Step>,
    /// Of each list on the way, its size if that is fixed.
    pub(crate) sizes: Vec<Option<usize>>,
    /// Of each list on the way, the width of its offsets if it has any.
    offsets: Vec<Option<SplitsDType>>,
    /// The type at the end, which is no list.
    pub(crate) leaf: DataType,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Step {
    /// This child of a struct.
    Field(usize),
    /// The items of a list.
    Items,
}

impl Column {
    /// An error where the path is not in the schema. Lists at its end are entered, structs are not.
    pub(crate) fn compile(schema: &Schema, path: &ColumnPath) -> Result<Self, RepresentationError> {
        let label = path.to_string();
        let mut names: Vec<&str> = path.steps().iter().map(String::as_str).collect();
        names.reverse();
        let Some((index, mut field)) = step(schema.fields(), &mut names) else {
            let kind = RepresentationErrorKind::MissingColumn;
            let expected = format!("a column of this name, one of {}", listed(schema.fields()));
            return Err(RepresentationError::new(kind, expected, "none").in_column(&label));
        };
        refuse_namesakes(schema.fields(), field.name()).map_err(|error| error.in_column(&label))?;
        let (leaf, path) = (field.data_type().clone(), ColumnPath::from(field.name().as_str()));
        let mut column =
            Self { label, path, index, steps: Vec::new(), sizes: Vec::new(), offsets: Vec::new(), leaf };
        loop {
            if let Some(items) = column.enter_lists(field) {
                field = items;
            }
            if names.is_empty() {
                break;
            }
            field = column.enter_struct(field, &mut names)?;
        }
        column.leaf = field.data_type().clone();
        Ok(column)
    }

    /// Goes through the lists that `field` may be, to what is in the last of them.
    fn enter_lists<'a>(&mut self, mut field: &'a FieldRef) -> Option<&'a FieldRef> {
        let mut entered = None;
        while let Some(items) = lists::items(field.data_type()) {
            self.steps.push(Step::Items);
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
        let Some((index, field)) = step(fields, names) else {
            let expected = format!("a field of {:?}, one of {}", self.path.to_string(), listed(fields));
            return missing(expected, &format!("{name:?}"));
        };
        refuse_namesakes(fields, field.name()).map_err(|error| error.in_column(&self.label))?;
        self.steps.push(Step::Field(index));
        self.path = self.path.child(field.name());
        Ok(field)
    }

    /// Number of lists on the way.
    pub(crate) fn depth(&self) -> usize {
        self.sizes.len()
    }

    /// The lists below the first that have a fixed size, at the end: their sizes.
    pub(crate) fn fixed_tail(&self) -> Vec<usize> {
        let below = self.sizes.get(1..).unwrap_or_default();
        let tail = below.iter().rev().map_while(|size| *size);
        let mut tail: Vec<usize> = tail.collect();
        tail.reverse();
        tail
    }

    /// Of each list but those of the fixed tail, the width of its offsets if it has any.
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

    /// The array of the column, and the places where it or a struct around it is null.
    pub(crate) fn start<'a>(&'a self, batch: &RecordBatch) -> Walk<'a> {
        let array = batch.column(self.index).clone();
        let nulls = lists::with_parents(None, &array);
        Walk { steps: &self.steps, array, nulls }
    }

    /// Goes down to the leaf by rows, through all lists but the last `tail`, which have fixed sizes.
    pub(crate) fn rows(
        &self,
        batch: &RecordBatch,
        tail: usize,
        dtype: Option<SplitsDType>,
    ) -> Result<Leaves, ConversionError> {
        let mut walk = self.start(batch);
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

/// Somewhere between a column and its leaf.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    steps: &'a [Step],
    pub(crate) array: ArrayRef,
    pub(crate) nulls: Option<NullBuffer>,
}

impl Walk<'_> {
    /// The lists that come next, if any do. After them, [`enter`](Self::enter) their values.
    pub(crate) fn next_lists(&mut self) -> Option<Lists> {
        self.enter_structs();
        Lists::new(&self.array, self.nulls.clone())
    }

    /// Goes on with the values of the lists that came last.
    pub(crate) fn enter(&mut self, values: ArrayRef) {
        self.steps = self.steps.get(1..).unwrap_or_default();
        self.nulls = lists::with_parents(None, &values);
        self.array = values;
    }

    /// Goes through structs up to the next list or the leaf. A null struct makes its fields null.
    pub(crate) fn enter_structs(&mut self) {
        while let Some((Step::Field(child), rest)) = self.steps.split_first() {
            let array = self.array.as_struct().column(*child).clone();
            self.nulls = lists::with_parents(self.nulls.as_ref(), &array);
            (self.array, self.steps) = (array, rest);
        }
    }

    /// Goes into lists of one size, null ones too: all their values are null then.
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

/// The values at the end of a path, and how they belong to the rows of the batch.
#[derive(Debug)]
pub(crate) struct Leaves {
    /// Rows of the batch.
    pub(crate) rows: usize,
    /// One for each list that was entered by rows, from the outside in.
    pub(crate) splits: Vec<RowSplits>,
    pub(crate) array: ArrayRef,
    pub(crate) nulls: Option<NullBuffer>,
}

impl Leaves {
    /// The row of the batch in which item `item` of the innermost lists is.
    pub(crate) fn row_of(&self, item: usize) -> usize {
        row_of(&self.splits, item)
    }
}

/// The row of the batch in which item `item` of the innermost level is.
pub(crate) fn row_of(splits: &[RowSplits], item: usize) -> usize {
    splits.iter().rev().fold(item, |item, splits| splits.row_of(item))
}

/// The field that the next names lead to: the name itself, or the longest part of it that is a field.
fn step<'a>(fields: &'a Fields, names: &mut Vec<&str>) -> Option<(usize, &'a FieldRef)> {
    let name = names.pop()?;
    if let Some(found) = fields.find(name) {
        return Some(found);
    }
    let dots = name.rmatch_indices('.');
    for (dot, _) in dots {
        let (head, tail) = (&name[..dot], &name[dot + 1..]);
        if let Some((index, field)) = fields.find(head).filter(|(_, field)| leads_to(field.data_type(), tail))
        {
            names.push(tail);
            return Some((index, field));
        }
    }
    // Nothing has the whole path: as far as it goes, so that the error says where it ends.
    let part = name.rmatch_indices('.').find_map(|(dot, _)| Some((dot, fields.find(&name[..dot])?)));
    let Some((dot, found)) = part else {
        names.push(name);
        return None;
    };
    names.push(&name[dot + 1..]);
    Some(found)
}

/// An error where several fields have the name of one that is asked for.
pub(crate) fn refuse_namesakes(fields: &Fields, name: &str) -> Result<(), RepresentationError> {
    let found = fields.iter().filter(|field| field.name() == name).count();
    if found < 2 {
        return Ok(());
    }
    let expected = format!("one column or field named {name:?}");
    let found = format!("{found}: the name is ambiguous");
    Err(RepresentationError::new(RepresentationErrorKind::Name, expected, found))
}

/// Whether `name` is a path inside of `data_type`.
fn leads_to(data_type: &DataType, name: &str) -> bool {
    match data_type {
        DataType::Struct(fields) => {
            fields.find(name).is_some()
                || name.match_indices('.').any(|(dot, _)| {
                    let head = fields.find(&name[..dot]);
                    head.is_some_and(|(_, field)| leads_to(field.data_type(), &name[dot + 1..]))
                })
        }
        other => lists::items(other).is_some_and(|items| leads_to(items.data_type(), name)),
    }
}

/// Names for a message: the first ten.
pub(crate) fn listed(fields: &Fields) -> String {
    let mut names: Vec<String> = fields.iter().take(10).map(|field| format!("{:?}", field.name())).collect();
    if fields.len() > names.len() {
        names.push("…".to_owned());
    }
    format!("[{}]", names.join(", "))
}
