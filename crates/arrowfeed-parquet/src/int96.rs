//! Timestamps of the deprecated type INT96: a day, and nanoseconds of the day, in 96 bits.
//!
//! Arrow has no timestamp that holds all of them, and the `parquet` crate wraps those that do not fit the unit that it is asked for.
//! So a column is read twice, in seconds, which always fit, and in nanoseconds, whose low digits are right even if they
//! wrap. [`joined`] makes one exact value of both: an interval of days and nanoseconds since 1970. No column of Parquet
//! is read as such intervals otherwise. [`timestamps`] converts them, and finds the values that do not fit.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowTimestampType, IntervalMonthDayNano, IntervalMonthDayNanoType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericListArray, MapArray, OffsetSizeTrait, PrimitiveArray,
    StructArray,
};
use arrow_schema::{ArrowError, DataType, FieldRef, Fields, IntervalUnit, Schema, TimeUnit};
use arrowfeed_source::field_path::list_item;
use parquet::arrow::ARROW_SCHEMA_META_KEY;
use parquet::basic::Type as PhysicalType;
use parquet::file::metadata::{FileMetaData, ParquetMetaData};

use crate::columns::{retyped, with_item};

/// The type of the exact values.
pub(crate) const EXACT: DataType = DataType::Interval(IntervalUnit::MonthDayNano);

/// The type of timestamps for which nothing else is requested.
pub(crate) const NANOSECONDS: DataType = DataType::Timestamp(TimeUnit::Nanosecond, None);

/// A key of the metadata of files that Hive writes.
const HIVE: &str = "writer.time.zone";

const NANOSECONDS_OF_SECOND: i128 = 1_000_000_000;
const NANOSECONDS_OF_DAY: i128 = 86_400 * NANOSECONDS_OF_SECOND;

/// For each leaf of a file, whether it has this type. `None`: no leaf has it.
pub(crate) fn leaves(metadata: &ParquetMetaData) -> Option<Vec<bool>> {
    let columns = metadata.file_metadata().schema_descr().columns().iter();
    let leaves: Vec<bool> = columns.map(|column| column.physical_type() == PhysicalType::INT96).collect();
    leaves.contains(&true).then_some(leaves)
}

/// The unit of the timestamps; `None` if the file has an Arrow schema, whose units are known. Impala and Hive store nanoseconds.
/// Spark, and most other programs, have no more than microseconds.
pub(crate) fn unit(file: &FileMetaData) -> Option<TimeUnit> {
    let has_key = |name: &str| file.key_value_metadata().into_iter().flatten().any(|pair| pair.key == name);
    let by_impala = file.created_by().is_some_and(|name| name.to_ascii_lowercase().contains("impala"));
    match () {
        () if has_key(ARROW_SCHEMA_META_KEY) => None,
        () if by_impala || has_key(HIVE) => Some(TimeUnit::Nanosecond),
        () => Some(TimeUnit::Microsecond),
    }
}

/// The schema with other types for the leaves of INT96. `wanted` is a schema of the same columns, in any order, with perhaps
/// other types. `choose` gets the type of a leaf, and the wanted type of it, if there is one.
pub(crate) fn with_types(
    schema: &Schema,
    leaves: &[bool],
    wanted: Option<&Schema>,
    choose: &dyn Fn(&DataType, Option<&DataType>) -> DataType,
) -> Schema {
    let mut types = Types { leaves: leaves.iter(), choose };
    let fields = types.of_fields(schema.fields(), wanted.map(Schema::fields));
    Schema::new_with_metadata(fields, schema.metadata().clone())
}

struct Types<'a> {
    /// The leaves that have not been seen.
    leaves: std::slice::Iter<'a, bool>,
    choose: &'a dyn Fn(&DataType, Option<&DataType>) -> DataType,
}

