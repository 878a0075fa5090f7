// C++17 wrapper over the C interface dragoman.h: owning handles, values or errors, no exceptions thrown by itself.
// Header only. Neighbours: dragoman.h below it, programs of the user and platforms/ above.
//
//   auto model = dragoman::Model::open("en-pt.drg");
//   if (!model) fail(model.error().message());
//   auto session = dragoman::Session::create(*model);
//   auto text = session->translate("How are you today?");
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dragoman/dragoman.h"

namespace dragoman {

using ModelOptions = dragoman_model_options;
using ModelInfo = dragoman_model_info;
using Language = dragoman_language;
using SessionOptions = dragoman_session_options;
using TranslateOptions = dragoman_translate_options;
using Memory = dragoman_memory;
using AttentionHead = dragoman_attention_head;
using Segment = dragoman_segment;
using InputEnd = dragoman_input_end;

// What went wrong: a code and a message that names the thing. Copying never allocates.
class Error {
 public:
  Error() = default;
  explicit Error(const dragoman_error& raw) : raw_(raw) {}

  bool ok() const { return raw_.code == DRAGOMAN_OK; }
  dragoman_code code() const { return raw_.code; }
  const char* message() const { return raw_.message; }

 private:
  dragoman_error raw_ = {};
};

// A value or the Error that explains its absence. Reading the value of a failed call is undefined.
template <typename T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : value_(std::move(value)) {}
  Expected(const Error& error) : error_(error) {}

  explicit operator bool() const { return value_.has_value(); }
  bool ok() const { return value_.has_value(); }
  const Error& error() const { return error_; }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Error error_;
};

// A mapped, shared, immutable model. Must outlive its sessions. Movable; const calls may run concurrently.
class Model {
 public:
  static ModelOptions default_options() { return dragoman_default_model_options(); }

  // Maps and verifies the file at `path`, which must not change while the model is open.
  static Expected<Model> open(const std::string& path, const ModelOptions& options = default_options()) {
    dragoman_model* model = nullptr;
    dragoman_error error = {};
    if (dragoman_model_open(path.c_str(), &options, &model, &error) != DRAGOMAN_OK) return Error(error);
    return Model(model);
  }

  // The same from memory: 64-byte aligned, borrowed until the model is destroyed.
  static Expected<Model> open_memory(const void* data, size_t bytes, const ModelOptions& options = default_options()) {
    dragoman_model* model = nullptr;
    dragoman_error error = {};
    if (dragoman_model_open_memory(data, bytes, &options, &model, &error) != DRAGOMAN_OK) return Error(error);
    return Model(model);
  }

  // Verifies the file as open() does, without packing its weights.
  static Error verify(const std::string& path, const ModelOptions& options = default_options()) {
    dragoman_error error = {};
    dragoman_model_verify(path.c_str(), &options, &error);
    return Error(error);
  }

  Model(Model&& other) noexcept : model_(std::exchange(other.model_, nullptr)) {}
  Model& operator=(Model&& other) noexcept {
    std::swap(model_, other.model_);
    return *this;
  }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  ~Model() { dragoman_model_close(model_); }

  const dragoman_model* get() const { return model_; }

  // Facts; the strings live as long as the model.
  ModelInfo info() const {
    ModelInfo info = {};
    dragoman_model_get_info(model_, &info);
    return info;
  }

  // All languages of a side; the strings live as long as the model.
  std::vector<Language> languages(dragoman_side side) const {
    std::vector<Language> list;
    Language language = {};
    while (dragoman_get_language(model_, side, list.size(), &language, nullptr) == DRAGOMAN_OK) {
      list.push_back(language);
    }
    return list;
  }

  // The language that `name` means to the model.
  Expected<Language> find_language(dragoman_side side, const std::string& name) const {
    Language language = {};
    dragoman_error error = {};
    if (dragoman_find_language(model_, side, name.c_str(), &language, &error) != DRAGOMAN_OK) return Error(error);
    return language;
  }

  // Bytes that a session with these options will use; nothing is allocated.
  Expected<Memory> required_memory(const SessionOptions& options) const {
    Memory memory = {};
    dragoman_error error = {};
    if (dragoman_required_memory(model_, &options, &memory, &error) != DRAGOMAN_OK) return Error(error);
    return memory;
  }

  // Text to ids, without an end token. Allocates.
  Expected<std::vector<int32_t>> tokenize(dragoman_side side, std::string_view text) const {
    std::vector<int32_t> ids(text.size() + 16);
    for (;;) {
      size_t count = 0;
      dragoman_error error = {};
      const dragoman_code code =
          dragoman_tokenize(model_, side, text.data(), text.size(), ids.data(), ids.size(), &count, &error);
      if (code == DRAGOMAN_LIMIT && count > ids.size()) {
        ids.resize(count);
        continue;
      }
      if (code != DRAGOMAN_OK) return Error(error);
      ids.resize(count);
      return ids;
    }
  }

  // Ids to text. Allocates.
  Expected<std::string> detokenize(dragoman_side side, const int32_t* ids, size_t count) const {
    std::string text(count * 8 + 16, '\0');
    for (;;) {
      size_t bytes = 0;
      dragoman_error error = {};
      const dragoman_code code =
          dragoman_detokenize(model_, side, ids, count, text.data(), text.size(), &bytes, &error);
      if (code == DRAGOMAN_LIMIT && bytes > text.size()) {
        text.resize(bytes);
        continue;
      }
      if (code != DRAGOMAN_OK) return Error(error);
      text.resize(bytes);
      return text;
    }
  }

