#include "schedule/trace/draft.h"

#include <algorithm>
#include <utility>

#include "schedule/sampling/choices.h"
#include "schedule/sampling/tilings.h"

namespace cambium::schedule {
namespace {

template <class S>
concept Sample = requires(const S& s, S& open, Rng& rng, Decision d) {
  s.key;
  d = s.draw(rng);
  d = s.snap(d);
  d = s.decision();
  open.decide(d);
  s.neighbours();
};
template <class... S>
constexpr bool are_samples(const std::variant<S...>* /*list*/) {
  return (Sample<S> && ...);
}
static_assert(are_samples(static_cast<const Sampling*>(nullptr)));

// f of the sampling instruction, or `otherwise`.
template <class T, class F>
T of_sample(const Step& step, T otherwise, const F& f) {
  return std::visit(
      [&](const auto& s) -> T {
        if constexpr (Sample<std::decay_t<decltype(s)>>) {
          return f(s);
        } else {
          return std::move(otherwise);
        }
      },
      step);
}

Decision at_position(std::size_t position, const Names& options) {
  return {{static_cast<std::int64_t>(position)},
          position < options.size() ? options[position] : std::string()};
}

Decision tile_or_whole(const Ints& preferred, std::int64_t parts) {
  return {preferred.empty() ? Ints(static_cast<std::size_t>(parts), 1) : preferred, {}};
}

}  // namespace

Decisions decisions_of(const Trace& trace) {
  Decisions decisions;
  for (const Record& record : trace) {
    const std::string* key = key_of(record.step);
    if (key == nullptr) continue;
    decisions[*key] =
        of_sample(record.step, Decision{}, [](const auto& s) { return s.decision(); });
  }
  return decisions;
}

const std::string* key_of(const Step& step) {
  return of_sample(step, static_cast<const std::string*>(nullptr),
                   [](const auto& s) { return &s.key; });
}

bool is_sample(const Step& step) {
  return key_of(step) != nullptr;
}

bool is_structural(const Step& step) {
  const auto* sample = std::get_if<SampleCategorical>(&step);
  return sample != nullptr && sample->structural;
}

std::vector<Decision> neighbours_of(const Step& step) {
  return of_sample(step, std::vector<Decision>{}, [](const auto& s) { return s.neighbours(); });
}

Draft::Draft(Context& cx, const Program& program, const Machine& machine,
             const DraftOptions& options)
    : schedule_(cx, program, options.memory), machine_(&machine), options_(&options) {}

void Draft::enter(std::string_view rule, std::string_view block) {
  prefix_.assign(rule).append("/").append(block).append("/");
  entered_ = nullptr;
}

void Draft::enter(std::string_view rule, const program::Site& site) {
  enter(rule, site.block->name);
  entered_ = &site;
  entered_in_ = program().root;
}

program::Site Draft::find_site(std::string_view block) const {
  const bool is_known =
      entered_ != nullptr && entered_in_ == program().root && entered_->block->name == block;
  return is_known ? *entered_ : program::find_site(program(), block);
}

std::string Draft::full_key(std::string_view key) const {
  const std::string plain = prefix_ + std::string(key);
  const auto is_taken = [&](const std::string& wanted) {
    for (const Record& record : schedule_.trace()) {
      const std::string* taken = key_of(record.step);
      if (taken != nullptr && *taken == wanted) return true;
    }
    return false;
  };
  std::string full = plain;
  for (int n = 2; is_taken(full); ++n) full = plain + "#" + std::to_string(n);
  return full;
}

// With every weight that is not 0 the same, and tiles with tails by size alone. To the laws of
// other tiles all are alike anyway.
template <class Sample>
Decision draw_alike(Sample sample, Rng& rng) {
  if constexpr (requires { sample.draw_alike(rng); }) {
    return sample.draw_alike(rng);
  } else if constexpr (requires { sample.weights; }) {
    for (std::int64_t& weight : sample.weights) weight = std::min<std::int64_t>(weight, 1);
  }
  return sample.draw(rng);
}

template <class Sample>
Sample Draft::decided(Sample sample, const Decision& preferred, const Status& possible) {
  if (!possible.ok()) {
    if (fault_.ok()) fault_ = possible;
    return sample;
  }
  const auto wanted = options_->wanted.find(sample.key);
  if (wanted != options_->wanted.end()) {
    sample.decide(sample.snap(wanted->second));
  } else if (options_->otherwise == Otherwise::Preferred) {
    sample.decide(sample.snap(preferred));
  } else {
    Rng rng = Rng(options_->seed).split(sample.key);
    const bool is_uniform = options_->otherwise == Otherwise::Uniform;
    sample.decide(is_uniform ? draw_alike(sample, rng) : sample.draw(rng));
  }
  const auto made = schedule_.apply(Step(sample));
  if (!made.ok() && fault_.ok()) fault_ = made.rejection();
  return sample;
}

std::int64_t Draft::choice_among(std::string_view key, const Names& options, std::size_t preferred,
                                 const Ints& weights, bool structural) {
  const SampleCategorical open{full_key(key), options, weights, structural, 0};
  return decided(
             open, at_position(preferred, options),
             check_choice(open.key, options.size(), weights, static_cast<std::int64_t>(preferred)))
      .choice;
}

template <class Sample>
Ints Draft::tile(Sample sample, const Tiling& tiling, const Ints& preferred) {
  const Status possible = check_tiling(sample.key, tiling);
  Ints factors = decided(std::move(sample),
                         tile_or_whole(preferred, possible.ok() ? tiling.parts : 0), possible)
                     .factors;
  // As many as a rule expects, whatever it asked for.
  constexpr std::int64_t kMost = 64;
  factors.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(tiling.parts, 0, kMost)), 1);
  return factors;
}

