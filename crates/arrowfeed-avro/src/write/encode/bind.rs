//! Conversion of a plan and the arrays of one batch to the operations that write its rows.

use std::io;
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int32Type, Int64Type, RunEndIndexType};
use arrow_array::{Array, ArrayRef, RunArray, UnionArray};
use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_schema::{DataType, UnionFields};
use arrowfeed_source::{FeedError, Limits, thousands};

use super::bind_leaf::bind_leaf;
use super::body::{Body, Op};
use super::computed::symbols_of_keys;
use super::nested::{Branch, Constant, Indexed, Keys, List, NullBranch, Optional, Ranges, Required, Union};
use crate::write::plan::{self, Child, FieldValues, Leaf, Node, NodeKind};

/// The operations that write the slots of `array` as values of `node`.
///
/// # Errors
/// The type of the array does not fit.
pub(in crate::write) fn bind(node: &Node, array: &ArrayRef) -> Result<Body, FeedError> {
    Ok(Body::new(operations(node, array)?))
}

fn operations(node: &Node, array: &ArrayRef) -> Result<Vec<Op>, FeedError> {
    // The items of a list of nulls take no memory, so a bitmap of them might be larger than the memory.
    if let NodeKind::Leaf(Leaf::Null) = node.kind {
        return values(node, array);
    }
    let nulls = nulls(array)?;
    match &node.kind {
        NodeKind::Optional(tags, value) => {
            let missing = nulls.clone().filter(|_| tags.null == plan::NO_NULL);
            let nulls = nulls.filter(|_| missing.is_none());
            let op = match single(values(value, array)?) {
                Ok(op) => op.nullable(nulls.clone(), *tags).map_err(|op| vec![op]),
                Err(ops) => Err(ops),
            };
            let op = op.unwrap_or_else(|ops| {
                Op::Optional(vec![Optional { nulls, tags: *tags, value: Body::new(ops) }])
            });
            Ok(vec![required(op, missing, &node.path)])
        }
        // Unions have no validity buffer of their own.
        NodeKind::Union(_) if matches!(array.data_type(), DataType::Union(..)) => values(node, array),
        NodeKind::Union(children) => {
            let value = values(node, array)?;
            let index = children.iter().find_map(|child| child.null_index);
            // Nulls inside the union are written by the union itself; only null keys count here.
            Ok(match (array.nulls().cloned(), index) {
                (None, _) => value,
                (Some(nulls), Some(index)) => {
                    vec![Op::NullBranch(vec![NullBranch { nulls, index, value: Body::new(value) }])]
                }
                (Some(nulls), None) => {
                    let path = (&*node.path).into();
                    vec![Op::Required(vec![Required { nulls, value: Body::new(value), path }])]
                }
            })
        }
        _ => match nulls {
            None => values(node, array),
            Some(nulls) => {
                let value = Body::new(values(node, array)?);
                Ok(vec![Op::Required(vec![Required { nulls, value, path: (&*node.path).into() }])])
            }
        },
    }
}

/// The only operation of a list, or else the list.
fn single(mut ops: Vec<Op>) -> Result<Op, Vec<Op>> {
    match (ops.len(), ops.pop()) {
        (1, Some(op)) => Ok(op),
        (_, last) => {
            ops.extend(last);
            Err(ops)
        }
    }
}

fn required(op: Op, missing: Option<NullBuffer>, path: &str) -> Op {
    match missing {
        None => op,
        Some(nulls) => Op::Required(vec![Required { nulls, value: Body::new(vec![op]), path: path.into() }]),
    }
}

/// Number of bytes of a bitmap that is allocated only if the memory has been reserved before.
const LARGE: usize = 1 << 30;

#[cold]
fn exhausted(bytes: usize) -> FeedError {
    let bytes = thousands(bytes as u64);
    let message = format!("expected {bytes} bytes of memory to write a column, found too little memory");
    FeedError::io(io::Error::new(io::ErrorKind::OutOfMemory, message))
}

/// The validity of the slots, including nulls in values that they refer to; `None` if no slot is null.
///
/// # Errors
/// The memory is too small. Arrays of nulls and of runs have few or no bytes for any number of values.
fn nulls(array: &ArrayRef) -> Result<Option<NullBuffer>, FeedError> {
    let bytes = array.len().div_ceil(8);
    if bytes > LARGE {
        Vec::<u8>::new().try_reserve_exact(bytes).map_err(|_| exhausted(bytes))?;
    }
    Ok(array.logical_nulls().filter(|nulls| nulls.null_count() > 0))
}

