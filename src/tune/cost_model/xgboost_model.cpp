#include "tune/cost_model/xgboost_model.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/file.h"
#include "tune/cost_model/booster.h"
#include "tune/cost_model/pack_sum.h"
#include "tune/cost_model/pretrained.h"
#include "tune/ranking.h"

namespace cambium::tune {
namespace {

constexpr std::size_t kFewest = 12;  // examples that ran: fewer teach nothing

// Whether an example is held out: by what it is, so that it stays so when others join.
bool is_held_out(const Example& example, std::uint64_t seed, double share) {
  Hasher hasher;
  hasher.add(seed).add(example.program);
  for (float value : example.features.values) hasher.add(static_cast<double>(value));
  return static_cast<double>(hasher.done().low >> 11) < share * 0x1p53;
}

// XGBoost also reads a binary form of its own without checking what it is given; ours begin so.
bool is_model_text(std::span<const std::byte> bytes) {
  return bytes.size() > 2 && bytes[0] == std::byte{'{'};
}

class XgboostModel : public CostModel {
 public:
  XgboostModel(const ModelOptions& options, std::vector<std::byte> before,
               std::optional<Booster> booster)
      : options_(options), before_(std::move(before)), booster_(std::move(booster)) {}

  std::vector<double> score(std::span<const Features> candidates,
                            std::span<const double> drafts) const override {
    std::vector<double> scores;
    scores.reserve(candidates.size());
    std::vector<float> rows;
    std::size_t count = 0;
    for (const Features& features : candidates) {
      rows.insert(rows.end(), features.values.begin(), features.values.end());
      count += features.rows;
    }
    std::vector<float> trees(count, 0.0F);
    if (booster_ && count > 0) {
      auto predicted = booster_->predict(rows, feature_names().size());
      // Rows that XGBoost refuses, being infinite, are scored by the analytic model.
      if (predicted.ok()) trees = std::move(predicted).value();
    }
    std::size_t at = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      scores.push_back(packed(candidates[i], drafts[i], trees, at));
    }
    return scores;
  }

  Result<ModelQuality> train(std::span<const Example> examples, std::uint64_t seed) override {
    std::vector<const Example*> taught, asked;
    std::size_t ran = 0;
    for (const Example& e : examples) {
      const std::size_t columns = e.features.rows * feature_names().size();
      if (e.features.values.size() != columns) {
        return Rejection(Reason::ModelUnfit, "in training", "an example has other features");
      }
      if (e.features.rows == 0) continue;
      if (std::isfinite(e.seconds)) ++ran;
      (is_held_out(e, seed, options_.held_out) ? asked : taught).push_back(&e);
    }
    if (ran < kFewest || taught.empty() || asked.empty()) return ModelQuality{};
    const PackSum lesson(std::move(taught)), test(std::move(asked));
    CAMBIUM_REQUIRE(learn(lesson, test, seed));
    std::vector<Example> held_out;
    for (const Example* e : test.examples()) held_out.push_back(*e);
    std::vector<Features> features;
    std::vector<double> drafts;
    for (const Example& e : held_out) {
      features.push_back(e.features);
      drafts.push_back(e.draft_seconds);
    }
    ModelQuality quality = quality_of(held_out, score(features, drafts));
    quality.examples = static_cast<std::int64_t>(examples.size());
    return quality;
  }

  Result<std::vector<std::byte>> bytes() const {
    if (booster_) return booster_->bytes();
    const TreeOptions trees{options_.rate, options_.depth, 1};
    CAMBIUM_TRY(const Booster nothing, Booster::make(trees, feature_names(), {}));
    return nothing.bytes();
  }

