/* The operations of a language. The machine that runs them is one program for all languages. */
#ifndef REALTIME_OPERATIONS_H
#define REALTIME_OPERATIONS_H

#include <stddef.h>
#include <stdint.h>

/* How many fill levels there are: the input and the output of an operation lie in the slot of that
 * number, and so many slots of its arena are taken. */
#define REALTIME_LEVELS 64

#ifdef __cplusplus
extern "C" {
#endif

/* An operation returns a number made of all that it has read or written, the same each time: 0
 * where it was refused. */
struct realtime_operation {
    const char* name;
    uint64_t (*run)(void* state);
};

/* Makes the state of a thread, with all memory that operations use but `untouched`: pages for the
 * fault that touches one each time. It is null where the state can't be made. */
void* realtime_prepare(unsigned char* untouched);

/* Says at which fill level the next operation runs. */
void realtime_fill(void* state, size_t level);

/* The operations, and faults that a real-time thread must not have. Both lists end with one that
 * has no name. */
const struct realtime_operation* realtime_operations(void);
const struct realtime_operation* realtime_faults(void);

#ifdef __cplusplus
}
#endif

#endif
