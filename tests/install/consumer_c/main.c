/* Uses the installed C interface as a program of somebody else would. Neighbour: check_consumer.sh builds and runs it.
 * Usage: consumer [MODEL]. Without a model only errors are looked at. */
#include <dragoman/dragoman.h>
#include <stdio.h>
#include <string.h>

static int fail(const char* what, const char* detail) {
  fprintf(stderr, "consumer: %s: %s\n", what, detail);
  return 1;
}

static int check_errors(void) {
  dragoman_model* model = NULL;
  dragoman_error error = {DRAGOMAN_OK, ""};
  const dragoman_code code = dragoman_model_open("no-such-file.drg", NULL, &model, &error);
  if (strlen(dragoman_version()) == 0) return fail("version", "empty");
  if (code == DRAGOMAN_OK || model != NULL) return fail("a missing file", "was opened");
  if (error.code != code || strstr(error.message, "no-such-file.drg") == NULL) {
    return fail("the message does not name the file", error.message);
  }
  return 0;
}

static int check_translation(const char* path) {
  static const char kText[] = "How are you today?";
  dragoman_model* model = NULL;
  dragoman_session* session = NULL;
  dragoman_error error = {DRAGOMAN_OK, ""};
  char out[256];
  size_t bytes = 0;
  if (dragoman_model_open(path, NULL, &model, &error) != DRAGOMAN_OK) return fail("open", error.message);
  if (dragoman_session_create(model, NULL, NULL, 0, &session, &error) != DRAGOMAN_OK) {
    return fail("create", error.message);
  }
  if (dragoman_translate_text(session, kText, strlen(kText), NULL, out, sizeof out, &bytes, &error) != DRAGOMAN_OK) {
    return fail("translate", error.message);
  }
  printf("%.*s\n", (int)bytes, out);
  if (bytes == 0 || bytes > sizeof out) return fail("translate", "no text");
  /* A buffer that is too small is told the size it should have. */
  if (dragoman_translate_text(session, kText, strlen(kText), NULL, out, 3, &bytes, &error) != DRAGOMAN_LIMIT ||
      bytes <= 3) {
    return fail("a small buffer", "was not refused");
  }
  dragoman_session_destroy(session);
  dragoman_model_close(model);
  return 0;
}

int main(int argc, char** argv) {
  const int failed = check_errors();
  if (failed != 0 || argc < 2) return failed;
  return check_translation(argv[1]);
}
