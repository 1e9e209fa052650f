package org.arrowfeed.reference;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;

/** A place in a schema where a pair is tried: the laws of resolution hold at each, the code that decodes differs. */
enum Nesting {
  /** The pair itself is the root. */
  ROOT,
  /** A field that the reader has elsewhere, between one that it skips and one that it keeps. */
  IN_RECORD,
  /** The values as the items of one array, then an empty array. */
  IN_ARRAY,
  /** The values as those of one map, then an empty map. */
  IN_MAP,
  /** The values as the second branch of a union with null, each after a null. */
  IN_NULLABLE,
  /** A field that the reader has not: any value is skipped, whatever the pair's reader would say. */
  SKIPPED;

  boolean fits(Pair pair) {
    return this != IN_NULLABLE || (holdsInUnion(pair.writer()) && holdsInUnion(pair.reader()));
  }

  private static boolean holdsInUnion(Schema schema) {
    return !schema.isUnion() && schema.getType() != Schema.Type.NULL;
  }

  Pair apply(Pair pair) {
    String name = pair.name() + "." + name().toLowerCase(Locale.ROOT);
    return switch (this) {
      case ROOT -> new Pair(name, pair.writer(), pair.reader(), pair.values());
      case IN_RECORD, SKIPPED -> inRecord(name, pair);
      case IN_ARRAY -> wrapped(name, pair, Schema::createArray, List.of(pair.values(), List.of()));
      case IN_MAP -> wrapped(name, pair, Schema::createMap, List.of(byKey(pair.values()), Map.of()));
      case IN_NULLABLE -> wrapped(name, pair, Nesting::orNull, afterNulls(pair.values()));
    };
  }

  private static Pair wrapped(String name, Pair pair, UnaryOperator<Schema> wrap, List<Object> values) {
    return new Pair(name, wrap.apply(pair.writer()), wrap.apply(pair.reader()), values);
  }

  private static Schema orNull(Schema schema) {
    return Schema.createUnion(Schema.create(Schema.Type.NULL), schema);
  }

  private static List<Object> afterNulls(List<Object> values) {
    List<Object> all = new ArrayList<>();
    for (Object value : values) {
      all.add(null);
      all.add(value);
    }
    return all;
  }

  private static Map<String, Object> byKey(List<Object> values) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (Object value : values) {
      map.put("key " + map.size(), value);
    }
    return map;
  }

  private Pair inRecord(String name, Pair pair) {
    Schema text = Schema.create(Schema.Type.STRING);
    Schema number = Schema.create(Schema.Type.LONG);
    Schema writer = holder(field("before", text), field("tried", pair.writer()), field("after", number));
    Schema reader =
        this == SKIPPED ? holder(field("after", number)) : holder(field("after", number), field("tried", pair.reader()));
    List<Object> values = new ArrayList<>();
    for (Object value : pair.values()) {
      GenericData.Record record = new GenericData.Record(writer);
      record.put("before", "skipped");
      record.put("tried", value);
      record.put("after", 1000L + values.size());
      values.add(record);
    }
    return new Pair(name, writer, reader, values);
  }

  private static Schema holder(Schema.Field... fields) {
    return Schema.createRecord("Holder", null, null, false, Arrays.asList(fields));
  }

  private static Schema.Field field(String name, Schema schema) {
    return new Schema.Field(name, schema);
  }
}