impl Types<'_> {
    fn of_fields(&mut self, fields: &Fields, wanted: Option<&Fields>) -> Fields {
        let fields = fields.iter().map(|field| {
            let wanted = wanted.and_then(|wanted| wanted.find(field.name()));
            self.of_field(field, wanted.map(|(_, wanted)| wanted.data_type()))
        });
        fields.collect()
    }

    fn of_field(&mut self, field: &FieldRef, wanted: Option<&DataType>) -> FieldRef {
        let data_type = match (field.data_type(), wanted) {
            (DataType::Struct(fields), Some(DataType::Struct(wanted))) => {
                DataType::Struct(self.of_fields(fields, Some(wanted)))
            }
            (DataType::Struct(fields), _) => DataType::Struct(self.of_fields(fields, None)),
            (DataType::Map(entries, sorted), wanted) => {
                let wanted = match wanted {
                    Some(DataType::Map(wanted, _)) => Some(wanted.data_type()),
                    _ => None,
                };
                DataType::Map(self.of_field(entries, wanted), *sorted)
            }
            (data_type, wanted) => {
                let item = wanted.and_then(list_item).map(|item| item.data_type());
                match with_item(data_type, |inner| self.of_field(inner, item)) {
                    Some(list) => list,
                    None if self.leaves.next() == Some(&true) => (self.choose)(data_type, item.or(wanted)),
                    None => return field.clone(),
                }
            }
        };
        retyped(field, data_type)
    }
}

/// The type of a leaf with another unit.
pub(crate) fn in_unit(leaf: &DataType, unit: TimeUnit) -> DataType {
    match leaf {
        DataType::Timestamp(_, zone) => DataType::Timestamp(unit, zone.clone()),
        other => other.clone(),
    }
}

/// Makes the exact values of a column, of type `to`, from the same column in seconds and in nanoseconds.
///
/// # Errors
/// The type has INT96 inside of a type that the `parquet` crate does not make.
pub(crate) fn joined(
    seconds: &ArrayRef,
    nanoseconds: &ArrayRef,
    to: &DataType,
) -> Result<ArrayRef, ArrowError> {
    if seconds.data_type() == nanoseconds.data_type() {
        return Ok(nanoseconds.clone());
    }
    let nulls = || nanoseconds.nulls().cloned();
    Ok(match to {
        DataType::Interval(_) => Arc::new(exact(seconds, nanoseconds)),
        DataType::Struct(fields) => {
            let pairs = seconds.as_struct().columns().iter().zip(nanoseconds.as_struct().columns());
            let columns = pairs
                .zip(fields)
                .map(|((seconds, nanoseconds), field)| joined(seconds, nanoseconds, field.data_type()));
            Arc::new(StructArray::try_new(fields.clone(), columns.collect::<Result<_, _>>()?, nulls())?)
        }
        DataType::List(item) => Arc::new(lists::<i32>(seconds, nanoseconds, item)?),
        DataType::LargeList(item) => Arc::new(lists::<i64>(seconds, nanoseconds, item)?),
        DataType::FixedSizeList(item, len) => {
            let (seconds, nanoseconds) = (seconds.as_fixed_size_list(), nanoseconds.as_fixed_size_list());
            let values = joined(seconds.values(), nanoseconds.values(), item.data_type())?;
            Arc::new(FixedSizeListArray::try_new(item.clone(), *len, values, nulls())?)
        }
        DataType::Map(entries, sorted) => {
            let (seconds, nanoseconds) = (seconds.as_map(), nanoseconds.as_map());
            let both = [seconds, nanoseconds].map(|map| Arc::new(map.entries().clone()) as ArrayRef);
            let values = joined(&both[0], &both[1], entries.data_type())?.as_struct().clone();
            let offsets = nanoseconds.offsets().clone();
            Arc::new(MapArray::try_new(entries.clone(), offsets, values, nulls(), *sorted)?)
        }
        other => return Err(ArrowError::NotYetImplemented(format!("INT96 inside of {other}"))),
    })
}

fn lists<O: OffsetSizeTrait>(
    seconds: &ArrayRef,
    nanoseconds: &ArrayRef,
    item: &FieldRef,
) -> Result<GenericListArray<O>, ArrowError> {
    let (seconds, nanoseconds) = (seconds.as_list::<O>(), nanoseconds.as_list::<O>());
    let values = joined(seconds.values(), nanoseconds.values(), item.data_type())?;
    let (offsets, nulls) = (nanoseconds.offsets().clone(), nanoseconds.nulls().cloned());
    GenericListArray::try_new(item.clone(), offsets, values, nulls)
}

