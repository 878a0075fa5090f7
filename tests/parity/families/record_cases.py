"""Records what Hugging Face computes for changed copies of the tiny models: tests/data/families/cases.json.

A case is a model folder, settings and tensors that differ from it, and some rows of the result; the C++ tests make the
same changes. Needs transformers 5.24 and torch, which the tests do not. Usage: record_cases.py [FAMILIES_FOLDER]
Neighbours: changed_folder.cc makes the changes, test_cases.cc compares.
"""
import json
import pathlib
import sys
import tempfile

import numpy as np
import torch
import transformers
from safetensors.numpy import load_file

transformers.logging.set_verbosity_error()
ARCHITECTURES = {"marian": "MarianMTModel", "bart": "BartForConditionalGeneration",
                 "mbart": "MBartForConditionalGeneration", "m2m_100": "M2M100ForConditionalGeneration",
                 "t5": "T5ForConditionalGeneration", "mt5": "MT5ForConditionalGeneration",
                 "umt5": "UMT5ForConditionalGeneration"}
TABLE, OUTPUT = "model.shared.weight", "lm_head.weight"
ENCODER, DECODER = "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"


def copy(source, target, factor=1.0):
    return {"op": "copy", "from": source, "to": target, "factor": factor}


def fill(tensor, value, row=None):
    return {"op": "fill", "tensor": tensor, "value": value} | ({} if row is None else {"row": row})


def remove(*tensors):
    return [{"op": "remove", "tensor": tensor} for tensor in tensors]


def cases():
    attentions = [f"model.{side}.layers.{layer}.{kind}" for side, layer, kind in
                  [("encoder", 0, "self_attn"), ("encoder", 1, "self_attn"), ("decoder", 0, "self_attn"),
                   ("decoder", 1, "self_attn"), ("decoder", 0, "encoder_attn"), ("decoder", 1, "encoder_attn")]]
    yield {"name": "untied source table", "family": "marian",
           "config": {"share_encoder_decoder_embeddings": False},
           "edits": [copy(TABLE, ENCODER), copy(TABLE, DECODER, 0.75), fill(ENCODER, 1, 5), fill(DECODER, 2, 5),
                     copy(DECODER, OUTPUT), *remove(TABLE)]}
    yield {"name": "zero padding row", "family": "marian", "edits": [fill(TABLE, 0, 199)]}
    yield {"name": "padding row of 1000", "family": "marian", "edits": [fill(TABLE, 1000, 199)]}
    yield {"name": "no key bias", "family": "marian", "edits": remove(
        *[name + ".k_proj.bias" for name in attentions],
        *[f"model.{side}.layers.{layer}.fc1.bias" for side in ("encoder", "decoder") for layer in (0, 1)])}
    for kind in ("F16", "BF16"):
        for family in ("marian", "bart", "m2m100", "t5", "mt5"):
            yield {"name": f"{family} in {kind}", "family": family, "edits": [{"op": "round", "type": kind}]}
    for activation in ("relu", "gelu", "gelu_new", "gelu_fast", "gelu_pytorch_tanh", "quick_gelu", "silu"):
        yield {"name": f"marian with {activation}", "family": "marian", "config": {"activation_function": activation},
               "edits": []}
    yield {"name": "t5 with gelu", "family": "t5", "config": {"feed_forward_proj": "gelu", "dense_act_fn": "gelu"},
           "edits": []}
    for activation in ("silu", "relu"):
        yield {"name": f"t5 with gated-{activation}", "family": "t5-v1_1",
               "config": {"feed_forward_proj": f"gated-{activation}", "dense_act_fn": activation}, "edits": []}
    norms = [copy(f"model.{side}.layernorm_embedding.{part}", f"model.{side}.layer_norm.{part}", 0.8)
             for side in ("encoder", "decoder") for part in ("weight", "bias")]
    yield {"name": "mbart", "family": "bart", "config": {"model_type": "mbart"}, "edits": norms, "search": True}
    biases = [copy(f"{side}.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
                   f"{side}.block.1.layer.0.SelfAttention.relative_attention_bias.weight", -0.7)
              for side in ("encoder", "decoder")]
    yield {"name": "umt5", "family": "mt5", "config": {"model_type": "umt5"}, "edits": biases, "search": True}
    for family in ("marian", "m2m100", "t5"):
        long = {} if family == "t5" else {"max_position_embeddings": 512}
        yield {"name": f"long {family}", "family": family, "config": long, "edits": [], "source_length": 300,
               "target_length": 131, "target_rows": [1, 2, 20, 130]}