 private:
  // Grows trees on what the shipped ones leave, until the held-out part is ordered no better, and
  // keeps the number that ordered it best.
  Status learn(const PackSum& lesson, const PackSum& test, std::uint64_t seed) {
    const std::size_t columns = feature_names().size();
    CAMBIUM_TRY(const Table table, Table::make(lesson.matrix(), columns));
    CAMBIUM_TRY(const Table held_out, Table::make(test.matrix(), columns));
    const std::vector<const Table*> tables{&table, &held_out};
    const TreeOptions trees{options_.rate, options_.depth, seed};
    CAMBIUM_TRY(Booster booster, before_.empty() ? Booster::make(trees, feature_names(), tables)
                                                 : Booster::parse(before_, trees, tables));
    CAMBIUM_TRY(const int start, booster.trees());
    std::vector<float> of_rows(lesson.rows(), 0.0F), gradient, hessian, of_test(test.rows(), 0.0F);
    if (start > 0) {
      CAMBIUM_TRY(of_rows, booster.predict(table));
      CAMBIUM_TRY(of_test, booster.predict(held_out));
    }
    double least = test.disorder(test.predictions(of_test));
    int best = 0;
    for (int round = 1; round <= options_.rounds && round - best <= options_.patience; ++round) {
      lesson.gradients(lesson.predictions(of_rows), gradient, hessian);
      CAMBIUM_REQUIRE(booster.grow(table, gradient, hessian));
      CAMBIUM_TRY(of_rows, booster.predict(table));
      CAMBIUM_TRY(of_test, booster.predict(held_out));
      const double disorder = test.disorder(test.predictions(of_test));
      if (disorder < least) {
        least = disorder;
        best = round;
      }
    }
    booster_.reset();
    if (start + best == 0) return Ok{};
    CAMBIUM_TRY(booster_, booster.first(start + best));
    return Ok{};
  }

  ModelOptions options_;
  std::vector<std::byte> before_;  // what training starts from; empty: nothing
  std::optional<Booster> booster_;
};

Result<std::unique_ptr<CostModel>> model_from(std::span<const std::byte> bytes,
                                              const std::string& name,
                                              const ModelOptions& options) {
  if (!is_model_text(bytes)) {
    return Rejection(Reason::ModelUnfit, name, "it is not an XGBoost model");
  }
  const TreeOptions trees{options.rate, options.depth, 1};
  CAMBIUM_TRY(Booster booster, Booster::parse(bytes, trees, {}));
  CAMBIUM_TRY(const std::vector<std::string> columns, booster.columns());
  const std::vector<std::string>& ours = feature_names();
  if (columns != ours) {
    const std::size_t common = std::min(columns.size(), ours.size());
    const auto [theirs, mine] = std::mismatch(
        columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(common), ours.begin());
    std::string where = "it has " + std::to_string(columns.size()) + " features, this program " +
                        std::to_string(ours.size());
    if (mine != ours.end() && theirs != columns.end()) {
      where += "; the first that differ are '" + *theirs + "' and '" + *mine + "'";
    }
    return Rejection(Reason::ModelUnfit, name, where);
  }
  return std::unique_ptr<CostModel>(std::make_unique<XgboostModel>(
      options, std::vector<std::byte>(bytes.begin(), bytes.end()), std::move(booster)));
}

}  // namespace

Result<std::unique_ptr<CostModel>> new_xgboost_model(const ModelOptions& options) {
  return std::unique_ptr<CostModel>(
      std::make_unique<XgboostModel>(options, std::vector<std::byte>{}, std::nullopt));
}

Result<std::unique_ptr<CostModel>> pretrained_model(const ModelOptions& options) {
  return model_from(pretrained_bytes(), "that is shipped", options);
}

Result<std::unique_ptr<CostModel>> load_model(const std::string& path,
                                              const ModelOptions& options) {
  constexpr std::int64_t kLimit = 64 << 20;
  CAMBIUM_TRY(const std::string text, read_file(path, kLimit));
  return model_from(std::as_bytes(std::span(text)), path, options);
}

Status save_model(const CostModel& model, const std::string& path) {
  const auto* ours = dynamic_cast<const XgboostModel*>(&model);
  if (ours == nullptr) {
    return Rejection(Reason::ModelUnfit, path, "only models by XGBoost are saved");
  }
  CAMBIUM_TRY(const std::vector<std::byte> bytes, ours->bytes());
  return write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace cambium::tune
