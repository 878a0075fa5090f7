/* Values inside a network as they are computed: for tools that calibrate, compare or debug.
 * Beside dragoman.h, and not part of the stable interface: names of values follow the model file (schema/README.md).
 */
#ifndef DRAGOMAN_OBSERVE_H_
#define DRAGOMAN_OBSERVE_H_

/* This is C, whatever the file that includes it is. NOLINTBEGIN(modernize-*,readability-identifier-naming) */

#include "dragoman/dragoman.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dragoman_observer {
  void* user;
  /* The result of one node: [rows, width] f32, `stride` floats from row to row, valid during the call. Called in the
   * thread that translates, which waits. Must not be null. */
  void (*value)(void* user, const char* name, const float* data, size_t rows, size_t width, size_t stride);
} dragoman_observer;

/* Shows `observer` every value that the session computes in f32 from now on (results that exist as int8 rows only are
 * not shown; a model of f32 weights shows all). Copied; null ends it. Not during a call that translates. */
DRAGOMAN_API void dragoman_session_observe(dragoman_session* session, const dragoman_observer* observer);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-*,readability-identifier-naming) */
#endif /* DRAGOMAN_OBSERVE_H_ */
