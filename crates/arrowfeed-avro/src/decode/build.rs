//! Compiles a decode plan to the ops and columns of one decoder.

use arrow_schema::DataType;

use super::body::{Body, Shape};
use super::bytes::BytesColumn;
use super::constant::constant;
use super::converted::Converter;
use super::decimal::Decimals;
use super::enumeration::EnumColumn;
use super::fixed::{Durations, FixedColumn, UuidStrings};
use super::leaf::{Leaf, Nullable};
use super::list::{ListColumn, ListKind};
use super::number::{Booleans, Numbers};
use super::op::{Nulls, Op};
use super::optional::Optional;
use super::skipper::Skipper;
use super::union::{BranchColumn, UnionColumn, UnionOutput};
use super::varint_run::VarintRun;
use crate::plan::node::{
    Branch, Column, DecimalWidth, FieldStep, ListNode, Native, Node, Output, RecordNode, Time, UnionNode,
    UnionResult, Wire,
};
use crate::plan::skip::Skips;

/// Builds the body that reads values of `column`.
pub(crate) fn body(column: &Column, skips: &Skips) -> Body {
    let mut ops = Vec::new();
    let shape = append(column, skips, &mut ops);
    Body::new(ops, shape)
}

/// Appends the ops of one value. A record appends the ops of its fields and has no op itself.
fn append(column: &Column, skips: &Skips, ops: &mut Vec<Op>) -> Shape {
    if let Node::Record(record) = &column.node {
        return append_record(record, skips, ops);
    }
    push(op(&column.node, &column.data_type, skips), ops)
}

/// Appends an op, or merges it into the previous op if both have the same kind.
fn push(next: Op, ops: &mut Vec<Op>) -> Shape {
    let absorbed = match ops.last_mut() {
        Some(last) => last.absorb(next),
        None => Err(next),
    };
    let at = absorbed.unwrap_or_else(|next| {
        ops.push(next);
        0
    });
    Shape::Column { op: ops.len() - 1, at }
}

fn append_record(record: &RecordNode, skips: &Skips, ops: &mut Vec<Op>) -> Shape {
    let mut reads = Vec::new();
    for step in &record.steps {
        match step {
            FieldStep::Read { column, .. } => reads.push(append(column, skips, ops)),
            FieldStep::Skip { program, .. } => {
                push(Op::Skip(Skipper::new(program, skips)), ops);
            }
        }
    }
    let mut reads: Vec<Option<Shape>> = reads.into_iter().map(Some).collect();
    let part = |output: &Output| match output {
        Output::Read(i) => reads[*i].take().expect("a read is one column"),
        Output::Default { column, bytes, skips } => Shape::Constant(constant(column, bytes, skips.clone())),
    };
    Shape::Struct { fields: record.fields.clone(), parts: record.outputs.iter().map(part).collect() }
}

/// Builds the op of a value that is not a record.
fn op(node: &Node, data_type: &DataType, skips: &Skips) -> Op {
    use {Native::*, Wire::*};
    let ty = || data_type.clone();
    match node {
        Node::Null => Op::Null(vec![Nulls]),
        Node::Boolean => Op::Boolean(vec![Booleans::new()]),
        Node::Number { wire, to } => match (wire, to) {
            (Boolean, _) => Op::BooleanToI64(vec![Numbers::new(ty())]),
            (Int, I32) => Op::Int(vec![Numbers::new(ty())]),
            (Int, I64) => Op::IntToI64(vec![Numbers::new(ty())]),
            (Int, F32) => Op::IntToF32(vec![Numbers::new(ty())]),
            (Int, F64) => Op::IntToF64(vec![Numbers::new(ty())]),
            (Long, F32) => Op::LongToF32(vec![Numbers::new(ty())]),
            (Long, F64) => Op::LongToF64(vec![Numbers::new(ty())]),
            (Long, _) => Op::Long(vec![Numbers::new(ty())]),
            (Float, F64) => Op::FloatToF64(vec![Numbers::new(ty())]),
            (Float, _) => Op::Float(vec![Numbers::new(ty())]),
            (Double, F32) => Op::DoubleToF32(vec![Numbers::new(ty())]),
            (Double, _) => Op::Double(vec![Numbers::new(ty())]),
        },
        Node::Time(Time::Millis) => Op::TimeMillis(vec![Numbers::new(ty())]),
        Node::Time(Time::Micros) => Op::TimeMicros(vec![Numbers::new(ty())]),
        Node::Time(Time::IntMicros) => Op::IntToTimeMicros(vec![Numbers::new(ty())]),
        Node::Bytes { utf8 } => Op::Bytes(vec![BytesColumn::new(ty(), *utf8)]),
        Node::UuidString => Op::Uuid(vec![UuidStrings::new(ty())]),
        Node::Fixed { size } => Op::Fixed(vec![FixedColumn::new(ty(), *size)]),
        Node::DecimalBytes { width, precision } => decimal(*width, ty(), None, *precision),
        Node::DecimalFixed { size, width, precision } => decimal(*width, ty(), Some(*size), *precision),
        Node::Duration => Op::Duration(vec![Durations::new()]),
        Node::Enum(node) => Op::Enum(vec![EnumColumn::new(node)]),
        Node::List(list) => Op::List(vec![list_column(list, data_type, skips)]),
        Node::Map { values } => Op::List(vec![map_column(values, data_type, skips)]),
        Node::Nullable { null_branch, value } => nullable(*null_branch, value, data_type, skips),
        Node::Union(union) => Op::Union(vec![union_column(union, data_type, skips)]),
        Node::Raw(program) => Op::Skip(Skipper::new(program, skips).keeping(data_type)),
        Node::Record(_) => unreachable!("records are flattened"),
    }
}

