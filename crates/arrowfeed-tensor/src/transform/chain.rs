//! Transforms compiled against the type of a column, and their run over the values of a batch.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer};
use arrow_schema::DataType;
use arrowfeed_select::{compact, take};

use super::crossing::Crossing;
use super::ids::{Hashing, Lookup};
use super::numbers::{Bucketizing, Clipping, Normalising};
use super::{Transform, text};
use crate::cast::{Cast, Input, Unfit};
use crate::error::{RepresentationError, RepresentationErrorKind};
use crate::feature::Casts;
use crate::gather::overflow;
use crate::leaf::{as_integers, plain};
use crate::lists::with_parents;

/// The steps from the values of a column to those of a tensor.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    steps: Arc<[Step]>,
    /// The type of the results.
    pub(crate) data_type: DataType,
    /// The transforms and the type of the column, for reports.
    pub(crate) text: String,
}

#[derive(Debug)]
enum Step {
    Hashing(Hashing),
    Lookup(Lookup),
    Bucketizing(Bucketizing),
    Clipping(Clipping),
    Normalising(Normalising),
    Cast(Cast),
    Crossing(Crossing),
}

impl Chain {
    /// Compiles the transforms for values of a type. `None` if there are none. Fails if an argument is invalid, or if a
    /// transform does not take values of the type before it.
    pub(crate) fn compile(
        data_type: &DataType,
        transforms: &[Transform],
    ) -> Result<Option<Self>, RepresentationError> {
        if transforms.is_empty() {
            return Ok(None);
        }
        if let Some(crossed) = transforms[1..].iter().find(|transform| !transform.with().is_empty()) {
            let expected = format!("{crossed} as the first transform");
            let found = transforms[0].to_string();
            return Err(RepresentationError::new(RepresentationErrorKind::Transform, expected, found));
        }
        // Decimals and structs are no values of tensors, but a cast or a cross may make some of them.
        let mut of = match data_type {
            DataType::Dictionary(_, values) => values.as_ref().clone(),
            other => plain(other).unwrap_or_else(|| other.clone()),
        };
        let mut steps = Vec::with_capacity(transforms.len());
        // A result of a division is rounded anyway, so any float type may hold it.
        let mut is_rounded = false;
        for transform in transforms {
            transform.validate()?;
            let (step, to) = match transform {
                Transform::Cast { dtype, .. } if is_rounded && dtype.is_floating() => {
                    Step::compile(&Transform::Cast { dtype: *dtype, lossy: true }, &of)?
                }
                _ => Step::compile(transform, &of)?,
            };
            is_rounded = match transform {
                Transform::Normalised { .. } => true,
                Transform::Clipped { .. } | Transform::Cast { .. } => is_rounded && to.is_floating(),
                _ => false,
            };
            steps.extend(step);
            of = to;
        }
        let text = format!("by {} of {data_type}", text(transforms));
        Ok(Some(Self { steps: steps.into(), data_type: of, text }))
    }

    /// The results for all values, and the nulls among them, which are those of the values. A value of a dictionary is
    /// transformed once.
    pub(crate) fn run(
        &self,
        array: ArrayRef,
        nulls: Option<NullBuffer>,
    ) -> Result<(ArrayRef, Option<NullBuffer>), Unfit> {
        if matches!(array.data_type(), DataType::Dictionary(..)) {
            return self.run_on_dictionary(&array, nulls);
        }
        let array = self.run_steps(as_integers(&array), nulls.as_ref())?;
        Ok((array, nulls))
    }

    fn run_steps(&self, array: ArrayRef, nulls: Option<&NullBuffer>) -> Result<ArrayRef, Unfit> {
        self.steps.iter().try_fold(array, |array, step| step.run(&Input { array: &array, nulls }))
    }

