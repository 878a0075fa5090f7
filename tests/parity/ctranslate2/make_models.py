"""Makes tiny CTranslate2 folders of every family and weight type, and records what CTranslate2 itself gives for them.

The networks are seeded random models of transformers, converted by CTranslate2's own loaders; the values come from its
float computation, which takes the weights as they are stored. Writes tests/data/ctranslate2/<family>-<type>/ and
expected.json. Needs ctranslate2 4.8, transformers 5.24 and torch, which the tests do not.
Usage: make_models.py [FOLDER]      Neighbours: test_ctranslate2.cc compares.
"""
import json
import pathlib
import shutil
import sys

import ctranslate2
import torch
import transformers
from ctranslate2.converters import transformers as loaders
from ctranslate2.specs import model_spec

TOKENS = 60
KINDS = ["float32", "float16", "bfloat16", "int16", "int8", "int8_float32", "int8_float16", "int8_bfloat16"]
SOURCES = [[7, 19, 33, 4, 50], [12, 12, 5], [41, 8, 22, 17, 30, 9, 55, 26]]
BART = dict(vocab_size=TOKENS, d_model=16, encoder_layers=2, decoder_layers=1, encoder_attention_heads=2,
            decoder_attention_heads=2, encoder_ffn_dim=24, decoder_ffn_dim=20, max_position_embeddings=32, init_std=0.4)
T5 = dict(vocab_size=TOKENS, d_model=16, d_kv=6, d_ff=24, num_layers=2, num_decoder_layers=2, num_heads=2,
          relative_attention_num_buckets=8, relative_attention_max_distance=12, decoder_start_token_id=0,
          pad_token_id=0, eos_token_id=1)
FAMILIES = {
    "marian": (transformers.MarianConfig(**BART, pad_token_id=TOKENS - 1, decoder_start_token_id=TOKENS - 1,
                                         eos_token_id=0, activation_function="swish", scale_embedding=True),
               {0: "</s>", 1: "<unk>", TOKENS - 1: "<pad>"}),
    "bart": (transformers.BartConfig(**BART, pad_token_id=1, bos_token_id=0, eos_token_id=2, decoder_start_token_id=2,
                                     activation_function="gelu"),
             {0: "<s>", 1: "<pad>", 2: "</s>", 3: "<unk>"}),
    "m2m100": (transformers.M2M100Config(**BART, pad_token_id=1, bos_token_id=0, eos_token_id=2,
                                         decoder_start_token_id=2, activation_function="relu", scale_embedding=True),
               {0: "<s>", 1: "<pad>", 2: "</s>", 3: "<unk>"}),
    "opennmt": (transformers.M2M100Config(**BART, pad_token_id=1, bos_token_id=0, eos_token_id=2,
                                          decoder_start_token_id=0, activation_function="relu", scale_embedding=True),
                {0: "<s>", 1: "<blank>", 2: "</s>", 3: "<unk>"}),
    "t5": (transformers.T5Config(**T5, feed_forward_proj="relu"), {0: "<pad>", 1: "</s>", 2: "<unk>"}),
    "t5-gated": (transformers.T5Config(**T5, feed_forward_proj="gated-gelu"), {0: "<pad>", 1: "</s>", 2: "<unk>"}),
}
CLASSES = {"marian": "MarianMTModel", "bart": "BartForConditionalGeneration",
           "m2m100": "M2M100ForConditionalGeneration", "opennmt": "M2M100ForConditionalGeneration", "t5": "T5ForConditionalGeneration"}


class Tokenizer:
    """As much of a tokenizer as the loaders ask for."""

    def __init__(self, names):
        self.tokens = [names.get(i, f"w{i}") for i in range(TOKENS)]
        self.bos_token = "<s>" if "<s>" in self.tokens else None
        self.eos_token, self.unk_token, self.pad_token = "</s>", "<unk>", self.tokens[1]
        self.unk_token_id = self.tokens.index("<unk>")
        self.special_tokens_map = {}

    def get_vocab(self):
        return {token: i for i, token in enumerate(self.tokens)}

    def convert_ids_to_tokens(self, index):
        return self.tokens[index]


