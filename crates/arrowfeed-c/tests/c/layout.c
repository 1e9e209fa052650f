/* The structs of the header have the sizes of those of the library, which `tests/it/interface.rs` checks in Rust. */
#define ARROWFEED_DEFINE_DLPACK
#include <arrowfeed.h>

_Static_assert(sizeof(void *) == 8, "the sizes are those of a 64-bit system");
_Static_assert(sizeof(struct ArrowSchema) == 72, "ArrowSchema");
_Static_assert(sizeof(struct ArrowArray) == 80, "ArrowArray");
_Static_assert(sizeof(struct ArrowArrayStream) == 40, "ArrowArrayStream");
_Static_assert(sizeof(DLTensor) == 48, "DLTensor");
_Static_assert(sizeof(DLManagedTensorVersioned) == 80, "DLManagedTensorVersioned");
