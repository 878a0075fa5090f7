// dragoman inspect: what a model is, what its programs do, what a session will take.
// Neighbours: the library describes itself (dragoman_describe); this prints.
#include <memory>

#include "commands.h"
#include "json_line.h"
#include "line_writer.h"
#include "model_options.h"

namespace dragoman::cli {
namespace {

constexpr const char* kFooter = R"(Examples:
  dragoman inspect en-pt.drg
  dragoman inspect en-pt.drg --memory --batch 16 --threads 2
  dragoman inspect en-pt.drg --memory --beam 4 --cache int8
  dragoman inspect en-pt.drg --memory --json
  dragoman inspect en-pt.drg --graph
  dragoman inspect nllb.drg --languages)";

struct Settings {
  ModelChoice model;
  SessionOptions session;
  bool memory = false, graph = false, tensors = false, languages = false, json = false;
};

Json memory_json(const Memory& memory) {
  return {{"session_block", memory.session_block},
          {"session_operators", memory.session_operators},
          {"model_packed", memory.model_packed}};
}

Json summary_json(const ModelInfo& info) {
  const auto text = [](const char* string) { return std::string(string ? string : ""); };
  return {{"name", text(info.name)},
          {"family", text(info.family)},
          {"source_language", text(info.source_language)},
          {"target_language", text(info.target_language)},
          {"num_source_languages", info.num_source_languages},
          {"num_target_languages", info.num_target_languages},
          {"licence", text(info.licence)},
          {"source_vocabulary", info.source_vocabulary},
          {"target_vocabulary", info.target_vocabulary},
          {"end_id", info.end_id},
          {"has_shortlist", info.has_shortlist},
          {"file_bytes", info.file_bytes},
          {"packed_weight_bytes", info.packed_weight_bytes}};
}

Json languages_json(const Model& model) {
  const auto list = [&model](dragoman_side side) {
    Json array = Json::array();
    for (const Language& language : model.languages(side)) {
      array.push_back({{"code", language.code}, {"name", language.name}, {"token", language.token}});
    }
    return array;
  };
  return {{"source_languages", list(DRAGOMAN_SOURCE)}, {"target_languages", list(DRAGOMAN_TARGET)}};
}

std::string memory_lines(const char* title, const Memory& memory) {
  return std::string(title) + ": session block " + std::to_string(memory.session_block) + " bytes, operators " +
         std::to_string(memory.session_operators) + " bytes, the model's packed weights " +
         std::to_string(memory.model_packed) + " bytes\n";
}

// The plan, what it needs, and what a session made by it really uses.
ExitCode inspect_memory(const Settings& settings, const Model& model, LineWriter* writer) {
  const Expected<Memory> required = model.required_memory(settings.session);
  if (!required) return fail_session(required.error());
  const Expected<Session> session = Session::create(model, settings.session);
  if (!session) return fail_session(session.error());
  const Memory used = session->memory();
  if (settings.json) {
    const Json both = {{"required", memory_json(*required)}, {"used", memory_json(used)}};
    writer->write(json_line(both) + "\n");
    return kExitOk;
  }
  writer->write(model.describe("memory", settings.session));
  writer->write("\n" + memory_lines("required", *required) + memory_lines("used", used));
  return kExitOk;
}

ExitCode run(const Settings& settings) {
  if (settings.json && (settings.graph || settings.tensors)) {
    return fail(kExitUsage, "--json goes with the summary, --memory and --languages");
  }
  const std::optional<Model> model = open_model(settings.model);
  if (!model) return kExitFile;
  LineWriter writer;
  ExitCode code = kExitOk;
  const bool summary = !settings.memory && !settings.graph && !settings.tensors && !settings.languages;
  if (summary && settings.json) writer.write(json_line(summary_json(model->info())) + "\n");
  if (summary && !settings.json) writer.write(model->describe("summary", settings.session));
  if (settings.languages && settings.json) writer.write(json_line(languages_json(*model)) + "\n");
  if (settings.languages && !settings.json) writer.write(model->describe("languages", settings.session));
  if (settings.graph) writer.write(model->describe("graph", settings.session));
  if (settings.tensors) writer.write(model->describe("tensors", settings.session));
  if (settings.memory) code = inspect_memory(settings, *model, &writer);
  const ExitCode written = writer.close();
  return written != kExitOk ? written : code;
}

}  // namespace

void add_inspect(CLI::App* program, Invocation* invocation) {
  CLI::App* command = program->add_subcommand("inspect", "Show what a model file holds and what memory it needs");
  const auto settings = std::make_shared<Settings>();
  settings->model.add_to(command, "MODEL");
  command->add_flag("--memory", settings->memory, "The memory of a session, byte by byte");
  command->add_flag("--graph", settings->graph, "Programs, nodes and values");
  command->add_flag("--tensors", settings->tensors, "Weights");
  command->add_flag("--languages", settings->languages,
                    "All languages, by tag, by the model's own code, and their tokens");
  command->add_flag("--json", settings->json, "The summary, the figures of --memory or the languages, as JSON");
  add_session_options(command, &settings->session);
  add_reservation_options(command, &settings->session);
  command->footer(kFooter);
  command->callback([settings, invocation] { invocation->exit_code = run(*settings); });
}

}  // namespace dragoman::cli
