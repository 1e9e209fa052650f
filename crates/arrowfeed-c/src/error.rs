//! Errors of the C interface: a kind, a message, and the place in a file.

use std::ffi::{CStr, CString, c_int};

use arrowfeed::source::Location;
use arrowfeed::tensor::{ConversionError, RepresentationError};
use arrowfeed::{DatasetError, FeedError, FeedErrorKind, StateErrorKind};

/// The kind of an error. The numbers are part of the interface, and never change their meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum ErrorKind {
    /// [`FeedErrorKind::Io`].
    Io = 1,
    /// [`FeedErrorKind::Format`].
    Format = 2,
    /// [`FeedErrorKind::Truncated`].
    Truncated = 3,
    /// [`FeedErrorKind::CorruptBlock`].
    CorruptBlock = 4,
    /// [`FeedErrorKind::Codec`].
    Codec = 5,
    /// [`FeedErrorKind::Schema`].
    Schema = 6,
    /// [`FeedErrorKind::Options`], and options that are not the expected JSON.
    Options = 7,
    /// [`FeedErrorKind::Conversion`], and values that do not fit a tensor.
    Conversion = 8,
    /// [`FeedErrorKind::Limit`], and copies of values of a tensor that exceed a limit.
    Limit = 9,
    /// [`FeedErrorKind::Changed`], and a state of other files.
    Changed = 10,
    /// [`FeedErrorKind::Interrupted`].
    Cancelled = 11,
    /// [`FeedErrorKind::Internal`].
    Internal = 12,
    /// A tensor cannot be made from the columns.
    Representation = 13,
    /// A text is not a state, or the state is that of other options.
    State = 14,
    /// An argument is NULL, is not UTF-8, or is in use by another thread.
    Argument = 15,
}

impl ErrorKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 15] = [
        Self::Io,
        Self::Format,
        Self::Truncated,
        Self::CorruptBlock,
        Self::Codec,
        Self::Schema,
        Self::Options,
        Self::Conversion,
        Self::Limit,
        Self::Changed,
        Self::Cancelled,
        Self::Internal,
        Self::Representation,
        Self::State,
        Self::Argument,
    ];

    /// The kind of a number.
    pub fn of(number: c_int) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as c_int == number)
    }

    /// The name in texts.
    pub fn name(self) -> &'static CStr {
        match self {
            Self::Io => c"io",
            Self::Format => c"format",
            Self::Truncated => c"truncated",
            Self::CorruptBlock => c"corrupt block",
            Self::Codec => c"codec",
            Self::Schema => c"schema",
            Self::Options => c"options",
            Self::Conversion => c"conversion",
            Self::Limit => c"limit",
            Self::Changed => c"changed",
            Self::Cancelled => c"cancelled",
            Self::Internal => c"internal",
            Self::Representation => c"representation",
            Self::State => c"state",
            Self::Argument => c"argument",
        }
    }
}

impl From<FeedErrorKind> for ErrorKind {
    fn from(kind: FeedErrorKind) -> Self {
        match kind {
            FeedErrorKind::Io => Self::Io,
            FeedErrorKind::Format => Self::Format,
            FeedErrorKind::Truncated => Self::Truncated,
            FeedErrorKind::CorruptBlock => Self::CorruptBlock,
            FeedErrorKind::Codec => Self::Codec,
            FeedErrorKind::Schema => Self::Schema,
            FeedErrorKind::Options => Self::Options,
            FeedErrorKind::Conversion => Self::Conversion,
            FeedErrorKind::Limit => Self::Limit,
            FeedErrorKind::Changed => Self::Changed,
            FeedErrorKind::Interrupted => Self::Cancelled,
            _ => Self::Internal,
        }
    }
}

/// An error, with its texts as C strings. One word wide.
#[derive(Debug, Clone)]
pub struct Error(Box<Parts>);

/// The parts of an [`Error`].
#[derive(Debug, Clone)]
pub(crate) struct Parts {
    pub(crate) kind: ErrorKind,
    /// The whole message, with the place.
    pub(crate) message: CString,
    pub(crate) file: Option<CString>,
    pub(crate) field: Option<CString>,
    pub(crate) limit: Option<CString>,
    pub(crate) block: Option<u64>,
    pub(crate) record: Option<u64>,
    pub(crate) offset: Option<u64>,
    /// The error number of the system, for [`ErrorKind::Io`].
    pub(crate) os_error: Option<i32>,
    pub(crate) is_out_of_memory: bool,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl AsRef<str>) -> Self {
        Self(Box::new(Parts {
            kind,
            message: c_text(message.as_ref()),
            file: None,
            field: None,
            limit: None,
            block: None,
            record: None,
            offset: None,
            os_error: None,
            is_out_of_memory: false,
        }))
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.0
    }

    pub(crate) fn argument(message: impl AsRef<str>) -> Self {
        Self::new(ErrorKind::Argument, message)
    }

    pub(crate) fn options(message: impl AsRef<str>) -> Self {
        Self::new(ErrorKind::Options, message)
    }

    /// The error number that functions of an `ArrowArrayStream` return.
    pub(crate) fn errno(&self) -> c_int {
        match self.0.kind {
            _ if self.0.is_out_of_memory => libc::ENOMEM,
            ErrorKind::Io => libc::EIO,
            ErrorKind::Cancelled => libc::ECANCELED,
            _ => libc::EINVAL,
        }
    }
}

impl From<FeedError> for Error {
    fn from(error: FeedError) -> Self {
        let Location { path, block, offset, record, field } = error.location().clone();
        let text = |text: Option<String>| text.map(|text| c_text(&text));
        let mut made = Self::new(error.kind().into(), error.to_string());
        *made.0 = Parts {
            file: text(path),
            field: text(field),
            limit: error.limit().map(c_text),
            block,
            record,
            offset,
            os_error: error.io_error().and_then(std::io::Error::raw_os_error),
            is_out_of_memory: error.is_out_of_memory(),
            ..(*made.0).clone()
        };
        made
    }
}

impl From<DatasetError> for Error {
    fn from(error: DatasetError) -> Self {
        let kind = match error {
            DatasetError::Feed(error) => return error.into(),
            DatasetError::Representation(error) => return error.into(),
            DatasetError::Conversion(error) => return error.into(),
            DatasetError::State(ref error) if error.kind() == StateErrorKind::Files => ErrorKind::Changed,
            DatasetError::State(_) => ErrorKind::State,
            _ => ErrorKind::Options,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<RepresentationError> for Error {
    fn from(error: RepresentationError) -> Self {
        let mut made = Self::new(ErrorKind::Representation, error.to_string());
        made.0.field = error.column().map(c_text);
        made
    }
}

impl From<ConversionError> for Error {
    fn from(error: ConversionError) -> Self {
        let limit = error.limit();
        let kind = if limit.is_some() { ErrorKind::Limit } else { ErrorKind::Conversion };
        let mut made = Self::new(kind, error.to_string());
        made.0.limit = limit.map(c_text);
        made.0.field = error.column().map(c_text);
        made.0.record = error.row().map(|row| row as u64);
        made
    }
}

/// A C string of a text, in which `\0` stands for the character NUL.
pub(crate) fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', "\\0")).unwrap_or_default()
}