def made_up(family, config):
    torch.manual_seed(sum(map(ord, family)))
    model = getattr(transformers, CLASSES[family.split("-")[0]])(config).eval()
    with torch.no_grad():
        for name, values in model.named_parameters():
            if "norm" in name and name.endswith("weight"):
                values.normal_(1.0, 0.2)
            elif "embed_positions" in name and family != "bart":
                continue
            elif name.endswith("bias") or "relative" in name:
                values.normal_(0.0, 0.2)
            else:
                values.normal_(0.0, 0.35)
        if hasattr(model, "final_logits_bias"):
            model.final_logits_bias.normal_(0.0, 0.3)
            model.final_logits_bias[0, config.eos_token_id] = 1.2  # so that some translations end
        if family in ("bart", "m2m100", "opennmt"):  # a tied random model repeats what it is fed
            model.lm_head.weight = torch.nn.Parameter(torch.randn_like(model.lm_head.weight) * 0.5)
    return model


def convert(family, config, names, kind, folder):
    """The converter's own steps but for loading a tokenizer."""
    model, tokenizer = made_up(family, config), Tokenizer(names)
    if family == "bart":
        model.config.normalize_before = False  # older settings say so themselves
    with torch.no_grad():
        spec = loaders._MODEL_LOADERS[type(config).__name__](model, tokenizer)
    if family in ("m2m100", "opennmt"):
        spec.config.add_source_eos = True
    if family == "opennmt":  # two vocabularies, and sinusoids that are not stored
        spec.encoder.position_encodings.encodings = model_spec.OPTIONAL
        spec.decoder.position_encodings.encodings = model_spec.OPTIONAL
        spec._vocabularies["target"] = []
        spec.register_target_vocabulary([names.get(i, f"t{i}") for i in range(TOKENS)])
    spec.validate()
    spec.optimize(quantization=None if kind == "float32" else kind)
    folder.mkdir(parents=True)
    spec.save(str(folder))
    return tokenizer.tokens, [names.get(i, f"t{i}") for i in range(TOKENS)] if family == "opennmt" else tokenizer.tokens


def record(folder, sources, tokens):
    translator = ctranslate2.Translator(str(folder), device="cpu", compute_type="float32", inter_threads=1)
    adds_end = json.loads((folder / "config.json").read_text()).get("add_source_eos", False)
    end = tokens.index("</s>")
    result = []
    for source in SOURCES:
        words = [sources[i] for i in source] + ([] if adds_end else ["</s>"])
        entry = {"source": source + [end]}
        # With a minimum length of 1 CTranslate2 takes the end token out of the first softmax.
        options = dict(max_decoding_length=12, min_decoding_length=0, return_end_token=True, return_scores=True,
                       disable_unk=True)
        for name, beam in (("greedy", 1), ("beam", 4)):
            best = translator.translate_batch([words], beam_size=beam, **options)[0]
            entry[name] = [tokens.index(token) for token in best.hypotheses[0]]
            entry[name + "_score"] = best.scores[0]
        target = [tokens[3 + (7 * i + source[0]) % 50] for i in range(8)]
        scored = translator.score_batch([words], [target])[0]
        entry["target"] = [tokens.index(token) for token in target] + [end]
        entry["log_probabilities"] = [float(f"{value:.7g}") for value in scored.log_probs]
        result.append(entry)
    return result


def main():
    default = pathlib.Path(__file__).resolve().parents[2] / "data" / "ctranslate2"
    top = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    expected = {}
    for family, (config, names) in FAMILIES.items():
        for kind in KINDS if family == "marian" else ["float32", "int8"]:
            folder = top / f"{family}-{kind}"
            shutil.rmtree(folder, ignore_errors=True)
            expected[folder.name] = record(folder, *convert(family, config, names, kind, folder))
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in expected.items())
    (top / "expected.json").write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
