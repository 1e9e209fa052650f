//! The decoder proper: ops in wire order, run once a value, and how their arrays make up the result.

use arrow_array::ArrayRef;
use arrow_schema::Fields;

use super::assemble::{repeated, structure};
use super::context::{Context, Moved};
use super::fill::{Fill, Marks, MarksIter};
use super::op::Op;
use crate::wire::cursor::{Cursor, Stop};

/// Everything that one value on the wire is made of: records are flattened into their parent's ops.
#[derive(Debug)]
pub(crate) struct Body {
    ops: Box<[Op]>,
    /// Lengths of the groups of neighbouring ops of one kind.
    groups: Box<[usize]>,
    shape: Shape,
    /// Values read or padded so far.
    len: usize,
}

/// How the arrays of a body's ops make up one array.
#[derive(Debug)]
pub(crate) enum Shape {
    /// The array of this op.
    Op(usize),
    /// One slot, the same for all.
    Constant(ArrayRef),
    Struct {
        fields: Fields,
        parts: Vec<Shape>,
    },
}

impl Body {
    pub(crate) fn new(ops: Vec<Op>, shape: Shape) -> Self {
        let same_kind = |a: &Op, b: &Op| std::mem::discriminant(a) == std::mem::discriminant(b);
        let groups = ops.chunk_by(same_kind).map(<[Op]>::len).collect();
        Self { ops: ops.into(), groups, shape, len: 0 }
    }

    /// Reads `n` values. On an error the ops are left of uneven length: roll back.
    pub(crate) fn run<'a>(&mut self, n: usize, mut cur: Cursor<'a>, context: &mut Context) -> Moved<'a> {
        match &mut *self.ops {
            [] => {}
            [op] => cur = op.read_n(n, cur, context)?,
            ops => {
                for _ in 0..n {
                    let mut rest = &mut *ops;
                    // One dispatch a group. A dispatch an op, of which many are guessed wrong where nulls come at
                    // random, took 15 % longer on `wide_flat`.
                    for len in &self.groups {
                        let (group, after) = rest.split_at_mut(*len);
                        rest = after;
                        match Op::read_group(group, cur, context) {
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
}

impl Fill for Body {
    fn prepare(&mut self) {
        self.ops.iter_mut().filter_map(Op::column).for_each(|column| column.prepare());
    }

    fn pad(&mut self, n: usize) {
        self.ops.iter_mut().filter_map(Op::column).for_each(|column| column.pad(n));
        self.len += n;
    }

    fn mark(&self, marks: &mut Marks) {
        marks.push(self.len);
        self.ops.iter().filter_map(Op::column_ref).for_each(|column| column.mark(marks));
    }

    fn rollback(&mut self, marks: &mut MarksIter<'_>) {
        self.len = marks.next();
        self.ops.iter_mut().filter_map(Op::column).for_each(|column| column.rollback(marks));
    }

    fn check_utf8(&mut self) -> Result<(), Stop> {
        self.ops.iter_mut().filter_map(Op::column).try_for_each(|column| column.check_utf8())
    }

    fn finish(&mut self) -> ArrayRef {
        let len = std::mem::take(&mut self.len);
        let arrays: Vec<_> =
            self.ops.iter_mut().map(|op| op.column().map(|column| column.finish())).collect();
        self.shape.assemble(&arrays, len)
    }
}

impl Shape {
    fn assemble(&self, arrays: &[Option<ArrayRef>], len: usize) -> ArrayRef {
        match self {
            Shape::Op(op) => arrays[*op].clone().expect("a shape names ops that have a column"),
            Shape::Constant(slot) => repeated(slot, len),
            Shape::Struct { fields, parts } => {
                let columns = parts.iter().map(|part| part.assemble(arrays, len)).collect();
                structure(fields, columns, len)
            }
        }
    }
}
