//! Random predicates over random batches have the result of the oracle, also after a round trip through text.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Schema};
use arrowfeed_predicate::path::split_quoted;
use arrowfeed_predicate::{Comparison, Lists, Literal, Predicate, PredicateError, col};
use proptest::prelude::*;

use crate::choices::{Choices, choices};
use crate::columns::{Cell, any_cell, any_float, any_text, any_type, array, inner_type, is_list};
use crate::oracle::{Several, Tree, Value};
use crate::random_config::config;

const COMPARISONS: [Comparison; 6] =
    [Comparison::Eq, Comparison::Ne, Comparison::Lt, Comparison::Le, Comparison::Gt, Comparison::Ge];

/// Names of columns, and their paths before a field.
const NAMES: [(&str, &str); 5] =
    [("a", "a"), ("b.c", "b.c"), ("it's", "['it''s']"), ("d e", "d e"), ("and", "and")];

/// A batch, and the cells of its rows as predicates see them.
struct Case {
    batch: RecordBatch,
    paths: Vec<String>,
    types: Vec<DataType>,
    rows: Vec<Vec<Cell>>,
}

fn any_case(choices: &mut Choices) -> Case {
    let (before, length, after) = (choices.below(4), choices.below(12), choices.below(3));
    let (mut types, mut paths, mut columns, mut rows) =
        (Vec::new(), Vec::new(), Vec::new(), vec![Vec::new(); length]);
    for (name, path) in &NAMES[..1 + choices.below(NAMES.len())] {
        let data_type = any_type(choices);
        let mut cells: Vec<Cell> =
            (0..before + length + after).map(|_| any_cell(&data_type, choices)).collect();
        let mut column = array(&data_type, &cells, choices);
        let mut path = (*path).to_owned();
        for _ in 0..choices.pick(&[0, 0, 1, 2]) {
            let valid: Vec<bool> = cells.iter().map(|_| !choices.one_in(4)).collect();
            for (cell, _) in cells.iter_mut().zip(&valid).filter(|(_, valid)| !**valid) {
                *cell = Cell::Null;
            }
            let fields = vec![Field::new("f", column.data_type().clone(), true)].into();
            column = Arc::new(StructArray::new(fields, vec![column], Some(NullBuffer::from(valid))));
            path += ".f";
        }
        paths.push(path);
        for (row, cell) in rows.iter_mut().zip(&cells[before..]) {
            row.push(cell.clone());
        }
        columns.push((*name, column));
        types.push(data_type);
    }
    let fields: Vec<Field> =
        columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), true)).collect();
    let columns: Vec<ArrayRef> = columns.into_iter().map(|(_, column)| column).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(before + length + after));
    let batch = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options).unwrap();
    Case { batch: batch.slice(before, length), paths, types, rows }
}

