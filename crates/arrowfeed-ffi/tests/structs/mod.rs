//! Cases of the import: structs of a random batch, with zero to two changes. Random bytes decide everything, so that a
//! fuzzer can.
//!
//! The structs are built by hand over heap allocations of exactly the right size, so that an address sanitizer sees
//! each read outside of them. A length is never raised, and no last offset of a text either: what a struct says of the
//! size of its memory is believed.

mod build;
mod damage;
mod types;

use std::ptr;

use arbitrary::{Result, Unstructured};
use arrow_array::{Array, RecordBatch};
use arrowfeed_ffi::{ForeignBatch, columns, import_field, projected};

/// Imports one case, hands a valid batch to `take`, and tells whether there was one. Errors: too few bytes for a case.
pub(crate) fn case(u: &mut Unstructured<'_>, take: impl FnOnce(RecordBatch)) -> Result<bool> {
    let field = types::batch(u)?;
    let rows = u.int_in_range(0..=12)?;
    let mut structs = build::Structs::default();
    let schema = structs.schema(&field);
    let array = structs.array(u, field.data_type(), rows, true)?;
    let mut same_layout = true;
    for _ in 0..u.int_in_range(0..=2)? {
        if u.ratio(1, 3)? {
            same_layout &= damage::schema(u, &mut structs)?;
        } else {
            damage::array(u, &mut structs)?;
        }
    }
    let (all, some) = (u.arbitrary()?, u.int_in_range(0..=3)?);
    let is_read = |index| all || index == some;
    // SAFETY: the structs describe memory that `structs` holds; the import must see what damage does to them.
    let imported = unsafe { import_field(&*schema) };
    let imported = match imported {
        Ok(imported) if same_layout => imported,
        Ok(_) => return Ok(false),
        Err(invalid) => {
            assert!(invalid.to_string().contains("expected valid Arrow data, found "));
            return Ok(false);
        }
    };
    let schema = projected(&columns(&imported).expect("the type of a struct, as it was made"), is_read);
    // SAFETY: as above; the struct is moved out, nobody reads it again.
    let batch = unsafe { ForeignBatch::new(ptr::read(array), schema, is_read) };
    let batch = batch.and_then(|batch| {
        let _ = batch.values();
        batch.into_batch()
    });
    let taken = batch.map(|batch| {
        check(&batch);
        take(batch);
    });
    assert_eq!(build::released(), 1, "the producer's struct is released once");
    Ok(taken.map_err(|refused| refused.to_string()).is_ok())
}

/// What the import leaves to those who read the values: text, nulls of fields that have none, the first bytes of a view,
/// and texts of a dictionary that no row names.
const UNCHECKED: [&str; 6] = ["UTF8", "UTF-8", "nullable", "padding", "prefix", "Dictionary("];

/// An imported batch must be valid by arrow-rs's own checks too.
fn check(batch: &RecordBatch) {
    for column in batch.columns() {
        if let Err(error) = column.to_data().validate_full() {
            let fault = format!("{error} in {}", column.data_type());
            assert!(UNCHECKED.iter().any(|part| fault.contains(part)), "{fault}");
        }
    }
}
