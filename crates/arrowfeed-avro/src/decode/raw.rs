//! Records that are kept as their bytes.

use arrow_array::ArrayRef;
use arrow_schema::DataType;

use super::bytes::BytesColumn;
use super::context::{Context, Moved};
use super::fill::{Fill, Marks, MarksIter};
use super::skipper::Skipper;
use crate::wire::cursor::Cursor;

/// The bytes of values that are stepped over.
#[derive(Debug)]
pub(crate) struct RawColumn {
    value: Skipper,
    bytes: BytesColumn,
}

impl RawColumn {
    pub(crate) fn new(value: Skipper, data_type: DataType) -> Self {
        Self { value, bytes: BytesColumn::new(data_type, false) }
    }

    pub(crate) fn read<'a>(&mut self, cur: Cursor<'a>, context: &mut Context) -> Moved<'a> {
        let after = self.value.run(1, cur, context)?;
        let mut copied = cur;
        let copy = self.bytes.extend(cur.left() - after.left(), &mut copied);
        context.moved(copy.map(|()| after))
    }
}

impl Fill for RawColumn {
    fn prepare(&mut self) {
        self.bytes.prepare();
    }

    fn pad(&mut self, n: usize) {
        self.bytes.pad(n);
    }

    fn mark(&self, marks: &mut Marks) {
        self.bytes.mark(marks);
    }

    fn rollback(&mut self, marks: &mut MarksIter<'_>) {
        self.bytes.rollback(marks);
    }

    fn finish(&mut self) -> ArrayRef {
        self.bytes.finish()
    }
}
