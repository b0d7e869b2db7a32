#include "train/recipe.h"

#include <cmath>
#include <span>
#include <type_traits>

#include <fmt/core.h>

#include "base/text.h"

namespace cambium::train {

namespace {

constexpr std::int64_t kMost = 1'000'000'000;

template <class E>
std::span<const char* const> names_of_values();

template <>
std::span<const char* const> names_of_values<OptimizerKind>() {
  static constexpr const char* kNames[] = {"sgd", "adamw", "rmsprop"};
  return kNames;
}
template <>
std::span<const char* const> names_of_values<RateLaw>() {
  static constexpr const char* kNames[] = {"constant", "cosine", "multi-step", "one-cycle"};
  return kNames;
}
template <>
std::span<const char* const> names_of_values<Precision>() {
  static constexpr const char* kNames[] = {"f32", "bf16"};
  return kNames;
}

template <class T>
std::string text_of_value(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return names_of_values<T>()[static_cast<std::size_t>(value)];
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "yes" : "no";
  } else if constexpr (std::is_same_v<T, std::vector<double>>) {
    std::vector<std::string> parts;
    for (const double each : value) parts.push_back(fmt::format("{}", each));
    return join(parts, ",");
  } else {
    return fmt::format("{}", value);
  }
}

Rejection bad(std::string_view name, std::string why) {
  return Rejection(Reason::BadOption, std::string(name), std::move(why));
}

template <class T>
Status read(std::string_view name, std::string_view text, T& value) {
  if constexpr (std::is_enum_v<T>) {
    std::vector<std::string> known;
    for (const char* each : names_of_values<T>()) {
      if (text == each) {
        value = static_cast<T>(known.size());
        return Ok{};
      }
      known.emplace_back(each);
    }
    return bad(name, quote(text) + " is not one of " + join(known, ", "));
  } else if constexpr (std::is_same_v<T, bool>) {
    if (text != "yes" && text != "no") return bad(name, quote(text) + " must be yes or no");
    value = text == "yes";
  } else if constexpr (std::is_same_v<T, std::vector<double>>) {
    T all;
    for (const std::string_view part : split(text, ',')) {
      if (text.empty()) break;
      const auto number = parse_double(trim(part));
      if (!number.ok()) return bad(name, quote(part) + " is not a number");
      all.push_back(*number);
    }
    value = std::move(all);
  } else if constexpr (std::is_integral_v<T>) {
    const auto number = parse_int(text, 0, kMost);
    if (!number.ok()) return bad(name, quote(text) + " must be a whole number of at most 10^9");
    value = static_cast<T>(*number);
  } else {
    const auto number = parse_double(text);
    if (!number.ok()) return bad(name, quote(text) + " is not a number");
    value = *number;
  }
  return Ok{};
}

Status within(const char* name, double value, double low, double high, bool open_above = false) {
  if (std::isfinite(value) && value >= low && (open_above ? value < high : value <= high)) {
    return Ok{};
  }
  return bad(name, open_above ? fmt::format("must be at least {1} and below {2}, not {0}", value,
                                            low, high)
                              : fmt::format("must be from {1} to {2}, not {0}", value, low, high));
}

Status check_rate(const RateOptions& rate) {
  CAMBIUM_REQUIRE(within("rate", rate.peak, 0, 1e6));
  CAMBIUM_REQUIRE(within("warmup", rate.warmup, 0, 1));
  CAMBIUM_REQUIRE(within("start", rate.start, 0, 1));
  CAMBIUM_REQUIRE(within("end", rate.end, 0, 1));
  CAMBIUM_REQUIRE(within("factor", rate.factor, 0, 1));
  double before = 0;
  for (const double milestone : rate.milestones) {
    CAMBIUM_REQUIRE(within("milestones", milestone, 0, 1));
    if (milestone <= before)
      return bad("milestones", "they must rise, and the first must be above 0");
    before = milestone;
  }
  if (rate.law == RateLaw::MultiStep && rate.milestones.empty()) {
    return bad("milestones", "the multi-step law needs at least one");
  }
  return Ok{};
}

Recipe gray_images() {
  Recipe out;
  out.epochs = 2;
  out.batch = 128;
  out.optimizer.weight_decay = 5e-4;
  out.rate = {.law = RateLaw::OneCycle, .peak = 0.2, .warmup = 0.2, .start = 0.1};
  return out;
}

Recipe small_images() {
  Recipe out;
  out.epochs = 30;
  out.batch = 512;
  out.optimizer.weight_decay = 5e-4;
  out.rate = {.law = RateLaw::OneCycle, .peak = 0.4, .warmup = 0.2, .start = 0.1};
  out.label_smoothing = 0.1;
  out.augmentation = {.pad = 4, .flip = true, .cutout = 8};
  return out;
}

Recipe published_resnet() {
  Recipe out;
  out.epochs = 200;
  out.batch = 128;
  out.optimizer.nesterov = false;
  out.optimizer.weight_decay = 1e-4;
  out.optimizer.decays_norms = true;
  out.rate = {.law = RateLaw::MultiStep, .peak = 0.1, .milestones = {0.5, 0.75}, .factor = 0.1};
  out.augmentation = {.pad = 4, .flip = true};
  return out;
}

Recipe language() {
  Recipe out;
  out.epochs = 3;
  out.batch = 32;
  out.optimizer.kind = OptimizerKind::AdamW;
  out.optimizer.beta2 = 0.95;
  out.optimizer.weight_decay = 0.1;
  out.optimizer.clip = 1;
  out.rate = {.law = RateLaw::Cosine, .peak = 2e-3, .warmup = 0.1, .end = 0.1};
  return out;
}

}  // namespace