fn decimal(width: DecimalWidth, data_type: DataType, size: Option<usize>, precision: u8) -> Op {
    match width {
        DecimalWidth::Bits128 => Op::Decimal128(vec![Decimals::new(data_type, size, precision)]),
        DecimalWidth::Bits256 => Op::Decimal256(vec![Decimals::new(data_type, size, precision)]),
    }
}

fn nullable(null_branch: usize, value: &Node, data_type: &DataType, skips: &Skips) -> Op {
    if matches!(value, Node::Record(_)) {
        return optional(null_branch, value, data_type, skips);
    }
    fn each<C: Leaf>(null_branch: usize, columns: Vec<C>) -> Vec<Nullable<C>> {
        columns.into_iter().map(|column| Nullable::new(null_branch, column)).collect()
    }
    match op(value, data_type, skips) {
        Op::Boolean(columns) => Op::NullableBoolean(each(null_branch, columns)),
        Op::Int(columns) => Op::NullableInt(VarintRun::new(each(null_branch, columns))),
        Op::IntToI64(columns) => Op::NullableIntToI64(VarintRun::new(each(null_branch, columns))),
        Op::Long(columns) => Op::NullableLong(VarintRun::new(each(null_branch, columns))),
        Op::Float(columns) => Op::NullableFloat(each(null_branch, columns)),
        Op::Double(columns) => Op::NullableDouble(each(null_branch, columns)),
        Op::Bytes(columns) => Op::NullableBytes(each(null_branch, columns)),
        Op::Enum(columns) => Op::NullableEnum(each(null_branch, columns)),
        Op::TimeMillis(columns) => Op::NullableTimeMillis(each(null_branch, columns)),
        Op::TimeMicros(columns) => Op::NullableTimeMicros(each(null_branch, columns)),
        _ => optional(null_branch, value, data_type, skips),
    }
}

fn optional(null_branch: usize, value: &Node, data_type: &DataType, skips: &Skips) -> Op {
    let inner = body(&Column::required(value.clone(), data_type.clone()), skips);
    Op::Optional(vec![Optional::new(null_branch, inner, value.slot_bytes())])
}

fn list_column(list: &ListNode, data_type: &DataType, skips: &Skips) -> ListColumn {
    let node = &list.items.node;
    let kind = match (data_type, list.fixed) {
        (DataType::FixedSizeList(field, _), Some(n)) => ListKind::Fixed(field.clone(), n),
        (data_type, _) => ListKind::List(data_type.clone()),
    };
    let body = body(&list.items, skips);
    let slot =
        node.slot_bytes().saturating_add(body.deferred_bytes()).saturating_add(list.items.item_text_bytes);
    ListColumn::new(body, kind, node.min_bytes(), slot)
}

fn map_column(values: &Column, data_type: &DataType, skips: &Skips) -> ListColumn {
    let DataType::Map(entries, _) = data_type else { unreachable!("a map becomes a Map") };
    let DataType::Struct(fields) = entries.data_type() else { unreachable!("entries are a struct") };
    let mut ops = Vec::new();
    let key = push(Op::Bytes(vec![BytesColumn::new(fields[0].data_type().clone(), true)]), &mut ops);
    let parts = vec![key, append(values, skips, &mut ops)];
    let shape = Shape::Struct { fields: fields.clone(), parts };
    let body = Body::new(ops, shape);
    let fixed = [values.node.slot_bytes(), body.deferred_bytes(), values.item_text_bytes];
    let slot = fixed.into_iter().fold(4, usize::saturating_add);
    ListColumn::new(body, ListKind::Map(entries.clone()), values.node.min_bytes().saturating_add(1), slot)
}

fn union_column(union: &UnionNode, data_type: &DataType, skips: &Skips) -> UnionColumn {
    let branch = |branch: &Branch| match branch {
        Branch::Read { to, column } => Some(BranchColumn { body: body(column, skips), to: *to }),
        Branch::Refused { .. } => None,
    };
    let is_null =
        |branch: &Branch| matches!(branch, Branch::Read { column, .. } if matches!(column.node, Node::Null));
    let result = match &union.result {
        UnionResult::Dense(fields) | UnionResult::Converted(fields, _) => UnionOutput::Dense(fields.clone()),
        UnionResult::One => {
            let null = union.branches.iter().position(is_null).filter(|_| *data_type != DataType::Null);
            UnionOutput::One { data_type: data_type.clone(), null }
        }
    };
    let converter = match &union.result {
        UnionResult::Converted(_, conversion) => Some(Box::new(Converter::new(conversion.as_ref().clone()))),
        UnionResult::Dense(_) | UnionResult::One => None,
    };
    UnionColumn::new(union.tagged, union.branches.iter().map(branch).collect(), result, converter)
}
