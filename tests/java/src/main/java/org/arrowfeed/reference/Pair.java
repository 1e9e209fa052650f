package org.arrowfeed.reference;

import java.util.Collections;
import java.util.List;
import org.apache.avro.Schema;

/** A writer's schema with values of it, at least one, and the schema that a reader asks for. */
record Pair(String name, Schema writer, Schema reader, List<Object> values) {
  Pair {
    if (values.isEmpty()) {
      throw new IllegalArgumentException(name + ": expected at least one value, or errors could not show");
    }
    values = Collections.unmodifiableList(values);
  }
}
