#!/usr/bin/env python3
"""Writes full-size models with seeded random weights, in Hugging Face's form, without a vocabulary (ids only).

Usage: make_model.py {opus-base,nllb-600m,copier} FOLDER [--type f32|f16|bf16] [--vocabulary N]

opus-base   OPUS-MT's base shape: MarianMT, width 512, 6 + 6 layers, feed-forward 2048, 58,100 shared embeddings
nllb-600m   NLLB-200-distilled-600M's shape: M2M100, width 1024, 12 + 12 layers, feed-forward 4096, 256,206 tied embeddings
copier      M2M100 of width 1024 with one layer a side that gives a source of one id back, whatever the vocabulary;
            `expected_log_probs` computes what it scores. 1,100,000 ids make a table of more than 4 GiB in f32.

Tensors are made and written one by one, large ones in pieces: memory stays below 200 MB. Needs numpy only.
"""
import argparse
import json
import math
import pathlib
import struct
import zlib

import numpy

PIECE = 1 << 22  # elements made at a time
BYTES = {"f32": 4, "f16": 2, "bf16": 2}
NAMES = {"f32": "F32", "f16": "F16", "bf16": "BF16"}
COPIER_WIDTH = 1024
COPIER_GAIN = 100.0  # of the encoder's state in the decoder's
COPIER_TOP = 0.5  # of the last norm: small enough that all rows together still count beside the right one


def encode(values, kind):
    if kind == "f32":
        return values.astype("<f4").tobytes()
    if kind == "f16":
        return values.astype("<f2").tobytes()
    bits = values.astype("<f4").view("<u4")
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2").tobytes()


def random_pieces(name, shape, deviation):
    """Normal numbers that depend on the name alone, piece by piece."""
    generator = numpy.random.Generator(numpy.random.PCG64(zlib.crc32(name.encode())))
    left = math.prod(shape)
    while left:
        count = min(left, PIECE)
        yield generator.standard_normal(count, dtype=numpy.float32) * numpy.float32(deviation)
        left -= count


def constant_pieces(shape, value):
    yield numpy.full(math.prod(shape), value, dtype=numpy.float32)


