"""Makes the tiny multilingual models of this folder and records what Hugging Face computes for them.

Weights are random with a fixed seed, vocabularies are trained on the sentences below. Every folder gets reference.json:
ids of all languages; for some texts and pairs the ids of the source, teacher-forced logits, and the results of greedy
and of beam search. Needs transformers 5.24, torch, sentencepiece and protobuf, which the tests do not.
Usage: make_models.py [MODEL ...]
"""
import io
import json
import pathlib
import sys
import tempfile

import sentencepiece
import torch
import transformers
from transformers.convert_slow_tokenizer import SentencePieceExtractor
from transformers.models.m2m_100 import tokenization_m2m_100
from transformers.models.mbart import tokenization_mbart
from transformers.models.mbart50 import tokenization_mbart50
from transformers.models.nllb import tokenization_nllb

transformers.logging.set_verbosity_error()
FOLDER = pathlib.Path(__file__).resolve().parent
SENTENCES = """The old harbour wakes before the sun.
Two boats come home with silver fish.
A woman counts them and writes the number down.
Her son carries the boxes to the market.
Bread is sold beside the river every morning.
The baker knows all of them by name.
Le vieux port se lève avant le soleil.
Deux bateaux rentrent avec du poisson.
Une femme compte et note le nombre.
Le pain se vend près de la rivière.
Der alte Hafen wacht vor der Sonne auf.
Zwei Boote kommen mit Fisch nach Hause.
Eine Frau schreibt die Zahl auf.
Das Brot liegt am Fluss auf dem Markt.
O velho porto acorda antes do sol.
Dois barcos voltam com peixe.
Uma mulher escreve os números.
translate English to German: translate English to French: translate English to Romanian:
Numbers: 0 1 2 3 4 5 6 7 8 9, (x) [y] _ - / ; ! ? ' < > = + * & @ # % Q J U V X Z k""".split("\n")
TEXTS = ["The boats come home before the sun.", "Le pain du vieux port?"]
NEW_TOKENS = 20


def train(kind, size, **options):
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES), model_writer=out, model_type=kind, vocab_size=size, num_threads=1,
        character_coverage=1.0, normalization_rule_name="identity", minloglevel=2, **options)
    return out.getvalue()


def pieces_of(model):
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    return [processor.id_to_piece(i) for i in range(processor.get_piece_size())]


def settings(width=12, heads=3, ffn=20):
    return {"d_model": width, "encoder_layers": 1, "decoder_layers": 2, "encoder_attention_heads": heads,
            "decoder_attention_heads": heads, "encoder_ffn_dim": ffn, "decoder_ffn_dim": ffn,
            "max_position_embeddings": 64, "bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2,
            "scale_embedding": True}


class Model:
    """One folder. Subclasses say what a family does."""
    seed, scale, steps = 1, 0.35, 80
    files, tokenizer_config = {}, {}

    def write_files(self, folder):
        for name, content in self.files.items():
            (folder / name).write_bytes(content)
        if self.tokenizer_config:
            (folder / "tokenizer_config.json").write_text(json.dumps(self.tokenizer_config, indent=1) + "\n")

    def start(self, target):
        return 2

    def forced(self, target):
        return [self.language_ids()[target]]

    def num_tokens(self):
        return None  # as many as the table has rows


class Nllb(Model):
    name, pairs = "nllb", [("eng_Latn", "fra_Latn"), ("fra_Latn", "zho_Hans"), ("eng_Latn", "deu_Latn")]
    spm = train("bpe", 150)
    files = {"sentencepiece.bpe.model": spm}
    tokenizer_config = {"tokenizer_class": "NllbTokenizer"}
    legacy = False
    languages = tokenization_nllb.FAIRSEQ_LANGUAGE_CODES

    def __init__(self):
        vocabulary = ["<s>", "<pad>", "</s>", "<unk>"] + pieces_of(self.spm)[3:] + self.languages + ["<mask>"]
        self.vocabulary = {token: i for i, token in enumerate(vocabulary)}
        with tempfile.NamedTemporaryFile() as file:
            file.write(self.spm)
            file.flush()
            extracted = SentencePieceExtractor(file.name).extract(transformers.models.nllb.NllbTokenizer.model)
        self.tokenizer = transformers.NllbTokenizer(vocab=self.vocabulary, merges=extracted["merges"],
                                                    legacy_behaviour=self.legacy)

    def config(self):
        # NLLB's table has rows that belong to no token.
        return transformers.M2M100Config(vocab_size=len(self.vocabulary) + 2, decoder_start_token_id=2, **settings())

    def num_tokens(self):
        return len(self.vocabulary)

    def source_ids(self, text, source, target):
        self.tokenizer.src_lang = source
        return self.tokenizer(text)["input_ids"]

    def language_ids(self):
        return {code: self.tokenizer.convert_tokens_to_ids(code) for code in self.languages}