def apply(edits, tensors):
    """The tensors after the changes; what was removed counts as zeros."""
    for edit in edits:
        if edit["op"] == "copy":
            tensors[edit["to"]] = (tensors[edit["from"]] * np.float32(edit["factor"])).astype(np.float32)
        elif edit["op"] == "fill":
            if "row" in edit:
                tensors[edit["tensor"]][edit["row"]] = edit["value"]
            else:
                tensors[edit["tensor"]][...] = edit["value"]
        elif edit["op"] == "remove":
            tensors[edit["tensor"]] = np.zeros_like(tensors[edit["tensor"]])
        elif edit["op"] == "round":
            kind = {"F16": torch.float16, "BF16": torch.bfloat16}[edit["type"]]
            for name in tensors:
                tensors[name] = torch.from_numpy(tensors[name]).to(kind).to(torch.float32).numpy()


def build(folder, case):
    config = json.loads((folder / "config.json").read_text()) | case.get("config", {})
    tensors = {name: values.copy() for name, values in load_file(folder / "model.safetensors").items()}
    apply(case["edits"], tensors)
    scaled = config.get("scale_decoder_outputs")
    with tempfile.TemporaryDirectory() as made:
        path = pathlib.Path(made)
        (path / "config.json").write_text(json.dumps(config))
        loaded = transformers.AutoConfig.from_pretrained(path, attn_implementation="eager")
    model = getattr(transformers, ARCHITECTURES[config["model_type"]])(loaded).eval()
    if scaled is not None:
        assert model.config.scale_decoder_outputs == scaled
    modules = dict(model.named_parameters(remove_duplicate=False)) | dict(model.named_buffers())
    untied = config.get("share_encoder_decoder_embeddings") is False or "lm_head.weight" in tensors
    if untied and OUTPUT in modules:
        model.lm_head.weight = torch.nn.Parameter(model.lm_head.weight.detach().clone())
        modules[OUTPUT] = model.lm_head.weight
    with torch.no_grad():
        for name, values in tensors.items():
            if name in modules:
                modules[name].copy_(torch.from_numpy(values))
            else:
                assert name == TABLE and not tensors[name].any(), name
        parameters = dict(model.named_parameters(remove_duplicate=False)) | dict(model.named_buffers())
        for name, values in tensors.items():
            assert name not in parameters or torch.equal(parameters[name], torch.from_numpy(values)), name
        fixed = ("embed_positions", "embed_scale", "shared", "embed_tokens", "lm_head")
        for name in parameters:
            assert name in tensors or any(part in name for part in fixed), name
    generation = json.loads((folder / "generation_config.json").read_text())
    model.generation_config = transformers.GenerationConfig(**{k: v for k, v in generation.items()
                                                               if k not in ("max_length", "transformers_version")})
    return model


def made_up_ids(count, seed):
    """Ids of 5 to 180 by a small generator that the C++ tests have too."""
    ids, state = [], seed
    for _ in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        ids.append(5 + (state >> 8) % 175)
    return ids


def numbers(tensor):
    return [float(f"{value:.7g}") for value in tensor.reshape(-1).tolist()]


