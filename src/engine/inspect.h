// The rows of `cambium inspect`: nodes and blocks of a model with shapes and costs. Everything
// follows from shapes: nothing is run, and no lazy weight is filled. docs/schema/inspect.json
// describes the JSON document.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "model/cost.h"
#include "model/model.h"

namespace cambium::engine {

struct ValueRow {
  std::string name;
  model::TensorType type;
};

struct NodeRow {
  std::string name, op;
  std::string block;                // name of its block; empty outside blocks
  std::vector<std::string> inputs;  // names of the nodes that it reads, including weights
  std::vector<model::TensorType> outputs;
  std::vector<model::TensorType> weights;  // the weights that it reads
  model::NodeCost cost;
  std::vector<std::int64_t> receptive_field;  // per spatial axis; empty if it has no meaning
};

struct BlockRow {
  std::string name, type;
  std::int64_t nodes = 0, macs = 0, params = 0;
};

struct Inspection {
  std::string name;
  std::string structure;  // fingerprint of the architecture
  std::vector<ValueRow> inputs, outputs;
  std::vector<NodeRow> nodes;  // without weights, in topological order
  std::vector<BlockRow> blocks;
  model::Cost totals;
};

Inspection inspect(const model::Model& model);
nlohmann::json to_json(const Inspection& inspection);

// As Graphviz text.
std::string draw(const model::Model& model);

}  // namespace cambium::engine
