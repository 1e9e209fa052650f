//! Messages of Substrait, with the fields that predicates need. The numbers of the fields are those of its specification.
//!
//! An expression inside of another one stays bytes until it is converted, because prost limits the nesting of messages.

/// `substrait.ExtendedExpression`
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ExtendedExpression {
    #[prost(message, repeated, tag = "2")]
    pub(super) extensions: Vec<Extension>,
    #[prost(message, repeated, tag = "3")]
    pub(super) expressions: Vec<ExpressionReference>,
}

/// `substrait.extensions.SimpleExtensionDeclaration`
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Extension {
    #[prost(message, optional, tag = "1")]
    pub(super) of_type: Option<Name>,
    #[prost(message, optional, tag = "3")]
    pub(super) of_function: Option<Name>,
}

/// `ExtensionType` and `ExtensionFunction` of an extension.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Name {
    #[prost(uint32, tag = "2")]
    pub(super) anchor: u32,
    #[prost(string, tag = "3")]
    pub(super) name: String,
}

/// `substrait.ExpressionReference`
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ExpressionReference {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub(super) expression: Option<Vec<u8>>,
}

/// `substrait.Expression`
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Expression {
    #[prost(oneof = "Kind", tags = "1, 2, 3, 6, 8, 11")]
    pub(super) kind: Option<Kind>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(super) enum Kind {
    #[prost(message, tag = "1")]
    Literal(Literal),
    #[prost(message, tag = "2")]
    Field(FieldReference),
    #[prost(message, tag = "3")]
    Function(Function),
    #[prost(message, tag = "6")]
    IfThen(IfThen),
    #[prost(message, tag = "8")]
    In(In),
    #[prost(bytes = "vec", tag = "11")]
    Cast(Vec<u8>),
}

/// `Expression.Literal`
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Literal {
    #[prost(oneof = "Value", tags = "1, 2, 3, 5, 7, 10, 11, 12, 13, 14, 16, 17, 23, 24, 27, 29, 33")]
    pub(super) value: Option<Value>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(super) enum Value {
    #[prost(bool, tag = "1")]
    Boolean(bool),
    #[prost(int32, tag = "2")]
    I8(i32),
    #[prost(int32, tag = "3")]
    I16(i32),
    #[prost(int32, tag = "5")]
    I32(i32),
    #[prost(int64, tag = "7")]
    I64(i64),
    #[prost(float, tag = "10")]
    Fp32(f32),
    #[prost(double, tag = "11")]
    Fp64(f64),
    #[prost(string, tag = "12")]
    String(String),
    #[prost(bytes = "vec", tag = "13")]
    Binary(Vec<u8>),
    /// Microseconds, without a time zone.
    #[prost(int64, tag = "14")]
    Timestamp(i64),
    #[prost(int32, tag = "16")]
    Date(i32),
    /// Microseconds.
    #[prost(int64, tag = "17")]
    Time(i64),
    #[prost(bytes = "vec", tag = "23")]
    FixedBinary(Vec<u8>),
    #[prost(message, tag = "24")]
    Decimal(DecimalValue),
    /// Microseconds, in UTC.
    #[prost(int64, tag = "27")]
    Instant(i64),
    /// The type of the null.
    #[prost(bytes = "vec", tag = "29")]
    Null(Vec<u8>),
    #[prost(message, tag = "33")]
    UserDefined(UserDefined),
}

/// `Expression.Literal.Decimal`
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct DecimalValue {
    /// 16 bytes, the lowest first.
    #[prost(bytes = "vec", tag = "1")]
    pub(super) value: Vec<u8>,
    #[prost(int32, tag = "3")]
    pub(super) scale: i32,
}

/// `Expression.Literal.UserDefined`
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct UserDefined {
    #[prost(uint32, tag = "1")]
    pub(super) type_reference: u32,
    #[prost(message, optional, tag = "2")]
    pub(super) value: Option<Any>,
}

/// `google.protobuf.Any`
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Any {
    #[prost(bytes = "vec", tag = "2")]
    pub(super) value: Vec<u8>,
}

/// `Expression.FieldReference`
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct FieldReference {
    #[prost(message, optional, tag = "1")]
    pub(super) segment: Option<Segment>,
    /// The expression whose field is meant. `None`: a column of the schema.
    #[prost(bytes = "vec", optional, tag = "3")]
    pub(super) of_expression: Option<Vec<u8>>,
}

/// `Expression.ReferenceSegment`
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Segment {
    #[prost(message, optional, boxed, tag = "2")]
    pub(super) field: Option<Box<StructField>>,
}

/// `Expression.ReferenceSegment.StructField`
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct StructField {
    #[prost(int32, tag = "1")]
    pub(super) number: i32,
    #[prost(message, optional, boxed, tag = "2")]
    pub(super) child: Option<Box<Segment>>,
}

/// `Expression.ScalarFunction`
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Function {
    #[prost(uint32, tag = "1")]
    pub(super) reference: u32,
    #[prost(message, repeated, tag = "4")]
    pub(super) arguments: Vec<Argument>,
    #[prost(message, repeated, tag = "5")]
    pub(super) options: Vec<FunctionOption>,
}

/// `substrait.FunctionOption`
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct FunctionOption {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    /// The first one that the reader supports is meant.
    #[prost(string, repeated, tag = "2")]
    pub(super) preferences: Vec<String>,
}

/// `substrait.FunctionArgument`
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Argument {
    #[prost(bytes = "vec", optional, tag = "3")]
    pub(super) value: Option<Vec<u8>>,
}

/// `Expression.IfThen`
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct IfThen {
    #[prost(message, repeated, tag = "1")]
    pub(super) clauses: Vec<IfClause>,
    #[prost(bytes = "vec", tag = "2")]
    pub(super) otherwise: Vec<u8>,
}

/// `Expression.IfThen.IfClause`
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct IfClause {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) condition: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub(super) result: Vec<u8>,
}

/// `Expression.SingularOrList`
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct In {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub(super) value: Option<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "2")]
    pub(super) options: Vec<Vec<u8>>,
}
