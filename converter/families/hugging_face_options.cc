// Names as in Hugging Face's configuration classes.
// Neighbours: hugging_face_options.h.
#include "converter/families/hugging_face_options.h"

namespace dragoman::converter {
namespace {

// Nothing here changes what the network computes once it is trained; how it decodes is read from Source::generation.
constexpr const char* kMeaningless[] = {
    "_*", "activation_dropout", "attention_dropout", "dropout", "dropout_rate", "architectures", "model_type",
    "transformers_version", "torch_dtype", "dtype", "is_encoder_decoder", "is_decoder", "use_cache", "id2label",
    "label2id", "num_labels", "init_std", "initializer_range", "initializer_factor", "classifier_dropout",
    "classif_dropout", "task_specific_params", "tokenizer_class", "prefix", "problem_type", "finetuning_task",
    "output_attentions", "output_hidden_states", "output_past", "output_scores", "return_dict",
    "return_dict_in_generate", "torchscript", "gradient_checkpointing", "encoder_layerdrop", "decoder_layerdrop",
    "num_hidden_layers", "num_return_sequences", "cross_attention_hidden_size", "chunk_size_feed_forward",
    "pruned_heads", "sep_token_id", "model_max_length", "n_positions", "save_step", "attn_implementation",
    "use_bfloat16", "gradient_clip*", "max_source_length", "max_target_length", "n_special",
    // decoding
    "bad_words_ids", "begin_suppress_tokens", "bos_token_id", "decoder_start_token_id", "do_sample", "early_stopping",
    "eos_token_id", "forced_bos_token_id", "forced_eos_token_id", "length_penalty", "max_length", "max_new_tokens",
    "min_length", "min_new_tokens", "no_repeat_ngram_size", "num_beam_groups", "num_beams", "pad_token_id",
    "repetition_penalty", "suppress_tokens", "diversity_penalty", "encoder_no_repeat_ngram_size", "temperature",
    "top_k", "top_p", "typical_p", "exponential_decay_length_penalty", "remove_invalid_values", "unk_token_id",
    "force_bos_token_to_be_generated", "renormalize_logits"};

}  // namespace

bool is_model_type(const Source& source, const char* type) {
  const auto at = source.options.find("model_type");
  return source.framework == "hugging-face" && at != source.options.end() && at->second.text() == type;
}

Activation activation_of(OptionReader& reader, const std::string& key, const std::string& name) {
  if (name == "relu") return Activation::kRelu;
  if (name == "swish" || name == "silu") return Activation::kSwish;
  if (name == "gelu") return Activation::kGeluErf;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast") return Activation::kGeluTanh;
  if (name == "quick_gelu") return Activation::kGeluSigmoid;
  reader.refuse(key, "relu, swish, silu, gelu, gelu_new, gelu_pytorch_tanh and quick_gelu are supported");
  return Activation::kNone;
}

Activation read_activation(OptionReader& reader, const std::string& key, const std::string& fallback) {
  return activation_of(reader, key, reader.text(key, fallback));
}

void ignore_common_keys(OptionReader& reader) {
  for (const char* key : kMeaningless) reader.ignore(key);
}

}  // namespace dragoman::converter
