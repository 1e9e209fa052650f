//! Structured tensors: named tensors with the nesting of structs and lists. The fields of one list share row splits.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field};

use super::varlen_ragged::flat_values;
use crate::column::{Column, Leaves, refuse_namesakes};
use crate::column_path::ColumnPath;
use crate::conversion::Conversion;
use crate::error::{ConversionError, RepresentationError};
use crate::explain::{HIDDEN, TensorPart, VIEWS};
use crate::indexed_schema::IndexedSchema;
use crate::leaf::Leaf;
use crate::lists::{self, Lists};
use crate::options::AdapterOptions;
use crate::representation;
use crate::row_splits::SplitsDType;
use crate::spec::{TensorKind, TensorSpec};
use crate::tensor::{RaggedTensor, StructuredTensor, Tensor};

#[derive(Debug, Clone)]
pub(crate) struct Structured {
    columns: Vec<Child>,
    dtype: SplitsDType,
}

/// A column of the batch, or a field of a struct.
#[derive(Debug, Clone)]
struct Child {
    name: String,
    index: usize,
    node: Node,
}

#[derive(Debug, Clone)]
struct Node {
    /// The path from the column, for messages.
    label: String,
    /// For each list that becomes row splits: the width of its offsets, if it has any.
    lists: Vec<Option<SplitsDType>>,
    /// Whether one of these lists is a list view.
    views: bool,
    content: FieldContent,
}

#[derive(Debug, Clone)]
enum FieldContent {
    /// Values in fixed-size lists of these sizes.
    Values {
        leaf: Leaf,
        data_type: DataType,
        inner: Vec<usize>,
    },
    Fields(Vec<Child>),
}

/// Selected names, and the selection inside each of them. An empty selection selects all.
#[derive(Debug, Default)]
struct FieldSelection {
    names: Vec<(String, FieldSelection)>,
    /// The index of each name in `names`.
    positions: HashMap<String, usize>,
}

impl FieldSelection {
    fn add(&mut self, path: &[String]) {
        let Some((name, rest)) = path.split_first() else { return *self = Self::default() };
        match self.positions.get(name).map(|position| &mut self.names[*position]) {
            Some((_, whole)) if whole.names.is_empty() => {}
            Some((_, part)) => part.add(rest),
            None => {
                let mut new = Self::default();
                new.add(rest);
                self.positions.insert(name.clone(), self.names.len());
                self.names.push((name.clone(), new));
            }
        }
    }
}

impl Structured {
    pub(crate) fn compile(
        schema: &IndexedSchema,
        structured: &representation::Structured,
        options: &AdapterOptions,
    ) -> Result<Self, RepresentationError> {
        let mut wanted = FieldSelection::default();
        for name in &structured.columns {
            wanted.add(Column::compile(schema, &ColumnPath::from(name.as_str()))?.path.steps());
        }
        let columns = children(schema, schema.fields(), &wanted, "", options)?;
        Ok(Self { columns, dtype: structured.row_splits_dtype })
    }
}

impl Conversion for Structured {
    fn spec(&self) -> TensorSpec {
        structured_spec(&self.columns, 0, self.dtype)
    }

    fn explain(&self) -> Vec<TensorPart> {
        let mut parts = Vec::new();
        self.columns.iter().for_each(|child| child.node.explain(self.dtype, false, &mut parts));
        parts
    }

    fn columns(&self) -> Vec<usize> {
        self.columns.iter().map(|child| child.index).collect()
    }

    fn convert(&self, batch: &RecordBatch) -> Result<Tensor, ConversionError> {
        let rows = batch.num_rows();
        let fields = self.columns.iter().map(|child| {
            let array = batch.column(child.index).clone();
            let nulls = lists::with_parents(None, &array);
            let leaves = Leaves { rows, splits: Vec::new(), array, nulls };
            Ok((child.name.clone(), child.node.convert(leaves, self.dtype)?))
        });
        let structured = StructuredTensor::of(rows, Vec::new(), fields.collect::<Result<_, _>>()?);
        Ok(Tensor::Structured(structured))
    }
}

impl Node {
    fn compile(
        schema: &IndexedSchema,
        field: &Field,
        wanted: &FieldSelection,
        label: String,
        options: &AdapterOptions,
    ) -> Result<Self, RepresentationError> {
        let mut levels = Vec::new();
        let mut field = field;
        while let Some(items) = lists::items(field.data_type()) {
            levels.push(field.data_type());
            field = items;
        }
        let content = match field.data_type() {
            DataType::Struct(fields) => {
                FieldContent::Fields(children(schema, fields, wanted, &format!("{label}."), options)?)
            }
            data_type => {
                let leaf =
                    Leaf::compile(data_type, None, &[], options).map_err(|error| error.in_column(&label))?;
                let fixed = levels.iter().rev().map_while(|level| match level {
                    DataType::FixedSizeList(_, size) => usize::try_from(*size).ok(),
                    _ => None,
                });
                let mut inner: Vec<usize> = fixed.collect();
                inner.reverse();
                levels.truncate(levels.len() - inner.len());
                FieldContent::Values { leaf, data_type: data_type.clone(), inner }
            }
        };
        let views =
            levels.iter().any(|level| matches!(level, DataType::ListView(_) | DataType::LargeListView(_)));
        let lists = levels.into_iter().map(lists::offsets).collect();
        Ok(Self { label, lists, views, content })
    }