  // The piece of an id; the view lives as long as the model.
  Expected<std::string_view> piece(dragoman_side side, int32_t id) const {
    const char* data = nullptr;
    size_t bytes = 0;
    dragoman_error error = {};
    if (dragoman_piece(model_, side, id, &data, &bytes, &error) != DRAGOMAN_OK) return Error(error);
    return std::string_view(data, bytes);
  }

  // `what`: "summary", "graph", "memory" (of a session with `options`), "tensors" or "languages".
  std::string describe(const char* what, const SessionOptions& options) const {
    std::string text(dragoman_describe(model_, what, &options, nullptr, 0) + 1, '\0');
    text.resize(dragoman_describe(model_, what, &options, text.data(), text.size()));
    return text;
  }

 private:
  explicit Model(dragoman_model* model) : model_(model) {}
  dragoman_model* model_ = nullptr;
};

// All that one caller at a time needs to translate; its memory is reserved by create(). Movable.
class Session {
 public:
  static SessionOptions default_options() { return dragoman_default_session_options(); }

  // `block`, when given, is 64-byte aligned and borrowed until the session is destroyed. `model` must outlive it.
  static Expected<Session> create(const Model& model, const SessionOptions& options = default_options(),
                                  void* block = nullptr, size_t block_bytes = 0) {
    dragoman_session* session = nullptr;
    dragoman_error error = {};
    const dragoman_code code = dragoman_session_create(model.get(), &options, block, block_bytes, &session, &error);
    if (code != DRAGOMAN_OK) return Error(error);
    return Session(session);
  }

  Session(Session&& other) noexcept : session_(std::exchange(other.session_, nullptr)) {}
  Session& operator=(Session&& other) noexcept {
    std::swap(session_, other.session_);
    return *this;
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { dragoman_session_destroy(session_); }

  dragoman_session* get() const { return session_; }

  // Bytes really used.
  Memory memory() const {
    Memory memory = {};
    dragoman_session_get_memory(session_, &memory);
    return memory;
  }

  static TranslateOptions default_translate_options() { return dragoman_default_translate_options(); }

  // One text, whole. Blocks; allocates only the returned string.
  Expected<std::string> translate(std::string_view text,
                                  const TranslateOptions& options = default_translate_options()) {
    std::string out;
    const dragoman_text input = {text.data(), text.size()};
    const Error error = translate(
        &input, 1, options,
        [&out](const Segment& segment) {
          if (segment.hypothesis > 0) return true;
          out.append(segment.gap_before, segment.gap_before_bytes).append(segment.text, segment.text_bytes);
          return true;
        },
        [&out](const InputEnd& end) {
          out.append(end.gap_after, end.gap_after_bytes);
          return true;
        });
    if (!error.ok()) return error;
    return out;
  }

  // Many texts. `on_segment(const Segment&)` and `on_end(const InputEnd&)` return false to cancel; results come in
  // input order and are valid during the call only. Blocks; allocates nothing.
  template <typename OnSegment, typename OnEnd>
  [[nodiscard]] Error translate(const dragoman_text* inputs, size_t num_inputs, const TranslateOptions& options,
                                OnSegment on_segment, OnEnd on_end) {
    Visitor<OnSegment, OnEnd> visitor = {on_segment, on_end};
    const dragoman_sink sink = visitor.sink();
    dragoman_error error = {};
    return failed(dragoman_translate(session_, inputs, num_inputs, &options, &sink, &error), error);
  }

  // The same from source ids, as the encoder is to see them.
  template <typename OnSegment, typename OnEnd>
  [[nodiscard]] Error translate_ids(const dragoman_ids* inputs, size_t num_inputs, const TranslateOptions& options,
                                    OnSegment on_segment, OnEnd on_end) {
    Visitor<OnSegment, OnEnd> visitor = {on_segment, on_end};
    const dragoman_sink sink = visitor.sink();
    dragoman_error error = {};
    return failed(dragoman_translate_ids(session_, inputs, num_inputs, &options, &sink, &error), error);
  }

  // Log-probabilities of given translations, one segment a pair. Needs a session with full_logits.
  template <typename OnSegment, typename OnEnd>
  [[nodiscard]] Error score(const dragoman_text* sources, const dragoman_text* targets, size_t num_pairs,
                            const TranslateOptions& options, OnSegment on_segment, OnEnd on_end) {
    Visitor<OnSegment, OnEnd> visitor = {on_segment, on_end};
    const dragoman_sink sink = visitor.sink();
    dragoman_error error = {};
    return failed(dragoman_score(session_, sources, targets, num_pairs, &options, &sink, &error), error);
  }

 private:
  template <typename OnSegment, typename OnEnd>
  struct Visitor {
    OnSegment& on_segment;
    OnEnd& on_end;

    dragoman_sink sink() {
      return {this,
              [](void* user, const dragoman_segment* segment) {
                return static_cast<bool>(static_cast<Visitor*>(user)->on_segment(*segment));
              },
              [](void* user, const dragoman_input_end* end) {
                return static_cast<bool>(static_cast<Visitor*>(user)->on_end(*end));
              }};
    }
  };

  static Error failed(dragoman_code code, const dragoman_error& error) {
    return code == DRAGOMAN_OK ? Error() : Error(error);
  }

  explicit Session(dragoman_session* session) : session_(session) {}
  dragoman_session* session_ = nullptr;
};

}  // namespace dragoman