std::size_t Draft::choose(std::string_view key, const Names& options, std::size_t preferred,
                          const Ints& weights) {
  return static_cast<std::size_t>(choice_among(key, options, preferred, weights, false));
}

std::size_t Draft::branch(std::string_view key, const Names& options, std::size_t preferred,
                          const Ints& weights) {
  return static_cast<std::size_t>(choice_among(key, options, preferred, weights, true));
}

std::int64_t Draft::choose_number(std::string_view key, const Ints& numbers, std::size_t preferred,
                                  const Ints& weights) {
  Names options;
  for (const std::int64_t number : numbers) options.push_back(std::to_string(number));
  const std::size_t chosen = choose(key, options, preferred, weights);
  return numbers.empty() ? 1 : numbers[chosen];
}

Ints Draft::perfect_tile(std::string_view key, std::int64_t extent, std::int64_t parts,
                         std::int64_t innermost, const Ints& preferred) {
  return tile(SamplePerfectTile{full_key(key), extent, parts, innermost, {}},
              {extent, parts, innermost}, preferred);
}

Ints Draft::imperfect_tile(std::string_view key, std::int64_t extent, std::int64_t parts,
                           std::int64_t innermost, const Ints& preferred) {
  return tile(SampleImperfectTile{full_key(key), extent, parts, innermost, {}},
              {extent, parts, innermost}, preferred);
}

Ints Draft::partitioned_tile(std::string_view key, std::int64_t extent, std::int64_t parts,
                             std::int64_t at, std::int64_t multiple, std::int64_t innermost,
                             const Ints& preferred) {
  return tile(SamplePartitionedTile{full_key(key), extent, parts, at, multiple, innermost, {}},
              {extent, parts, innermost, at, multiple}, preferred);
}

std::string Draft::compute_location(std::string_view key, const std::string& block,
                                    const Names& places, std::size_t preferred) {
  const SampleComputeLocation open{full_key(key), block, places, 0};
  const auto sample =
      decided(open, at_position(preferred, places),
              check_choice(open.key, places.size(), {}, static_cast<std::int64_t>(preferred)));
  return places.empty() ? "root" : places[static_cast<std::size_t>(sample.choice)];
}

std::string Draft::layout(std::string_view key, const std::string& buffer, const Names& layouts,
                          std::size_t preferred, const Ints& weights) {
  const SampleLayout open{full_key(key), buffer, layouts, weights, 0};
  const auto sample = decided(
      open, at_position(preferred, layouts),
      check_choice(open.key, layouts.size(), weights, static_cast<std::int64_t>(preferred)));
  return layouts.empty() ? "as it is" : layouts[static_cast<std::size_t>(sample.choice)];
}

MicroKernel Draft::micro_kernel(std::string_view key, const std::vector<MicroKernel>& shapes,
                                std::size_t preferred, const Ints& weights) {
  SampleMicroKernel open{full_key(key), {}, {}, weights, 0};
  for (const MicroKernel& shape : shapes) {
    open.rows.push_back(shape.rows);
    open.vectors.push_back(shape.vectors);
  }
  const auto sample =
      decided(open, at_position(preferred, {}),
              check_choice(open.key, shapes.size(), weights, static_cast<std::int64_t>(preferred)));
  return shapes.empty() ? MicroKernel{} : shapes[static_cast<std::size_t>(sample.choice)];
}

}  // namespace cambium::schedule
