#include "graph/executor.h"

namespace dragoman::graph {

void execute(const Plan& plan, ScheduleKind kind, const ops::RunContext& run) {
  const auto operators = plan.operators(kind);
  const auto outputs = plan.outputs(kind);
  for (size_t i = 0; i < operators.size(); ++i) {
    operators[i]->run(run);
    const ops::Matrix& output = outputs[i];
    if (run.observer != nullptr && output.f32 != nullptr) {
      run.observer->value(output.name, output.first_row(run), output.rows(run), output.width, output.stride);
    }
  }
}

}  // namespace dragoman::graph
