/*
 * arrowfeed: Avro, Parquet, Arrow IPC, TFRecord, CSV and JSON Lines files as Arrow record batches and tensors.
 *
 * docs/c.md has the options and complete programs.
 *
 * Rules of all functions:
 *
 * - A function that can fail returns 0, or the kind of the error: one of ARROWFEED_ERROR_.... If `error` is not NULL, it
 *   receives NULL or a new error, which arrowfeed_error_free frees. `out` receives NULL, a released struct or 0 if the
 *   function fails.
 * - Texts are UTF-8. Each text argument has a length in bytes, or ARROWFEED_NUL_TERMINATED. Texts that a function stores in
 *   `out` end with NUL, and belong to the caller, who does not change them and frees them with arrowfeed_string_free. Texts that
 *   a function returns belong to the object from which they come.
 * - `cancel` may be NULL. It is needed only during the call: the stream that is made goes on after it was freed.
 * - A dataset, an error, a batch of tensors and a cancel handle may be used by several threads at once. A stream may be used by
 *   one thread at a time, which need not be the same each time; a call of a second thread is an error.
 * - An error ends a stream: the next call finds its end, unless a state is loaded. A program that goes on after an error has not
 *   read all rows.
 * - NULL is an error where a pointer is required. The functions named ..._free accept it.
 * - No exception and no panic leaves a function. A defect of the library is an error of kind ARROWFEED_ERROR_INTERNAL.
 * - After a fork, a child process may not use objects of its parent.
 */
#ifndef ARROWFEED_H
#define ARROWFEED_H

#include <stddef.h>
#include <stdint.h>

/* The version of the interface. A library with the same or a higher number has all that this header declares. */
#define ARROWFEED_ABI_VERSION 1

/* The length of a text that ends with NUL. */
#define ARROWFEED_NUL_TERMINATED ((size_t)-1)

/* Kinds of errors. Their meanings are those of https://docs.rs/arrowfeed/latest/arrowfeed/enum.FeedErrorKind.html. */
#define ARROWFEED_ERROR_IO 1
#define ARROWFEED_ERROR_FORMAT 2
#define ARROWFEED_ERROR_TRUNCATED 3
#define ARROWFEED_ERROR_CORRUPT_BLOCK 4
#define ARROWFEED_ERROR_CODEC 5
#define ARROWFEED_ERROR_SCHEMA 6
#define ARROWFEED_ERROR_OPTIONS 7
#define ARROWFEED_ERROR_CONVERSION 8
#define ARROWFEED_ERROR_LIMIT 9
#define ARROWFEED_ERROR_CHANGED 10
#define ARROWFEED_ERROR_CANCELLED 11
#define ARROWFEED_ERROR_INTERNAL 12
/* A tensor cannot be made from the columns. */
#define ARROWFEED_ERROR_REPRESENTATION 13
/* A text is not a state, or the state is that of other options. */
#define ARROWFEED_ERROR_STATE 14
/* An argument is NULL, is not UTF-8, or is in use by another thread. */
#define ARROWFEED_ERROR_ARGUMENT 15

/* Kinds of tensors. */
#define ARROWFEED_TENSOR_DENSE 1
#define ARROWFEED_TENSOR_SPARSE 2
#define ARROWFEED_TENSOR_RAGGED 3

/* Parts of tensors. */
/* The values: of a dense tensor in its shape, of others in their flat shape. Those of byte strings are their bytes, uint8. */
#define ARROWFEED_PART_VALUES 1
/* Of byte strings: where each string begins in the bytes, and where the last one ends, int64. */
#define ARROWFEED_PART_OFFSETS 2
/* Of sparse tensors: int64 [values, dimensions]. */
#define ARROWFEED_PART_INDICES 3
/* Of sparse tensors: int64 [dimensions]. */
#define ARROWFEED_PART_DENSE_SHAPE 4
/* Of ragged tensors: int32 or int64 row splits of a level, from 0, the outermost. */
#define ARROWFEED_PART_ROW_SPLITS 5

#ifdef __cplusplus
extern "C" {
#endif

/* The structs of Arrow's C data interface and of its C stream interface, which other headers may define too. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};

#endif /* ARROW_C_DATA_INTERFACE */

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
  const char *(*get_last_error)(struct ArrowArrayStream *);
  void (*release)(struct ArrowArrayStream *);
  void *private_data;
};

#endif /* ARROW_C_STREAM_INTERFACE */

/*
 * The struct of DLPack, version 1, whose definition is in dlpack.h. A program without that header defines
 * ARROWFEED_DEFINE_DLPACK before it includes this one.
 */