    fn run_on_dictionary(
        &self,
        array: &ArrayRef,
        nulls: Option<NullBuffer>,
    ) -> Result<(ArrayRef, Option<NullBuffer>), Unfit> {
        let overflow = |error| overflow(array.len(), &error);
        // Of a large dictionary, only the values of the rows are transformed.
        let is_sparse = array.as_any_dictionary().values().len() > array.len();
        let compacted = is_sparse.then(|| compact(array)).transpose().map_err(overflow)?;
        let dictionary = compacted.as_ref().unwrap_or(array).as_any_dictionary();
        let (keys, values) = (dictionary.keys(), dictionary.values());
        let slots = if values.is_empty() { vec![0; keys.len()] } else { dictionary.normalized_keys() };
        let nulls = match values.nulls().filter(|nulls| nulls.null_count() > 0) {
            None => nulls,
            Some(missing) => {
                let own: NullBuffer = slots.iter().map(|slot| missing.is_valid(*slot)).collect();
                NullBuffer::union(nulls.as_ref(), Some(&own)).filter(|nulls| nulls.null_count() > 0)
            }
        };
        let mut used = BooleanBufferBuilder::new(values.len());
        used.append_n(values.len(), false);
        let is_valid = |row: &usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(*row));
        (0..slots.len()).filter(is_valid).for_each(|row| used.set_bit(slots[row], true));
        // Nobody may have checked values without a row.
        let unused = Some(NullBuffer::new(used.finish())).filter(|nulls| nulls.null_count() > 0);
        let results = self.run_steps(as_integers(values), unused.as_ref()).map_err(|unfit| Unfit {
            position: unfit
                .position
                .and_then(|slot| (0..slots.len()).find(|row| slots[*row] == slot && is_valid(row))),
            ..unfit
        })?;
        let array = take(&results, keys).map_err(overflow)?;
        let nulls = with_parents(nulls.as_ref(), &array);
        Ok((array, nulls))
    }
}

impl Step {
    /// The step of a transform for values of a type, and the type of its results. No step if it would not change the values.
    fn compile(
        transform: &Transform,
        of: &DataType,
    ) -> Result<(Option<Self>, DataType), RepresentationError> {
        let unfit = |expected: &str| {
            let expected = format!("{expected} for {transform}");
            RepresentationError::new(RepresentationErrorKind::Type, expected, of.to_string())
        };
        let is_number = of.is_integer() || of.is_floating();
        Ok(match transform {
            Transform::Hashed { buckets, hash } => {
                let step = Hashing::compile(*buckets, *hash, of)
                    .ok_or_else(|| unfit("strings, bytes or integers"))?;
                (Some(Self::Hashing(step)), DataType::Int64)
            }
            Transform::Lookup(lookup) => {
                let step = Lookup::compile(lookup, of).ok_or_else(|| unfit(lookup.vocabulary.kind()))?;
                (Some(Self::Lookup(step)), DataType::Int64)
            }
            Transform::Bucketized { boundaries } if is_number => {
                (Some(Self::Bucketizing(Bucketizing::new(boundaries))), DataType::Int64)
            }
            Transform::Clipped { low, high } if is_number => {
                (Some(Self::Clipping(Clipping::compile(*low, *high, of)?)), of.clone())
            }
            Transform::Normalised { mean, std } if is_number => {
                let to = if *of == DataType::Float64 { DataType::Float64 } else { DataType::Float32 };
                (Some(Self::Normalising(Normalising { mean: *mean, std: *std })), to)
            }
            Transform::Cast { dtype, lossy } => {
                let casts = if *lossy { Casts::Lossy } else { Casts::Exact };
                let step = Cast::compile(of, None, Some(*dtype), casts)?;
                (step.map(Self::Cast), dtype.arrow_type())
            }
            Transform::Crossed { buckets, seed, .. } => match of {
                DataType::Struct(fields) => {
                    let step = Crossing::compile(*buckets, *seed, fields).map_err(|found| {
                        RepresentationError::new(
                            RepresentationErrorKind::Type,
                            format!("strings, bytes or integers for {transform}"),
                            found,
                        )
                    })?;
                    (Some(Self::Crossing(step)), DataType::Int64)
                }
                _ => return Err(unfit("several columns")),
            },
            Transform::Bucketized { .. } | Transform::Clipped { .. } | Transform::Normalised { .. } => {
                return Err(unfit("numbers"));
            }
        })
    }

    /// Fails at a value that is not null and has no result. Values under nulls may be anything, and have any result.
    fn run(&self, input: &Input<'_>) -> Result<ArrayRef, Unfit> {
        match self {
            Self::Hashing(step) => step.run(input),
            Self::Lookup(step) => step.run(input),
            Self::Bucketizing(step) => step.run(input),
            Self::Clipping(step) => step.run(input),
            Self::Normalising(step) => step.run(input),
            Self::Cast(step) => step.converted(input),
            Self::Crossing(step) => step.run(input),
        }
    }
}
