//! Bounds on the JSON text of values, from which the size of a batch is computed before any text is written.
//!
//! A text has at most [`BYTES_PER_BYTE`] bytes for each encoded byte of the value, and the bytes that [`text_bytes`]
//! returns for each slot, and for each item of arrays and maps.

use arrow_array::cast::AsArray;

use super::node::{Branch, Column, FieldStep, ListNode, Node, Output, RecordNode};
use crate::decode::counted_bytes;

/// A control character becomes `\u0000`.
pub(crate) const BYTES_PER_BYTE: usize = 6;

/// A number, a boolean or a string, in addition to its encoded bytes: quotes, a decimal point, and a slot that is padded.
const PLAIN: usize = 8;

/// The longest date or time, with quotes.
const TIME: usize = 48;

/// A uuid with quotes.
const UUID: usize = 38;

/// A decimal of 76 digits, with quotes, sign, zero and point.
const DECIMAL: usize = 81;

/// `{"months":2147483647,"days":2147483647,"milliseconds":4294967295}`
const DURATION: usize = 66;

/// Returns the bytes of a slot's text in addition to those for its encoded bytes and its items, and sets those of items.
pub(super) fn text_bytes(column: &mut Column) -> usize {
    let plain = if column.data_type.is_temporal() { TIME } else { PLAIN };
    of_node(&mut column.node, plain)
}

/// `plain`: the bytes of a number.
fn of_node(node: &mut Node, plain: usize) -> usize {
    match node {
        Node::Null => "null".len(),
        Node::Boolean | Node::Number { .. } | Node::Bytes { .. } => plain,
        Node::Time(_) => TIME,
        // The bytes of the largest escape, because a padded slot is not encoded.
        Node::Fixed { size } => size.saturating_mul(BYTES_PER_BYTE).saturating_add(UUID),
        Node::UuidString => UUID,
        Node::DecimalBytes { .. } | Node::DecimalFixed { .. } => DECIMAL,
        Node::Duration => DURATION,
        Node::Enum(node) => {
            let symbols = node.dictionary.as_string::<i32>();
            symbols.iter().flatten().map(quoted_bytes).max().unwrap_or(0)
        }
        Node::List(list) => of_list(list),
        Node::Map { values } => {
            // A key, its quotes, the colon and the comma.
            values.item_text_bytes = text_bytes(values).saturating_add(4);
            PLAIN
        }
        Node::Record(record) => of_record(record),
        Node::Nullable { value, .. } => of_node(value, plain).max(PLAIN),
        Node::Union(union) => union
            .branches
            .iter_mut()
            .map(|branch| match branch {
                Branch::Read { to, column } => {
                    let name = union.result.branch_name(*to).map_or(0, name_bytes);
                    name.saturating_add(text_bytes(column))
                }
                Branch::Refused { .. } => 0,
            })
            .max()
            .unwrap_or(0),
        // Only the root is raw.
        Node::Raw(_) => 0,
    }
}

fn of_list(list: &mut ListNode) -> usize {
    let item = text_bytes(&mut list.items).saturating_add(1);
    match list.fixed {
        // Padded slots have all items too.
        Some(n) => n.saturating_mul(item).saturating_add(PLAIN),
        None => {
            list.items.item_text_bytes = item;
            PLAIN
        }
    }
}

fn of_record(record: &mut RecordNode) -> usize {
    let names = record.fields.iter().map(|field| name_bytes(field.name()));
    let reads = record.steps.iter_mut().map(|step| match step {
        FieldStep::Read { column, .. } => text_bytes(column),
        FieldStep::Skip { .. } => 0,
    });
    let defaults = record.outputs.iter_mut().map(|output| match output {
        Output::Read(_) => 0,
        Output::Default { column, bytes, skips } => {
            let slot = text_bytes(column).saturating_add(bytes.len().saturating_mul(BYTES_PER_BYTE));
            // The items, as they count when they are read.
            slot.saturating_add(counted_bytes(column, bytes, skips.clone()))
        }
    });
    names.chain(reads).chain(defaults).fold(2, usize::saturating_add)
}

/// The bytes of `"name":` and of the comma or the brace after the value.
pub(super) fn name_bytes(name: &str) -> usize {
    quoted_bytes(name).saturating_add(4)
}

fn quoted_bytes(text: &str) -> usize {
    serde_json::Value::from(text).to_string().len()
}