struct DLManagedTensorVersioned;

#ifdef ARROWFEED_DEFINE_DLPACK

typedef struct {
  int32_t device_type; /* 1: CPU */
  int32_t device_id;
} DLDevice;

typedef struct {
  uint8_t code; /* 0: int, 1: uint, 2: float, 6: bool */
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; /* in elements */
  uint64_t byte_offset;
} DLTensor;

typedef struct {
  uint32_t major;
  uint32_t minor;
} DLPackVersion;

typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *self);
  uint64_t flags; /* 1: read-only, 2: copied */
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

#endif /* ARROWFEED_DEFINE_DLPACK */

typedef struct arrowfeed_dataset arrowfeed_dataset;
typedef struct arrowfeed_error arrowfeed_error;
typedef struct arrowfeed_cancel_handle arrowfeed_cancel_handle;
typedef struct arrowfeed_tensor_stream arrowfeed_tensor_stream;
typedef struct arrowfeed_tensor_batch arrowfeed_tensor_batch;

/* ---- versions, texts */

/* The version of the library, such as "0.1.0". */
const char *arrowfeed_version(void);

/* The version of the interface that the library has. Compare it with ARROWFEED_ABI_VERSION. */
uint32_t arrowfeed_abi_version(void);

/* Frees a text that a function stored in `out`. */
void arrowfeed_string_free(char *text);

/* ---- errors. The functions accept NULL, which is an error without a place. */

/* The kind; 0 for NULL. */
int arrowfeed_error_kind(const arrowfeed_error *error);

/* The name of a kind, such as "corrupt block". */
const char *arrowfeed_error_kind_name(int kind);

/* The whole message, with the place. */
const char *arrowfeed_error_message(const arrowfeed_error *error);

/* The file as the caller named it, the path of the field, and the name of the exceeded limit; NULL if there is none. */
const char *arrowfeed_error_file(const arrowfeed_error *error);
const char *arrowfeed_error_field(const arrowfeed_error *error);
const char *arrowfeed_error_limit(const arrowfeed_error *error);

/*
 * The number of the block in the file and of the record in the block, from 0, and the byte offset in the file; -1 if unknown. The
 * record of an error of a tensor is the row of the batch.
 */
int64_t arrowfeed_error_block(const arrowfeed_error *error);
int64_t arrowfeed_error_record(const arrowfeed_error *error);
int64_t arrowfeed_error_offset(const arrowfeed_error *error);

/* The error number of the system, such as ENOENT; 0 if there is none. */
int arrowfeed_error_errno(const arrowfeed_error *error);

void arrowfeed_error_free(arrowfeed_error *error);

/* ---- cancellation */

arrowfeed_cancel_handle *arrowfeed_cancel_new(void);

/*
 * Cancels the calls and streams that received the handle, also those that receive it later: within about 20 ms they fail with
 * ARROWFEED_ERROR_CANCELLED. Any thread and any signal handler may call it.
 */
void arrowfeed_cancel(const arrowfeed_cancel_handle *cancel);

/* Frees the handle, also while streams that received it exist. Does not cancel them. */
void arrowfeed_cancel_free(arrowfeed_cancel_handle *cancel);

/* ---- datasets */

/* Opens files. `options` is a JSON object; only `paths` is required: {"paths": ["clicks-*.avro"]}. */
int arrowfeed_open(const char *options, size_t options_len, const arrowfeed_cancel_handle *cancel, arrowfeed_dataset **out,
                   arrowfeed_error **error);

/* Frees a dataset, also while its streams exist. */
void arrowfeed_dataset_free(arrowfeed_dataset *dataset);

/* Exports the schema of the record batches. The caller releases it. */
int arrowfeed_schema(const arrowfeed_dataset *dataset, struct ArrowSchema *out, arrowfeed_error **error);

/* Counts the rows. The first call opens all files. */
int arrowfeed_count(const arrowfeed_dataset *dataset, const arrowfeed_cancel_handle *cancel, uint64_t *out,
                    arrowfeed_error **error);

/* The counts of all streams of arrowfeed_read and arrowfeed_tensors, and the parts that they skipped: a JSON object. */
int arrowfeed_report(const arrowfeed_dataset *dataset, char **out, arrowfeed_error **error);

/* Iterates over the record batches. `options` is a JSON object, or NULL for the defaults. The caller releases the stream. */
int arrowfeed_read(const arrowfeed_dataset *dataset, const char *options, size_t options_len,
                   const arrowfeed_cancel_handle *cancel, struct ArrowArrayStream *out, arrowfeed_error **error);

