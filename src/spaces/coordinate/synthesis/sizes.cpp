#include "spaces/coordinate/synthesis/sizes.h"

#include <algorithm>
#include <cstdlib>

namespace cambium::spaces::coordinate::synthesis {
namespace {

using expr::SizeVar;

bool within(const expr::Size& size, const Limits& limits) {
  int variables = 0, powers = 0;
  for (std::uint8_t v = 0; v < expr::kMaxVars; ++v) {
    const int power = std::abs(size.powers()[SizeVar{v}]);
    variables += power != 0;
    powers += power;
  }
  return variables <= limits.size_variables && powers <= limits.size_powers;
}

int weight_of(const expr::Size& size) {
  int powers = 0;
  for (std::uint8_t v = 0; v < expr::kMaxVars; ++v) {
    powers += std::abs(size.powers()[SizeVar{v}]);
  }
  return powers;
}

// The powers of a size, without signs.
Occurrences occurrences_in(const expr::Size& size) {
  Occurrences all;
  for (std::uint8_t v = 0; v < expr::kMaxVars; ++v) {
    const auto power = static_cast<std::uint64_t>(std::abs(size.powers()[SizeVar{v}]));
    std::uint64_t& word = v < expr::kMaxPrimary ? all.primary : all.coefficient;
    word |= std::min<std::uint64_t>(power, 127) << (8 * (v % expr::kMaxPrimary));
  }
  return all;
}

}  // namespace

Sizes::Sizes(const Problem& problem, const Limits& limits)
    : bindings_(problem.bindings), limits_(limits) {
  intern(expr::Size());
  for (const expr::Size& size : problem.input) intern(size);
  for (const expr::Size& size : problem.output) intern(size);
  list_parameters(problem);
}

std::int64_t Sizes::value(const expr::Size& size, const expr::Binding& binding) const {
  const Result<expr::Ratio> ratio = expr::evaluate_ratio(size, binding);
  if (!ratio.ok()) return 0;
  if (ratio->is_integer()) return ratio->numerator;
  bool has_primary = false;
  for (std::uint8_t v = 0; v < expr::kMaxPrimary; ++v) {
    has_primary = has_primary || size.powers()[SizeVar{v}] > 0;
  }
  return limits_.pad && has_primary ? ratio->ceil() : 0;
}

SizeId Sizes::intern(const expr::Size& size) {
  const auto added = static_cast<std::uint32_t>(facts_.size());
  const auto same = [&](std::uint32_t other) { return facts_[other].size == size; };
  if (added == kMostSizes) {
    const std::uint32_t known = table_.find(size.hash(), same);
    is_full_ = is_full_ || known == Interned::kNone;
    return known == Interned::kNone ? kNoSize : static_cast<SizeId>(known);
  }
  const std::uint32_t place = table_.find_or_add(size.hash(), added, same);
  if (place != added) return static_cast<SizeId>(place);
  SizeFacts facts;
  facts.size = size;
  facts.occurrences = occurrences_in(size);
  facts.values = static_cast<std::uint32_t>(values_.size());
  facts.whole = !size.powers().any_negative_primary();
  facts.odd = facts.whole;
  for (const expr::Binding& binding : bindings_) {
    values_.push_back(value(size, binding));
    facts.whole = facts.whole && values_.back() > 0;
    facts.odd = facts.odd && values_.back() % 2 == 1;
  }
  facts.legal = facts.whole && within(size, limits_);
  if (facts.whole) {
    const auto begin = values_.begin() + facts.values;
    facts.least = *std::min_element(begin, values_.end());
    facts.greatest = *std::max_element(begin, values_.end());
  }
  facts_.push_back(facts);
  blocks_.push_back({1, 0});
  return static_cast<SizeId>(added);
}

// The place of a product or quotient, or the empty one where it belongs.
std::size_t Sizes::find_combined(std::uint32_t operands, bool divide) const {
  const auto kind = divide ? Combined::Kind::Quotient : Combined::Kind::Product;
  std::size_t at = mix(operands, divide ? 1 : 0) & (combined_.size() - 1);
  while (combined_[at].kind != Combined::Kind::Empty &&
         (combined_[at].operands != operands || combined_[at].kind != kind)) {
    at = (at + 1) & (combined_.size() - 1);
  }
  return at;
}

void Sizes::grow_combined() {
  std::vector<Combined> old(combined_.empty() ? 1024 : 2 * combined_.size());
  old.swap(combined_);
  for (const Combined& one : old) {
    if (one.kind == Combined::Kind::Empty) continue;
    combined_[find_combined(one.operands, one.kind == Combined::Kind::Quotient)] = one;
  }
}

SizeId Sizes::combine(SizeId a, SizeId b, bool divide) {
  if (a == kNoSize || b == kNoSize) return kNoSize;
  if (3 * combined_count_ >= 2 * combined_.size()) grow_combined();
  const std::uint32_t operands = static_cast<std::uint32_t>(a) << 16 | b;
  const std::size_t at = find_combined(operands, divide);
  if (combined_[at].kind != Combined::Kind::Empty) return combined_[at].result;
  const Result<expr::Size> size = divide ? expr::quotient(facts_[a].size, facts_[b].size)
                                         : expr::product(facts_[a].size, facts_[b].size);
  ++combined_count_;
  combined_[at] = {operands, size.ok() ? intern(*size) : kNoSize,
                   divide ? Combined::Kind::Quotient : Combined::Kind::Product};
  return combined_[at].result;
}

void Sizes::list_parameters(const Problem& problem) {
  std::vector<expr::Size> all = {expr::Size()};
  for (const SizeVar v : problem.sizes.vars()) {
    const bool is_fixed = std::any_of(
        problem.fixed.begin(), problem.fixed.end(),
        [&](FixedPair pair) { return problem.output[pair.output] == expr::Size::var(v); });
    if (is_fixed) continue;
    const std::size_t count = all.size();
    const int most = v.is_primary() ? limits_.primary_power : limits_.coefficient_power;
    for (int power = v.is_primary() ? 1 : -most; power <= most; ++power) {
      if (power == 0) continue;
      for (std::size_t i = 0; i < count; ++i) {
        const Result<expr::Size> size = expr::product(all[i], expr::Size::var(v, power));
        int primary = 0;
        for (std::uint8_t p = 0; p < expr::kMaxPrimary; ++p) primary += size->powers()[SizeVar{p}];
        if (primary <= limits_.primary_power && within(*size, limits_)) all.push_back(*size);
      }
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const expr::Size& a, const expr::Size& b) {
    const int x = weight_of(a), y = weight_of(b);
    return x != y ? x < y : a < b;
  });
  for (const expr::Size& size : all) {
    // A size that is one everywhere would make a primitive without effect.
    const SizeId id = intern(size);
    if (id == kNoSize) return;
    facts_[id].parameter = domain(id) && facts_[id].greatest > 1;
    if (facts_[id].parameter) parameters_.push_back(id);
  }
}

std::span<const Block> Sizes::blocks(SizeId n) {
  if (blocks_[n].first > blocks_[n].second) {
    std::vector<Block> found;
    const std::uint64_t whole = facts_[n].occurrences.coefficient;
    for (const SizeId block : parameters_) {
      const SizeId rest = quotient(n, block);
      if (!domain(rest) || facts_[rest].greatest == 1) continue;
      // (|a| + |b| - |a + b|) / 2 for each variable; never negative, so bytes do not borrow.
      const std::uint64_t twice =
          facts_[block].occurrences.coefficient + facts_[rest].occurrences.coefficient - whole;
      found.push_back({block, rest, (twice >> 1) & 0x7f7f7f7f7f7f7f7fULL});
    }
    const auto begin = static_cast<std::uint32_t>(block_list_.size());
    block_list_.insert(block_list_.end(), found.begin(), found.end());
    blocks_[n] = {begin, static_cast<std::uint32_t>(block_list_.size())};
  }
  const auto range = blocks_[n];
  return {block_list_.data() + range.first, range.second - range.first};
}

const Block* Sizes::find_block(SizeId n, SizeId block) {
  for (const Block& one : blocks(n)) {
    if (one.block == block) return &one;
  }
  return nullptr;
}

std::size_t Sizes::bytes() const {
  return facts_.capacity() * sizeof(SizeFacts) + values_.capacity() * sizeof(std::int64_t) +
         combined_.capacity() * sizeof(Combined) + table_.bytes() +
         block_list_.capacity() * sizeof(Block) + blocks_.capacity() * sizeof(blocks_[0]);
}

}  // namespace cambium::spaces::coordinate::synthesis
