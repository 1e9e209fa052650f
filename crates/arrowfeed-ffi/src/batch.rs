//! Import of record batches: struct arrays without nulls, with all or some of their columns.

use std::cell::OnceCell;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::ffi::FFI_ArrowArray;
use arrow_array::{ArrayRef, NullArray, RecordBatch, RecordBatchOptions};
use arrow_data::ArrayData;
use arrow_schema::{DataType, SchemaRef};

use crate::contents;
use crate::invalid::{Checked, Invalid};
use crate::structure::OwnedStruct;

/// Reason why an import gives no batch.
#[derive(Debug)]
pub enum Refused {
    /// The data is not valid.
    Invalid(Invalid),
    /// The data is valid but not a batch; the text describes it.
    NoBatch(String),
}

impl From<Invalid> for Refused {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(invalid) => invalid.fmt(f),
            Self::NoBatch(found) => write!(f, "expected an array of structs without nulls, found {found}"),
        }
    }
}

/// A batch over the memory of its producer. Its structs have been checked, but not its offsets, indices and views.
#[derive(Debug)]
pub struct ForeignBatch {
    schema: SchemaRef,
    /// `None` for a column that is not imported.
    columns: Vec<Option<ArrayData>>,
    /// The first row of the columns, and the number of rows.
    from: usize,
    rows: usize,
}

impl ForeignBatch {
    /// Takes ownership of an array of structs, and checks the structs of the columns that are imported, selected by
    /// index. In the schema, the other columns have the null type, see [`projected`](crate::projected).
    ///
    /// # Safety
    ///
    /// Non-null pointers in the struct point to memory as described by the C data interface, of the size that the
    /// struct states. No other code releases the struct.
    #[expect(unsafe_code, reason = "passes on the caller's guarantee that its pointers are valid")]
    pub unsafe fn new(
        array: FFI_ArrowArray,
        schema: SchemaRef,
        is_read: impl Fn(usize) -> bool,
    ) -> Result<Self, Refused> {
        let owner = Arc::new(array);
        // SAFETY: guaranteed by the caller.
        let structs = unsafe { OwnedStruct::new(&owner) };
        let structs_type = DataType::Struct(schema.fields().clone());
        let size = structs.size(&structs_type)?;
        let nulls = structs.nulls(&structs.buffers(&structs_type, size.end)?, size.offset, size.len)?;
        if let Some(nulls) = nulls.filter(|nulls| nulls.null_count() > 0) {
            return Err(Refused::NoBatch(format!("structs, {} of them null", nulls.null_count())));
        }
        let parts = structs.parts(&structs_type, schema.fields().len())?;
        let columns = schema.fields().iter().zip(parts).enumerate().map(|(index, (field, part))| {
            let data = is_read(index).then(|| part.data(field.data_type()));
            data.transpose().map_err(|invalid| invalid.inside(field.name()))
        });
        let columns = columns.collect::<Checked<_>>()?;
        Ok(Self { schema, columns, from: size.offset, rows: size.len })
    }

    /// Number of values at all levels of the imported columns, and of rows.
    pub fn values(&self) -> usize {
        self.columns.iter().flatten().map(values).fold(self.rows, usize::saturating_add)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The schema of the batch.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Checks the contents of the imported columns, and returns the batch.
    pub fn into_batch(self) -> Result<RecordBatch, Refused> {
        self.batch_of(0..self.rows)
    }

    /// Checks the contents of some rows of the imported columns, and returns these rows.
    ///
    /// # Panics
    /// `rows` is not a range of rows of the batch.
    pub fn batch_of(&self, rows: Range<usize>) -> Result<RecordBatch, Refused> {
        assert!(rows.start <= rows.end && rows.end <= self.rows, "rows of the batch");
        let nulls: OnceCell<ArrayRef> = OnceCell::new();
        let columns = self.columns.iter().zip(self.schema.fields()).map(|(data, field)| {
            let Some(data) = data else {
                return Ok(nulls.get_or_init(|| Arc::new(NullArray::new(rows.len()))).clone());
            };
            let stored = self.from + rows.start..self.from + rows.end;
            contents::array(data, stored).map_err(|invalid| invalid.inside(field.name()))
        });
        let columns = columns.collect::<Checked<_>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), columns, &options);
        batch.map_err(|failure| Refused::NoBatch(failure.to_string()))
    }
}

fn values(data: &ArrayData) -> usize {
    data.child_data().iter().map(values).fold(data.len(), usize::saturating_add)
}