fn exact(seconds: &ArrayRef, nanoseconds: &ArrayRef) -> PrimitiveArray<IntervalMonthDayNanoType> {
    let seconds = seconds.as_primitive::<TimestampSecondType>();
    let nanoseconds = nanoseconds.as_primitive::<TimestampNanosecondType>();
    let pairs = seconds.values().iter().zip(nanoseconds.values());
    let values = pairs.map(|(seconds, nanoseconds)| {
        // Both were rounded towards zero within a day of a whole number of seconds.
        let rest = nanoseconds.wrapping_sub(seconds.wrapping_mul(NANOSECONDS_OF_SECOND as i64));
        let all = i128::from(*seconds) * NANOSECONDS_OF_SECOND + i128::from(rest);
        let (days, nanoseconds) = (all.div_euclid(NANOSECONDS_OF_DAY), all.rem_euclid(NANOSECONDS_OF_DAY));
        // The days begin in 4713 BC, so a few may not fit. The months, which are not used otherwise, hold the others.
        let fitting = days.clamp(i32::MIN.into(), i32::MAX.into());
        IntervalMonthDayNano::new((days - fitting) as i32, fitting as i32, nanoseconds as i64)
    });
    PrimitiveArray::new(values.collect(), nanoseconds.nulls().cloned())
}

/// The timestamps of exact values. `None`: one of them does not fit the type, or would lose digits.
pub(crate) fn timestamps(exact: &ArrayRef, to: &DataType) -> Option<ArrayRef> {
    let DataType::Timestamp(unit, zone) = to else { return None };
    let made = match unit {
        TimeUnit::Second => of_unit::<TimestampSecondType>(exact, zone, 1_000_000_000),
        TimeUnit::Millisecond => of_unit::<TimestampMillisecondType>(exact, zone, 1_000_000),
        TimeUnit::Microsecond => of_unit::<TimestampMicrosecondType>(exact, zone, 1_000),
        TimeUnit::Nanosecond => of_unit::<TimestampNanosecondType>(exact, zone, 1),
    };
    made.ok()
}

/// `divisor`: nanoseconds of the unit.
fn of_unit<T: ArrowTimestampType>(
    exact: &ArrayRef,
    zone: &Option<Arc<str>>,
    divisor: i128,
) -> Result<ArrayRef, ()> {
    let exact = exact.as_primitive::<IntervalMonthDayNanoType>();
    let made: PrimitiveArray<T> = exact.try_unary(|value| {
        let nanoseconds = nanoseconds(value);
        match nanoseconds % divisor {
            0 => i64::try_from(nanoseconds / divisor).map_err(drop),
            _ => Err(()),
        }
    })?;
    Ok(Arc::new(made.with_timezone_opt(zone.clone())))
}

fn nanoseconds(exact: IntervalMonthDayNano) -> i128 {
    let days = i128::from(exact.days) + i128::from(exact.months);
    days * NANOSECONDS_OF_DAY + i128::from(exact.nanoseconds)
}

/// A column of one value, for messages. It is exact if it fits nanoseconds, else in whole microseconds, or in whole seconds.
pub(crate) fn for_message(exact: &ArrayRef) -> ArrayRef {
    if let Some(fits) = timestamps(exact, &NANOSECONDS) {
        return fits;
    }
    let exact = exact.as_primitive::<IntervalMonthDayNanoType>();
    let rounded = |divisor: i128| {
        let values = exact.iter().map(|value| value.map(|value| nanoseconds(value).div_euclid(divisor)));
        values.map(|value| value.map(i64::try_from).transpose()).collect::<Result<Vec<_>, _>>()
    };
    match rounded(1_000) {
        Ok(values) => Arc::new(PrimitiveArray::<TimestampMicrosecondType>::from(values)),
        Err(_) => Arc::new(PrimitiveArray::<TimestampSecondType>::from(
            rounded(NANOSECONDS_OF_SECOND).unwrap_or_default(),
        )),
    }
}

/// The name of a type in messages. The exact values are not visible otherwise.
pub(crate) fn name_of(data_type: &DataType) -> String {
    data_type.to_string().replace(&EXACT.to_string(), &NANOSECONDS.to_string())
}
