//! Conversion of values to another type of numbers: the `dtype` of a feature, and `cast` of a transform.
//!
//! | file | conversion |
//! |---|---|
//! | `rule` | which types convert to which, and whether they lose anything |
//! | `numbers` | numbers and bools to numbers, decimals to floats |
//! | `codes` | symbols of enums to their codes |

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_cast::display::array_value_to_string;
use arrow_schema::DataType;
use arrowfeed_select::take;

use self::codes::Codes;
use self::rule::{Rule, named, rule};
use crate::column::Leaves;
use crate::dtype::DType;
use crate::error::{ConversionError, ConversionErrorKind, RepresentationError, RepresentationErrorKind};
use crate::explain::{Sharing, TensorPart};
use crate::expression::and_how_to_enter;
use crate::feature::Casts;
use crate::gather::overflow;
use crate::lists::with_parents;

mod codes;
mod numbers;
mod rule;

pub(crate) use rule::holds_exactly;

/// A compiled conversion to values of one type.
#[derive(Debug, Clone)]
pub(crate) struct Cast {
    from: DataType,
    to: DType,
    kind: CastKind,
}

#[derive(Debug, Clone)]
enum CastKind {
    Exact,
    Lossy,
    Codes(Arc<Codes>),
}

impl Cast {
    /// Compiles the conversion of values of the type `from` to `dtype`. `None` if they have this type. `symbols` is the JSON
    /// list of the symbols of an enum. Fails if there is no such conversion, or if `casts` does not allow it.
    pub(crate) fn compile(
        from: &DataType,
        symbols: Option<&str>,
        dtype: Option<DType>,
        casts: Casts,
    ) -> Result<Option<Self>, RepresentationError> {
        let error = |expected: String, found: String| {
            RepresentationError::new(RepresentationErrorKind::Type, expected, found)
        };
        let own = DType::of(from);
        let Some(to) = dtype.filter(|dtype| Some(*dtype) != own) else {
            return match own {
                Some(_) => Ok(None),
                None => Err(error("numbers, bools, byte strings or times".to_owned(), unfit(from, casts))),
            };
        };
        let kind = match (rule(from, to), casts) {
            (Rule::Exact, Casts::Exact | Casts::Lossy) => CastKind::Exact,
            (Rule::Lossy, Casts::Lossy) => CastKind::Lossy,
            (Rule::Lossy, Casts::Exact) => {
                let expected = format!("values that {to} holds exactly");
                let found = format!("{} (`lossy` converts them)", named(from));
                return Err(error(expected, found));
            }
            (Rule::Codes, Casts::Exact | Casts::Lossy) => {
                let codes = Codes::compile(from, symbols, to);
                CastKind::Codes(Arc::new(codes.map_err(|(expected, found)| error(expected, found))?))
            }
            (Rule::None, _) | (_, Casts::Refused) => {
                let found = match own {
                    Some(own) => format!("{from}, which is {own}"),
                    None => and_how_to_enter(from),
                };
                return Err(error(format!("values of {to}"), found));
            }
        };
        Ok(Some(Self { from: from.clone(), to, kind }))
    }

    /// The type of the converted values.
    pub(crate) fn data_type(&self) -> DataType {
        self.to.arrow_type()
    }

    /// Converts the values. Fails at the first value that does not fit the type; values that are missing are ignored.
    pub(crate) fn apply(&self, leaves: Leaves) -> Result<Leaves, ConversionError> {
        let input = Input { array: &leaves.array, nulls: leaves.nulls.as_ref() };
        let array = self.converted(&input).map_err(|unfit| unfit.in_row(|item| leaves.row_of(item)))?;
        let nulls = with_parents(leaves.nulls.as_ref(), &array);
        Ok(Leaves { array, nulls, ..leaves })
    }

    /// The converted values, of which those under nulls may be anything.
    pub(crate) fn converted(&self, input: &Input<'_>) -> Result<ArrayRef, Unfit> {
        match &self.kind {
            CastKind::Codes(codes) => codes.of(input, self.to),
            CastKind::Exact => self.numbers(input, false),
            CastKind::Lossy => self.numbers(input, true),
        }
    }

    fn numbers(&self, input: &Input<'_>, may_overflow: bool) -> Result<ArrayRef, Unfit> {
        let Some(dictionary) = input.array.as_any_dictionary_opt() else {
            return numbers::converted(input, self.to, may_overflow);
        };
        let values = take(dictionary.values(), dictionary.keys());
        let values = values.map_err(|error| overflow(input.array.len(), &error))?;
        let nulls = with_parents(input.nulls, &values);
        numbers::converted(&Input { array: &values, nulls: nulls.as_ref() }, self.to, may_overflow)
    }

    /// Reports on the memory of the values, which `picks` has copied before.
    pub(crate) fn part(&self, picks: bool, unless: &[&str]) -> TensorPart {
        match &self.kind {
            CastKind::Codes(codes) if codes.shares_keys(self.to) && !picks => {
                TensorPart::new("values", Sharing::Shared)
                    .because("as the keys of an enum")
                    .unless(unless.iter().copied())
                    .unless(["the dictionary of a batch is not the list of symbols"])
            }
            CastKind::Codes(_) => TensorPart::new("values", Sharing::Copied)
                .because("symbols of an enum, converted to their codes"),
            CastKind::Exact | CastKind::Lossy => {
                let reason = format!("converted from {}", named(&self.from));
                TensorPart::new("values", Sharing::Copied).because(reason)
            }
        }
    }
}

/// Describes a type that no tensor holds, and the conversion that there is.
fn unfit(data_type: &DataType, casts: Casts) -> String {
    let found = and_how_to_enter(data_type);
    match rule(data_type, DType::Float64) {
        Rule::Lossy if casts != Casts::Refused => {
            format!("{found} (dtype float32 or float64, and `lossy`, convert them)")
        }
        _ => found,
    }
}

/// The values to convert.
pub(crate) struct Input<'a> {
    pub(crate) array: &'a ArrayRef,
    /// All nulls among them, including those of the lists and structs around them.
    pub(crate) nulls: Option<&'a NullBuffer>,
}

impl Input<'_> {
    pub(crate) fn is_valid(&self, i: usize) -> bool {
        self.nulls.is_none_or(|nulls| nulls.is_valid(i))
    }

    /// The error for a value that the type does not hold.
    #[cold]
    fn out_of_range(&self, i: usize, to: DType) -> Unfit {
        let expected = format!("a value in the range of {to}");
        let found = array_value_to_string(self.array, i).unwrap_or_else(|_| "another".to_owned());
        Unfit {
            position: Some(i),
            error: ConversionError::new(ConversionErrorKind::Overflow, expected, found),
        }
    }
}

/// An error, and the position of the value that caused it.
#[derive(Debug)]
pub(crate) struct Unfit {
    pub(crate) position: Option<usize>,
    pub(crate) error: ConversionError,
}

impl Unfit {
    /// Names the row of the value, which `row_of` maps to its row.
    pub(crate) fn in_row(self, row_of: impl Fn(usize) -> usize) -> ConversionError {
        match self.position {
            Some(position) => self.error.in_row(row_of(position)),
            None => self.error,
        }
    }
}

impl From<ConversionError> for Unfit {
    fn from(error: ConversionError) -> Self {
        Self { position: None, error }
    }
}
