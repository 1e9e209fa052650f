package org.arrowfeed.reference;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Locale;
import java.util.Set;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Resolver;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;

/** What Java's Avro makes of a pair: the values, or an error and whether the schemas alone decide it. */
final class Verdict {
  private Verdict() {}

  static void write(Path folder, int number, Pair pair) throws IOException {
    String stem = String.format(Locale.ROOT, "%04d_%s", number, pair.name());
    Path avro = folder.resolve(stem + ".avro");
    try (var writer = new DataFileWriter<>(new GenericDatumWriter<>(pair.writer()))) {
      writer.create(pair.writer(), Files.newOutputStream(avro), FileCase.SYNC);
      for (Object value : pair.values()) {
        writer.append(value);
      }
    }
    ObjectNode verdict = PlainJson.MAPPER.createObjectNode();
    verdict.put("name", pair.name());
    verdict.set("writer", PlainJson.parse(pair.writer().toString()));
    verdict.set("reader", PlainJson.parse(pair.reader().toString()));
    verdict.put("record_root", pair.reader().getType() == Schema.Type.RECORD);
    var checked = SchemaCompatibility.checkReaderWriterCompatibility(pair.reader(), pair.writer());
    verdict.put("checker", checked.getType().name());
    verdict.setAll(agreed(pair));
    if (verdict.has("error") && verdict.get("checker").asText().equals("COMPATIBLE")) {
      throw new IllegalStateException(pair.name() + ": Java's checker finds it compatible, its reader gives " + verdict);
    }
    PlainJson.save(folder.resolve(stem + ".json"), verdict);
  }

  /** Java has two decoders of resolved values; where they disagree there is no reference. */
  private static ObjectNode agreed(Pair pair) throws IOException {
    boolean refused = refused(pair);
    ObjectNode plain = read(pair, false, refused);
    ObjectNode fast = read(pair, true, refused);
    if (!withoutMessage(plain).equals(withoutMessage(fast))) {
      throw new IllegalStateException(pair.name() + ": Java's plain reader gives " + plain + ", the fast one " + fast);
    }
    if (refused != "schema".equals(fast.path("error_at").asText())) {
      throw new IllegalStateException(pair.name() + ": expected an error from the schemas, found " + fast);
    }
    return fast;
  }

  private static ObjectNode withoutMessage(ObjectNode verdict) {
    ObjectNode rest = verdict.deepCopy();
    rest.remove("error");
    return rest;
  }

  private static ObjectNode read(Pair pair, boolean fast, boolean refused) throws IOException {
    GenericData data = new GenericData();
    data.setFastReaderEnabled(fast);
    var datums = new GenericDatumReader<Object>(pair.writer(), pair.reader(), data);
    BinaryDecoder decoder = DecoderFactory.get().directBinaryDecoder(encoded(pair), null);
    ObjectNode verdict = PlainJson.MAPPER.createObjectNode();
    ArrayNode values = PlainJson.MAPPER.createArrayNode();
    try {
      while (values.size() < pair.values().size()) {
        values.add(PlainJson.of(pair.reader(), datums.read(null, decoder)));
      }
      verdict.set("values", values);
    } catch (AvroRuntimeException e) {
      verdict.put("error", e.toString());
      if (refused) {
        verdict.put("error_at", "schema");
      } else {
        verdict.put("error_at", values.size());
      }
    }
    return verdict;
  }

  /**
   * The values as a stream that does not know its length. Where Java's decoder knows it, it refuses an array or a map
   * whose values, by the reader's schema, would need more bytes than are left: two ints as doubles at a block's end.
   */
  private static InputStream encoded(Pair pair) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
    var writer = new GenericDatumWriter<Object>(pair.writer());
    for (Object value : pair.values()) {
      writer.write(value, encoder);
    }
    encoder.flush();
    return new SequenceInputStream(InputStream.nullInputStream(), new ByteArrayInputStream(bytes.toByteArray()));
  }

  /** Whether no value whatever could be read: an incompatible place that is not behind a branch of the writer's union. */
  private static boolean refused(Pair pair) {
    Schema writer = Schema.applyAliases(pair.writer(), pair.reader());
    return refused(Resolver.resolve(writer, pair.reader()), Collections.newSetFromMap(new IdentityHashMap<>()));
  }

  private static boolean refused(Resolver.Action action, Set<Resolver.Action> seen) {
    if (!seen.add(action)) {
      return false;
    }
    if (action instanceof Resolver.Container container) {
      return refused(container.elementAction, seen);
    }
    if (action instanceof Resolver.ReaderUnion union) {
      return refused(union.actualAction, seen);
    }
    if (action instanceof Resolver.RecordAdjust record) {
      for (Resolver.Action field : record.fieldActions) {
        if (refused(field, seen)) {
          return true;
        }
      }
      return false;
    }
    return action instanceof Resolver.ErrorAction;
  }
}
