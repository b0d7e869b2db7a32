#include "data/text_loader.h"

#include <algorithm>
#include <span>
#include <string>

#include <fmt/core.h>

#include "base/check.h"
#include "base/random.h"

namespace cambium::data {
namespace {

constexpr std::int64_t kMaxTokens = 1 << 28;  // in one batch

}  // namespace

Result<TextLoader> TextLoader::make(TextSplit text, const TextLoaderOptions& options) {
  if (options.batch < 1 || options.length < 1 || options.batch > kMaxTokens / options.length)
    return Rejection(Reason::BadOption, "batch and length",
                     fmt::format("{} windows of {} tokens are not within 1..{} tokens",
                                 options.batch, options.length, kMaxTokens));
  if (static_cast<std::int64_t>(text.size()) < options.length + 1)
    return Rejection(Reason::NoSamples, fmt::format("a split of {} tokens", text.size()),
                     fmt::format("window of {} with its target", options.length));
  return TextLoader(std::move(text), options);
}

// With shuffling one window fewer, where possible, so that every offset leaves as many.
std::int64_t TextLoader::windows() const {
  const std::int64_t usable = static_cast<std::int64_t>(text_.size()) - 1;
  const std::int64_t all = usable / options_.length;
  if (!options_.shuffle || all == 1) return all;
  return (usable - (options_.length - 1)) / options_.length;
}

std::int64_t TextLoader::batches() const {
  return options_.drop_last ? windows() / options_.batch
                            : (windows() + options_.batch - 1) / options_.batch;
}

std::vector<std::int64_t> TextLoader::order(std::int64_t epoch) const {
  std::vector<std::int64_t> starts(static_cast<std::size_t>(windows()));
  Rng rng = Rng(options_.seed).split("windows").split(static_cast<std::uint64_t>(epoch));
  std::int64_t offset = 0;
  if (options_.shuffle) {
    const std::int64_t slack =
        static_cast<std::int64_t>(text_.size()) - 1 - windows() * options_.length;
    offset = rng.between(0, std::min(slack, options_.length - 1));
  }
  for (std::size_t i = 0; i < starts.size(); ++i)
    starts[i] = offset + static_cast<std::int64_t>(i) * options_.length;
  if (options_.shuffle) rng.shuffle(std::span<std::int64_t>(starts));
  return starts;
}

TextBatch TextLoader::batch(const std::vector<std::int64_t>& order, std::int64_t index) const {
  CAMBIUM_CHECK(index >= 0 && index < batches(), "there is no such batch");
  const std::int64_t begin = index * options_.batch;
  const std::int64_t count =
      std::min(options_.batch, static_cast<std::int64_t>(order.size()) - begin);
  TextBatch out;
  out.dims = {count, options_.length};
  out.inputs.reserve(static_cast<std::size_t>(count * options_.length));
  out.targets.reserve(out.inputs.capacity());
  for (std::int64_t w = begin; w < begin + count; ++w) {
    const auto start = static_cast<std::size_t>(order[static_cast<std::size_t>(w)]);
    for (std::size_t t = start; t < start + static_cast<std::size_t>(options_.length); ++t) {
      out.inputs.push_back(text_.token(t));
      out.targets.push_back(text_.token(t + 1));
    }
  }
  return out;
}

}  // namespace cambium::data
