// dragoman convert: trained weights to one .drg file.
// Neighbours: the converter's public header does the work; this names the files and prints the report.
#include <cstdio>
#include <memory>

#include "commands.h"
#include "converter/converter.h"
#include "line_writer.h"

namespace dragoman::cli {
namespace {

constexpr const char* kFooter =
    R"(DIR is a folder of one of these kinds:
  Marian        model*.bin or model*.npz, vocab*.spm or vocab*.yml (one, or a source and a target), perhaps lex*.bin
  Hugging Face  config.json, model.safetensors or pytorch_model.bin (also in shards), the vocabulary's files if any,
                or a tokenizer.json, which --vocab may name as well
  CTranslate2   model.bin, config.json, *vocabulary.json; a SentencePiece model or tokenizer.json in it, or SentencePiece
                models named by --vocab
A file that is named by an option wins over a found one. The output is replaced in one step, or left alone on failure.

Names are those that `dragoman inspect --tensors` shows; in a pattern * is anything and ? one character, and the last
pattern that fits counts. Only matrices have a choice. Kept means without loss: int8 and f16 stay, all else becomes f32.

Examples:
  dragoman convert models/enpt-1693087644 -o en-pt.drg
  dragoman convert opus-mt-en-de -o en-de.drg --quantize int4 --quantize 'decoder.*=int8' --keep embedding
  dragoman convert opus-mt-en-de -o en-de.drg --calibrate sample.en --max-loss 3 --report en-de.json
  dragoman convert --model model.bin --vocab source.spm --vocab target.spm --shortlist lex.s2t.bin \
      --from en --to pt -o en-pt.drg)";

struct Settings {
  converter::ConvertOptions options;
  std::vector<std::string> vocabularies;
  bool no_shortlist = false;
  std::vector<std::string> quantize;
  std::vector<std::string> keep;
  bool verbose = false;
  bool quiet = false;
};

bool write_file(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return false;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && written;
}

ExitCode run(Settings settings) {
  converter::ConvertOptions& options = settings.options;
  if (options.input.empty() && (options.model.empty() || settings.vocabularies.empty())) {
    return fail(kExitUsage, "name a folder, or --model and --vocab");
  }
  if (!settings.vocabularies.empty()) options.source_vocabulary = settings.vocabularies.front();
  if (settings.vocabularies.size() == 2) options.target_vocabulary = settings.vocabularies.back();
  options.use_shortlist = !settings.no_shortlist;
  for (const std::string& choice : settings.quantize) {
    const Status added = converter::add_weight_choice(choice, &options);
    if (!added.ok()) return fail(kExitUsage, std::string("--quantize ") + added.message());
  }
  for (const std::string& pattern : settings.keep) {
    options.weight_rules.push_back({pattern, converter::WeightType::kSource});
  }
  if (options.max_loss.has_value() && options.calibration_text.empty()) {
    return fail(kExitUsage, "--max-loss needs --calibrate and a text to measure it on");
  }

  std::vector<std::string> problems;
  const Result<converter::ConvertReport> report = converter::convert(options, &problems);
  if (!report.ok()) {
    for (const std::string& problem : problems) complain(problem);
    return fail(kExitFile, std::string("nothing was converted: ") + report.status().message());
  }
  if (!options.report.empty() && !write_file(options.report, report.value().json())) {
    return fail(kExitFile, options.report + ": cannot be written, but the model was");
  }
  LineWriter writer;
  if (!settings.quiet) writer.write(report.value().text(settings.verbose));
  return writer.close();
}

void add_quantization(CLI::App* command, Settings* settings) {
  converter::ConvertOptions& options = settings->options;
  command
      ->add_option("--quantize", settings->quantize,
                   "Weights as int8, int4, f16 or f32; or PATTERN=TYPE: those of the names that fit; repeatable")
      ->type_name("[PATTERN=]TYPE")
      ->default_str("int8")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--keep", settings->keep,
                   "Weights of the names that fit stay as they were trained, whatever --quantize says; repeatable")
      ->type_name("PATTERN")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--calibrate", options.calibration_text,
                   "Text of the source language, one input a line: choose scales by it and measure the loss on it; a "
                   "model of many languages translates it --from one --to another")
      ->type_name("FILE");
  command
      ->add_option("--max-loss", options.max_loss,
                   "Refuse a model that loses more points of chrF against f32 on that text")
      ->check(CLI::Range(0.0, 100.0))
      ->type_name("POINTS");
}

}  // namespace

void add_convert(CLI::App* program, Invocation* invocation) {
  CLI::App* command = program->add_subcommand("convert", "Turn trained weights into one .drg file");
  const auto settings = std::make_shared<Settings>();
  converter::ConvertOptions& options = settings->options;
  command->add_option("DIR", options.input, "Folder that holds the trained model, or an .argosmodel package");
  command->add_option("-o,--output", options.output, "The file to write")->required()->type_name("FILE");
  command->add_option("--model", options.model, "Weights")->type_name("FILE");
  command->add_option("--vocab", settings->vocabularies, "Vocabulary; twice: of the source, then of the target")
      ->expected(1, 2)
      ->type_name("FILE");
  command->add_option("--shortlist", options.shortlist, "Lexical shortlist")->type_name("FILE");
  command->add_flag("--no-shortlist", settings->no_shortlist, "Leave the folder's shortlist out");
  command->add_option("--decoder-config", options.decoder_config, "Decoding settings (.yml)")->type_name("FILE");
  command->add_option("--from", options.source_language, "Source language (BCP 47); else guessed from file names")
      ->type_name("LANG");
  command->add_option("--to", options.target_language, "Target language")->type_name("LANG");
  command->add_option("--name", options.name, "Name of the model; else that of the output")->type_name("TEXT");
  command->add_option("--licence", options.licence, "Licence text or SPDX expression")->type_name("TEXT");
  add_quantization(command, settings.get());
  command->add_option("--max-positions", options.max_positions, "Longest sentence in tokens, on either side")
      ->check(CLI::Range(2, 65536))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--report", options.report, "Write the report as JSON, with every weight")->type_name("FILE");
  command->add_flag("-v,--verbose", settings->verbose, "All quantized weights in the report, not the worst five");
  command->add_flag("-q,--quiet", settings->quiet, "No report");
  command->footer(kFooter);
  command->callback([settings, invocation] { invocation->exit_code = run(*settings); });
}

}  // namespace dragoman::cli
