"""Transforms: new values between the values of a column and those of a tensor."""

import os
from collections.abc import Iterable
from typing import final

from arrowfeed.types import FeatureDType, ProtoLike

@final
class Transform:
    """A conversion of the values of a tensor: ids, buckets, limits, other types.

    The functions of `arrowfeed.features` create transforms, for the argument `transform` of features and of
    representations. `str(transform)` is the Python expression that creates it; for a vocabulary of more than
    8 tokens, it has the number of tokens and a fingerprint of them instead.

    Transforms are immutable, and can be compared, hashed and pickled. A pickle of a vocabulary contains the
    tokens, so the file is not needed where the pickle is read.
    """

    @staticmethod
    def from_proto(data: ProtoLike) -> Transform:
        """Creates a transform from the bytes that `to_proto` returns.

        Args:
            data: The bytes.

        Raises:
            RepresentationError: The bytes are not a transform, or an argument of it is invalid.

        Example:
            >>> features.Transform.from_proto(features.hashed(1000).to_proto())
            hashed(1000)
        """

    def to_proto(self) -> bytes:
        """Serializes the transform, with the tokens of a vocabulary."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns or keys that the transform reads beside that of the tensor. Only `crossed` has any."""

    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

def hashed(buckets: int, *, seed: int | None = None, key: tuple[int, int] | None = None) -> Transform:
    """Replaces strings, byte strings and integers by buckets of a hash: int64 ids from 0 to `buckets - 1`.

    An integer has the hash of its decimal text, as `tf.as_string` writes it, and a value of an Avro enum that
    of its symbol. The hashes are the same on all platforms and in all versions.

    | arguments | hash | the same as |
    |---|---|---|
    | none | FarmHash Fingerprint64 | `tf.strings.to_hash_bucket_fast(values, buckets)` |
    | `seed` | the Fingerprint64, combined with the seed | `tf.sparse.cross_hashed([values], buckets, seed)` |
    | `key` | SipHash-2-4 | `tf.strings.to_hash_bucket_strong(values, buckets, key)` |

    Args:
        buckets: Number of buckets, at least 1.
        seed: A number of 64 bits. Other seeds give other buckets, for example for several hashes of one
            column. None: no seed.
        key: Two numbers of 64 bits. A key that an attacker does not know prevents chosen collisions. None: no
            key.

    Returns:
        A transform of strings, byte strings and integers to int64.

    Raises:
        RepresentationError: `buckets` is 2^63 or more.
        ValueError: A number is out of its range, or `seed` and `key` are both given.
        TypeError: An argument has the wrong type.

    Example:
        >>> features.Dense([], key="country", transform=features.hashed(1000))
        Dense((), key='country', transform=(hashed(1000),))
    """

def vocabulary(
    tokens: str | os.PathLike[str] | Iterable[str] | Iterable[bytes] | Iterable[int],
    *,
    oov: int = 1,
    default: int | None = None,
    mask: str | bytes | int | None = None,
    integers: bool = False,
) -> Transform:
    """Replaces strings, byte strings or integers by their int64 indices in a vocabulary.

    The indices are those of `keras.layers.StringLookup` and `IntegerLookup` with `num_oov_indices=oov` and
    `mask_token=mask`: 0 for the mask, if there is one; then `oov` indices for values that are not in the
    vocabulary; then one for each token, in order. If `oov` is greater than 1, a string has the index of its
    Fingerprint64 modulo `oov`, an integer that of itself modulo `oov`.

    The call reads a file once, and copies of the transform share the tokens. In memory, a string takes its
    bytes and 28 to 56 bytes more, an integer 27 to 47 bytes. Transforms with the same vocabulary share it if
    they are the same object.

    Args:
        tokens: The path of a text file in UTF-8 with one token on each line, as TFT and Keras write it; gzip
            may have compressed the file. Or a list, a numpy array or a column of any Arrow library with
            strings, byte strings or integers. At most 4 GiB.
        oov: Number of indices for values that are not in the vocabulary. 0: such values have the index
            `default`, or are errors.
        default: The index of values that are not in the vocabulary, only with `oov=0`. None: such a value
            is an error, which names its row.
        mask: A value with the index 0. It is not one of the tokens. None: no value.
        integers: Whether the lines of a file are integers, for a column of integers.

    Returns:
        A transform of strings and byte strings, or of integers, to int64.

    Raises:
        RepresentationError: There is no token, a token occurs twice, or a line is not UTF-8 or no integer.
            `default` is given and `oov` is not 0, or `mask` is one of the tokens or of another type.
        ValueError: The file is too large.
        OSError: The file cannot be read.
        TypeError: An argument has the wrong type.

    Example:
        >>> features.VarLen(key="tags[*]", transform=features.vocabulary(["red", "green"], oov=2))
        VarLen(key='tags[*]', transform=(vocabulary(["red", "green"], oov=2),))
    """

