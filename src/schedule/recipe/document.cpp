#include "schedule/recipe/document.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "program/walk.h"
#include "schedule/recipe/catalogue.h"
#include "schedule/recipe/document_memory.h"

namespace cambium::schedule {
namespace {

struct Counted {
  std::int64_t macs = 0, weights = 0;
};

constexpr std::int64_t kMostMacs = std::int64_t{1} << 60;

// Of counts; no more than the largest number there is.
std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::numeric_limits<std::int64_t>::max() : out;
}
std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? std::numeric_limits<std::int64_t>::max() : out;
}

// In normal form each iteration of a nest is one multiply-add.
Counted counted(const Program& program, const Names& blocks) {
  Counted all;
  std::set<const program::Buffer*> constants;
  for (const program::Site& site : program::sites_of(program)) {
    if (std::find(blocks.begin(), blocks.end(), site.block->name) == blocks.end()) continue;
    std::int64_t iterations = 1;
    for (const program::Loop* loop : site.loops) iterations = product(iterations, loop->extent());
    all.macs = sum(all.macs, iterations);
    for (const program::Buffer* buffer : site.block->body->buffers) {
      const bool is_new =
          buffer->role == program::Role::Constant && constants.insert(buffer).second;
      if (!is_new) continue;
      std::int64_t elements = 1;
      for (const std::int64_t dim : buffer->dims) elements = product(elements, dim);
      all.weights = sum(all.weights, elements);
    }
  }
  return all;
}

std::string steps_text(const Trace& steps) {
  std::string text;
  for (const Record& record : steps) text += to_text(record.step) + "\n";
  return text;
}

// Without what leaves the function as it is; later steps do not name what these make.
Trace without_order(const Trace& steps) {
  Trace kept;
  for (const Record& record : steps) {
    const bool is_order =
        std::holds_alternative<Reorder>(record.step) || std::holds_alternative<Unroll>(record.step);
    if (!is_order) kept.push_back({record.step, {}});
  }
  return kept;
}

bool is_of_loops(const Step& step) {
  return std::holds_alternative<Reorder>(step) || std::holds_alternative<Split>(step) ||
         std::holds_alternative<Fuse>(step) || std::holds_alternative<Partition>(step) ||
         std::holds_alternative<Unroll>(step);
}

// Up to the last neural step: what follows it leaves the function as it is.
Trace without_last_loops(const Trace& steps) {
  Trace kept = steps;
  while (!kept.empty() && is_of_loops(kept.back().step)) kept.pop_back();
  return kept;
}

Result<KnownFunction> read_function(Context& cx, const Program& program, const Names& sums) {
  CAMBIUM_TRY(Function function, function_of(cx, program, sums));
  const Fingerprint identity = identity_of(function);
  return KnownFunction{std::move(function), identity};
}

Document finished(std::string text, Replayed read) {
  const Counted count = counted(read.half.schedule.program(), read.half.blocks);
  return {std::move(text), std::move(read.half), std::move(read.function),
          read.identity,   count.macs,           count.weights};
}

}  // namespace

Result<KnownFunction> known_function(Context& cx, const Program& program, const Names& sums,
                                     DocumentMemory* memory) {
  if (memory == nullptr) return read_function(cx, program, sums);
  const auto known = memory->functions.find(program.root);
  if (known != memory->functions.end()) return known->second;
  return memory->functions.emplace(program.root, read_function(cx, program, sums)).first->second;
}

Result<Original> original_of(Context& cx, const Program& program, std::string_view block) {
  Original original;
  original.program = program;
  original.block = block;
  CAMBIUM_TRY(const NeuralHalf half, replay_document(cx, program, block, {}));
  CAMBIUM_TRY(original.sizes, sizes_of(half.schedule.program(), block));
  CAMBIUM_TRY(original.function, function_of(cx, half.schedule.program(), half.blocks));
  original.identity = identity_of(original.function);
  const Counted count = counted(half.schedule.program(), half.blocks);
  if (count.macs > kMostMacs) {
    return Rejection(Reason::SizeOutOfRange, "the number of multiply-adds", {}, count.macs, 1,
                     kMostMacs);
  }
  original.macs = count.macs;
  original.weights = count.weights;
  original.memory = std::make_shared<DocumentMemory>();
  return original;
}

Result<Trace> steps_of(std::string_view written, const NestSizes& sizes) {
  const std::optional<Result<std::string>> named = catalogue_document(written);
  if (!named) return parse_document(written, sizes.named);
  CAMBIUM_REQUIRE(*named);
  return parse_document(**named, sizes.named);
}

Result<Document> read_document(Context& cx, const Original& original, std::string_view written) {
  CAMBIUM_TRY(const Trace steps, steps_of(written, original.sizes));
  return document_of(cx, original, steps);
}

Result<Replayed> replayed(Context& cx, const Original& original, const Trace& steps) {
  DocumentMemory* const memory = original.memory.get();
  StepMemory* const known_steps = memory == nullptr ? nullptr : &memory->steps;
  CAMBIUM_TRY(NeuralHalf half,
              replay_document(cx, original.program, original.block, steps, known_steps));
  CAMBIUM_TRY(KnownFunction known,
              known_function(cx, half.schedule.program(), half.blocks, memory));
  return Replayed{std::move(half), std::move(known.function), known.identity};
}

std::optional<std::string> text_met_before(const Original& original, const Replayed& replayed) {
  if (original.memory == nullptr) return std::nullopt;
  const auto known = original.memory->texts.find(replayed.half.schedule.program().root);
  if (known == original.memory->texts.end()) return std::nullopt;
  return known->second;
}

Result<Document> document_of(Context& cx, const Original& original, const Trace& steps) {
  CAMBIUM_TRY(Replayed as_written, replayed(cx, original, steps));
  return document_of(cx, original, steps, std::move(as_written));
}

Result<Document> document_of(Context& cx, const Original& original, const Trace& steps,
                             Replayed as_written) {
  if (!steps.empty() && is_of_loops(steps.back().step)) {
    return document_of(cx, original, without_last_loops(steps));
  }
  const std::string written = steps_text(steps);
  const std::optional<std::string> canonical =
      canonical_document(as_written.function, original.function, original.sizes);
  const auto remember = [&] {
    if (original.memory == nullptr) return;
    original.memory->texts.emplace(as_written.half.schedule.program().root, *canonical);
  };
  if (canonical) {
    CAMBIUM_TRY(const Trace rewritten, parse_document(*canonical, original.sizes.named));
    if (steps_text(rewritten) == written) {
      remember();
      return finished(*canonical, std::move(as_written));
    }
    Result<Replayed> read = replayed(cx, original, rewritten);
    if (read.ok() && read->identity == as_written.identity) {
      remember();
      return finished(*canonical, std::move(*read));
    }
  }
  const Trace kept = without_order(steps);
  const std::string shorter = steps_text(kept);
  if (shorter == written) return finished(shorter, std::move(as_written));
  Result<Replayed> read = replayed(cx, original, kept);
  if (read.ok() && read->identity == as_written.identity) {
    return finished(shorter, std::move(*read));
  }
  return finished(written, std::move(as_written));
}

}  // namespace cambium::schedule
