//! The oracle: evaluates keys on trees of values, row by row.

use serde_json::{Value, json};

use super::any::{Side, Step};

/// Selects the values of the steps: nested lists with one level for each dimension.
pub(crate) fn select(value: &Value, steps: &[Step], root: &Value) -> Value {
    let Some((step, rest)) = steps.split_first() else { return value.clone() };
    let elements = || value.as_array().cloned().unwrap_or_default();
    let next = match step {
        Step::Field(name) => value.get(name).cloned(),
        Step::Each => return elements().iter().map(|element| select(element, rest, root)).collect(),
        Step::Values => return elements().iter().map(|entry| select(&entry[1], rest, root)).collect(),
        Step::Index(index) => {
            let elements = elements();
            let index = if *index < 0 { elements.len() as i64 + index } else { *index };
            usize::try_from(index).ok().and_then(|index| elements.get(index).cloned())
        }
        Step::Key(key) => {
            elements().iter().rev().find(|entry| entry[0] == *key).map(|entry| entry[1].clone())
        }
        Step::Branch(name) => value.get(name).or_else(|| value.get(format!("com.{name}"))).cloned(),
        Step::Filter { left, negated, right } => {
            let keep =
                |element: &&Value| (side(left, element, root) == side(right, element, root)) != *negated;
            return elements().iter().filter(keep).map(|element| select(element, rest, root)).collect();
        }
    };
    select(&next.unwrap_or(Value::Null), rest, root)
}

fn side(side: &Side, element: &Value, root: &Value) -> Value {
    match side {
        Side::Constant(value) => value.clone(),
        Side::Path { from_root: true, steps } => select(root, steps, root),
        Side::Path { from_root: false, steps } => select(element, steps, root),
    }
}

/// Coordinates and values of all leaves of nested lists.
pub(crate) fn coordinates(
    value: &Value,
    depth: usize,
    at: &mut Vec<i64>,
    found: &mut Vec<(Vec<i64>, Value)>,
) {
    match (depth, value) {
        (0, value) => found.push((at.clone(), value.clone())),
        (_, value) => {
            for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                at.push(i as i64);
                coordinates(item, depth - 1, at, found);
                at.pop();
            }
        }
    }
}

/// Nested lists, cut to the sizes in each dimension.
pub(crate) fn truncated(value: &Value, sizes: &[usize]) -> Value {
    match (sizes.split_first(), value.as_array()) {
        (Some((size, below)), Some(items)) => {
            items.iter().take(*size).map(|item| truncated(item, below)).collect()
        }
        _ => value.clone(),
    }
}

/// A row of a dense tensor: lists of `sizes`, with missing values from `default`. `None` if the row is an error.
pub(crate) fn dense(
    value: &Value,
    sizes: &[usize],
    default: &mut impl Iterator<Item = Option<i64>>,
) -> Option<Vec<i64>> {
    let Some((size, below)) = sizes.split_first() else {
        let default = default.next()?;
        return Some(vec![value.as_i64().or(default)?]);
    };
    let empty = Vec::new();
    let items = value.as_array().unwrap_or(&empty);
    if items.len() > *size {
        return None;
    }
    let mut row = Vec::new();
    for i in 0..*size {
        let missing = if below.is_empty() { Value::Null } else { json!([]) };
        row.extend(dense(items.get(i).unwrap_or(&missing), below, default)?);
    }
    Some(row)
}
