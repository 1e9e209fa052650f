package org.arrowfeed.reference;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;

/** One file to write: random datums of a schema, and how the container holds them. */
final class FileCase {
  /** Fixed, so that two runs write the same bytes. */
  static final byte[] SYNC = "arrowfeed-marker".getBytes(StandardCharsets.US_ASCII);

  private final String name;
  private final Schema schema;
  private final int rows;
  private final Map<String, byte[]> metadata = new TreeMap<>();
  private CodecFactory codec = CodecFactory.nullCodec();
  private int blockBytes = 16_000;
  private int maxItems = 6;
  private Function<OutputStream, BinaryEncoder> blockingEncoder;
  private List<String> columns;

  FileCase(String name, Schema schema, int rows) {
    this.name = name;
    this.schema = schema;
    this.rows = rows;
  }

  FileCase codec(CodecFactory value) {
    codec = value;
    return this;
  }

  FileCase blockBytes(int value) {
    blockBytes = value;
    return this;
  }

  FileCase metadata(String key, byte[] value) {
    metadata.put(key, value);
    return this;
  }

  /** An encoder that gives the byte size of each run of items, and arrays long enough to need several runs. */
  FileCase blockingEncoder(Function<OutputStream, BinaryEncoder> value) {
    blockingEncoder = value;
    maxItems = 100;
    return this;
  }

  /** The only columns that can be read, because the others are recursive. */
  FileCase readableColumns(String... value) {
    columns = List.of(value);
    return this;
  }

  void write(Path folder) throws IOException {
    Path avro = folder.resolve(name + ".avro");
    ArrayNode values = PlainJson.MAPPER.createArrayNode();
    RandomDatum random = new RandomDatum(name.hashCode(), maxItems);
    try (var writer = new DataFileWriter<>(new GenericDatumWriter<>(schema))) {
      writer.setCodec(codec).setSyncInterval(blockBytes);
      if (blockingEncoder != null) {
        writer.setEncoder(blockingEncoder);
      }
      metadata.forEach(writer::setMeta);
      writer.create(schema, Files.newOutputStream(avro), SYNC);
      for (int row = 0; row < rows; row++) {
        Object datum = random.of(schema);
        writer.append(datum);
        values.add(projected(PlainJson.of(schema, datum)));
      }
    }
    ObjectNode expected = PlainJson.MAPPER.createObjectNode();
    expected.put("name", name);
    expected.put("record_root", schema.getType() == Schema.Type.RECORD);
    expected.put("codec", codec.toString().replaceFirst("[-\\[].*", ""));
    expected.put("blocks", blocks(avro));
    expected.put("canonical", SchemaNormalization.toParsingForm(schema));
    expected.put("fingerprint", Long.toHexString(SchemaNormalization.parsingFingerprint64(schema)));
    ObjectNode plainMetadata = expected.putObject("metadata");
    metadata.forEach((key, value) -> plainMetadata.put(key, new String(value, StandardCharsets.ISO_8859_1)));
    if (columns != null) {
      expected.set("columns", PlainJson.MAPPER.valueToTree(columns));
    }
    expected.set("values", values);
    PlainJson.save(folder.resolve(name + ".json"), expected);
  }

  private JsonNode projected(JsonNode row) {
    if (columns == null) {
      return row;
    }
    ObjectNode some = PlainJson.MAPPER.createObjectNode();
    columns.forEach(column -> some.set(column, row.get(column)));
    return some;
  }

  /** The number of blocks, which is also the proof that the file is what its name says. */
  private int blocks(Path avro) throws IOException {
    int blocks = 0;
    try (var reader = new DataFileReader<>(avro.toFile(), new GenericDatumReader<>())) {
      while (reader.hasNext()) {
        ByteBuffer block = reader.nextBlock();
        if (blocks == 0 && blockingEncoder != null && firstCount(block) >= 0) {
          throw new IllegalStateException(name + ": expected a negative count, found " + firstCount(block));
        }
        blocks += 1;
      }
    }
    return blocks;
  }

  /** The schemas of blocking encoders begin with an array. */
  private static long firstCount(ByteBuffer block) {
    BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(block.array(), block.arrayOffset(), block.remaining(), null);
    try {
      return decoder.readLong();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