/// A literal for a type, near its cells.
fn any_value(data_type: &DataType, choices: &mut Choices) -> (Value, Literal) {
    let stored = |choices: &mut Choices| loop {
        match any_cell(data_type, choices) {
            Cell::Integer(value) => break value,
            Cell::Null => {}
            other => unreachable!("{other:?}"),
        }
    };
    match data_type {
        DataType::Null => (Value::Decimal(1, 0), 1.into()),
        DataType::Boolean => {
            let value = choices.below(2) == 1;
            (Value::Boolean(value), value.into())
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            let text = any_text(choices);
            (Value::Text(text.clone()), text.into())
        }
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            let text = any_text(choices);
            match choices.below(2) {
                0 => (Value::Text(text.clone()), text.into()),
                _ => (Value::Bytes(vec![255, 1]), vec![255, 1].into()),
            }
        }
        DataType::Float16 | DataType::Float32 | DataType::Float64 => match choices.below(5) {
            0 => {
                let number = (1i128 << choices.pick(&[0, 11, 24, 53, 60])) + choices.below(8) as i128 - 2;
                decimal(number, 0)
            }
            1 => decimal(choices.bits(), -(choices.below(30) as i32)),
            2 | 3 => float(any_float(choices)),
            _ => match any_cell(data_type, choices) {
                Cell::Float(value) if (2f64.powi(53)..2f64.powi(100)).contains(&value) => {
                    decimal(value as i128 + choices.pick(&[1, -1]), 0)
                }
                Cell::Float(value) => float(choices.pick(&[value, value.next_up(), value.next_down()])),
                _ => decimal(1, -1),
            },
        },
        number if number.is_integer() || number.is_decimal() => {
            let scale = match data_type {
                DataType::Decimal32(_, scale)
                | DataType::Decimal64(_, scale)
                | DataType::Decimal128(_, scale)
                | DataType::Decimal256(_, scale) => i32::from(*scale),
                _ => 0,
            };
            let near = stored(choices);
            let step = choices.pick(&[0, 0, 0, 10, -10, 1, -1, 5]);
            let digits = near.checked_mul(10).and_then(|digits| digits.checked_add(step));
            let (value, literal) = match choices.below(4) {
                0 => float(any_float(choices)),
                1 => float(near as f64 / 10f64.powi(scale)),
                _ => digits.map_or_else(|| decimal(near, -scale), |digits| decimal(digits, -scale - 1)),
            };
            match (number.is_decimal() && choices.one_in(3), &literal) {
                (true, Literal::Number(number)) => (value, Literal::String(number.to_string())),
                _ => (value, literal),
            }
        }
        temporal => {
            let (nanoseconds, literal) = any_instant(temporal, stored(choices), choices);
            let text = literal.to_string();
            let literal = match choices.one_in(2) {
                true => Literal::String(text.trim_matches('"').to_owned()),
                false => literal,
            };
            (Value::Nanoseconds(nanoseconds), literal)
        }
    }
}

fn any_instant(data_type: &DataType, near: i128, choices: &mut Choices) -> (i128, Literal) {
    const DAY: i128 = 86_400_000_000_000;
    let nanoseconds =
        near * crate::oracle::nanoseconds(data_type) + choices.pick(&[0, 0, 0, 1, -1, 1000, -500]);
    let days = near as i64 / if *data_type == DataType::Date64 { 86_400_000 } else { 1 };
    match data_type {
        DataType::Date32 | DataType::Date64 => {
            let days = days + choices.below(3) as i64 - 1;
            (i128::from(days) * DAY, Literal::Date(days))
        }
        DataType::Time32(_) | DataType::Time64(_) => {
            let time = nanoseconds.rem_euclid(DAY);
            (time, Literal::Time(time as i64))
        }
        DataType::Timestamp(..) if choices.one_in(5) => {
            let days = choices.below(5) as i64 - 2;
            (i128::from(days) * DAY, Literal::Date(days))
        }
        DataType::Timestamp(_, None) => (nanoseconds, Literal::Timestamp(nanoseconds)),
        DataType::Timestamp(_, Some(_)) => (nanoseconds, Literal::Instant(nanoseconds)),
        _ => (nanoseconds, Literal::Duration(nanoseconds)),
    }
}

fn decimal(digits: i128, exponent: i32) -> (Value, Literal) {
    (Value::Decimal(digits, exponent), Literal::decimal(&format!("{digits}e{exponent}")).unwrap())
}

fn float(value: f64) -> (Value, Literal) {
    (Value::Float(value), value.into())
}

