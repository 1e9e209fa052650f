package org.arrowfeed.reference;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.avro.NameValidator;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;

/** The list of files to write. */
final class FileCases {
  private FileCases() {}

  static List<FileCase> all() throws IOException {
    List<FileCase> files = new ArrayList<>();
    codecs(files);
    containers(files);
    roots(files);
    files.add(new FileCase("base_of_logical_types", schema("base_of_logical_types"), 100));
    files.add(new FileCase("names_of_writers", unchecked("names_of_writers"), 50));
    files.add(new FileCase("recursive_siblings", schema("node"), 50).readableColumns("weights", "label"));
    return files;
  }

  private static void codecs(List<FileCase> files) throws IOException {
    Map<String, CodecFactory> codecs = new LinkedHashMap<>();
    codecs.put("null", CodecFactory.nullCodec());
    codecs.put("deflate", CodecFactory.deflateCodec(6));
    codecs.put("deflate_stored", CodecFactory.deflateCodec(0));
    codecs.put("snappy", CodecFactory.snappyCodec());
    codecs.put("zstandard", CodecFactory.zstandardCodec(3));
    codecs.put("zstandard_checksum", CodecFactory.zstandardCodec(19, true));
    codecs.put("bzip2", CodecFactory.bzip2Codec());
    codecs.put("xz", CodecFactory.xzCodec(6));
    for (var codec : codecs.entrySet()) {
      files.add(new FileCase("rich_" + codec.getKey(), schema("rich"), 200).codec(codec.getValue()));
    }
  }

  private static void containers(List<FileCase> files) throws IOException {
    files.add(new FileCase("empty", schema("rich"), 0));
    files.add(new FileCase("empty_snappy", schema("rich"), 0).codec(CodecFactory.snappyCodec()));
    files.add(new FileCase("one_row_a_block", schema("rich"), 40).blockBytes(32).codec(CodecFactory.deflateCodec(1)));
    files.add(
        new FileCase("user_metadata", schema("collections"), 10)
            .metadata("owner", "na\u00efve \u20ac".getBytes(StandardCharsets.UTF_8))
            .metadata("not_utf8", new byte[] {0, -1, -2, (byte) 0xc3, 0x28, 0x7f, (byte) 0x80})
            .metadata("empty", new byte[0])
            .metadata("k\u00e9y", new byte[] {1}));
    EncoderFactory small = new EncoderFactory().configureBlockSize(64);
    files.add(blocking("counts_blocking", stream -> small.blockingBinaryEncoder(stream, null)));
    files.add(blocking("counts_blocking_direct", stream -> small.blockingDirectBinaryEncoder(stream, null)));
  }

  private static FileCase blocking(String name, Function<OutputStream, BinaryEncoder> encoder) throws IOException {
    return new FileCase(name, schema("collections"), 30).blockingEncoder(encoder);
  }

  /** Roots that are not records. */
  private static void roots(List<FileCase> files) {
    Map<String, String> roots = new LinkedHashMap<>();
    roots.put("null", "'null'");
    roots.put("boolean", "'boolean'");
    roots.put("int", "'int'");
    roots.put("double", "'double'");
    roots.put("string", "'string'");
    roots.put("bytes", "'bytes'");
    roots.put("timestamp", "{'type': 'long', 'logicalType': 'timestamp-micros'}");
    roots.put("enum", "{'type': 'enum', 'name': 'a.b.Letter', 'symbols': ['A', 'B', 'C']}");
    roots.put("fixed", "{'type': 'fixed', 'name': 'Three', 'size': 3}");
    roots.put("array", "{'type': 'array', 'items': ['null', 'long']}");
    roots.put("map", "{'type': 'map', 'values': {'type': 'array', 'items': 'float'}}");
    roots.put("nullable", "['null', 'string']");
    roots.put("union", "['null', 'int', {'type': 'record', 'name': 'R', 'fields': [{'name': 'a', 'type': 'string'}]}]");
    roots.put("union_of_one", "['long']");
    roots.forEach(
        (name, json) -> files.add(new FileCase("root_" + name, new Schema.Parser().parse(json.replace('\'', '"')), 100)));
  }

  private static Schema schema(String name) throws IOException {
    return parsed(new Schema.Parser(), name);
  }

  /** A schema whose names break the specification: Java's reader of files takes them. */
  private static Schema unchecked(String name) throws IOException {
    return parsed(new Schema.Parser(NameValidator.NO_VALIDATION), name);
  }

  private static Schema parsed(Schema.Parser parser, String name) throws IOException {
    try (InputStream json = FileCases.class.getResourceAsStream("/schemas/" + name + ".avsc")) {
      return parser.parse(json);
    }
  }
}
