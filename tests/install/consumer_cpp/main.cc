// Uses the installed C++ wrapper as a program of somebody else would. Neighbour: check_consumer.sh builds and runs it.
// Usage: consumer [MODEL]. Without a model only errors are looked at.
#include <cstdint>
#include <dragoman/dragoman.hpp>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace {

int fail(const std::string& what, const std::string& detail) {
  std::cerr << "consumer: " << what << ": " << detail << "\n";
  return 1;
}

int check_errors() {
  const dragoman::Expected<dragoman::Model> model = dragoman::Model::open("no-such-file.drg");
  if (model) return fail("a missing file", "was opened");
  const std::string message = model.error().message();
  if (message.find("no-such-file.drg") == std::string::npos) return fail("the message does not name the file", message);
  return 0;
}

// Ids of a text, back to the text.
int check_tokenizer(const dragoman::Model& model) {
  const auto ids = model.tokenize(DRAGOMAN_SOURCE, "Good morning");
  if (!ids || ids->empty()) return fail("tokenize", ids.error().message());
  const auto text = model.detokenize(DRAGOMAN_SOURCE, ids->data(), ids->size());
  if (!text || *text != "Good morning") return fail("detokenize", text ? *text : text.error().message());
  return model.piece(DRAGOMAN_SOURCE, ids->front()) ? 0 : fail("piece", "of a known id");
}

// Several inputs through the visitor: each ends once, in order.
int check_visitor(dragoman::Session* session) {
  const std::vector<std::string> texts = {"Hello.", "", "I like cats."};
  std::vector<dragoman_text> inputs;
  for (const std::string& text : texts) inputs.push_back({text.data(), text.size()});
  std::vector<size_t> ended;
  size_t generated = 0;
  const dragoman::Error error = session->translate(
      inputs.data(), inputs.size(), dragoman::Session::default_translate_options(),
      [&](const dragoman::Segment& segment) {
        generated += segment.num_ids;
        return true;
      },
      [&](const dragoman::InputEnd& end) {
        ended.push_back(end.input);
        return true;
      });
  if (!error.ok()) return fail("translate", error.message());
  if (ended != std::vector<size_t>{0, 1, 2} || generated == 0) return fail("translate", "wrong order");
  return 0;
}

int check_model(const std::string& path) {
  dragoman::Expected<dragoman::Model> opened = dragoman::Model::open(path);
  if (!opened) return fail("open", opened.error().message());
  const dragoman::Model model = std::move(*opened);
  dragoman::SessionOptions options = dragoman::Session::default_options();
  options.max_batch = 2;
  const auto required = model.required_memory(options);
  if (!required) return fail("required_memory", required.error().message());
  auto session = dragoman::Session::create(model, options);
  if (!session) return fail("create", session.error().message());
  if (session->memory().session_block != required->session_block) return fail("memory", "is not what was foretold");
  const auto text = session->translate("How are you today?");
  if (!text || text->empty()) return fail("translate", text ? "no text" : text.error().message());
  std::cout << *text << "\n";
  if (model.describe("summary", options).empty()) return fail("describe", "nothing");
  const int failed = check_tokenizer(model);
  return failed != 0 ? failed : check_visitor(&*session);
}

}  // namespace

int main(int argc, char** argv) {
  const int failed = check_errors();
  return failed != 0 || argc < 2 ? failed : check_model(argv[1]);
}