def record(folder, case):
    reference = json.loads((folder / "reference.json").read_text())
    model = build(folder, case)
    pad = model.generation_config.pad_token_id
    masked = zip(reference["input_ids"][0], reference["attention_mask"][0])
    source = [token for token, mask in masked if mask == 1]
    target = [token for i, token in enumerate(reference["decoder_input_ids"][0]) if i == 0 or token != pad]
    if "source_length" in case:
        source = made_up_ids(case["source_length"], 1)
        target = [target[0]] + made_up_ids(case["target_length"] - 1, 2)
    rows = case.get("target_rows", [0, len(target) // 2, len(target) - 1])
    with torch.no_grad():
        result = model(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([target]))
    encoder_rows = [0, 1, len(source) // 2, len(source) - 1]
    case |= {"source": source, "target": target, "logit_rows": rows, "logits": numbers(result.logits[0, rows]),
             "encoder_rows": encoder_rows, "encoder": numbers(result.encoder_last_hidden_state[0, encoder_rows])}
    if not case.get("search"):
        return case
    for name, beams in (("greedy", 1), ("beam4", 4)):
        out = model.generate(torch.tensor([source]), num_beams=beams, max_new_tokens=20, do_sample=False,
                             return_dict_in_generate=True, output_scores=True)
        ids = out.sequences[0].tolist()[1:]
        end = model.generation_config.eos_token_id
        case[name] = ids[:ids.index(end) + 1] if end in ids else ids
        if beams > 1:
            case["beam4_score"] = float(out.sequences_scores[0])
    return case


def marian_encoder(tensors, ids, heads):
    """Marian's own encoder, norms after each sublayer, in double precision: rows of its last states."""
    width = tensors["Wemb"].shape[1]
    half = width // 2
    step = np.exp(-np.log(10000.0) * np.arange(half) / (half - 1))  # Marian's own: the last step is 1 / 10000
    angle = np.arange(len(ids))[:, None] * step
    x = tensors["Wemb"][ids] * np.sqrt(width) + np.concatenate([np.sin(angle), np.cos(angle)], 1)

    def norm(y, name):
        y = y - y.mean(-1, keepdims=True)
        y = y / np.sqrt((y * y).mean(-1, keepdims=True) + 1e-6)
        return y * tensors[name + "_ln_scale"] + tensors[name + "_ln_bias"]

    def split(y):
        return y.reshape(len(ids), heads, width // heads).transpose(1, 0, 2)

    for layer in ("encoder_l1", "encoder_l2"):
        q, k, v = (split(x @ tensors[f"{layer}_self_W{p}"] + tensors[f"{layer}_self_b{p}"]) for p in "qkv")
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(width // heads)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (weights / weights.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(len(ids), width)
        x = norm(x + mixed @ tensors[f"{layer}_self_Wo"] + tensors[f"{layer}_self_bo"], f"{layer}_self_Wo")
        hidden = x @ tensors[f"{layer}_ffn_W1"] + tensors[f"{layer}_ffn_b1"]
        hidden = hidden / (1 + np.exp(-hidden))
        x = norm(x + hidden @ tensors[f"{layer}_ffn_W2"] + tensors[f"{layer}_ffn_b2"], f"{layer}_ffn_ffn")
    return x


def native_marian(folder):
    stored = np.load(folder / "marian-npz" / "post.npz")
    tensors = {name: stored[name].astype(np.float64) for name in stored.files if not name.startswith("special:")}
    ids = [token % 60 + 2 for token in made_up_ids(300, 3)]
    rows = [0, 1, 150, 299]
    states = marian_encoder(tensors, ids, 4)[rows]
    return {"name": "long native marian", "source": ids, "encoder_rows": rows, "encoder": numbers(states)}


def main():
    default = pathlib.Path(__file__).resolve().parents[2] / "data" / "families"
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    torch.manual_seed(1)
    made = [record(folder / case["family"], case) for case in cases()] + [native_marian(folder)]
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in made)
    (folder / "cases.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