class Network:
    """Names, shapes and makers of tensors, in the order in which they are written."""

    def __init__(self):
        self.tensors = []

    def random(self, name, *shape, deviation):
        self.tensors.append((name, shape, lambda: random_pieces(name, shape, deviation)))

    def constant(self, name, *shape, value):
        self.tensors.append((name, shape, lambda: constant_pieces(shape, value)))

    def identity(self, name, width, factor):
        self.tensors.append((name, (width, width),
                             lambda: iter([(numpy.eye(width, dtype=numpy.float32) * factor).ravel()])))

    def norm(self, name, width, scale=1):
        self.constant(name + ".weight", width, value=scale)
        self.constant(name + ".bias", width, value=0)

    def linear(self, name, outputs, inputs):
        self.random(name + ".weight", outputs, inputs, deviation=inputs ** -0.5)
        self.random(name + ".bias", outputs, deviation=0.02)

    def attention(self, name, width):
        for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
            self.linear(f"{name}.{part}", width, width)

    def layer(self, name, width, inner, cross):
        self.attention(name + ".self_attn", width)
        self.norm(name + ".self_attn_layer_norm", width)
        if cross:
            self.attention(name + ".encoder_attn", width)
            self.norm(name + ".encoder_attn_layer_norm", width)
        self.linear(name + ".fc1", inner, width)
        self.linear(name + ".fc2", width, inner)
        self.norm(name + ".final_layer_norm", width)

    def write(self, path, kind):
        header, at = {}, 0
        for name, shape, _ in self.tensors:
            size = math.prod(shape) * BYTES[kind]
            header[name] = {"dtype": NAMES[kind], "shape": list(shape), "data_offsets": [at, at + size]}
            at += size
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        with open(path, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            for _, _, pieces in self.tensors:
                for piece in pieces():
                    file.write(encode(piece, kind))


def shared_config(width, layers, heads, inner, vocabulary):
    config = {"d_model": width, "vocab_size": vocabulary, "is_encoder_decoder": True, "scale_embedding": True,
              "tie_word_embeddings": True, "eos_token_id": 0, "bos_token_id": 0}
    for side in ("encoder", "decoder"):
        config |= {f"{side}_layers": layers, f"{side}_attention_heads": heads, f"{side}_ffn_dim": inner}
    return config


def stack(width, layers, inner, vocabulary, top_norm):
    network = Network()
    network.random("model.shared.weight", vocabulary, width, deviation=width ** -0.5)
    for side in ("encoder", "decoder"):
        for layer in range(layers):
            network.layer(f"model.{side}.layers.{layer}", width, inner, side == "decoder")
        if top_norm:
            network.norm(f"model.{side}.layer_norm", width)
    return network


def opus_base(vocabulary):
    network = stack(512, 6, 2048, vocabulary, False)
    network.random("final_logits_bias", 1, vocabulary, deviation=0.1)
    config = shared_config(512, 6, 8, 2048, vocabulary)
    config |= {"model_type": "marian", "activation_function": "swish", "max_position_embeddings": 512,
               "pad_token_id": vocabulary - 1, "decoder_start_token_id": vocabulary - 1, "normalize_before": False,
               "normalize_embedding": False, "share_encoder_decoder_embeddings": True,
               "decoder_vocab_size": vocabulary, "static_position_embeddings": True}
    return network, config


def m2m100_config(width, layers, heads, inner, vocabulary):
    config = shared_config(width, layers, heads, inner, vocabulary)
    return config | {"model_type": "m2m_100", "activation_function": "relu", "max_position_embeddings": 1024,
                     "pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2}


def nllb_600m(vocabulary):
    return stack(1024, 12, 4096, vocabulary, True), m2m100_config(1024, 12, 16, 4096, vocabulary)


def copier(vocabulary):
    width, inner = COPIER_WIDTH, 64
    network = Network()
    network.random("model.shared.weight", vocabulary, width, deviation=width ** -0.5)
    for side in ("encoder", "decoder"):
        layer = f"model.{side}.layers.0"
        for attention in ("self_attn", "encoder_attn") if side == "decoder" else ("self_attn",):
            for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
                name = f"{layer}.{attention}.{part}"
                if attention == "encoder_attn" and part in ("v_proj", "out_proj"):
                    network.identity(name + ".weight", width, COPIER_GAIN if part == "v_proj" else 1)
                else:
                    network.constant(name + ".weight", width, width, value=0)
                network.constant(name + ".bias", width, value=0)
            network.norm(f"{layer}.{attention}_layer_norm", width)
        for name, outputs, inputs in (("fc1", inner, width), ("fc2", width, inner)):
            network.constant(f"{layer}.{name}.weight", outputs, inputs, value=0)
            network.constant(f"{layer}.{name}.bias", outputs, value=0)
        network.norm(f"{layer}.final_layer_norm", width)
        network.norm(f"model.{side}.layer_norm", width, COPIER_TOP if side == "decoder" else 1)
    return network, m2m100_config(width, 1, 16, inner, vocabulary)


def normalized(x):
    x = x - x.mean()
    return x / numpy.sqrt((x * x).mean() + 1e-5)


def table_pieces(vocabulary):
    """(first row, rows) of the copier's table, in order. Reads no file."""
    width = COPIER_WIDTH
    begin = 0
    for piece in random_pieces("model.shared.weight", (vocabulary, width), width ** -0.5):
        rows = piece.reshape(-1, width)
        yield begin, rows
        begin += len(rows)


def copier_hidden(rows, source, start):
    """What the copier multiplies with its table after reading `source`."""
    width = COPIER_WIDTH
    # Position 0 stands behind the padding id 1: sines, then cosines, of the angles 2 * 10000^(-i / (width / 2 - 1)).
    angles = 2 * 10000.0 ** (-numpy.arange(width // 2) / (width // 2 - 1))
    position = numpy.concatenate([numpy.sin(angles), numpy.cos(angles)])
    state = normalized(rows[source] * math.sqrt(width) + position)
    return COPIER_TOP * normalized(rows[start] * math.sqrt(width) + position + COPIER_GAIN * state)


def expected_log_probs(vocabulary, sources):
    """The log-probability with which the copier, in f32, answers each source with the same id."""
    start, padding = 2, 1
    rows = {row: part[row - begin].astype(numpy.float64) for begin, part in table_pieces(vocabulary)
            for row in {*sources, start} if begin <= row < begin + len(part)}
    hidden = numpy.stack([copier_hidden(rows, source, start) for source in sources]).astype(numpy.float32)
    total = numpy.zeros(len(sources))
    for begin, part in table_pieces(vocabulary):
        exponentials = numpy.exp((part @ hidden.T).astype(numpy.float64))  # of numbers below 20
        if begin <= padding < begin + len(part):
            exponentials[padding - begin] = 0  # never generated
        total += exponentials.sum(axis=0)
    own = [rows[source] @ state for source, state in zip(sources, hidden.astype(numpy.float64))]
    return [logit - math.log(sum_) for logit, sum_ in zip(own, total)]


SHAPES = {"opus-base": (opus_base, 58100), "nllb-600m": (nllb_600m, 256206), "copier": (copier, 1100000)}


def make(shape, folder, kind, vocabulary=None):
    build, usual = SHAPES[shape]
    network, config = build(vocabulary or usual)
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=1))
    generation = {key: config[key] for key in ("eos_token_id", "pad_token_id", "decoder_start_token_id")}
    generation |= {"bad_words_ids": [[config["pad_token_id"]]], "max_length": 64}
    (folder / "generation_config.json").write_text(json.dumps(generation, indent=1))
    network.write(folder / "model.safetensors", kind)
    return max(math.prod(shape) for _, shape, _ in network.tensors)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("folder")
    parser.add_argument("--type", choices=BYTES, default="f32")
    parser.add_argument("--vocabulary", type=int)
    arguments = parser.parse_args()
    make(arguments.shape, arguments.folder, arguments.type, arguments.vocabulary)


if __name__ == "__main__":
    main()