Status check(const Recipe& recipe) {
  const OptimizerOptions& optimizer = recipe.optimizer;
  CAMBIUM_REQUIRE(within("epochs", static_cast<double>(recipe.epochs), 1, 1e6));
  CAMBIUM_REQUIRE(within("batch", static_cast<double>(recipe.batch), 1, 1 << 20));
  CAMBIUM_REQUIRE(within("momentum", optimizer.momentum, 0, 1, true));
  CAMBIUM_REQUIRE(within("beta1", optimizer.beta1, 0, 1, true));
  CAMBIUM_REQUIRE(within("beta2", optimizer.beta2, 0, 1, true));
  CAMBIUM_REQUIRE(within("alpha", optimizer.alpha, 0, 1, true));
  CAMBIUM_REQUIRE(within("epsilon", optimizer.epsilon, 0, 1));
  CAMBIUM_REQUIRE(within("weight-decay", optimizer.weight_decay, 0, 1e3));
  CAMBIUM_REQUIRE(within("clip", optimizer.clip, 0, 1e9));
  CAMBIUM_REQUIRE(check_rate(recipe.rate));
  CAMBIUM_REQUIRE(within("label-smoothing", recipe.label_smoothing, 0, 1, true));
  CAMBIUM_REQUIRE(within("ema", recipe.ema, 0, 1, true));
  CAMBIUM_REQUIRE(within("pad", recipe.augmentation.pad, 0, 1 << 16));
  CAMBIUM_REQUIRE(within("cutout", recipe.augmentation.cutout, 0, 1 << 16));
  CAMBIUM_REQUIRE(within("length", static_cast<double>(recipe.length), 1, 1 << 20));
  return Ok{};
}

Status assign(Recipe& recipe, std::string_view name, std::string_view value) {
  std::vector<std::string> known;
  Status done = bad(name, "");
  bool found = false;
  Recipe::fields(recipe, [&](const char* field, auto& member) {
    known.emplace_back(field);
    if (name != field) return;
    found = true;
    done = read(name, value, member);
  });
  if (found) return done;
  const auto near = closest(name, known);
  return bad(name, near ? "unknown setting of a recipe; did you mean " + quote(*near) + "?"
                        : "unknown setting of a recipe; expected one of " + join(known, ", "));
}

const std::vector<NamedRecipe>& recipes() {
  static const std::vector<NamedRecipe> all = {
      {"gray", "small gray images (Fashion-MNIST): a few epochs, one cycle", gray_images()},
      {"color", "small color images (CIFAR): 30 epochs, one cycle, augmentation", small_images()},
      {"resnet", "He et al. 2016 on CIFAR: 200 epochs, the rate falls in steps",
       published_resnet()},
      {"text", "language models: AdamW, cosine", language()},
  };
  return all;
}

Result<Recipe> recipe_named(std::string_view name) {
  std::vector<std::string> names;
  for (const NamedRecipe& each : recipes()) {
    if (name == each.name) return each.recipe;
    names.emplace_back(each.name);
  }
  return bad("recipe " + quote(name), "unknown; expected one of " + join(names, ", "));
}

std::vector<std::pair<std::string, std::string>> settings_of(const Recipe& recipe) {
  std::vector<std::pair<std::string, std::string>> out;
  Recipe::fields(recipe, [&out](const char* name, const auto& value) {
    out.emplace_back(name, text_of_value(value));
  });
  return out;
}

std::string to_text(const Recipe& recipe) {
  const auto ours = settings_of(recipe), usual = settings_of(Recipe{});
  std::string out;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i].second == usual[i].second) continue;
    out += fmt::format("{} = {}\n", ours[i].first, ours[i].second);
  }
  return out;
}

Fingerprint fingerprint_of(const Recipe& recipe) {
  Hasher hasher;
  for (const auto& setting : settings_of(recipe)) hasher.add(setting.first).add(setting.second);
  return hasher.done();
}

}  // namespace cambium::train
