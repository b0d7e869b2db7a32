#include "model/onnx/order.h"

#include <cstdint>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/core.h>

namespace cambium::model::onnx_io {

namespace {

// What a node reads, the graphs inside it included: those see the values around them.
void collect_reads(const NodeRecord& node, std::vector<std::string>& reads) {
  for (const std::string& input : node.inputs) {
    if (!input.empty()) reads.push_back(input);
  }
  for (const Attribute& attribute : node.attributes) {
    const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&attribute.value);
    if (graph == nullptr) continue;
    std::set<std::string> inside;
    for (const Initializer& initializer : (*graph)->initializers) inside.insert(initializer.name);
    for (const ValueInfo& input : (*graph)->inputs) inside.insert(input.name);
    std::vector<std::string> inner;
    for (const NodeRecord& record : (*graph)->nodes) {
      inside.insert(record.outputs.begin(), record.outputs.end());
      collect_reads(record, inner);
    }
    for (const ValueInfo& output : (*graph)->outputs) inner.push_back(output.name);
    for (std::string& name : inner) {
      if (inside.count(name) == 0) reads.push_back(std::move(name));
    }
  }
}

using Producers = std::unordered_map<std::string, std::size_t>;

Result<Producers> producers_of(const Graph& graph, const IsDefined& defined) {
  Producers producers;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& output : graph.nodes[i].outputs) {
      if (output.empty()) continue;
      if (defined(output) || !producers.emplace(output, i).second) {
        return Rejection(Reason::DuplicateValue, output).at(place_of(graph.nodes[i]));
      }
    }
  }
  return producers;
}

// Depth first without recursion: a file may be a chain of a million nodes.
class Walk {
 public:
  Walk(const Graph& graph, const Producers& producers, const IsDefined& defined)
      : graph_(graph),
        producers_(producers),
        defined_(defined),
        marks_(graph.nodes.size()),
        behind_(graph.nodes.size()) {}

  Status from(std::size_t root) {
    if (marks_[root] != Mark::New) return Ok{};
    CAMBIUM_REQUIRE(open(root));
    while (!stack_.empty()) {
      const std::size_t node = stack_.back().first;
      if (stack_.back().second == behind_[node].size()) {
        marks_[node] = Mark::Done;
        done.push_back(node);
        behind_[node] = {};
        stack_.pop_back();
        continue;
      }
      const std::size_t next = behind_[node][stack_.back().second++];
      if (next > node) sorted = false;
      if (marks_[next] == Mark::Open) {
        return Rejection(Reason::Cycle, graph_.nodes[next].name.empty()
                                            ? graph_.nodes[next].outputs[0]
                                            : graph_.nodes[next].name);
      }
      if (marks_[next] == Mark::New) CAMBIUM_REQUIRE(open(next));
    }
    return Ok{};
  }

  bool live(std::size_t node) const { return marks_[node] == Mark::Done; }

  std::vector<std::size_t> done;
  bool sorted = true;

 private:
  enum class Mark : std::uint8_t { New, Open, Done };

  Status open(std::size_t node) {
    marks_[node] = Mark::Open;
    std::vector<std::string> reads;
    collect_reads(graph_.nodes[node], reads);
    for (const std::string& name : reads) {
      if (const auto producer = producers_.find(name); producer != producers_.end()) {
        behind_[node].push_back(producer->second);
      } else if (!defined_(name)) {
        return Rejection(Reason::UndefinedValue, name).at(place_of(graph_.nodes[node]));
      }
    }
    stack_.emplace_back(node, 0);
    return Ok{};
  }

  const Graph& graph_;
  const Producers& producers_;
  const IsDefined& defined_;
  std::vector<Mark> marks_;
  std::vector<std::vector<std::size_t>> behind_;
  std::vector<std::pair<std::size_t, std::size_t>> stack_;
};

}  // namespace

std::string place_of(const NodeRecord& node) {
  const std::string& name =
      node.name.empty() && !node.outputs.empty() ? node.outputs[0] : node.name;
  return fmt::format("node '{}' ({})", name, node.type);
}

Result<std::vector<const NodeRecord*>> live_order(const Graph& graph, const IsDefined& defined) {
  CAMBIUM_TRY(const Producers producers, producers_of(graph, defined));
  Walk walk(graph, producers, defined);
  for (const ValueInfo& output : graph.outputs) {
    if (const auto producer = producers.find(output.name); producer != producers.end()) {
      CAMBIUM_REQUIRE(walk.from(producer->second));
    } else if (!defined(output.name)) {
      return Rejection(Reason::UndefinedValue, output.name).at("the list of outputs");
    }
  }
  std::vector<const NodeRecord*> order;
  if (walk.sorted) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      if (walk.live(i)) order.push_back(&graph.nodes[i]);
    }
  } else {
    for (const std::size_t i : walk.done) order.push_back(&graph.nodes[i]);
  }
  return order;
}

}  // namespace cambium::model::onnx_io
