// A model folder converted into a temporary folder and opened: its network step by step, and its translations of ids.
// Neighbours: the parity tests of families.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "converter/converter.h"
#include "dragoman/dragoman.h"
#include "pipeline/model.h"
#include "pipeline/session.h"
#include "tests/support/temporary_folder.h"

namespace dragoman::test {

using Ids = std::vector<int32_t>;

enum class SearchKind : uint8_t { kGreedy, kBeam, kSample };

struct Translation {
  Ids ids;
  float rank_score = 0;
  std::vector<float> attention;  // [ids, source ids], the model's own heads
};

// Fails the test when anything does not work.
class FamilyModel {
 public:
  FamilyModel(const converter::ConvertOptions& given, ops::Compute compute);
  ~FamilyModel();
  FamilyModel(const FamilyModel&) = delete;
  FamilyModel& operator=(const FamilyModel&) = delete;

  const std::string& path() const { return path_; }  // of the converted file
  const converter::ConvertReport& report() const { return report_; }
  const model::ModelView& view() const { return model_->view(); }

  // All logits [target.size(), vocabulary] when the decoder is fed `target`, from its start token on.
  std::vector<float> forced_logits(const Ids& source, const Ids& target);
  // What each row of `target` attends to in the source, [target.size(), source.size()]: the mean over some heads.
  std::vector<float> forced_attention(const Ids& source, const Ids& target, const engine::AttentionHead& heads);
  // The last encoder states [source.size(), width] of the same call.
  const std::vector<float>& encoder_states() const { return encoder_states_; }
  // What the decoder's first layer gets at a target's first position [width], when `id` is fed.
  std::vector<float> first_decoder_input(const Ids& source, int32_t id);

  // The best translation of each source; max_length counts generated ids. The last id that fits is the end id when
  // `force_end`.
  std::vector<Translation> translate(const std::vector<Ids>& sources, uint32_t beam, uint32_t max_length,
                                     bool force_end) const;
  // As translate(), with four hypotheses for a beam, and draws at temperature 2.
  std::vector<Translation> search(const std::vector<Ids>& sources, SearchKind kind, uint32_t max_length) const;

 private:
  std::vector<Translation> run(const std::vector<Ids>& sources, const dragoman_translate_options& given) const;
  void begin_forced(const Ids& source);

  TemporaryFolder folder_;
  std::string path_;
  converter::ConvertReport report_;
  ops::Compute compute_;
  std::unique_ptr<pipeline::Model> model_;
  pipeline::Session* session_ = nullptr;
  std::vector<float> encoder_states_;
};

}  // namespace dragoman::test
