package org.arrowfeed.reference;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.io.DecoderFactory;

/** The written-down pairs, from {@code resources/pairs/}; their values are in the specification's JSON encoding. */
final class Pairs {
  private static final List<String> TOPICS =
      List.of(
          "promotion", "fields", "defaults", "aliases", "enums", "unions", "single_and_union", "names", "nested",
          "incompatible");

  private Pairs() {}

  static List<Pair> all() throws IOException {
    List<Pair> pairs = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (String topic : TOPICS) {
      for (JsonNode line : read(topic)) {
        Pair pair = pair(topic, line);
        if (!names.add(pair.name())) {
          throw new IllegalArgumentException("expected one pair of each name, found two of " + pair.name());
        }
        pairs.add(pair);
      }
    }
    return pairs;
  }

  private static JsonNode read(String topic) throws IOException {
    try (InputStream json = Pairs.class.getResourceAsStream("/pairs/" + topic + ".json")) {
      return PlainJson.MAPPER.readTree(json);
    }
  }

  private static Pair pair(String topic, JsonNode line) throws IOException {
    Schema writer = new Schema.Parser().parse(line.get("writer").toString());
    Schema reader = new Schema.Parser().parse(line.get("reader").toString());
    List<Object> values = new ArrayList<>();
    for (JsonNode value : line.get("values")) {
      values.add(new GenericDatumReader<>(writer).read(null, DecoderFactory.get().jsonDecoder(writer, value.toString())));
    }
    return new Pair(topic + "_" + line.get("name").asText(), writer, reader, values);
  }
}
