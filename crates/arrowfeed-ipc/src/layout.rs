//! Checks of the nodes and buffers of a record batch, before the `arrow-ipc` crate reads them. The crate slices the body by
//! their numbers, and allocates by them.

use arrow_ipc::{FieldNode, MetadataVersion, RecordBatch as StoredBatch};
use arrow_schema::{DataType, Field, UnionMode};
use arrowfeed_source::field_path::list_item;
use arrowfeed_source::{FeedError, FeedErrorKind, Limits, thousands};

/// Number of bytes of a view.
const VIEW: usize = 16;

/// A buffer of a record batch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoredBuffer {
    /// Its number among all buffers of the batch.
    pub(crate) number: usize,
    /// Its offset in the body.
    pub(crate) offset: u64,
    pub(crate) len: u64,
    /// The length must be a multiple of this number, also after decompression.
    pub(crate) width: usize,
}

impl StoredBuffer {
    /// Checks the number of bytes.
    ///
    /// # Errors
    /// They are not whole numbers of `width` bytes.
    pub(crate) fn check_width(&self, len: u64) -> Result<(), FeedError> {
        if len.is_multiple_of(self.width as u64) {
            return Ok(());
        }
        Err(corrupt(format!(
            "expected a buffer of numbers of {} bytes, found {} bytes",
            self.width,
            thousands(len)
        )))
    }
}

/// The buffers of the columns that are read.
#[derive(Debug)]
pub(crate) struct Buffers {
    pub(crate) found: Vec<StoredBuffer>,
    /// Whether some buffers of these columns are left out, because they are of arrays without slots.
    pub(crate) are_fewer: bool,
}

/// Finds the buffers of the columns `is_read`.
///
/// # Errors
/// Nodes or buffers are missing, outside of the body, or too short; a column has another number of slots than the batch has rows.
pub(crate) fn buffers_of<'a>(
    batch: &StoredBatch<'_>,
    version: MetadataVersion,
    body_len: u64,
    fields: impl Iterator<Item = (&'a Field, bool)>,
    limits: &Limits,
) -> Result<Buffers, FeedError> {
    let (Some(nodes), Some(buffers)) = (batch.nodes(), batch.buffers()) else {
        return Err(corrupt("expected nodes and buffers of a record batch, found none".to_owned()));
    };
    let mut walk = Walk {
        nodes: nodes.iter(),
        buffers: buffers.iter(),
        variadic: batch.variadicBufferCounts().into_iter().flatten(),
        number: 0,
        rows: None,
        // Values that are compressed are longer than the bytes that are stored.
        checks_lengths: batch.compression().is_none(),
        has_union_nulls: version < MetadataVersion::V5,
        body_len,
        limits,
        buffers_read: Buffers { found: Vec::new(), are_fewer: false },
    };
    for (field, is_read) in fields {
        walk.rows = is_read.then(|| batch.length());
        walk.value(field.data_type(), is_read).map_err(|error| error.in_field(field.name().as_str()))?;
    }
    match walk.variadic.next() {
        None => Ok(walk.buffers_read),
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
    /// The number of slots of the next node, if it is that of a column that is read.
    rows: Option<i64>,
    checks_lengths: bool,
    has_union_nulls: bool,
    body_len: u64,
    limits: &'a Limits,
    buffers_read: Buffers,
}

impl<'n, N, B, V> Walk<'_, N, B, V>
where
    N: Iterator<Item = &'n FieldNode>,
    B: Iterator<Item = &'n arrow_ipc::Buffer>,
    V: Iterator<Item = i64>,
{
    fn value(&mut self, data_type: &DataType, is_read: bool) -> Result<(), FeedError> {
        use DataType::{
            Binary, BinaryView, Dictionary, FixedSizeList, LargeBinary, LargeList, LargeListView, LargeUtf8,
            List, ListView, Map, Null, RunEndEncoded, Struct, Union, Utf8, Utf8View,
        };
        let (slots, nulls) = self.node()?;
        match data_type {
            Null => return Ok(()),
            RunEndEncoded(ends, values) => {
                let (slots, nulls) = self.node()?;
                self.validity(slots, nulls, is_read)?;
                self.numbers(0, ends.data_type().primitive_width().unwrap_or(1), is_read)?;
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
        self.validity(slots, nulls, is_read)?;
        // `ArrayData` checks that these buffers are long enough.
        let (others, width) = match data_type {
            Struct(_) | FixedSizeList(..) => (0, 1),
            Utf8View | BinaryView => (1 + self.variadic_count()?, VIEW),
            Utf8 | Binary => (2, 4),
            LargeUtf8 | LargeBinary => (2, 8),
            List(_) | Map(..) => (1, 4),
            LargeList(_) => (1, 8),
            ListView(_) => (2, 4),
            LargeListView(_) => (2, 8),
            Dictionary(keys, _) => (1, keys.primitive_width().unwrap_or(1)),
            _ => (1, 1),
        };
        // An array without slots needs no offset, but may have one, which some writers do not make zero.
        let has_offsets =
            matches!(data_type, Utf8 | LargeUtf8 | Binary | LargeBinary | List(_) | LargeList(_) | Map(..));
        let is_left_out = is_read && has_offsets && slots == 0;
        self.buffers_read.are_fewer |= is_left_out;
        let are_all_numbers = matches!(data_type, ListView(_) | LargeListView(_));
        let least = match data_type.primitive_width() {
            Some(width) => slots.saturating_mul(width as u64),
            None => 0,
        };
        for number in 0..others {
            let width = if number == 0 || are_all_numbers { width } else { 1 };
            self.numbers(least, width, is_read && !is_left_out)?;
        }
        match data_type {
            Struct(fields) => fields.iter().try_for_each(|field| self.value(field.data_type(), is_read)),
            Map(item, _) | List(item) => self.value(item.data_type(), is_read),
            other => list_item(other).map_or(Ok(()), |item| self.value(item.data_type(), is_read)),
        }
    }

    /// Passes over the buffer with a bit for each slot, which may be empty if there are no nulls.
    fn validity(&mut self, slots: u64, nulls: u64, is_read: bool) -> Result<(), FeedError> {
        self.buffer(if nulls > 0 { slots.div_ceil(8) } else { 0 }, is_read)
    }

    /// The numbers of slots and of nulls of the next node.
    fn node(&mut self) -> Result<(u64, u64), FeedError> {
        let Some(node) = self.nodes.next() else {
            return Err(corrupt("expected a node for each field, found fewer".to_owned()));
        };
        if let Some(rows) = self.rows.take().filter(|rows| *rows != node.length()) {
            let found = node.length();
            return Err(corrupt(format!("expected {rows} slots, as many as rows, found {found}")));
        }
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
        self.numbers(least, 1, is_read)
    }

    /// Passes over the next buffer, of numbers of `width` bytes. `arrow-data` panics if there is a part of a number.
    fn numbers(&mut self, least: u64, width: usize, is_read: bool) -> Result<(), FeedError> {
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
                let found = StoredBuffer { number, offset, len, width };
                if self.checks_lengths {
                    found.check_width(len)?;
                }
                self.buffers_read.found.push(found);
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
