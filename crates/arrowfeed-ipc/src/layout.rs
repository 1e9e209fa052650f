//! Checks of the nodes and buffers of a record batch, before the `arrow-ipc` crate reads them. The crate slices the body by
//! their numbers, and allocates by them.

use arrow_ipc::{FieldNode, MetadataVersion, RecordBatch as StoredBatch};
use arrow_schema::{DataType, Field, UnionMode};
use arrowfeed_source::field_path::list_item;
use arrowfeed_source::{FeedError, FeedErrorKind, Limits, thousands};

/// A buffer of a record batch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoredBuffer {
    /// Its number among all buffers of the batch.
    pub(crate) number: usize,
    /// Its offset in the body.
    pub(crate) offset: u64,
    pub(crate) len: u64,
}

/// Finds the buffers of the columns `is_read`.
///
/// # Errors
/// Nodes or buffers are missing, outside of the body, or too short for nulls and unions.
pub(crate) fn buffers_of<'a>(
    batch: &StoredBatch<'_>,
    version: MetadataVersion,
    body_len: u64,
    fields: impl Iterator<Item = (&'a Field, bool)>,
    limits: &Limits,
) -> Result<Vec<StoredBuffer>, FeedError> {
    let (Some(nodes), Some(buffers)) = (batch.nodes(), batch.buffers()) else {
        return Err(corrupt("expected nodes and buffers of a record batch, found none".to_owned()));
    };
    let mut walk = Walk {
        nodes: nodes.iter(),
        buffers: buffers.iter(),
        variadic: batch.variadicBufferCounts().into_iter().flatten(),
        number: 0,
        // Values that are compressed are longer than the bytes that are stored.
        checks_lengths: batch.compression().is_none(),
        has_union_nulls: version < MetadataVersion::V5,
        body_len,
        limits,
        found: Vec::new(),
    };
    for (field, is_read) in fields {
        walk.value(field.data_type(), is_read).map_err(|error| error.in_field(field.name().as_str()))?;
    }
    match walk.variadic.next() {
        None => Ok(walk.found),
        Some(_) => {
            Err(corrupt("expected as many numbers of buffers as columns of views, found more".to_owned()))
        }
    }
}

/// A walk through the fields of a schema in depth-first order, which is the order of nodes and buffers.
struct Walk<'a, N, B, V> {
    nodes: N,
    buffers: B,
    /// The numbers of buffers of columns of views.
    variadic: V,
    number: usize,
    checks_lengths: bool,
    has_union_nulls: bool,
    body_len: u64,
    limits: &'a Limits,
    found: Vec<StoredBuffer>,
}

impl<'n, N, B, V> Walk<'_, N, B, V>
where
    N: Iterator<Item = &'n FieldNode>,
    B: Iterator<Item = &'n arrow_ipc::Buffer>,
    V: Iterator<Item = i64>,
{
    fn value(&mut self, data_type: &DataType, is_read: bool) -> Result<(), FeedError> {
        use DataType::{
            Binary, BinaryView, FixedSizeList, LargeBinary, LargeListView, LargeUtf8, List, ListView, Map,
            Null, RunEndEncoded, Struct, Union, Utf8, Utf8View,
        };
        let (slots, nulls) = self.node()?;
        match data_type {
            Null => return Ok(()),
            RunEndEncoded(ends, values) => {
                self.value(ends.data_type(), is_read)?;
                return self.value(values.data_type(), is_read);
            }
            Union(fields, mode) => {
                if self.has_union_nulls {
                    self.buffer(0, is_read)?;
                }
                self.buffer(slots, is_read)?;
                if *mode == UnionMode::Dense {
                    self.buffer(4 * slots, is_read)?;
                }
                return fields.iter().try_for_each(|(_, field)| self.value(field.data_type(), is_read));
            }
            _ => {}
        }
        self.buffer(if nulls > 0 { slots.div_ceil(8) } else { 0 }, is_read)?;
        // `ArrayData` checks the lengths of these buffers.
        let others = match data_type {
            Struct(_) | FixedSizeList(..) => 0,
            Utf8 | LargeUtf8 | Binary | LargeBinary | ListView(_) | LargeListView(_) => 2,
            Utf8View | BinaryView => 1 + self.variadic_count()?,
            _ => 1,
        };
        (0..others).try_for_each(|_| self.buffer(0, is_read))?;
        match data_type {
            Struct(fields) => fields.iter().try_for_each(|field| self.value(field.data_type(), is_read)),
            Map(item, _) | List(item) => self.value(item.data_type(), is_read),
            other => list_item(other).map_or(Ok(()), |item| self.value(item.data_type(), is_read)),
        }
    }

    /// The numbers of slots and of nulls of the next node.
    fn node(&mut self) -> Result<(u64, u64), FeedError> {
        let Some(node) = self.nodes.next() else {
            return Err(corrupt("expected a node for each field, found fewer".to_owned()));
        };
        match (u64::try_from(node.length()), u64::try_from(node.null_count())) {
            (Ok(slots), Ok(nulls)) if nulls <= slots => {
                self.limits.check_chunk_rows(slots)?;
                Ok((slots, nulls))
            }
            _ => {
                let (slots, nulls) = (node.length(), node.null_count());
                Err(corrupt(format!(
                    "expected at most as many nulls as slots, found {nulls} nulls in {slots} slots"
                )))
            }
        }
    }

    fn variadic_count(&mut self) -> Result<u64, FeedError> {
        let count = self.variadic.next().and_then(|count| u64::try_from(count).ok());
        count.ok_or_else(|| {
            corrupt("expected the number of buffers of a column of views, found none".to_owned())
        })
    }

    /// Passes over the next buffer, of at least `least` bytes.
    fn buffer(&mut self, least: u64, is_read: bool) -> Result<(), FeedError> {
        let Some(buffer) = self.buffers.next() else {
            return Err(corrupt("expected the buffers of each field, found fewer".to_owned()));
        };
        let number = self.number;
        self.number += 1;
        if !is_read {
            return Ok(());
        }
        let body_len = self.body_len;
        match (u64::try_from(buffer.offset()), u64::try_from(buffer.length())) {
            (Ok(offset), Ok(len)) if offset.checked_add(len).is_some_and(|end| end <= body_len) => {
                if self.checks_lengths && len < least {
                    return Err(too_short(least, len));
                }
                self.found.push(StoredBuffer { number, offset, len });
                Ok(())
            }
            _ => {
                let (offset, len) = (buffer.offset(), buffer.length());
                let body_len = thousands(body_len);
                Err(corrupt(format!(
                    "expected a buffer inside of the body of {body_len} bytes, found {len} bytes at its byte {offset}"
                )))
            }
        }
    }
}

#[cold]
fn too_short(least: u64, found: u64) -> FeedError {
    corrupt(format!("expected a buffer of {} bytes or more, found {}", thousands(least), thousands(found)))
}

#[cold]
pub(crate) fn corrupt(message: String) -> FeedError {
    FeedError::new(FeedErrorKind::CorruptBlock, message)
}
