//! Cases for the import: the structs of a random batch, with up to two changes. Random bytes determine everything, so
//! that a fuzzer can generate cases.
//!
//! The structs are built by hand over heap allocations of exactly the right size, so that an address sanitizer detects
//! each read outside of them. Neither a length nor the last offset of a text is increased, because the import trusts
//! the size of memory that a struct states.

#![expect(unsafe_code, reason = "create, change and import C structs")]

mod build;
mod damage;
mod types;

use std::ptr;

use arbitrary::{Result, Unstructured};
use arrow_array::{Array, RecordBatch};
use arrowfeed_ffi::{ForeignBatch, columns, import_field, projected};

/// Imports one case, passes a valid batch to `take`, and returns whether there was one. Fails if there are too few
/// bytes for a case.
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
    // SAFETY: the structs describe memory that `structs` owns; the import must detect the damage to them.
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
    // SAFETY: as above; the struct is moved out and not read again.
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

/// Faults that the import does not check: text, nulls of non-nullable fields, the prefix of a view, and strings of a
/// dictionary that no row references.
const UNCHECKED: [&str; 6] = ["UTF8", "UTF-8", "nullable", "padding", "prefix", "Dictionary("];

/// Checks that an imported batch is also valid by the checks of arrow-rs.
fn check(batch: &RecordBatch) {
    for column in batch.columns() {
        if let Err(error) = column.to_data().validate_full() {
            let fault = format!("{error} in {}", column.data_type());
            assert!(UNCHECKED.iter().any(|part| fault.contains(part)), "{fault}");
        }
    }
}
