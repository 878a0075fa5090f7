// What the converter's tests share: a converted model with its tensors by name, and what a conversion says.
// Neighbours: tests/support makes the models and the folders.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "converter/converter.h"
#include "model/mapped_file.h"
#include "model/model_view.h"
#include "schema/model_generated.h"
#include "tests/support/hugging_face_folder.h"
#include "tests/support/make_marian_model.h"
#include "tests/support/temporary_folder.h"

namespace dragoman::test {

// A finished .drg, opened with every check the loader has, checksums included.
class ConvertedModel {
 public:
  explicit ConvertedModel(const std::string& path);

  const schema::ModelT& description() const { return description_; }
  std::span<const std::byte> file() const { return file_->bytes(); }
  // Fails the test when there is none.
  TensorView tensor(const std::string& name) const;
  bool has(const std::string& name) const;
  // The tensor's values, scales multiplied in.
  std::vector<float> values(const std::string& name) const;
  std::vector<float> values(const TensorView& tensor) const;
  // Names of a program's values in order.
  static std::vector<std::string> value_names(const schema::ProgramT& program);

 private:
  std::unique_ptr<model::MappedFile> file_;
  std::unique_ptr<model::ModelView> view_;
  schema::ModelT description_;
};

// Plain files in a folder, those below it left out.
size_t files_in(const std::string& folder);

// Writes a made-up model to `folder` and converts it to out.drg there. Fails the test when that does not work.
ConvertedModel convert_made_up(const TemporaryFolder& folder, const MarianModelOptions& made,
                               converter::ConvertOptions options = {}, converter::ConvertReport* report = nullptr);

// Converts a folder. Fails the test when that does not work.
ConvertedModel model_of(HuggingFaceFolder& folder, converter::ConvertReport* report = nullptr);

// True when a note has `part` in it.
bool notes_name(const converter::ConvertReport& report, const std::string& part);

}  // namespace dragoman::test