class NllbLegacy(Nllb):
    name, legacy, seed = "nllb-legacy", True, 2
    pairs = [("eng_Latn", "fra_Latn")]
    tokenizer_config = {"tokenizer_class": "NllbTokenizer", "legacy_behaviour": True}


class M2M100(Model):
    name, pairs = "m2m100", [("en", "fr"), ("fr", "zh"), ("en", "de")]
    seed = 3
    spm = train("bpe", 150)
    languages = tokenization_m2m_100.FAIRSEQ_LANGUAGE_CODES["m2m100"]
    tokenizer_config = {"tokenizer_class": "M2M100Tokenizer"}

    def __init__(self):
        # The dictionary has its own order, and lacks some of the pieces.
        pieces = pieces_of(self.spm)[3:]
        kept = [piece for i, piece in enumerate(reversed(pieces)) if i % 40 != 7]
        dictionary = {token: i for i, token in enumerate(["<s>", "<pad>", "</s>", "<unk>"] + kept)}
        self.files = {"sentencepiece.bpe.model": self.spm,
                      "vocab.json": (json.dumps(dictionary, ensure_ascii=False) + "\n").encode()}
        with tempfile.TemporaryDirectory() as folder:
            self.write_files(pathlib.Path(folder))
            self.tokenizer = transformers.M2M100Tokenizer(vocab_file=folder + "/vocab.json",
                                                          spm_file=folder + "/sentencepiece.bpe.model")
        self.rows = len(dictionary) + len(self.languages) + 8

    def config(self):
        return transformers.M2M100Config(vocab_size=self.rows, decoder_start_token_id=2, **settings())

    def num_tokens(self):
        return self.rows - 8

    def source_ids(self, text, source, target):
        self.tokenizer.src_lang = source
        return self.tokenizer(text)["input_ids"]

    def language_ids(self):
        return {code: self.tokenizer.get_lang_id(code) for code in self.languages}


class Small100(M2M100):
    """M2M100's vocabulary; its own tokenizer puts the target's token before the text and forces nothing."""
    name, seed = "small100", 4
    tokenizer_config = {"tokenizer_class": "SMALL100Tokenizer", "tgt_lang": None}

    def source_ids(self, text, source, target):
        self.tokenizer.src_lang = target
        return self.tokenizer(text)["input_ids"]

    def forced(self, target):
        return []


class MBart(Model):
    name, pairs = "mbart", [("en_XX", "fr_XX"), ("fr_XX", "zh_CN"), ("en_XX", "de_DE")]
    seed = 5
    spm = train("unigram", 130)
    files = {"sentencepiece.bpe.model": spm}
    tokenizer_class, module = "MBartTokenizer", tokenization_mbart
    tokenizer_config = {"tokenizer_class": "MBartTokenizer", "tgt_lang": "ro_RO"}

    def __init__(self):
        self.languages = self.module.FAIRSEQ_LANGUAGE_CODES
        with tempfile.TemporaryDirectory() as folder:
            self.write_files(pathlib.Path(folder))
            self.tokenizer = getattr(transformers, self.tokenizer_class).from_pretrained(folder)

    def config(self):
        return transformers.MBartConfig(vocab_size=len(self.tokenizer), decoder_start_token_id=self.start("ro_RO"),
                                        forced_eos_token_id=2, activation_function="gelu", **settings())

    def source_ids(self, text, source, target):
        self.tokenizer.src_lang = source
        return self.tokenizer(text)["input_ids"]

    def language_ids(self):
        return {code: self.tokenizer.convert_tokens_to_ids(code) for code in self.languages}

    def start(self, target):
        return self.language_ids()[target]

    def forced(self, target):
        return []


class MBart50(MBart):
    name, seed = "mbart50", 6
    tokenizer_class, module = "MBart50Tokenizer", tokenization_mbart50
    tokenizer_config = {"tokenizer_class": "MBart50Tokenizer"}
    forced = Model.forced

    def start(self, target):
        return 2