    fn spec(&self, outer: usize, dtype: SplitsDType) -> TensorSpec {
        let ragged_rank = outer + self.lists.len();
        match &self.content {
            FieldContent::Fields(fields) => structured_spec(fields, ragged_rank, dtype),
            FieldContent::Values { leaf, inner, .. } if ragged_rank == 0 => {
                TensorSpec::dense(leaf.dtype, inner)
            }
            FieldContent::Values { leaf, inner, .. } => {
                TensorSpec::ragged(leaf.dtype, ragged_rank, inner, dtype)
            }
        }
    }

    /// Adds the parts of this node. `views` says whether a list around this node is a list view.
    fn explain(&self, dtype: SplitsDType, views: bool, parts: &mut Vec<TensorPart>) {
        let views = views || self.views;
        if !self.lists.is_empty() {
            let splits = TensorPart::row_splits(&self.lists, dtype, views);
            parts.extend(splits.into_iter().map(|part| part.of(&self.label)));
        }
        match &self.content {
            FieldContent::Fields(fields) => {
                fields.iter().for_each(|child| child.node.explain(dtype, views, parts))
            }
            FieldContent::Values { leaf, data_type, .. } => {
                let unless: Vec<&str> = std::iter::once(HIDDEN).chain(views.then_some(VIEWS)).collect();
                parts.push(TensorPart::values(leaf, data_type, &unless).of(&self.label));
            }
        }
    }

    /// Converts this node. `outer` has the array of the node, and the row splits of the lists around it.
    fn convert(&self, outer: Leaves, dtype: SplitsDType) -> Result<Tensor, ConversionError> {
        let leaves = self.rows(outer, dtype).map_err(|error| error.in_column(&self.label))?;
        match &self.content {
            FieldContent::Fields(fields) => {
                let parent = leaves.array.as_struct();
                let fields = fields.iter().map(|child| {
                    let array = parent.column(child.index).clone();
                    let nulls = lists::with_parents(leaves.nulls.as_ref(), &array);
                    let (rows, splits) = (leaves.rows, leaves.splits.clone());
                    let tensor = child.node.convert(Leaves { rows, splits, array, nulls }, dtype)?;
                    Ok((child.name.clone(), tensor))
                });
                let fields = fields.collect::<Result<_, _>>()?;
                Ok(Tensor::Structured(StructuredTensor::of(leaves.rows, leaves.splits, fields)))
            }
            FieldContent::Values { leaf, inner, .. } => {
                let flat = flat_values(leaf, &leaves, inner).map_err(|error| error.in_column(&self.label))?;
                match leaves.splits.is_empty() {
                    true => Ok(Tensor::Dense(flat)),
                    false => RaggedTensor::try_new(flat, leaves.splits).map(Tensor::Ragged),
                }
            }
        }
    }

    /// Enters the lists of this node.
    fn rows(&self, outer: Leaves, dtype: SplitsDType) -> Result<Leaves, ConversionError> {
        let Leaves { rows, mut splits, mut array, mut nulls } = outer;
        for _ in &self.lists {
            let Some(lists) = Lists::new(&array, nulls.take()) else { break };
            let inner = lists.into_rows(Some(dtype))?;
            splits.push(inner.splits);
            nulls = lists::with_parents(None, &inner.values);
            array = inner.values;
        }
        if let FieldContent::Values { inner, .. } = &self.content {
            (array, nulls) = inner.iter().fold((array, nulls), |(array, nulls), _| fixed(array, nulls));
        }
        Ok(Leaves { rows, splits, array, nulls })
    }
}

/// The values of fixed-size lists. All values of a null list are null.
fn fixed(array: ArrayRef, nulls: Option<NullBuffer>) -> (ArrayRef, Option<NullBuffer>) {
    let Some(list) = array.as_fixed_size_list_opt() else { return (array, nulls) };
    let nulls = nulls.map(|nulls| nulls.expand(list.value_length() as usize));
    (list.values().clone(), lists::with_parents(nulls.as_ref(), list.values()))
}

fn children(
    schema: &IndexedSchema,
    fields: &arrow_schema::Fields,
    wanted: &FieldSelection,
    prefix: &str,
    options: &AdapterOptions,
) -> Result<Vec<Child>, RepresentationError> {
    let all = FieldSelection::default();
    let child = |index: usize, wanted: &FieldSelection| {
        let field = &fields[index];
        refuse_namesakes(schema, fields, field.name())
            .map_err(|error| error.in_column(&format!("{prefix}{}", field.name())))?;
        let node = Node::compile(schema, field, wanted, format!("{prefix}{}", field.name()), options)?;
        Ok(Child { name: field.name().clone(), index, node })
    };
    if wanted.names.is_empty() {
        return (0..fields.len()).map(|index| child(index, &all)).collect();
    }
    let wanted = wanted.names.iter();
    let wanted = wanted.filter_map(|(name, inside)| Some((schema.find(fields, name)?.0, inside)));
    wanted.map(|(index, inside)| child(index, inside)).collect()
}

fn structured_spec(fields: &[Child], ragged_rank: usize, dtype: SplitsDType) -> TensorSpec {
    TensorSpec {
        kind: TensorKind::Structured,
        dtype: None,
        shape: vec![None; ragged_rank + 1],
        ragged_rank,
        row_splits_dtype: (ragged_rank > 0).then_some(dtype),
        fields: fields
            .iter()
            .map(|child| (child.name.clone(), child.node.spec(ragged_rank, dtype)))
            .collect(),
    }
}
