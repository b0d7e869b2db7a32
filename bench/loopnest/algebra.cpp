#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/files.h"
#include "engine/search/synth_space.h"
#include "loopnest/nest_edits.h"
#include "loopnest/parts.h"
#include "loopnest/release.h"
#include "loopnest/shapes.h"
#include "model/cost.h"

namespace cambium::bench {
namespace {

constexpr const char* kReleaseModel = "zoo:resnet34-cifar";
// Both convolutions of each basic block, as in the release; neither the stem nor shortcuts.
constexpr const char* kBlockTargets = "conv:k=3,block=basic";
// As the release's own rules work out.
constexpr double kReleaseShare = 0.2383;

struct Numbers {
  std::int64_t macs = 0, parameters = 0;
  friend bool operator==(const Numbers&, const Numbers&) = default;
};

Result<Numbers> numbers_of(const engine::Spaces& spaces, const model::Model& model,
                           const std::string& document) {
  if (document.empty()) {
    const model::Cost cost = model::cost_of(model);
    return Numbers{cost.macs, cost.params};
  }
  CAMBIUM_TRY(const engine::EditReport report, engine::explain_edits(spaces, model, document));
  return Numbers{report.edits.macs, report.edits.parameters};
}

// Expected: nothing where the document must be refused.
nlohmann::json row_of(const std::string& name, const std::string& document,
                      const Result<Numbers>& found, const std::optional<Numbers>& expected) {
  nlohmann::json row = {{"kind", "counts"},
                        {"case", name},
                        {"document", document},
                        {"as_expected", found.ok() ? expected == *found : !expected}};
  if (found.ok()) {
    row["macs"] = found->macs;
    row["parameters"] = found->parameters;
  } else {
    row["refused"] = found.rejection().message();
  }
  if (expected) {
    row["expected_macs"] = expected->macs;
    row["expected_parameters"] = expected->parameters;
  }
  return row;
}

Status add_layer(const PaperLayer& layer, nlohmann::json& out) {
  CAMBIUM_TRY(const LayerModel made, model_of(layer));
  CAMBIUM_TRY(const engine::Spaces spaces, nest_space(made.model, "conv:*"));
  const std::pair<const char*, std::int64_t> documents[] = {{kOriginal, layer.macs},
                                                            {kTwoGroups, layer.group_macs},
                                                            {kPaperHalves, layer.halves_macs},
                                                            {kPaperPeel, layer.peel_macs}};
  for (const auto& [document, macs] : documents) {
    std::optional<Numbers> expected;
    // Every weight takes part in as many products.
    if (macs > 0) expected = Numbers{macs, macs / (layer.macs / layer.weights)};
    out["rows"].push_back(
        row_of(layer.name, document, numbers_of(spaces, made.model, document), expected));
  }
  return Ok{};
}

Status add_release(nlohmann::json& out) {
  CAMBIUM_TRY(const engine::Loaded loaded, engine::load_model(kReleaseModel));
  CAMBIUM_TRY(const ReleaseShare share, release_share(loaded.model));
  for (const ReleaseBlock& block : share.blocks) {
    nlohmann::json row = {{"kind", "release"},
                          {"case", block.shape},
                          {"blocks", block.count},
                          {"share", block.share},
                          {"choices", nlohmann::json::object()}};
    for (const ReleaseChoices& choices : block.choices) {
      row["choices"][choices.sequence] = {{"drawn", choices.drawn}, {"legal", choices.legal}};
    }
    out["rows"].push_back(std::move(row));
  }
  out["summary"]["release_legal_share"] = share.share;
  out["summary"]["release_expected_share"] = kReleaseShare;
  return Ok{};
}

}  // namespace

Status bench_algebra(const LoopNestBenchOptions& /*options*/, nlohmann::json& out) {
  const std::size_t before = out["rows"].size();
  for (const PaperLayer& layer : paper_layers()) CAMBIUM_REQUIRE(add_layer(layer, out));
  for (const PaperNetwork& network : paper_networks()) {
    CAMBIUM_TRY(const engine::Loaded loaded, engine::load_model(network.model));
    CAMBIUM_TRY(const engine::Spaces spaces, nest_space(loaded.model, kBlockTargets));
    out["rows"].push_back(row_of(network.model, network.document,
                                 numbers_of(spaces, loaded.model, network.document),
                                 Numbers{network.macs, network.parameters}));
  }
  std::int64_t differ = 0;
  for (std::size_t i = before; i < out["rows"].size(); ++i) {
    differ += !out["rows"][i]["as_expected"].get<bool>();
  }
  out["summary"]["counts_compared"] = out["rows"].size() - before;
  out["summary"]["counts_that_differ"] = differ;
  return add_release(out);
}

std::string algebra_text(const nlohmann::json& row) {
  const std::string name = row["case"];
  if (row["kind"] == "release") {
    std::string text = fmt::format("{:38} {} blocks, {:.4f} legal:", name, row["blocks"].get<int>(),
                                   row["share"].get<double>());
    for (const auto& [sequence, counts] : row["choices"].items()) {
      text += fmt::format(" {} {}/{}", sequence, counts["legal"].get<int>(),
                          counts["drawn"].get<int>());
    }
    return text + "\n";
  }
  const std::string document = row["document"].get<std::string>();
  std::string text =
      fmt::format("{:20} {:12}", name, document.empty() ? "(original)" : document.c_str());
  if (row.contains("refused")) {
    text += " " + row["refused"].get<std::string>();
  } else {
    text += fmt::format(" {:>13} MACs {:>11} parameters", row["macs"].get<std::int64_t>(),
                        row["parameters"].get<std::int64_t>());
  }
  return text + (row["as_expected"].get<bool>() ? "\n" : "  NOT AS EXPECTED\n");
}

}  // namespace cambium::bench