class Opus(Model):
    name, pairs = "opus", [("en", "fra"), ("en", "por"), ("en", "pt_br")]
    seed = 7
    spm = train("unigram", 130)
    languages = ["fra", "por", "pt_br", "cmn_Hans", "deu"]
    tokenizer_config = {"tokenizer_class": "MarianTokenizer", "source_lang": "en", "target_lang": "mul"}

    def __init__(self):
        tokens = [f">>{code}<<" for code in self.languages]
        pieces = pieces_of(self.spm)[3:]
        # The vocabulary has its own order, and lacks some of the pieces.
        kept = [piece for i, piece in enumerate(reversed(pieces)) if i % 40 != 7]
        order = ["</s>", "<unk>"] + kept[:20] + tokens[:3] + kept[20:] + tokens[3:] + ["<pad>"]
        vocabulary = {token: i for i, token in enumerate(order)}
        self.files = {"source.spm": self.spm, "target.spm": self.spm,
                      "vocab.json": (json.dumps(vocabulary, ensure_ascii=False) + "\n").encode()}
        with tempfile.TemporaryDirectory() as folder:
            self.write_files(pathlib.Path(folder))
            self.tokenizer = transformers.MarianTokenizer(source_spm=folder + "/source.spm",
                                                          target_spm=folder + "/target.spm",
                                                          vocab=folder + "/vocab.json")
        self.vocabulary = vocabulary

    def config(self):
        changes = settings() | {"pad_token_id": self.start(""), "eos_token_id": 0}
        del changes["bos_token_id"]
        return transformers.MarianConfig(vocab_size=len(self.vocabulary), decoder_vocab_size=len(self.vocabulary),
                                         decoder_start_token_id=self.start(""), forced_eos_token_id=0,
                                         activation_function="swish", bad_words_ids=[[self.start("")]], **changes)

    def source_ids(self, text, source, target):
        ids = self.tokenizer(f">>{target}<< {text}")["input_ids"]
        assert ids == self.tokenizer(f">>{target}<<{text}")["input_ids"]
        return ids

    def language_ids(self):
        return {code: self.vocabulary[f">>{code}<<"] for code in self.languages}

    def start(self, target):
        return self.vocabulary["<pad>"]

    def forced(self, target):
        return []


