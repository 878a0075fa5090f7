"""Records what Hugging Face's classes take for keys that a config.json leaves out.

Writes defaults.json: for every model type the defaults of those keys, of the network from its configuration class, of
decoding from what generate() falls back to, and `start_is_bos`: whether generate() starts with bos_token_id where
decoder_start_token_id is left out (it takes neither from the class). Needs transformers 5.24 and torch, which the tests
do not.      Neighbours: test_hugging_face_defaults.cc compares.
"""
import json
import pathlib
import tempfile

import torch
import transformers

transformers.logging.set_verbosity_error()
BART = ["encoder_attention_heads", "decoder_attention_heads", "encoder_ffn_dim", "decoder_ffn_dim",
        "max_position_embeddings", "scale_embedding", "activation_function", "tie_word_embeddings"]
T5 = ["layer_norm_epsilon", "relative_attention_num_buckets", "relative_attention_max_distance", "feed_forward_proj",
      "tie_word_embeddings"]
KEYS = {"bart": BART, "mbart": BART, "m2m_100": BART, "marian": BART + ["share_encoder_decoder_embeddings"],
        "t5": T5, "mt5": T5, "umt5": T5}
SEARCH = ["num_beams", "early_stopping", "length_penalty", "repetition_penalty", "no_repeat_ngram_size", "min_length",
          "num_beam_groups", "do_sample", "encoder_no_repeat_ngram_size", "diversity_penalty"]


def start_is_bos():
    """A BART model whose files name bos_token_id 5 alone, and the first id that comes out."""
    torch.manual_seed(1)
    sizes = dict(d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2,
                 encoder_ffn_dim=16, decoder_ffn_dim=16, vocab_size=40, max_position_embeddings=32)
    with tempfile.TemporaryDirectory() as folder:
        transformers.BartForConditionalGeneration(transformers.BartConfig(**sizes)).save_pretrained(folder)
        path = pathlib.Path(folder, "config.json")
        config = json.loads(path.read_text())
        del config["decoder_start_token_id"]
        config["bos_token_id"] = 5
        path.write_text(json.dumps(config))
        pathlib.Path(folder, "generation_config.json").unlink()
        model = transformers.BartForConditionalGeneration.from_pretrained(folder)
        return model.generate(torch.tensor([[7, 8, 2]]), max_new_tokens=2)[0, 0].item() == 5


def main():
    result = {"network": {}, "start_is_bos": start_is_bos()}
    for name, keys in KEYS.items():
        config = transformers.AutoConfig.for_model(name)
        result["network"][name] = {key: getattr(config, key) for key in keys}
    fallback = transformers.GenerationMixin._get_default_generation_params() if hasattr(
        transformers.GenerationMixin, "_get_default_generation_params") else None
    if fallback is None:
        fallback = transformers.GenerationConfig._get_default_generation_params()
    result["search"] = {key: fallback[key] for key in SEARCH if key in fallback}
    path = pathlib.Path(__file__).resolve().parent / "defaults.json"
    path.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
