// One model family: from the neutral source to graph and tensors. The registry lists all of them.
// Neighbours: convert.cc asks the registry; each family is one row in family.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "converter/converter.h"
#include "converter/frontends/source.h"
#include "converter/graph/builder.h"
#include "converter/graph/weights.h"
#include "converter/report.h"

namespace dragoman::converter {

// What a family works with. All are borrowed; `source` must outlive the writing of the file.
struct FamilyContext {
  const Source& source;
  const ConvertOptions& options;
  Weights& weights;
  GraphBuilder& graph;
  ConvertReport& report;
  Problems& problems;
};

// What decoding needs to know beyond the graph.
struct NetworkFacts {
  uint32_t source_vocabulary = 0;
  uint32_t target_vocabulary = 0;
  bool shared_vocabulary = false;   // both sides use one table of embeddings
  std::vector<int32_t> suppressed;  // ids that this family never generates
  int32_t alignment_layer = -1;     // Marian: whose first head was trained to align, from 0; -1: the last
};

struct Family {
  const char* name;
  // Whether this family should try the source; cheap, looks at the options only.
  bool (*accepts)(const Source& source);
  // Fills graph, weights and report. Everything unsupported, unknown or missing goes to context.problems first.
  Result<NetworkFacts> (*build)(FamilyContext& context);
};

// The family for `source`, or null.
const Family* find_family(const Source& source);

}  // namespace dragoman::converter
