// Lowering a small model: which values become int8 rows, where quantizing steps go, what is refused.
#include "graph/lowering.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "graph/plan.h"
#include "tests/support/model_builder.h"

namespace dragoman::graph {
namespace {

// A model file in memory, lowered.
struct Lowered {
  Lowered(test::ModelBuilder builder, ops::Compute compute) : bytes(builder.finish()) {
    Result<model::ModelView> view = model::ModelView::open(bytes.span());
    INFO(view.status().message());
    REQUIRE(view.ok());
    graph = std::make_unique<LoweredGraph>(view.value());
    status = lower(compute, graph.get());
  }

  test::AlignedBytes bytes;
  std::unique_ptr<LoweredGraph> graph;
  Status status;
};

size_t quantize_steps(const Schedule& schedule) {
  size_t count = 0;
  for (const ScheduledStep& step : schedule.steps) count += step.definition == nullptr ? 1 : 0;
  return count;
}

TEST_CASE("in int8 the inputs of products are int8 rows, and every one has a producer") {
  const Lowered lowered(test::tiny_model_builder(), ops::Compute::kInt8);
  INFO(lowered.status.message());
  REQUIRE(lowered.status.ok());
  for (const Schedule& schedule : lowered.graph->schedules) {
    CHECK(quantize_steps(schedule) > 0);
    for (const ScheduledStep& step : schedule.steps) {
      if (step.definition == nullptr) continue;
      const ops::NodeContext node = lowered.graph->node(step);
      const bool product = node.node.op == model::OpKind::kLinear || node.node.op == model::OpKind::kLogits;
      if (product) CHECK(schedule.values[step.inputs[0]].needs_i8);
    }
  }
}

TEST_CASE("in f32 nothing is quantized") {
  const Lowered lowered(test::tiny_model_builder(), ops::Compute::kF32);
  REQUIRE(lowered.status.ok());
  for (const Schedule& schedule : lowered.graph->schedules) {
    CHECK(quantize_steps(schedule) == 0);
    for (const ScheduledValue& value : schedule.values) CHECK_FALSE(value.needs_i8);
  }
}

TEST_CASE("lifetimes run from the writer to the last reader") {
  const Lowered lowered(test::tiny_model_builder(), ops::Compute::kInt8);
  REQUIRE(lowered.status.ok());
  for (const Schedule& schedule : lowered.graph->schedules) {
    for (uint32_t i = 0; i < schedule.steps.size(); ++i) {
      const ScheduledStep& step = schedule.steps[i];
      if (step.output != kNoValue && step.definition != nullptr) CHECK(schedule.values[step.output].first == i);
      for (const uint32_t input : step.inputs) {
        if (input == kNoValue) continue;
        CHECK(schedule.values[input].first < i);
        CHECK(schedule.values[input].last >= i);
      }
    }
  }
}

TEST_CASE("a node whose shapes do not fit is refused by name") {
  test::ModelBuilder builder = test::tiny_model_builder();
  for (auto& node : builder.model.graph->encode->nodes) {
    if (node->op.type == schema::Op::SelfAttention) node->op.AsSelfAttention()->num_heads = 5;
  }
  const Lowered lowered(std::move(builder), ops::Compute::kInt8);
  REQUIRE_FALSE(lowered.status.ok());
  CHECK(std::strstr(lowered.status.message(), "SelfAttention") != nullptr);
  CHECK(std::strstr(lowered.status.message(), "5 heads") != nullptr);
}

// Appends a cross-attention of the query to `step`, before the last node. Its output is read by nothing.
void add_cross_attention(schema::ProgramT* step, uint32_t num_heads) {
  const auto original = std::find_if(step->nodes.begin(), step->nodes.end(),
                                     [](const auto& node) { return node->op.type == schema::Op::CrossAttention; });
  REQUIRE(original != step->nodes.end());
  auto node = std::make_unique<schema::NodeT>(**original);
  node->op.AsCrossAttention()->num_heads = num_heads;
  auto value = std::make_unique<schema::ValueT>(*step->values.at(node->outputs.at(0)));
  value->name += std::to_string(step->values.size());
  node->outputs = {static_cast<uint32_t>(step->values.size())};
  step->values.push_back(std::move(value));
  step->nodes.insert(step->nodes.end() - 1, std::move(node));
}

TEST_CASE("heads of cross-attentions are counted once for a program") {
  test::ModelBuilder builder = test::tiny_model_builder();
  for (const uint32_t heads : {1u, 8u, 4u}) add_cross_attention(builder.model.graph->step.get(), heads);
  const Lowered lowered(std::move(builder), ops::Compute::kInt8);
  INFO(lowered.status.message());
  REQUIRE(lowered.status.ok());
  std::vector<size_t> before;
  for (const ScheduledStep& step : lowered.graph->schedule(ScheduleKind::kTarget).steps) {
    const ops::NodeContext node = lowered.graph->node(step);
    const bool attention = step.definition != nullptr && node.node.op == model::OpKind::kCrossAttention;
    if (attention) before.push_back(node.heads_before);
  }
  CHECK(before == std::vector<size_t>{0, 2, 3, 11});
}

TEST_CASE("a plan in a measured block fits it exactly") {
  const Lowered lowered(test::tiny_model_builder(), ops::Compute::kInt8);
  REQUIRE(lowered.status.ok());
  const ops::Capacities capacities{40, 80, 3, 40, 2};
  kernels::HeapAccount account;
  Arena measuring = Arena::measuring();
  {
    Plan plan;
    REQUIRE(plan.create(*lowered.graph, capacities, &measuring, &account).ok());
  }
  CHECK(account.bytes == 0);
  test::AlignedBytes block(measuring.used());
  Arena arena(block.span().data(), block.size());
  {
    Plan plan;
    REQUIRE(plan.create(*lowered.graph, capacities, &arena, &account).ok());
    CHECK_FALSE(arena.failed());
    CHECK(arena.used() == measuring.used());
    CHECK(account.bytes == lowered.graph->operator_bytes);
  }
  CHECK(account.bytes == 0);
}

}  // namespace
}  // namespace dragoman::graph
