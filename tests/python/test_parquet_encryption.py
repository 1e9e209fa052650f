"""Encrypted Parquet files: errors say so, and rows are not skipped as damaged."""

import base64

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowfeed as af

encryption = pytest.importorskip("pyarrow.parquet.encryption")

TABLE = pa.table(
    {"a": range(100), "b": [str(n) for n in range(100)], "s": [{"x": n, "y": n} for n in range(100)]}
)


class Keys(encryption.KmsClient):
    """Keys that are wrapped by their own name."""

    def __init__(self, _config):
        super().__init__()

    def wrap_key(self, key, master):
        return base64.b64encode(master.encode() + key)

    def unwrap_key(self, wrapped, master):
        return base64.b64decode(wrapped)[len(master) :]


def write(path, columns, *, plaintext_footer):
    factory = encryption.CryptoFactory(Keys)
    config = encryption.EncryptionConfiguration(
        footer_key="f", column_keys={"c": columns}, plaintext_footer=plaintext_footer
    )
    properties = factory.file_encryption_properties(encryption.KmsConnectionConfig(), config)
    with pq.ParquetWriter(path, TABLE.schema, encryption_properties=properties) as writer:
        writer.write_table(TABLE, row_group_size=30)
    return path


def error_of(call, *arguments, **options):
    with pytest.raises(af.FormatError) as caught:
        for _ in call(*arguments, **options):
            pass
    return str(caught.value)


@pytest.mark.parametrize("on_error", ["raise", "skip_block"])
def test_an_encrypted_footer_is_named(tmp_path, on_error):
    path = write(tmp_path / "a.parquet", ["b"], plaintext_footer=False)
    found = (
        "expected a Parquet file that is not encrypted, found one with an encrypted footer: decrypt it first"
    )
    expected = f"{path}: {found}"
    assert error_of(af.read_parquet, path, on_error=on_error) == expected


@pytest.mark.parametrize("on_error", ["raise", "skip_block"])
def test_encrypted_columns_are_named_and_others_are_read(tmp_path, on_error):
    path = write(tmp_path / "a.parquet", ["b", "s.y"], plaintext_footer=True)
    found = "expected a column that is not encrypted, found an encrypted one: "
    found += "leave it out, or decrypt the file first"
    assert error_of(af.read_parquet, path, on_error=on_error) == f"{path}: b: {found}"
    assert error_of(af.read_parquet, path, columns=["a", "s"], on_error=on_error) == f"{path}: s.y: {found}"
    where = {"columns": ["a"], "where": "b == '5'"}
    assert error_of(af.read_parquet, path, on_error=on_error, **where) == f"{path}: b: {found}"
    table = pa.table(af.read_parquet(path, columns=["a", "s.x"], on_error=on_error))
    assert table["a"].to_pylist() == list(range(100))
    where = {"columns": ["a"], "where": "a >= 95"}
    assert pa.table(af.read_parquet(path, on_error=on_error, **where)).num_rows == 5


def test_an_encrypted_file_among_others_is_not_skipped_as_a_block(tmp_path):
    pq.write_table(TABLE, tmp_path / "a.parquet")
    write(tmp_path / "b.parquet", ["b"], plaintext_footer=True)
    error_of(af.read_parquet, tmp_path, on_error="skip_block")
    reader = af.read_parquet(tmp_path, on_error="skip_file")
    assert pa.table(reader).num_rows == 100
    assert [skipped["path"] for skipped in reader.report()["skipped"]] == [str(tmp_path / "b.parquet")]