/* Divides the files into byte ranges of about `target_bytes`: a JSON array of objects, which several processes can read. */
int arrowfeed_plan_splits(const arrowfeed_dataset *dataset, uint64_t target_bytes, const arrowfeed_cancel_handle *cancel,
                          char **out, arrowfeed_error **error);

/* Reads the record batches of a split: one of the objects of arrowfeed_plan_splits. `options` is a JSON object, or NULL. */
int arrowfeed_read_split(const arrowfeed_dataset *dataset, const char *split, size_t split_len, const char *options,
                         size_t options_len, const arrowfeed_cancel_handle *cancel, struct ArrowArrayStream *out,
                         arrowfeed_error **error);

/* ---- streams of this library, until they are released */

/*
 * A copy of the error of the last call of the stream's functions, with its kind and place; NULL if that call had none. While
 * another thread uses the stream, the functions of the struct return EBUSY, and this one an error of kind ARROWFEED_ERROR_ARGUMENT.
 */
arrowfeed_error *arrowfeed_stream_error(const struct ArrowArrayStream *stream);

/* The counts of the stream so far, and the parts that it skipped: a JSON object. */
int arrowfeed_stream_report(const struct ArrowArrayStream *stream, char **out, arrowfeed_error **error);

/* The position of a stream of arrowfeed_read after its last record batch. */
int arrowfeed_stream_state(const struct ArrowArrayStream *stream, char **out, arrowfeed_error **error);

/* Moves a stream of arrowfeed_read to a position of a stream with the same files and options. */
int arrowfeed_stream_load_state(struct ArrowArrayStream *stream, const char *state, size_t state_len,
                                arrowfeed_error **error);

/* ---- tensors */

/* The names, kinds, types and shapes of the tensors: a JSON array. */
int arrowfeed_tensor_specs(const arrowfeed_dataset *dataset, char **out, arrowfeed_error **error);

/* Iterates over the tensors. `options` is a JSON object with the same keys as that of arrowfeed_read, or NULL. */
int arrowfeed_tensors(const arrowfeed_dataset *dataset, const char *options, size_t options_len,
                      const arrowfeed_cancel_handle *cancel, arrowfeed_tensor_stream **out, arrowfeed_error **error);

/* The tensors of the next batch; NULL at the end. */
int arrowfeed_tensor_stream_next(arrowfeed_tensor_stream *stream, arrowfeed_tensor_batch **out, arrowfeed_error **error);

/* The position after the last batch, and the way back to it. */
int arrowfeed_tensor_stream_state(const arrowfeed_tensor_stream *stream, char **out, arrowfeed_error **error);
int arrowfeed_tensor_stream_load_state(arrowfeed_tensor_stream *stream, const char *state, size_t state_len,
                                       arrowfeed_error **error);

void arrowfeed_tensor_stream_free(arrowfeed_tensor_stream *stream);

/*
 * The tensors of a batch, by their index. The fields of a structured tensor `a` are tensors with names such as `a.b`.
 * Without a tensor of the index, the functions return 0 or NULL.
 */
size_t arrowfeed_tensor_count(const arrowfeed_tensor_batch *batch);
const char *arrowfeed_tensor_name(const arrowfeed_tensor_batch *batch, size_t index);
int arrowfeed_tensor_kind(const arrowfeed_tensor_batch *batch, size_t index);

/* The shape of the values, and its number of dimensions, unless `rank` is NULL. The batch owns the numbers. */
const int64_t *arrowfeed_tensor_shape(const arrowfeed_tensor_batch *batch, size_t index, size_t *rank);

/* The number of levels of row splits; 0 if the tensor is not ragged. */
size_t arrowfeed_tensor_row_splits(const arrowfeed_tensor_batch *batch, size_t index);

/*
 * Hands over a part, one of ARROWFEED_PART_..., in memory of the CPU and in row-major order. `level` is that of row splits, and
 * otherwise 0. The caller calls its deleter; the part stays valid after the batch was freed. Its memory has the alignment of its
 * elements. Numbers are not copied, and read-only. Bools are copied to bytes. Each call makes the bytes and the offsets of byte
 * strings anew if the batch has them in another form.
 */
int arrowfeed_tensor_part(const arrowfeed_tensor_batch *batch, size_t index, int part, size_t level,
                          struct DLManagedTensorVersioned **out, arrowfeed_error **error);

void arrowfeed_tensor_batch_free(arrowfeed_tensor_batch *batch);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ARROWFEED_H */
