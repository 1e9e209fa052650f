package org.arrowfeed.reference;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.LogicalType;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.util.Utf8;

/** Generic datums as the plain JSON form that README.md describes, which an Arrow column can be turned into as well. */
final class PlainJson {
  static final ObjectMapper MAPPER = new ObjectMapper();
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private PlainJson() {}

  static JsonNode of(Schema schema, Object datum) {
    LogicalType logical = schema.getLogicalType();
    if (logical != null) {
      switch (logical.getName()) {
        case "decimal":
          return JSON.textNode(new BigInteger(bytes(datum)).toString());
        case "uuid":
          return JSON.textNode(uuid(datum));
        case "duration":
          return duration(bytes(datum));
        default:
          break; // dates and times are the integer that is stored
      }
    }
    return switch (schema.getType()) {
      case NULL -> JSON.nullNode();
      case BOOLEAN -> JSON.booleanNode((Boolean) datum);
      case INT -> JSON.numberNode((Integer) datum);
      case LONG -> JSON.numberNode((Long) datum);
      case FLOAT -> floating((Float) datum);
      case DOUBLE -> floating((Double) datum);
      case STRING, ENUM -> JSON.textNode(datum.toString());
      case BYTES, FIXED -> JSON.textNode(new String(bytes(datum), StandardCharsets.ISO_8859_1));
      case ARRAY -> array(schema, (Collection<?>) datum);
      case MAP -> map(schema, (Map<?, ?>) datum);
      case RECORD -> record(schema, (IndexedRecord) datum);
      case UNION -> union(schema, datum);
    };
  }

  /** JSON has no number for the three that are not finite. A float is widened, which is exact. */
  private static JsonNode floating(double value) {
    return Double.isFinite(value) ? JSON.numberNode(value) : JSON.textNode(Double.toString(value));
  }

  private static JsonNode array(Schema schema, Collection<?> items) {
    ArrayNode plain = JSON.arrayNode();
    items.forEach(item -> plain.add(of(schema.getElementType(), item)));
    return plain;
  }

  /** Java's maps forget the order of the entries, so they are sorted here: by UTF-8, which is by code point. */
  private static JsonNode map(Schema schema, Map<?, ?> entries) {
    Map<Utf8, JsonNode> sorted = new TreeMap<>();
    entries.forEach((key, value) -> sorted.put(new Utf8(key.toString()), of(schema.getValueType(), value)));
    ArrayNode plain = JSON.arrayNode();
    sorted.forEach((key, value) -> plain.addArray().add(key.toString()).add(value));
    return plain;
  }

  private static JsonNode record(Schema schema, IndexedRecord record) {
    ObjectNode plain = JSON.objectNode();
    for (Schema.Field field : schema.getFields()) {
      plain.set(field.name(), of(field.schema(), record.get(field.pos())));
    }
    return plain;
  }

  private static JsonNode union(Schema schema, Object datum) {
    int branch = GenericData.get().resolveUnion(schema, datum);
    JsonNode value = of(schema.getTypes().get(branch), datum);
    if (schema.isNullable() && schema.getTypes().size() == 2) {
      return value;
    }
    ObjectNode plain = JSON.objectNode();
    plain.put("branch", branch);
    plain.set("value", value);
    return plain;
  }

  private static String uuid(Object datum) {
    if (datum instanceof CharSequence text) {
      return text.toString().replace("-", "").toLowerCase(Locale.ROOT);
    }
    return HexFormat.of().formatHex(bytes(datum));
  }

  private static JsonNode duration(byte[] bytes) {
    ByteBuffer parts = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    ArrayNode plain = JSON.arrayNode();
    for (int part = 0; part < 3; part++) {
      plain.add(Integer.toUnsignedLong(parts.getInt()));
    }
    return plain;
  }

  private static byte[] bytes(Object datum) {
    if (datum instanceof GenericFixed fixed) {
      return fixed.bytes();
    }
    ByteBuffer view = ((ByteBuffer) datum).duplicate();
    byte[] bytes = new byte[view.remaining()];
    view.get(bytes);
    return bytes;
  }

  static JsonNode parse(String text) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("expected JSON, found " + text, e);
    }
  }

  static void save(Path path, JsonNode node) throws IOException {
    Files.writeString(path, MAPPER.writeValueAsString(node) + "\n");
  }
}
