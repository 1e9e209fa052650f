/*
 * Prints the tensors of the first batch of files, as the library infers them from the columns:
 *
 *     tensors BATCH_SIZE PATH
 */
#define ARROWFEED_DEFINE_DLPACK
#include <arrowfeed.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed(arrowfeed_error *error) {
  fprintf(stderr, "%s\n", arrowfeed_error_message(error));
  arrowfeed_error_free(error);
  return 1;
}

/* Prints the type and the shape of a part, and frees it. */
static int print_part(const arrowfeed_tensor_batch *batch, size_t index, const char *name, int part, size_t level) {
  static const char *codes[] = {"int", "uint", "float", "?", "?", "?", "bool"};
  DLManagedTensorVersioned *managed;
  arrowfeed_error *error;
  if (arrowfeed_tensor_part(batch, index, part, level, &managed, &error)) return failed(error);
  DLTensor *tensor = &managed->dl_tensor;
  printf("  %s: %s%d [", name, codes[tensor->dtype.code], tensor->dtype.bits);
  for (int32_t i = 0; i < tensor->ndim; i++) printf(i ? ", %" PRId64 : "%" PRId64, tensor->shape[i]);
  printf("]\n");
  managed->deleter(managed);
  return 0;
}

static int print_tensor(const arrowfeed_tensor_batch *batch, size_t index) {
  static const char *kinds[] = {"", "dense", "sparse", "ragged"};
  int kind = arrowfeed_tensor_kind(batch, index);
  printf("%s: %s\n", arrowfeed_tensor_name(batch, index), kinds[kind]);
  if (print_part(batch, index, "values", ARROWFEED_PART_VALUES, 0)) return 1;
  if (kind == ARROWFEED_TENSOR_SPARSE) {
    if (print_part(batch, index, "indices", ARROWFEED_PART_INDICES, 0)) return 1;
    if (print_part(batch, index, "dense shape", ARROWFEED_PART_DENSE_SHAPE, 0)) return 1;
  }
  for (size_t level = 0; level < arrowfeed_tensor_row_splits(batch, index); level++)
    if (print_part(batch, index, "row splits", ARROWFEED_PART_ROW_SPLITS, level)) return 1;
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 3 || strpbrk(argv[2], "\"\\")) {
    fprintf(stderr, "usage: tensors BATCH_SIZE PATH\n");
    return 2;
  }
  char options[4096];
  arrowfeed_error *error;
  arrowfeed_dataset *dataset;
  snprintf(options, sizeof options, "{\"paths\": \"%s\"}", argv[2]);
  if (arrowfeed_open(options, ARROWFEED_NUL_TERMINATED, NULL, &dataset, &error)) return failed(error);

  arrowfeed_tensor_stream *stream;
  snprintf(options, sizeof options, "{\"batch_size\": %d}", atoi(argv[1]));
  int kind = arrowfeed_tensors(dataset, options, ARROWFEED_NUL_TERMINATED, NULL, &stream, &error);
  arrowfeed_dataset_free(dataset);
  if (kind) return failed(error);

  arrowfeed_tensor_batch *batch;
  kind = arrowfeed_tensor_stream_next(stream, &batch, &error);
  arrowfeed_tensor_stream_free(stream);
  if (kind) return failed(error);
  int result = 0;
  for (size_t i = 0; !result && i < arrowfeed_tensor_count(batch); i++) result = print_tensor(batch, i);
  arrowfeed_tensor_batch_free(batch);
  return result;
}
