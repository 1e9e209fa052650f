package org.arrowfeed.reference;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;

/** Datums of any schema, the same for the same seed, with the awkward values of each type among them. */
final class RandomDatum {
  private static final int[] INTS = {0, -1, 63, 64, -64, -65, 8191, 8192, Integer.MAX_VALUE, Integer.MIN_VALUE};
  private static final long[] LONGS = {
    0, -1, 1L << 34, -(1L << 34) - 1, (1L << 53) + 1, 1L << 55, 1L << 62, Long.MAX_VALUE, Long.MIN_VALUE
  };
  private static final float[] FLOATS = {
    0f, -0f, 0.1f, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.MIN_VALUE, Float.MAX_VALUE
  };
  private static final double[] DOUBLES = {
    0, -0.0, 0.1, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.MIN_VALUE, Double.MAX_VALUE
  };
  private static final String[] STRINGS = {
    "", "a", "na\u00efve", "\u20ac", "\ud83c\udf32", "nul \u0000 inside", "x".repeat(100)
  };
  private static final long DAY_MILLIS = 86_400_000L;

  private final Random random;
  private final int maxItems;
  private int depth;

  /** Arrays and maps have up to {@code maxItems} items, fewer the deeper they are. */
  RandomDatum(long seed, int maxItems) {
    this.random = new Random(seed);
    this.maxItems = maxItems;
  }

  Object of(Schema schema) {
    LogicalType logical = schema.getLogicalType();
    Object datum = logical == null ? null : ofLogical(logical, schema);
    return datum != null ? datum : ofBase(schema);
  }

  private Object ofBase(Schema schema) {
    return switch (schema.getType()) {
      case NULL -> null;
      case BOOLEAN -> random.nextBoolean();
      case INT -> awkward() ? INTS[random.nextInt(INTS.length)] : random.nextInt();
      case LONG -> awkward() ? LONGS[random.nextInt(LONGS.length)] : random.nextLong();
      case FLOAT -> awkward() ? FLOATS[random.nextInt(FLOATS.length)] : random.nextFloat();
      case DOUBLE -> awkward() ? DOUBLES[random.nextInt(DOUBLES.length)] : random.nextGaussian();
      case STRING -> awkward() ? STRINGS[random.nextInt(STRINGS.length)] : "row " + random.nextInt();
      case BYTES -> ByteBuffer.wrap(randomBytes(random.nextInt(20)));
      case FIXED -> new GenericData.Fixed(schema, randomBytes(schema.getFixedSize()));
      case ENUM -> new GenericData.EnumSymbol(schema, pick(schema.getEnumSymbols()));
      case ARRAY -> array(schema);
      case MAP -> map(schema);
      case RECORD -> record(schema);
      case UNION -> union(schema);
    };
  }

  /** Logical types whose values are only some of the values of their base type; the others give null. */
  private Object ofLogical(LogicalType logical, Schema schema) {
    switch (logical.getName()) {
      case "time-millis":
        return random.nextInt((int) DAY_MILLIS);
      case "time-micros":
        return random.nextLong(DAY_MILLIS * 1000);
      case "decimal":
        return decimal(((LogicalTypes.Decimal) logical).getPrecision(), schema);
      case "uuid":
        return schema.getType() == Schema.Type.STRING ? uuid() : null;
      case "duration":
        return duration(schema);
      default:
        return null;
    }
  }

  private Object decimal(int precision, Schema schema) {
    BigInteger bound = BigInteger.TEN.pow(precision);
    BigInteger unscaled = awkward() ? bound.subtract(BigInteger.ONE) : new BigInteger(bound.bitLength(), random).mod(bound);
    byte[] minimal = (random.nextBoolean() ? unscaled : unscaled.negate()).toByteArray();
    if (schema.getType() == Schema.Type.FIXED) {
      return new GenericData.Fixed(schema, signExtended(minimal, schema.getFixedSize()));
    }
    // Longer than needed is legal in bytes too.
    return ByteBuffer.wrap(awkward() ? signExtended(minimal, minimal.length + 3) : minimal);
  }

  private static byte[] signExtended(byte[] minimal, int size) {
    byte[] bytes = new byte[size];
    Arrays.fill(bytes, (byte) (minimal[0] < 0 ? -1 : 0));
    System.arraycopy(minimal, 0, bytes, size - minimal.length, minimal.length);
    return bytes;
  }

  private String uuid() {
    String text = new UUID(random.nextLong(), random.nextLong()).toString();
    return awkward() ? text.toUpperCase(Locale.ROOT) : text;
  }

  /** Parts that fit a signed int, which is what Arrow's interval holds. */
  private Object duration(Schema schema) {
    ByteBuffer parts = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
    for (int part = 0; part < 3; part++) {
      parts.putInt(random.nextInt() & Integer.MAX_VALUE);
    }
    return new GenericData.Fixed(schema, parts.array());
  }

  private Object array(Schema schema) {
    int items = items();
    List<Object> array = new ArrayList<>();
    depth += 1;
    for (int item = 0; item < items; item++) {
      array.add(of(schema.getElementType()));
    }
    depth -= 1;
    return array;
  }

  private Object map(Schema schema) {
    int items = items();
    Map<String, Object> map = new LinkedHashMap<>();
    depth += 1;
    for (int item = 0; item < items; item++) {
      map.put(awkward() ? STRINGS[random.nextInt(STRINGS.length)] : "key " + item, of(schema.getValueType()));
    }
    depth -= 1;
    return map;
  }

  private Object record(Schema schema) {
    GenericData.Record record = new GenericData.Record(schema);
    depth += 1;
    for (Schema.Field field : schema.getFields()) {
      record.put(field.pos(), of(field.schema()));
    }
    depth -= 1;
    return record;
  }

  /** Deep down, the null branch where there is one: that is where recursive types end. */
  private Object union(Schema schema) {
    if (depth > 6 && schema.isNullable()) {
      return null;
    }
    return of(pick(schema.getTypes()));
  }

  private int items() {
    return random.nextInt(Math.max(1, (maxItems >> depth) + 2));
  }

  private boolean awkward() {
    return random.nextInt(4) == 0;
  }

  private byte[] randomBytes(int size) {
    byte[] bytes = new byte[size];
    random.nextBytes(bytes);
    return bytes;
  }

  private <T> T pick(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
