//! The oracle: makes tensors from trees, row by row, in the obvious way.

use arrowfeed_tensor::{RaggedTensor, SparseTensor, Tensor};

use super::arrays::numbers;
use super::tree::{Item, Level};

/// Coordinates and values. A null list counts as empty, and a null value is `None`.
pub(crate) fn coordinates(rows: &[Item], depth: usize) -> Vec<(Vec<i64>, Option<i64>)> {
    let mut out = Vec::new();
    for (row, item) in rows.iter().enumerate() {
        match (depth, item) {
            // A null row of a column without lists has no value.
            (0, Item::Null) => {}
            (0, _) => visit(item, 0, vec![row as i64, 0], &mut out),
            _ => visit(item, depth, vec![row as i64], &mut out),
        }
    }
    out
}

fn visit(item: &Item, depth: usize, at: Vec<i64>, out: &mut Vec<(Vec<i64>, Option<i64>)>) {
    match item {
        Item::Number(number) => out.push((at, Some(*number))),
        Item::Null if depth == 0 => out.push((at, None)),
        Item::Null => {}
        Item::List(items) => {
            for (position, item) in items.iter().enumerate() {
                let at = at.iter().copied().chain([position as i64]).collect();
                visit(item, depth - 1, at, out);
            }
        }
    }
}

/// The number of rows, then the length of the longest list of each level.
pub(crate) fn longest(rows: &[Item], depth: usize) -> Vec<i64> {
    let mut shape = vec![rows.len() as i64];
    let mut level: Vec<&Item> = rows.iter().collect();
    if depth == 0 {
        shape.push(i64::from(rows.iter().any(|row| *row != Item::Null)));
    }
    for _ in 0..depth {
        let lists =
            level.iter().filter_map(|item| if let Item::List(items) = item { Some(items) } else { None });
        shape.push(lists.clone().map(|items| items.len() as i64).max().unwrap_or(0));
        level = lists.flatten().collect();
    }
    shape
}

/// Replaces nulls: `[]` for a null list, `fill` for a null value.
pub(crate) fn filled(item: &Item, depth: usize, fill: i64) -> Item {
    match item {
        Item::Null if depth == 0 => Item::Number(fill),
        Item::Null => Item::List(Vec::new()),
        Item::Number(number) => Item::Number(*number),
        Item::List(items) => Item::List(items.iter().map(|item| filled(item, depth - 1, fill)).collect()),
    }
}

/// Like [`filled`], but null lists of fixed size at the end of `levels` are full of `fill`.
pub(crate) fn filled_blocks(item: &Item, levels: &[Level], ragged: usize, fill: i64) -> Item {
    match (item, levels.split_first()) {
        (Item::Null, Some((Level::Fixed(size), below))) if ragged == 0 => {
            Item::List(vec![filled_blocks(&Item::Null, below, 0, fill); *size])
        }
        (Item::Null, Some(_)) => Item::List(Vec::new()),
        (Item::Null, None) => Item::Number(fill),
        (Item::Number(number), _) => Item::Number(*number),
        (Item::List(items), Some((_, below))) => {
            let ragged = ragged.saturating_sub(1);
            Item::List(items.iter().map(|item| filled_blocks(item, below, ragged, fill)).collect())
        }
        (Item::List(_), None) => unreachable!("there are as many levels as lists"),
    }
}

/// The values of a dense tensor of lists, or the first row that does not fit as `Err`.
pub(crate) fn dense(
    rows: &[Item],
    lengths: &[usize],
    default: Option<i64>,
    pad: bool,
) -> Result<Vec<i64>, usize> {
    let size = lengths.iter().product();
    let mut out = Vec::new();
    for (row, item) in rows.iter().enumerate() {
        match (item, default) {
            (Item::Null, Some(default)) => out.extend(vec![default; size]),
            (Item::Null, None) => return Err(row),
            (item, default) => list(item, lengths, default.filter(|_| pad), &mut out).ok_or(row)?,
        }
    }
    Ok(out)
}

fn list(item: &Item, lengths: &[usize], pad: Option<i64>, out: &mut Vec<i64>) -> Option<()> {
    match (item, lengths.split_first()) {
        (Item::Number(number), None) => out.push(*number),
        (Item::List(items), Some((length, below))) if items.len() <= *length => {
            items.iter().try_for_each(|item| list(item, below, pad, out))?;
            if items.len() < *length {
                out.extend(vec![pad?; (length - items.len()) * below.iter().product::<usize>()]);
            }
        }
        (Item::Null, Some(_)) => out.extend(vec![pad?; lengths.iter().product()]),
        _ => return None,
    }
    Some(())
}

/// The lists that a ragged tensor represents, with its inner dimensions as lists too.
pub(crate) fn recomposed(tensor: &RaggedTensor) -> Vec<Item> {
    let flat = tensor.flat_values();
    let mut items: Vec<Item> = numbers(flat.values()).into_iter().map(Item::Number).collect();
    for (at, size) in flat.shape().iter().enumerate().skip(1).rev() {
        items = match size {
            0 => vec![Item::List(Vec::new()); flat.shape()[..at].iter().product()],
            size => items.chunks(*size).map(|items| Item::List(items.to_vec())).collect(),
        };
    }
    for splits in tensor.row_splits().iter().rev() {
        let rows = (0..splits.rows()).map(|row| Item::List(items[splits.range(row).unwrap()].to_vec()));
        items = rows.collect();
    }
    items
}

/// Coordinates and values of the rows `range` of a sparse tensor, with rows counted from the start of the range.
pub(crate) fn sparse_rows(tensor: &Tensor, range: std::ops::Range<usize>) -> Vec<(Vec<i64>, i64)> {
    let tensor: &SparseTensor = tensor.as_sparse().expect("a sparse tensor");
    let entries = tensor.indices().chunks_exact(tensor.rank()).zip(numbers(tensor.values()));
    let wanted = entries.filter(|(at, _)| range.contains(&(at[0] as usize)));
    wanted
        .map(|(at, number)| {
            let row = at[0] - range.start as i64;
            (std::iter::once(row).chain(at[1..].iter().copied()).collect(), number)
        })
        .collect()
}
