/*
 * Reads an integer or floating-point column of files, and prints the number of rows and the sum of the column:
 *
 *     read COLUMN PATH...
 *
 * A path may be a glob or a URL. Prints an error with its kind and place, and returns 1, if a file is invalid.
 */
#include <arrowfeed.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints an error and frees it. */
static int failed(arrowfeed_error *error) {
  fprintf(stderr, "%s error", arrowfeed_error_kind_name(arrowfeed_error_kind(error)));
  if (arrowfeed_error_block(error) >= 0) fprintf(stderr, " in block %" PRId64, arrowfeed_error_block(error));
  if (arrowfeed_error_record(error) >= 0) fprintf(stderr, ", record %" PRId64, arrowfeed_error_record(error));
  if (arrowfeed_error_offset(error) >= 0) fprintf(stderr, ", at byte %" PRId64, arrowfeed_error_offset(error));
  fprintf(stderr, ": %s\n", arrowfeed_error_message(error));
  arrowfeed_error_free(error);
  return 1;
}

/* Appends a JSON string. Returns the end of the text. */
static char *append_string(char *end, const char *text) {
  *end++ = '"';
  for (; *text; text++) {
    unsigned char byte = (unsigned char)*text;
    if (byte == '"' || byte == '\\' || byte < 0x20) {
      end += sprintf(end, "\\u%04x", byte);
    } else {
      *end++ = (char)byte;
    }
  }
  *end++ = '"';
  return end;
}

/* The options: {"columns": [COLUMN], "paths": [PATH, ...]}. */
static char *options_of(const char *column, char **paths, int count) {
  size_t size = 64 + 6 * strlen(column);
  for (int i = 0; i < count; i++) size += 6 * strlen(paths[i]) + 8;
  char *options = malloc(size);
  if (!options) abort();
  char *end = options + sprintf(options, "{\"columns\": [");
  end = append_string(end, column);
  end += sprintf(end, "], \"paths\": [");
  for (int i = 0; i < count; i++) {
    if (i) *end++ = ',';
    end = append_string(end, paths[i]);
  }
  strcpy(end, "]}");
  return options;
}

static int is_valid(const struct ArrowArray *array, int64_t row) {
  const uint8_t *validity = array->buffers[0];
  int64_t bit = array->offset + row;
  return !validity || (validity[bit / 8] >> (bit % 8) & 1);
}

/* Adds the values that are not null. `format` is that of Arrow's C data interface. */
static double sum(const struct ArrowArray *array, char format) {
  double total = 0;
  for (int64_t row = 0; row < array->length; row++) {
    if (!is_valid(array, row)) continue;
    int64_t place = array->offset + row;
    switch (format) {
      case 'i': total += ((const int32_t *)array->buffers[1])[place]; break;
      case 'l': total += (double)((const int64_t *)array->buffers[1])[place]; break;
      case 'f': total += ((const float *)array->buffers[1])[place]; break;
      case 'g': total += ((const double *)array->buffers[1])[place]; break;
    }
  }
  return total;
}

static int read_stream(struct ArrowArrayStream *stream, const char *column) {
  struct ArrowSchema schema;
  if (stream->get_schema(stream, &schema)) return failed(arrowfeed_stream_error(stream));
  const char *format = schema.children[0]->format;
  char kind = strlen(format) == 1 && strchr("ilfg", format[0]) ? format[0] : 0;
  if (!kind) fprintf(stderr, "expected a column of numbers, found the Arrow format %s\n", format);
  schema.release(&schema);
  if (!kind) return 1;

  int64_t rows = 0;
  double total = 0;
  for (;;) {
    struct ArrowArray batch;
    if (stream->get_next(stream, &batch)) return failed(arrowfeed_stream_error(stream));
    if (!batch.release) break; /* the end */
    rows += batch.length;
    total += sum(batch.children[0], kind);
    batch.release(&batch);
  }
  printf("%" PRId64 " rows, sum of %s: %.17g\n", rows, column, total);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: read COLUMN PATH...\n");
    return 2;
  }
  if (arrowfeed_abi_version() < ARROWFEED_ABI_VERSION) {
    fprintf(stderr, "expected interface %d, found %u\n", ARROWFEED_ABI_VERSION, (unsigned)arrowfeed_abi_version());
    return 2;
  }
  arrowfeed_error *error;
  arrowfeed_dataset *dataset;
  char *options = options_of(argv[1], argv + 2, argc - 2);
  int kind = arrowfeed_open(options, ARROWFEED_NUL_TERMINATED, NULL, &dataset, &error);
  free(options);
  if (kind) return failed(error);

  struct ArrowArrayStream stream;
  kind = arrowfeed_read(dataset, NULL, 0, NULL, &stream, &error);
  arrowfeed_dataset_free(dataset); /* the stream does not need it */
  if (kind) return failed(error);
  int result = read_stream(&stream, argv[1]);
  stream.release(&stream);
  return result;
}