def t5_settings(**changes):
    return {"d_model": 12, "d_kv": 8, "num_heads": 3, "d_ff": 20, "num_layers": 2, "num_decoder_layers": 2,
            "relative_attention_num_buckets": 8, "relative_attention_max_distance": 20, "dropout_rate": 0.0,
            "pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0} | changes


class Madlad(Model):
    name, pairs = "madlad", [("en", "fr"), ("en", "zh"), ("fr", "sr-Latn")]
    seed, scale, steps = 8, 0.6, 150
    languages = ["en", "fr", "de", "zh", "pt", "sr", "sr_Latn"]
    spm = train("unigram", 130, unk_id=0, bos_id=1, eos_id=2,
                user_defined_symbols=[f"<2{code}>" for code in languages] + ["<2translate>"])
    files = {"spiece.model": spm}
    tokenizer_config = {"tokenizer_class": "T5Tokenizer", "extra_ids": 0}
    names = {"sr-Latn": "sr_Latn"}

    def __init__(self):
        self.processor = sentencepiece.SentencePieceProcessor(model_proto=self.spm)

    def config(self):
        return transformers.T5Config(vocab_size=self.processor.get_piece_size(), feed_forward_proj="gated-gelu",
                                     tie_word_embeddings=False,
                                     **t5_settings(pad_token_id=1, eos_token_id=2, decoder_start_token_id=0))

    def source_ids(self, text, source, target):
        # The reference is SentencePiece, with a lone U+2581 first. T5Tokenizer of transformers 5.24 makes added tokens of
        # user-defined symbols, which drops it; MADLAD's own tokenizer.json keeps it.
        return self.processor.encode(f"<2{self.names.get(target, target)}> {text}") + [2]

    def language_ids(self):
        return {code: self.processor.piece_to_id(f"<2{code}>") for code in self.languages}

    def start(self, target):
        return 0

    def forced(self, target):
        return []


class T5(Model):
    name, pairs = "t5", [("en", "de"), ("en", "fr"), ("en", "ro")]
    seed, scale, steps = 9, 0.6, 150
    spm = train("unigram", 140, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    files = {"spiece.model": spm}
    tokenizer_config = {"tokenizer_class": "T5Tokenizer", "extra_ids": 4}
    words = {"de": "translate English to German: ", "fr": "translate English to French: ",
             "ro": "translate English to Romanian: "}
    type = transformers.T5Config
    extra = {"feed_forward_proj": "relu"}

    def __init__(self):
        self.processor = sentencepiece.SentencePieceProcessor(model_proto=self.spm)

    def config(self):
        tasks = {f"translation_en_to_{code}": {"prefix": words, "num_beams": 4} for code, words in self.words.items()}
        return self.type(vocab_size=self.processor.get_piece_size() + 4, **t5_settings(**self.extra),
                         task_specific_params=tasks | {"summarization": {"prefix": "summarize: "}})

    def source_ids(self, text, source, target):
        return self.processor.encode(self.words[target] + text) + [1]

    def language_ids(self):
        return {}

    def start(self, target):
        return 0

    def forced(self, target):
        return []


class Umt5(T5):
    """A table of relative positions in every layer; no languages."""
    name, pairs, seed = "umt5", [(None, None)], 10
    type = transformers.UMT5Config
    extra = {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}

    def config(self):
        config = super().config()
        del config.task_specific_params
        return config

    def num_tokens(self):
        return self.processor.get_piece_size()

    def source_ids(self, text, source, target):
        return self.processor.encode(text) + [1]


def randomize(model, seed, scale):
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, values in sorted(model.named_parameters()):
            if not values.requires_grad:
                continue  # sinusoids, which are computed
            noise = torch.randn(values.shape, generator=generator)
            if "norm" in name and name.endswith("weight"):
                values.copy_(1 + 0.2 * noise)
            elif values.dim() < 2:
                values.copy_(0.1 * noise)
            else:
                values.copy_(scale * noise)


def nudge(model, network, inputs):
    """A few steps towards made-up outputs, so that the search sees varied tokens and ends."""
    generator = torch.Generator().manual_seed(model.seed)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    end = network.config.eos_token_id
    examples = []
    for ids, start, forced in inputs:
        length = int(torch.randint(5, 10, (), generator=generator))
        made_up = torch.randint(5, 120, (length,), generator=generator).tolist()
        examples.append((torch.tensor([ids]), start, torch.tensor([forced + made_up + [end]])))
    for _ in range(model.steps):
        optimizer.zero_grad()
        for ids, start, labels in examples:
            decoder = torch.cat([torch.tensor([[start]]), labels[:, :-1]], 1)
            logits = network(input_ids=ids, decoder_input_ids=decoder).logits
            torch.nn.functional.cross_entropy(logits[0], labels[0]).backward()
        optimizer.step()


def hide_rows(model, network):
    """Rows of the table that belong to no token take no part in softmax, as the engine has it."""
    def hook(module, inputs, logits):
        logits[..., model.num_tokens():] = float("-inf")
        return logits
    if model.num_tokens() is not None:
        network.lm_head.register_forward_hook(hook)


def numbers(tensor):
    return [float(f"{value:.7g}") for value in tensor.reshape(-1).tolist()]


def search(network, source, case, beams):
    forced = {"forced_bos_token_id": case["forced"][0]} if case["forced"] else {}
    out = network.generate(torch.tensor([source]), num_beams=beams, max_new_tokens=NEW_TOKENS, do_sample=False,
                           decoder_start_token_id=case["start"], return_dict_in_generate=True, output_scores=True,
                           **forced)
    ids = out.sequences[0].tolist()[1:]
    end = network.generation_config.eos_token_id
    ids = ids[:ids.index(end) + 1] if end in ids else ids
    return ids, float(out.sequences_scores[0]) if beams > 1 else 0.0


def record(model, network, text, source, target):
    ids = model.source_ids(text, source, target)
    case = {"from": source, "to": target, "text": text, "source": ids, "start": model.start(target),
            "forced": model.forced(target)}
    case["greedy"], _ = search(network, ids, case, 1)
    case["beam4"], case["beam4_score"] = search(network, ids, case, 4)
    decoder = [case["start"]] + case["beam4"][:5]
    rows = [len(decoder) - 1]
    with torch.no_grad():
        logits = network(input_ids=torch.tensor([ids]), decoder_input_ids=torch.tensor([decoder])).logits[0]
    double = network.double()
    exact = [search(double, ids, case, beams) for beams in (1, 4)]
    network.float()
    assert exact[0][0] == case["greedy"] and exact[1][0] == case["beam4"], "two ways are too near to each other"
    return case | {"target": decoder, "logit_rows": rows, "logits": numbers(logits[rows][:, :model.num_tokens()])}


def make(kind):
    torch.set_num_threads(1)
    model = kind()
    folder = FOLDER / model.name
    folder.mkdir(exist_ok=True)
    model.write_files(folder)
    config = model.config()
    network = transformers.AutoModelForSeq2SeqLM.from_config(config, attn_implementation="eager").eval()
    randomize(network, model.seed, model.scale)
    nudge(model, network, [(model.source_ids(text, *pair), model.start(pair[1]), model.forced(pair[1]))
                           for pair in model.pairs for text in TEXTS])
    network.save_pretrained(folder)
    hide_rows(model, network)
    cases = [record(model, network, text, *pair) for pair in model.pairs for text in TEXTS]
    reference = {"versions": {"torch": torch.__version__, "transformers": transformers.__version__},
                 "languages": model.language_ids(), "cases": cases}
    (folder / "reference.json").write_text(json.dumps(reference, ensure_ascii=False, separators=(",", ":")) + "\n")
    for case in cases:
        print(model.name, case["from"], case["to"], case["source"], case["greedy"], case["beam4"])


if __name__ == "__main__":
    kinds = [Nllb, NllbLegacy, M2M100, Small100, MBart, MBart50, Opus, Madlad, T5, Umt5]
    for kind in kinds:
        if len(sys.argv) < 2 or kind.name in sys.argv[1:]:
            make(kind)