def bucketized(boundaries: Iterable[float]) -> Transform:
    """Replaces numbers by their int64 buckets: the number of boundaries that are not greater than the value.

    With boundaries `[0, 10]`, bucket 0 is below 0, bucket 1 from 0 to below 10, and bucket 2 from 10. The
    buckets are those of `numpy.digitize` and of `keras.layers.Discretization`. NaN is in the last bucket, as
    there. Values and boundaries are compared as float64; Keras compares them as float32.

    Args:
        boundaries: Numbers in ascending order, at least one. Infinity is allowed.

    Returns:
        A transform of numbers to int64.

    Raises:
        RepresentationError: There is no boundary, or they are not in ascending order.
        TypeError: A boundary is not a number.

    Example:
        >>> features.Dense([], key="age", transform=features.bucketized([18, 30, 65]))
        Dense((), key='age', transform=(bucketized([18.0, 30.0, 65.0]),))
    """

def clipped(low: float | None = None, high: float | None = None) -> Transform:
    """Replaces numbers that are below `low` by `low`, and those above `high` by `high`, as `numpy.clip` does.

    The type of the values does not change. NaN stays NaN.

    Args:
        low: The least value. For a column of integers, an integer. None: no limit.
        high: The greatest value. For a column of integers, an integer. None: no limit.

    Returns:
        A transform of numbers.

    Raises:
        RepresentationError: `low` is greater than `high`, or both are None.
        TypeError: An argument is not a number.

    Example:
        >>> features.clipped(0, 1)
        clipped(0.0, 1.0)
    """

def normalised(mean: float, std: float) -> Transform:
    """Replaces numbers by `(value - mean) / std`, as `keras.layers.Normalization` does.

    The computation has float64. The results are float64 for a column of float64, and float32 for other
    numbers. NaN stays NaN.

    Args:
        mean: The mean of the values, in their unit.
        std: The standard deviation of the values, in their unit; greater than 0. Keras takes the variance,
            which is its square.

    Returns:
        A transform of numbers to float32 or float64.

    Raises:
        RepresentationError: The mean is not finite, or the standard deviation is not finite and above 0.
        TypeError: An argument is not a number.

    Example:
        >>> features.Dense([], key="price", transform=[features.clipped(0, 1), features.normalised(0.5, 0.1)])
        Dense((), key='price', transform=(clipped(0.0, 1.0), normalised(0.5, 0.1)))
    """

def cast(dtype: FeatureDType, *, lossy: bool = False) -> Transform:
    """Converts numbers and bools to another type of numbers, by the rules of the `dtype` of a feature.

    Args:
        dtype: A type of numbers.
        lossy: Whether values may change. True: they become the nearest floats, and the fractions of integers
            are cut; a value out of the range of the type is an error. False: a type that does not hold all
            values is an error.

    Returns:
        A transform of numbers, bools and decimals to numbers.

    Raises:
        RepresentationError: The type is bool or bytes.
        ValueError: The type is unknown.
        TypeError: An argument has the wrong type.

    Example:
        >>> features.cast("float32", lossy=True)
        cast('float32', lossy=True)
    """

def crossed(keys: str | Iterable[str], buckets: int, *, seed: int | None = None) -> Transform:
    """Replaces the values of several columns by one bucket of a hash of all of them: int64 ids.

    The first value is that of the tensor, those of `keys` follow. The hash is that of
    `tf.sparse.cross_hashed([own, *keys], buckets)` and of `keras.layers.HashedCrossing(buckets)`: the
    Fingerprint64 of each string and byte string, and each integer itself, are combined in order. If one of
    the values is null, the result is null.

    A cross must be the first transform of a tensor.

    Args:
        keys: Columns for a representation, key expressions from the record for a feature. Each has as many
            values as the column of the tensor, in each list.
        buckets: Number of buckets, at least 1.
        seed: The `hash_key` of TensorFlow. None: TensorFlow's default, 956888297470.

    Returns:
        A transform of strings, byte strings and integers to int64.

    Raises:
        RepresentationError: There is no key, or `buckets` is 2^63 or more.
        ValueError: A number is out of its range.
        TypeError: An argument has the wrong type.

    Example:
        >>> features.Dense([], key="country", transform=features.crossed(["device"], 1000))
        Dense((), key='country', transform=(crossed(["device"], 1000),))
    """
