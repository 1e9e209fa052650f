package org.arrowfeed.reference;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The program: fills a folder with {@code files/} and {@code resolution/}. */
public final class Generate {
  private Generate() {}

  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 1) {
      System.err.println("expected one argument, the output folder, found " + arguments.length);
      System.exit(2);
    }
    Path out = Path.of(arguments[0]);
    Path folder = emptied(out.resolve("files"));
    List<FileCase> files = FileCases.all();
    for (FileCase file : files) {
      file.write(folder);
    }
    Path resolution = emptied(out.resolve("resolution"));
    List<Pair> pairs = Pairs.all();
    int number = 0;
    for (Pair pair : pairs) {
      for (Nesting nesting : Nesting.values()) {
        if (nesting.fits(pair)) {
          number += 1;
          Verdict.write(resolution, number, nesting.apply(pair));
        }
      }
    }
    System.out.println(files.size() + " files, " + pairs.size() + " pairs in " + number + " nestings");
  }

  /** Files of an earlier run would be tested as if they were of this one. */
  private static Path emptied(Path folder) throws IOException {
    Files.createDirectories(folder);
    try (var old = Files.newDirectoryStream(folder, "*.{avro,json}")) {
      for (Path path : old) {
        Files.delete(path);
      }
    }
    return folder;
  }
}
