//! The core of the decoder: runs ops in wire order for each value, and combines their arrays into the result.

use arrow_array::ArrayRef;
use arrow_schema::Fields;

use super::assemble::{repeated, structure};
use super::constant::bytes_once;
use super::context::{Context, Moved};
use super::fill::{Fill, Marks, MarksIter};
use super::op::Op;
use crate::wire::cursor::{Cursor, Pack, Stop};

/// All ops that read one encoded value. Records are flattened into the ops of their parent.
#[derive(Debug)]
pub(crate) struct Body {
    ops: Box<[Op]>,
    shape: Shape,
    /// Number of values that were read or padded so far.
    len: usize,
    /// See [`Fill::deferred_bytes`]; the sum over defaults and all ops.
    deferred_bytes: usize,
}

/// Recipe that combines the arrays of a body's ops into one array.
#[derive(Debug)]
pub(crate) enum Shape {
    /// Column `at` of op `op`.
    Column {
        op: usize,
        at: usize,
    },
    /// A constant slot, repeated for all values.
    Constant(ArrayRef),
    Struct {
        fields: Fields,
        parts: Vec<Shape>,
    },
}

impl Body {
    pub(crate) fn new(ops: Vec<Op>, shape: Shape) -> Self {
        let mut deferred_bytes = shape.deferred_bytes();
        let mut add = |column: &dyn Fill| {
            deferred_bytes = deferred_bytes.saturating_add(column.deferred_bytes());
        };
        ops.iter().for_each(|op| op.for_each_ref(&mut add));
        Self { ops: ops.into(), shape, len: 0, deferred_bytes }
    }

    /// Reads `n` values. After an error the ops have uneven lengths, and the caller must roll back.
    pub(crate) fn run<'a, P: Pack>(
        &mut self,
        n: usize,
        mut cur: Cursor<'a, P>,
        context: &mut Context,
    ) -> Moved<'a, P> {
        match &mut *self.ops {
            [] => {}
            [op] => cur = op.read_n(n, cur, context)?,
            ops => {
                for _ in 0..n {
                    for op in ops.iter_mut() {
                        match op.read(cur, context) {
                            Ok(after) => cur = after,
                            Err(stop) => return context.moved(Err(stop)),
                        }
                    }
                }
            }
        }
        self.len += n;
        Some(cur)
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    fn for_each(&mut self, mut with: impl FnMut(&mut dyn Fill)) {
        self.ops.iter_mut().for_each(|op| op.for_each(&mut with));
    }
}

impl Fill for Body {
    fn deferred_bytes(&self) -> usize {
        self.deferred_bytes
    }

    fn prepare(&mut self) {
        self.for_each(|column| column.prepare());
    }

    fn pad(&mut self, n: usize) {
        self.for_each(|column| column.pad(n));
        self.len += n;
    }

    fn mark(&self, marks: &mut Marks) {
        marks.push(self.len);
        self.ops.iter().for_each(|op| op.for_each_ref(|column| column.mark(marks)));
    }

    fn rollback(&mut self, marks: &mut MarksIter<'_>) {
        self.len = marks.next();
        self.for_each(|column| column.rollback(marks));
    }

    fn check_utf8(&mut self) -> Result<(), Stop> {
        let mut result = Ok(());
        self.for_each(|column| result = result.and_then(|()| column.check_utf8()));
        result
    }

    fn finish(&mut self) -> ArrayRef {
        let len = std::mem::take(&mut self.len);
        let finish = |op: &mut Op| {
            let mut arrays = Vec::new();
            op.for_each(|column| arrays.push(column.finish()));
            arrays
        };
        let arrays: Vec<Vec<ArrayRef>> = self.ops.iter_mut().map(finish).collect();
        self.shape.assemble(&arrays, len)
    }
}

impl Shape {
    fn deferred_bytes(&self) -> usize {
        match self {
            Shape::Column { .. } => 0,
            Shape::Constant(slot) => bytes_once(slot),
            Shape::Struct { parts, .. } => {
                parts.iter().map(Shape::deferred_bytes).fold(0, usize::saturating_add)
            }
        }
    }

    fn assemble(&self, arrays: &[Vec<ArrayRef>], len: usize) -> ArrayRef {
        match self {
            Shape::Column { op, at } => arrays[*op][*at].clone(),
            Shape::Constant(slot) => repeated(slot, len),
            Shape::Struct { fields, parts } => {
                let columns = parts.iter().map(|part| part.assemble(arrays, len)).collect();
                structure(fields, columns, len)
            }
        }
    }
}
