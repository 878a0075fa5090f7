// Field numbers are those of sentencepiece_model.proto. protozero throws on malformed input; that ends here.
// Neighbours: sentencepiece_model.h.
#include "converter/formats/sentencepiece_model.h"

#include <exception>
#include <protozero/pbf_reader.hpp>

namespace dragoman::converter {
namespace {

// A field and how it is stored. One that is stored otherwise is skipped like an unknown one, as protocol buffers do.
constexpr uint32_t bytes(uint32_t field) {
  return protozero::tag_and_type(field, protozero::pbf_wire_type::length_delimited);
}
constexpr uint32_t number(uint32_t field) { return protozero::tag_and_type(field, protozero::pbf_wire_type::varint); }
constexpr uint32_t real(uint32_t field) { return protozero::tag_and_type(field, protozero::pbf_wire_type::fixed32); }

Status read_piece(protozero::pbf_reader reader, SentencePieceModel& model) {
  SentencePiece piece;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case bytes(1): piece.text = reader.get_string(); break;
      case real(2): piece.score = reader.get_float(); break;
      case number(3): {
        const int32_t type = reader.get_enum();
        if (type < 1 || type > 6) {
          return Status::error(Code::kUnsupported, "SentencePiece model: piece %zu has type %d", model.pieces.size(),
                               type);
        }
        piece.type = static_cast<PieceType>(type);
        break;
      }
      default: reader.skip();
    }
  }
  model.pieces.push_back(std::move(piece));
  return Status();
}

void replace_if_given(std::string given, std::string& value) {
  if (!given.empty()) value = std::move(given);  // the reference treats an empty name as absent
}

Status read_trainer(protozero::pbf_reader reader, SentencePieceModel& model) {
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case number(3): {
        const int32_t type = reader.get_enum();
        if (type < 1 || type > 4) {
          return Status::error(Code::kUnsupported, "SentencePiece model: model type %d", type);
        }
        model.kind = static_cast<TokenizerKind>(type);
        break;
      }
      case number(24): model.whitespace_as_suffix = reader.get_bool(); break;
      case number(35): model.byte_fallback = reader.get_bool(); break;
      case bytes(44): model.unknown_surface = reader.get_string(); break;
      case bytes(45): replace_if_given(reader.get_string(), model.unknown_piece); break;
      case bytes(46): replace_if_given(reader.get_string(), model.begin_piece); break;
      case bytes(47): replace_if_given(reader.get_string(), model.end_piece); break;
      case bytes(48): replace_if_given(reader.get_string(), model.pad_piece); break;
      default: reader.skip();
    }
  }
  return Status();
}

void read_normalizer(protozero::pbf_reader reader, SentencePieceModel& model) {
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case bytes(1): model.normalizer_name = reader.get_string(); break;
      case bytes(2): model.precompiled_charsmap = reader.get_bytes(); break;
      case number(3): model.add_dummy_prefix = reader.get_bool(); break;
      case number(4): model.remove_extra_whitespaces = reader.get_bool(); break;
      case number(5): model.escape_whitespaces = reader.get_bool(); break;
      default: reader.skip();
    }
  }
}

void read_denormalizer(protozero::pbf_reader reader, SentencePieceModel& model) {
  while (reader.next()) {
    if (reader.tag_and_type() == bytes(2)) {
      model.denormalizer_charsmap = reader.get_bytes();
    } else {
      reader.skip();
    }
  }
}

Result<SentencePieceModel> read(protozero::pbf_reader reader) {
  SentencePieceModel model;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case bytes(1): DRAGOMAN_RETURN_IF_ERROR(read_piece(reader.get_message(), model)); break;
      case bytes(2): DRAGOMAN_RETURN_IF_ERROR(read_trainer(reader.get_message(), model)); break;
      case bytes(3): read_normalizer(reader.get_message(), model); break;
      case bytes(5): read_denormalizer(reader.get_message(), model); break;
      default: reader.skip();
    }
  }
  if (model.pieces.empty()) return Status::error(Code::kDamaged, "SentencePiece model: no pieces");
  return model;
}

}  // namespace

Result<SentencePieceModel> read_sentencepiece_model(std::span<const std::byte> file) {
  try {
    return read(protozero::pbf_reader(reinterpret_cast<const char*>(file.data()), file.size()));
  } catch (const std::exception& error) {
    return Status::error(Code::kDamaged, "SentencePiece model: not a valid protocol buffer (%s)", error.what());
  }
}

}  // namespace dragoman::converter