fn any_tree(case: &Case, choices: &mut Choices, levels: usize) -> (Tree, Predicate) {
    let joint = if levels == 0 { 0 } else { choices.below(6) };
    if joint > 2 {
        let (left, right) = (any_tree(case, choices, levels - 1), any_tree(case, choices, levels - 1));
        let (trees, predicates) = ((Box::new(left.0), Box::new(right.0)), (left.1, right.1));
        return match joint {
            3 => (Tree::Not(trees.0), !predicates.0),
            4 => (Tree::And(trees.0, trees.1), predicates.0 & predicates.1),
            _ => (Tree::Or(trees.0, trees.1), predicates.0 | predicates.1),
        };
    }
    let column = choices.below(case.paths.len());
    let (data_type, operand) = (&case.types[column], col(&*case.paths[column]));
    let inner = inner_type(data_type);
    match choices.below(8) {
        0 => (Tree::IsNull(column), operand.is_null()),
        1 => (Tree::Not(Box::new(Tree::IsNull(column))), operand.is_not_null()),
        2 => {
            let literals = (0..choices.below(5)).map(|_| any_value(inner, choices));
            let (values, literals): (Vec<_>, Vec<_>) = literals.unzip();
            (Tree::In(column, values), operand.is_in(literals))
        }
        3 if is_list(data_type) => {
            let (comparison, length) = (choices.pick(&COMPARISONS), choices.below(3) as i128);
            let predicate = operand.list_length().compare(comparison, length);
            (Tree::Length(column, comparison, length), predicate)
        }
        4 if inner.is_string() || inner.is_binary() => {
            let prefix = any_text(choices);
            (Tree::StartsWith(column, prefix.clone()), operand.starts_with(prefix))
        }
        _ => {
            let (comparison, (value, literal)) = (choices.pick(&COMPARISONS), any_value(inner, choices));
            (Tree::Compare(column, comparison, value), operand.compare(comparison, literal))
        }
    }
}

/// The canonical text of a predicate with single quotes, and with parentheses around lists.
fn in_single_quotes(text: &str) -> String {
    let (mut rest, mut written, mut in_list) = (text, String::new(), false);
    while let Some(next) = rest.chars().next() {
        let copied = match next {
            '[' if !written.ends_with("in ") => match split_quoted(rest) {
                Some((_, behind)) => rest.len() - behind.len(),
                // The path is a JSON string in brackets.
                None => 2 + json_string(&rest[1..]).1,
            },
            '"' => {
                let (string, length) = json_string(rest);
                written += &format!("'{}'", string.replace('\'', "''"));
                rest = &rest[length..];
                continue;
            }
            '[' | ']' => {
                in_list = next == '[';
                written.push(if in_list { '(' } else { ')' });
                rest = &rest[1..];
                continue;
            }
            other => other.len_utf8(),
        };
        written += &rest[..copied];
        rest = &rest[copied..];
    }
    assert!(!in_list, "{text}");
    written
}

/// The JSON string at the start of a text, and the bytes that it takes.
fn json_string(text: &str) -> (String, usize) {
    let mut strings = serde_json::Deserializer::from_str(text).into_iter::<String>();
    (strings.next().unwrap().unwrap(), strings.byte_offset())
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn a_predicate_has_the_result_of_the_oracle(mut choices in choices(600)) {
        let case = any_case(&mut choices);
        let levels = choices.below(4);
        let (tree, predicate) = any_tree(&case, &mut choices, levels);
        let expected: Result<Vec<Option<bool>>, Several> =
            case.rows.iter().map(|row| tree.row(&case.types, row)).collect();

        let text = predicate.to_string();
        let read = Predicate::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        prop_assert_eq!(&read, &predicate);
        prop_assert_eq!(read.to_string(), &text[..]);
        let other = in_single_quotes(&text);
        let read_of_other = Predicate::parse(&other).unwrap_or_else(|error| panic!("{other}: {error}"));
        prop_assert_eq!(&read_of_other, &predicate);
        let lists = match case.types.iter().any(is_list) {
            true => Lists::HoldOneValue,
            false => choices.pick(&[Lists::AreValues, Lists::HoldOneValue]),
        };
        for predicate in [&predicate, &read] {
            let compiled = predicate.compile(&case.batch.schema(), lists);
            let compiled = compiled.unwrap_or_else(|error| panic!("{text}: {error}"));
            match (compiled.evaluate(&case.batch), &expected) {
                (Ok(found), Ok(expected)) => {
                    prop_assert_eq!(found, BooleanArray::from(expected.clone()), "{}", text);
                    let keeps: Vec<bool> = expected.iter().map(|result| *result == Some(true)).collect();
                    prop_assert_eq!(compiled.keeps(&case.batch).unwrap(), BooleanArray::from(keeps));
                }
                (Err(PredicateError::SeveralValues { .. }), Err(Several)) => {}
                (found, expected) => prop_assert!(false, "{}: {:?}, expected {:?}", text, found, expected),
            }
        }
    }
}
