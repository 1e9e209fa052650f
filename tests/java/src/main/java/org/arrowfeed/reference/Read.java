package org.arrowfeed.reference;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericDatumReader;

/** A program: reads the Avro files of a folder, which another library wrote, and saves their values beside them. */
public final class Read {
  private Read() {}

  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 1) {
      System.err.println("expected one argument, the folder, found " + arguments.length);
      System.exit(2);
    }
    int files = 0;
    try (var paths = Files.newDirectoryStream(Path.of(arguments[0]), "*.avro")) {
      for (Path path : paths) {
        String name = path.getFileName().toString().replaceFirst("\\.avro$", ".json");
        PlainJson.save(path.resolveSibling(name), read(path));
        files += 1;
      }
    }
    System.out.println(files + " files read");
  }

  /** Values, or Java's message where it refuses the file. */
  private static ObjectNode read(Path path) {
    ObjectNode found = PlainJson.MAPPER.createObjectNode();
    try (var reader = new DataFileReader<>(path.toFile(), new GenericDatumReader<>())) {
      Schema schema = reader.getSchema();
      ArrayNode values = PlainJson.MAPPER.createArrayNode();
      while (reader.hasNext()) {
        values.add(PlainJson.of(schema, reader.next()));
      }
      found.put("codec", reader.getMetaString("avro.codec"));
      found.set("values", values);
    } catch (IOException | RuntimeException e) {
      found.put("error", e.toString());
    }
    return found;
  }
}
