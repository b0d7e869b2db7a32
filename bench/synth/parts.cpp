#include "synth/parts.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "synth/canonical.h"
#include "synth/fingerprints.h"
#include "synth/measure.h"

namespace cambium::bench {
namespace {

using spaces::coordinate::synthesis::Guide;

nlohmann::json json_of(const std::string& name, const SynthNumbers& numbers) {
  nlohmann::json curve = nlohmann::json::array();
  for (const SynthPoint& point : numbers.curve) {
    curve.push_back({{"seconds", point.seconds},
                     {"trials", point.trials},
                     {"valid", point.valid},
                     {"distinct", point.distinct}});
  }
  return {{"name", name},
          {"curve", curve},
          {"start_seconds", numbers.start_seconds},
          {"seconds", numbers.end().seconds},
          {"trials", numbers.end().trials},
          {"valid", numbers.end().valid},
          {"valid_share", numbers.share(numbers.end().valid)},
          {"over_budget_share", numbers.share(numbers.over_budget)},
          {"dead_end_share", numbers.share(numbers.dead_ends)},
          {"distinct", numbers.end().distinct},
          {"operators_per_second", numbers.per_second()},
          {"applications", numbers.applications},
          {"refused", numbers.refused},
          {"states", numbers.states},
          {"bytes_per_state", numbers.bytes_per_state}};
}

const char* name_of(Guide guide) {
  switch (guide) {
    case Guide::Exact: return "guided exactly";
    case Guide::Distance: return "guided by distance";
    case Guide::None: return "not guided";
  }
  return "";
}

double share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

Status bench_sampling(const SynthBenchOptions& options, nlohmann::json& out) {
  SamplingOptions how;
  how.seed = options.seed;
  how.seconds = options.quick ? 10 : 60;
  CAMBIUM_TRY(const SynthNumbers numbers, measure_sampling(how));
  const nlohmann::json row = json_of(name_of(how.guide), numbers);
  out["rows"].push_back(row);
  for (const char* name : {"operators_per_second", "valid_share", "over_budget_share",
                           "dead_end_share", "states", "bytes_per_state"}) {
    out["summary"][name] = row[name];
  }
  return Ok{};
}

Status bench_speeds(const SynthBenchOptions& options, nlohmann::json& out) {
  CAMBIUM_TRY(const SynthSpeeds speeds, measure_speeds(options.seed));
  const nlohmann::json row = {{"applications_per_second", speeds.applications_per_second},
                              {"distance_median_ns", speeds.distance_median_ns},
                              {"distance_cold_median_ns", speeds.distance_cold_median_ns}};
  out["rows"].push_back(row);
  out["summary"].update(row);
  return Ok{};
}

Status bench_guides(const SynthBenchOptions& options, nlohmann::json& out) {
  SamplingOptions how;
  how.seed = options.seed;
  how.seconds = options.quick ? 5 : 60;
  for (const Guide guide : {Guide::Distance, Guide::None}) {
    how.guide = guide;
    CAMBIUM_TRY(const SynthNumbers numbers, measure_sampling(how));
    out["rows"].push_back(json_of(name_of(guide), numbers));
  }
  return Ok{};
}

Status bench_growth(const SynthBenchOptions& options, nlohmann::json& out) {
  SamplingOptions how;
  how.seed = options.seed;
  how.seconds = options.quick ? 1 : 10;
  for (how.primitives = 4; how.primitives <= 12; ++how.primitives) {
    CAMBIUM_TRY(const SynthNumbers numbers, measure_sampling(how));
    nlohmann::json row = json_of(fmt::format("{} primitives", how.primitives), numbers);
    row["primitives"] = how.primitives;
    const double seconds = numbers.start_seconds + numbers.end().seconds;
    row["ms_per_trial"] = 1e3 * seconds / static_cast<double>(numbers.end().trials);
    row["ms_per_valid"] =
        1e3 * seconds / static_cast<double>(std::max<std::uint64_t>(1, numbers.end().valid));
    out["rows"].push_back(std::move(row));
  }
  return Ok{};
}

Status bench_table2(const SynthBenchOptions& options, nlohmann::json& out) {
  CAMBIUM_TRY(const auto rates,
              measure_canonical_rates(options.quick ? 8 : 12, options.quick ? 500 : 10000,
                                      options.quick ? 0.5 : 5, options.seed));
  for (const CanonicalRate& rate : rates) {
    out["rows"].push_back({{"primitives", rate.primitives},
                           {"operators", rate.operators},
                           {"is_exhaustive", rate.is_exhaustive},
                           {"canonical", rate.all},
                           {"canonical_rate", share(rate.all, rate.operators)},
                           {"canonical_by_exact_rules", rate.exact},
                           {"exact_rate", share(rate.exact, rate.operators)},
                           {"meanings", rate.meanings},
                           {"refused", rate.refused}});
  }
  return Ok{};
}

Status bench_duplicates(const SynthBenchOptions& options, nlohmann::json& out) {
  CAMBIUM_TRY(const auto rows,
              measure_duplicates(options.quick ? 8 : 12, options.quick ? 1000 : 50000,
                                 options.quick ? 0.5 : 5, options.seed));
  for (const Duplicates& row : rows) {
    out["rows"].push_back(
        {{"primitives", row.primitives},
         {"operators", row.operators},
         {"is_exhaustive", row.is_exhaustive},
         {"meanings", row.meanings},
         {"duplicate_share", share(row.operators - row.meanings, row.operators)}});
  }
  return Ok{};
}

Status bench_exactness(const SynthBenchOptions&, nlohmann::json& out) {
  CAMBIUM_TRY(const auto rows, measure_exactness());
  std::uint64_t lost = 0;
  for (const Exactness& row : rows) {
    out["rows"].push_back({{"name", row.space},
                           {"operators", row.operators},
                           {"classes", row.classes},
                           {"kept_operators", row.kept_operators},
                           {"kept_classes", row.kept_classes},
                           {"lost", row.lost}});
    lost += row.lost;
  }
  out["summary"]["classes_lost_by_exact_rules"] = lost;
  return Ok{};
}

Status bench_fingerprints(const SynthBenchOptions& options, nlohmann::json& out) {
  CAMBIUM_TRY(
      const FingerprintErrors errors,
      measure_fingerprints(options.quick ? 300 : 3000, options.quick ? 50 : 300, options.seed));
  out["rows"].push_back({{"operators", errors.operators},
                         {"fingerprints", errors.fingerprints},
                         {"compared", errors.compared},
                         {"merged_wrongly", errors.merged},
                         {"unjudged", errors.unjudged},
                         {"held", errors.held},
                         {"split", errors.split},
                         {"errors", errors.errors},
                         {"first_look_us", errors.first_us},
                         {"fingerprint_us", errors.whole_us}});
  return Ok{};
}

std::string sampling_text(const nlohmann::json& row) {
  return fmt::format("{:24} {:>9} trials {:>6.1f}% valid {:>9} distinct {:>9.0f}/s\n",
                     row["name"].get<std::string>(), row["trials"].get<std::uint64_t>(),
                     100 * row["valid_share"].get<double>(), row["distinct"].get<std::uint64_t>(),
                     row["operators_per_second"].get<double>());
}

std::string speeds_text(const nlohmann::json&) {
  return "";  // all of it is in the summary
}

std::string growth_text(const nlohmann::json& row) {
  return fmt::format(
      "{:24} {:>9.3f} ms a trial {:>9.3f} ms an operator {:>9} distinct {:>9.0f}/s\n",
      row["name"].get<std::string>(), row["ms_per_trial"].get<double>(),
      row["ms_per_valid"].get<double>(), row["distinct"].get<std::uint64_t>(),
      row["operators_per_second"].get<double>());
}

std::string table2_text(const nlohmann::json& row) {
  return fmt::format(
      "{:2} primitives {:>8} operators {}  canonical {:.4f} (exact rules alone {:.4f})"
      "  {:>8} functions\n",
      row["primitives"].get<int>(), row["operators"].get<std::uint64_t>(),
      row["is_exhaustive"].get<bool>() ? "(all)  " : "(drawn)", row["canonical_rate"].get<double>(),
      row["exact_rate"].get<double>(), row["meanings"].get<std::uint64_t>());
}

std::string duplicates_text(const nlohmann::json& row) {
  return fmt::format(
      "{:2} primitives {:>8} canonical operators {}  {:>8} functions, {:.2f}% too many\n",
      row["primitives"].get<int>(), row["operators"].get<std::uint64_t>(),
      row["is_exhaustive"].get<bool>() ? "(all)  " : "(drawn)",
      row["meanings"].get<std::uint64_t>(), 100 * row["duplicate_share"].get<double>());
}

std::string exactness_text(const nlohmann::json& row) {
  return fmt::format(
      "{:70} {:>8} operators of {:>6} classes; exact rules leave {:>6} of {:>6}: {} lost\n",
      row["name"].get<std::string>(), row["operators"].get<std::uint64_t>(),
      row["classes"].get<std::uint64_t>(), row["kept_operators"].get<std::uint64_t>(),
      row["kept_classes"].get<std::uint64_t>(), row["lost"].get<std::uint64_t>());
}

std::string fingerprints_text(const nlohmann::json& row) {
  std::string text = fmt::format(
      "{:>8} operators, {:>8} fingerprints: {} of {} merged wrongly, {} unjudged,"
      " {} of {} split;"
      " {:.0f} us at first, {:.0f} us whole\n",
      row["operators"].get<std::uint64_t>(), row["fingerprints"].get<std::uint64_t>(),
      row["merged_wrongly"].get<std::uint64_t>(), row["compared"].get<std::uint64_t>(),
      row["unjudged"].get<std::uint64_t>(), row["split"].get<std::uint64_t>(),
      row["held"].get<std::uint64_t>(), row["first_look_us"].get<double>(),
      row["fingerprint_us"].get<double>());
  for (const auto& error : row["errors"]) text += error.get<std::string>() + "\n";
  return text;
}

}  // namespace cambium::bench
