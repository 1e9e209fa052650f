//! A feature: its name and the kind of its lists.

/// The kind of the lists of a feature.
///
/// [`ExampleDecoder`](crate::example::ExampleDecoder) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FeatureKind {
    /// `bytes_list`: a column of `large_list<large_binary>`.
    Bytes,
    /// `float_list`: a column of `large_list<float>`.
    Float,
    /// `int64_list`: a column of `large_list<int64>`.
    Int64,
    /// No list: a column of `null`, or of `large_list<null>` for the features of steps.
    Null,
}

arrowfeed_source::words! { FeatureKind { "bytes" = Bytes, "float" = Float, "int64" = Int64, "null" = Null } }

impl FeatureKind {
    /// The name of the field in `Feature`; `no list` for [`Null`](Self::Null).
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes_list",
            Self::Float => "float_list",
            Self::Int64 => "int64_list",
            Self::Null => "no list",
        }
    }

    pub(crate) fn of_field(number: u32) -> Option<Self> {
        match number {
            1 => Some(Self::Bytes),
            2 => Some(Self::Float),
            3 => Some(Self::Int64),
            _ => None,
        }
    }

    /// The tag of the field in `Feature`; `None` if there is no field.
    pub(crate) fn tag(self) -> Option<u8> {
        match self {
            Self::Bytes => Some(1 << 3 | 2),
            Self::Float => Some(2 << 3 | 2),
            Self::Int64 => Some(3 << 3 | 2),
            Self::Null => None,
        }
    }
}

/// A feature that becomes a column.
///
/// [`ExampleDecoder`](crate::example::ExampleDecoder) has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    /// Name of the feature in the records, and of its column.
    pub name: String,
    /// Kind of its lists.
    pub kind: FeatureKind,
}

/// The treatment of features that do not become columns.
///
/// [`ExampleDecoder`](crate::example::ExampleDecoder) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownFeatures {
    /// They are parsed, so that a record is accepted exactly if protobuf's parsers accept it.
    Check,
    /// They are skipped without being parsed.
    Skip,
}
