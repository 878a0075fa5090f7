// Runs a schedule: calls its operators in order. Neither fails nor allocates.
// Neighbours: graph/plan made the operators, engine/ fills the run context.
#pragma once

#include "graph/plan.h"
#include "ops/run_context.h"

namespace dragoman::graph {

void execute(const Plan& plan, ScheduleKind kind, const ops::RunContext& run);

}  // namespace dragoman::graph