/// The operations that write the non-null slots of an array.
fn values(node: &Node, array: &ArrayRef) -> Result<Vec<Op>, FeedError> {
    match array.data_type() {
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let keys = keys(dictionary.keys());
            if let NodeKind::Leaf(Leaf::Enum(symbols)) = &node.kind
                && is_text(dictionary.values().data_type())
            {
                return Ok(vec![symbols_of_keys(symbols, keys, dictionary, &node.path)]);
            }
            let values = Body::new(stored(node, dictionary.values())?);
            return Ok(vec![Op::Indexed(vec![Indexed { keys, values }])]);
        }
        DataType::RunEndEncoded(ends, _) => {
            let (keys, runs) = match ends.data_type() {
                DataType::Int16 => runs::<Int16Type>(array.as_run()),
                DataType::Int32 => runs::<Int32Type>(array.as_run()),
                _ => runs::<Int64Type>(array.as_run()),
            }?;
            let values = Body::new(stored(node, &runs)?);
            return Ok(vec![Op::Indexed(vec![Indexed { keys, values }])]);
        }
        _ => {}
    }
    match &node.kind {
        NodeKind::Leaf(leaf) => Ok(vec![bind_leaf(leaf, array, &node.path)?]),
        NodeKind::Record(fields) => {
            let columns = array.as_struct().columns();
            let mut ops = Vec::with_capacity(fields.len());
            for field in fields {
                match field {
                    FieldValues::Column(index, node) => ops.extend(operations(node, &columns[*index])?),
                    FieldValues::Default(value) => ops.push(Op::Constant(vec![Constant(value.clone())])),
                }
            }
            Ok(ops)
        }
        NodeKind::List(item) => list(item, array).map(|list| vec![Op::List(vec![list])]),
        NodeKind::Map(value) => map(value, array).map(|list| vec![Op::List(vec![list])]),
        NodeKind::Union(children) => union(children, array).map(|union| vec![Op::Union(vec![union])]),
        // In the plan, a union with null is around a dictionary, never around its values alone.
        NodeKind::Optional(..) => operations(node, array),
    }
}

/// The operations that write the values behind an index. The caller handles the nulls of all levels, unless the values
/// are unions: then each level handles its own nulls.
fn stored(node: &Node, array: &ArrayRef) -> Result<Vec<Op>, FeedError> {
    match node.kind {
        NodeKind::Union(_) => operations(node, array),
        _ => values(node, array),
    }
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Maximum number of items without bytes in a list that readers accept.
fn most_items(min_bytes: usize) -> Option<u64> {
    (min_bytes == 0).then(|| Limits::default().zero_byte_elements)
}

fn list(item: &Node, array: &ArrayRef) -> Result<List, FeedError> {
    let (ranges, items): (Ranges, ArrayRef) = match array.data_type() {
        DataType::List(_) => {
            let lists = array.as_list::<i32>();
            (Ranges::Offsets(lists.offsets().clone()), lists.values().clone())
        }
        DataType::LargeList(_) => {
            let lists = array.as_list::<i64>();
            (Ranges::LargeOffsets(lists.offsets().clone()), lists.values().clone())
        }
        DataType::ListView(_) => {
            let lists = array.as_list_view::<i32>();
            (Ranges::Views(lists.offsets().clone(), lists.sizes().clone()), lists.values().clone())
        }
        DataType::LargeListView(_) => {
            let lists = array.as_list_view::<i64>();
            (Ranges::LargeViews(lists.offsets().clone(), lists.sizes().clone()), lists.values().clone())
        }
        DataType::FixedSizeList(_, size) => {
            (Ranges::Fixed(*size as usize), array.as_fixed_size_list().values().clone())
        }
        DataType::Map(..) => {
            let map = array.as_map();
            (Ranges::Offsets(map.offsets().clone()), std::sync::Arc::new(map.entries().clone()))
        }
        other => return Err(plan::error(&item.path, format!("expected a list, found {other}"))),
    };
    let covered = covered(&ranges, array);
    let items = bind(item, &items.slice(covered.start, covered.len()))?;
    Ok(List { ranges, first: covered.start, items, most: most_items(item.min_bytes()) })
}

fn map(value: &Node, array: &ArrayRef) -> Result<List, FeedError> {
    let map = array.as_map();
    let ranges = Ranges::Offsets(map.offsets().clone());
    let covered = covered(&ranges, array);
    let part = |array: &ArrayRef| array.slice(covered.start, covered.len());
    let key = Node { path: value.path.clone(), kind: NodeKind::Leaf(Leaf::String { uuid: false }) };
    let mut ops = operations(&key, &part(map.keys()))?;
    ops.extend(operations(value, &part(map.values()))?);
    Ok(List { ranges, first: covered.start, items: Body::new(ops), most: None })
}

/// The range of the items that the slots of a list refer to. Others are ignored, so the cost of a slice depends on its size.
fn covered(ranges: &Ranges, lists: &ArrayRef) -> Range<usize> {
    match ranges {
        Ranges::Offsets(offsets) => offsets[0] as usize..offsets[lists.len()] as usize,
        Ranges::LargeOffsets(offsets) => offsets[0] as usize..offsets[lists.len()] as usize,
        Ranges::Fixed(size) => 0..size * lists.len(),
        Ranges::Views(..) | Ranges::LargeViews(..) => {
            let valid = (0..lists.len()).filter(|slot| lists.is_valid(*slot)).map(|slot| ranges.of(slot));
            let filled = valid.filter(|range| !range.is_empty());
            filled.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0)
        }
    }
}

