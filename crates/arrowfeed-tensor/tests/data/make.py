"""Writes the files of this directory from the tensorflow-metadata package, version 1.21."""

from pathlib import Path

from google.protobuf import descriptor_pb2
from tensorflow_metadata.proto.v0 import path_pb2, schema_pb2

HERE = Path(__file__).parent
PACKAGE = ".tensorflow.metadata.v0."


def fields(message: descriptor_pb2.DescriptorProto, prefix: str) -> list[str]:
    """`Message.field number type label oneof`, of a message and of those inside of it."""
    name = prefix + message.name
    lines = []
    for field in message.field:
        oneof = message.oneof_decl[field.oneof_index].name if field.HasField("oneof_index") else "-"
        kind = field.type_name.removeprefix(PACKAGE) or str(field.type)
        lines.append(f"{name}.{field.name} {field.number} {kind} {field.label} {oneof}")
    for nested in message.nested_type:
        lines += fields(nested, f"{name}.")
    return lines


def values(enum: descriptor_pb2.EnumDescriptorProto, prefix: str) -> list[str]:
    """`Enum.VALUE number`."""
    return [f"{prefix}{enum.name}.{value.name} {value.number}" for value in enum.value]


def descriptors() -> list[str]:
    """All fields and values of enums that the package has."""
    lines = []
    for module in (path_pb2, schema_pb2):
        file = descriptor_pb2.FileDescriptorProto.FromString(module.DESCRIPTOR.serialized_pb)
        for message in file.message_type:
            lines += fields(message, "")
            for enum in message.enum_type:
                lines += values(enum, f"{message.name}.")
        for enum in file.enum_type:
            lines += values(enum, "")
    return sorted(lines)


def representations() -> dict[str, schema_pb2.TensorRepresentation]:
    """One of each kind, with all that it can say."""
    dense = schema_pb2.TensorRepresentation()
    dense.dense_tensor.column_name = "d"
    for size in (2, 3):
        dense.dense_tensor.shape.dim.add(size=size)
    dense.dense_tensor.default_value.float_value = -1.5
    scalar = schema_pb2.TensorRepresentation()
    scalar.dense_tensor.column_name = "s"
    scalar.dense_tensor.shape.SetInParent()
    scalar.dense_tensor.default_value.bytes_value = b"\xff\x00"
    varlen = schema_pb2.TensorRepresentation()
    varlen.varlen_sparse_tensor.column_name = "v"
    sparse = schema_pb2.TensorRepresentation()
    for size in (-1, 10):
        sparse.sparse_tensor.dense_shape.dim.add(size=size)
    sparse.sparse_tensor.index_column_names.extend(["i", "j"])
    sparse.sparse_tensor.value_column_name = "v"
    sparse.sparse_tensor.already_sorted = True
    ragged = schema_pb2.TensorRepresentation()
    ragged.ragged_tensor.feature_path.step.extend(["a", "b"])
    ragged.ragged_tensor.partition.add(row_length="n")
    ragged.ragged_tensor.partition.add(uniform_row_length=4)
    ragged.ragged_tensor.row_partition_dtype = schema_pb2.TensorRepresentation.INT32
    return {"dense": dense, "scalar": scalar, "varlen": varlen, "sparse": sparse, "ragged": ragged}


def schema() -> schema_pb2.Schema:
    """A schema with what we know, and with domains and comparators that we do not."""
    made = schema_pb2.Schema()
    image = made.feature.add(name="image", type=schema_pb2.BYTES)
    image.image_domain.max_image_byte_size = 10
    image.drift_comparator.infinity_norm.threshold = 0.5
    image.presence.min_fraction = 1
    image.shape.dim.add(size=1, name="only")
    index = made.feature.add(name="index", type=schema_pb2.INT)
    index.int_domain.min, index.int_domain.max = 0, 99
    made.feature.add(name="value", type=schema_pb2.FLOAT).value_count.min = 1
    made.feature.add(name="old", lifecycle_stage=schema_pb2.DISABLED)
    sequence = made.feature.add(name="##SEQUENCE##", type=schema_pb2.STRUCT)
    sequence.struct_domain.feature.add(name="tokens", type=schema_pb2.INT)
    joined = made.sparse_feature.add(name="joined", is_sorted=True)
    joined.index_feature.add(name="index")
    joined.value_feature.name = "value"
    made.default_environment.extend(["TRAINING"])
    for name, representation in representations().items():
        made.tensor_representation_group["all"].tensor_representation[name].CopyFrom(representation)
    return made


def main() -> None:
    """Writes the files."""
    (HERE / "tfmd_fields.txt").write_text("\n".join(descriptors()) + "\n")
    lines = [f"{name} {it.SerializeToString().hex()}" for name, it in representations().items()]
    (HERE / "tfmd_representations.txt").write_text("\n".join(lines) + "\n")
    (HERE / "tfmd_schema.txt").write_text(schema().SerializeToString(deterministic=True).hex() + "\n")


if __name__ == "__main__":
    main()
