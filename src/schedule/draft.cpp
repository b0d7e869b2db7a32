#include "schedule/draft.h"

#include <utility>

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
static_assert(Sample<SampleCategorical> && Sample<SamplePerfectTile> &&
              Sample<SampleImperfectTile> && Sample<SamplePartitionedTile> &&
              Sample<SampleComputeLocation> && Sample<SampleLayout> && Sample<SampleMicroKernel>);

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

Decision at_position(std::size_t position, std::string option) {
  return {{static_cast<std::int64_t>(position)}, std::move(option)};
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
    : schedule_(cx, program), machine_(&machine), options_(&options) {}

void Draft::enter(std::string_view rule, std::string_view block) {
  prefix_ = std::string(rule) + "/" + std::string(block) + "/";
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

template <class Sample>
Sample Draft::decided(Sample sample, const Decision& preferred) {
  const auto wanted = options_->wanted.find(sample.key);
  if (wanted != options_->wanted.end()) {
    sample.decide(sample.snap(wanted->second));
  } else if (options_->otherwise == Otherwise::Preferred) {
    sample.decide(sample.snap(preferred));
  } else {
    Rng rng = Rng(options_->seed).split(sample.key);
    sample.decide(sample.draw(rng));
  }
  const auto made = schedule_.apply(Step(sample));
  CAMBIUM_CHECK(made.ok(), made.rejection().message());
  return sample;
}

std::size_t Draft::choose(std::string_view key, const Names& options, std::size_t preferred,
                          const Ints& weights) {
  const auto sample = decided(SampleCategorical{full_key(key), options, weights, false, 0},
                              at_position(preferred, options.at(preferred)));
  return static_cast<std::size_t>(sample.choice);
}

std::size_t Draft::branch(std::string_view key, const Names& options, std::size_t preferred,
                          const Ints& weights) {
  const auto sample = decided(SampleCategorical{full_key(key), options, weights, true, 0},
                              at_position(preferred, options.at(preferred)));
  return static_cast<std::size_t>(sample.choice);
}

std::int64_t Draft::choose_number(std::string_view key, const Ints& numbers, std::size_t preferred,
                                  const Ints& weights) {
  Names options;
  for (const std::int64_t number : numbers) options.push_back(std::to_string(number));
  return numbers[choose(key, options, preferred, weights)];
}

Ints Draft::perfect_tile(std::string_view key, std::int64_t extent, std::int64_t parts,
                         std::int64_t innermost, const Ints& preferred) {
  return decided(SamplePerfectTile{full_key(key), extent, parts, innermost, {}},
                 tile_or_whole(preferred, parts))
      .factors;
}

Ints Draft::imperfect_tile(std::string_view key, std::int64_t extent, std::int64_t parts,
                           std::int64_t innermost, const Ints& preferred) {
  return decided(SampleImperfectTile{full_key(key), extent, parts, innermost, {}},
                 tile_or_whole(preferred, parts))
      .factors;
}

Ints Draft::partitioned_tile(std::string_view key, std::int64_t extent, std::int64_t parts,
                             std::int64_t at, std::int64_t multiple, std::int64_t innermost,
                             const Ints& preferred) {
  return decided(SamplePartitionedTile{full_key(key), extent, parts, at, multiple, innermost, {}},
                 tile_or_whole(preferred, parts))
      .factors;
}

std::string Draft::compute_location(std::string_view key, const std::string& block,
                                    const Names& places, std::size_t preferred) {
  const auto sample = decided(SampleComputeLocation{full_key(key), block, places, 0},
                              at_position(preferred, places.at(preferred)));
  return places[static_cast<std::size_t>(sample.choice)];
}

std::string Draft::layout(std::string_view key, const std::string& buffer, const Names& layouts,
                          std::size_t preferred, const Ints& weights) {
  const auto sample = decided(SampleLayout{full_key(key), buffer, layouts, weights, 0},
                              at_position(preferred, layouts.at(preferred)));
  return layouts[static_cast<std::size_t>(sample.choice)];
}

MicroKernel Draft::micro_kernel(std::string_view key, const std::vector<MicroKernel>& shapes,
                                std::size_t preferred, const Ints& weights) {
  SampleMicroKernel sample{full_key(key), {}, {}, weights, 0};
  for (const MicroKernel& shape : shapes) {
    sample.rows.push_back(shape.rows);
    sample.vectors.push_back(shape.vectors);
  }
  return shapes[static_cast<std::size_t>(decided(sample, at_position(preferred, {})).choice)];
}

}  // namespace cambium::schedule