fn union(children: &[Child], array: &ArrayRef) -> Result<Union, FeedError> {
    let array = array.as_any().downcast_ref::<UnionArray>();
    let array =
        array.ok_or_else(|| plan::error("", "expected a union array, found a different array".to_owned()))?;
    let DataType::Union(fields, _) = array.data_type() else {
        unreachable!("a union array has a union type")
    };
    let mut branches: Vec<Option<Branch>> = Vec::new();
    for child in children {
        let Some(values) = has_type_id(fields, child.type_id).then(|| array.child(child.type_id)) else {
            continue;
        };
        let id = usize::try_from(child.type_id).unwrap_or(0);
        branches.resize_with(branches.len().max(id + 1), || None);
        branches[id] = Some(branch(child, values)?);
    }
    Ok(Union { type_ids: array.type_ids().clone(), offsets: array.offsets().cloned(), branches })
}

fn branch(child: &Child, array: &ArrayRef) -> Result<Branch, FeedError> {
    let path = (&*child.node.path).into();
    let (index, null_index) = (child.index, child.null_index);
    if *array.data_type() == DataType::Null {
        return Ok(Branch { index, nulls: None, null_index, value: bind(&child.node, array)?, path });
    }
    let value = Body::new(values(&child.node, array)?);
    Ok(Branch { index, nulls: nulls(array)?, null_index, value, path })
}

fn has_type_id(fields: &UnionFields, type_id: i8) -> bool {
    fields.iter().any(|(id, _)| id == type_id)
}

/// The keys of a dictionary.
fn keys(array: &dyn Array) -> Keys {
    use DataType::{Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32};
    use arrow_array::types as t;
    match array.data_type() {
        Int8 => Keys::I8(array.as_primitive::<t::Int8Type>().values().clone()),
        Int16 => Keys::I16(array.as_primitive::<t::Int16Type>().values().clone()),
        Int32 => Keys::I32(array.as_primitive::<t::Int32Type>().values().clone()),
        Int64 => Keys::I64(array.as_primitive::<t::Int64Type>().values().clone()),
        UInt8 => Keys::U8(array.as_primitive::<t::UInt8Type>().values().clone()),
        UInt16 => Keys::U16(array.as_primitive::<t::UInt16Type>().values().clone()),
        UInt32 => Keys::U32(array.as_primitive::<t::UInt32Type>().values().clone()),
        _ => Keys::U64(array.as_primitive::<t::UInt64Type>().values().clone()),
    }
}

/// The index of the run for each slot, and the values of the runs.
///
/// # Errors
/// The memory is too small: a run of any number of slots takes a few bytes.
fn runs<R: RunEndIndexType>(array: &RunArray<R>) -> Result<(Keys, ArrayRef), FeedError> {
    let mut keys: Vec<u64> = Vec::new();
    keys.try_reserve_exact(array.len())
        .map_err(|_| exhausted(array.len().saturating_mul(size_of::<u64>())))?;
    let first = array.run_ends().get_start_physical_index() as u64;
    for (run, end) in (first..).zip(array.run_ends().sliced_values()) {
        keys.resize(end.as_usize(), run);
    }
    Ok((Keys::U64(keys.into()), array.values().clone()))
}
