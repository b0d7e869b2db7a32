#include "codegen/llvm/registers.h"

#include <algorithm>
#include <numeric>

namespace cambium::codegen {
namespace {

constexpr std::size_t kMostShuffled = 4;  // slots that one read is put together from

// The slot that the positions are, or -1.
std::int64_t whole_slot(std::span<const std::int64_t> at, std::int64_t lanes, std::size_t slots) {
  if (static_cast<std::int64_t>(at.size()) != lanes || at[0] % lanes != 0) return -1;
  if (at[0] < 0 || at[0] >= lanes * static_cast<std::int64_t>(slots)) return -1;
  for (std::size_t i = 1; i < at.size(); ++i) {
    if (at[i] != at[0] + static_cast<std::int64_t>(i)) return -1;
  }
  return at[0] / lanes;
}

}  // namespace

void Registers::add(const program::Buffer* buffer, std::int64_t lanes, std::int64_t slots) {
  lanes_[buffer] = lanes;
  Type* type = ops_.type_of(buffer->dtype, lanes);
  state_[buffer].assign(static_cast<std::size_t>(slots), llvm::PoisonValue::get(type));
}

Value* Registers::read(const program::Buffer* buffer, std::span<const std::int64_t> at) {
  const std::int64_t lanes = lanes_.at(buffer);
  const Slots& slots = state_.at(buffer);
  if (const std::int64_t slot = whole_slot(at, lanes, slots.size()); slot >= 0) {
    return slots[static_cast<std::size_t>(slot)];
  }
  // Behind a condition that is false there, code may be made for places outside the buffer.
  const auto element = [&](std::int64_t i) -> Value* {
    if (i < 0 || i >= lanes * std::ssize(slots)) {
      return llvm::PoisonValue::get(ops_.type_of(buffer->dtype));
    }
    return ops_.lane(slots[static_cast<std::size_t>(i / lanes)], i % lanes);
  };
  if (at.size() == 1) return element(at[0]);
  if (Value* all = across_slots(slots, lanes, at)) return all;
  Value* all =
      llvm::PoisonValue::get(ops_.type_of(buffer->dtype, static_cast<std::int64_t>(at.size())));
  for (std::size_t i = 0; i < at.size(); ++i) {
    all = ops_.b().CreateInsertElement(all, element(at[i]), i);
  }
  return all;
}

void Registers::write(const program::Buffer* buffer, std::span<const std::int64_t> at,
                      Value* value) {
  const std::int64_t lanes = lanes_.at(buffer);
  Slots& slots = state_.at(buffer);
  if (const std::int64_t slot = whole_slot(at, lanes, slots.size()); slot >= 0) {
    slots[static_cast<std::size_t>(slot)] = ops_.splat(value, lanes);
    return;
  }
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (at[i] < 0 || at[i] >= lanes * std::ssize(slots)) continue;
    Value*& slot = slots[static_cast<std::size_t>(at[i] / lanes)];
    Value* one = ops_.lane(value, static_cast<std::int64_t>(i));
    slot = lanes == 1
               ? one
               : ops_.b().CreateInsertElement(slot, one, static_cast<std::uint64_t>(at[i] % lanes));
  }
}

// Lanes of a few slots, by one shuffle for each slot but the first. Nothing where there are many,
// or where slots are single elements.
Value* Registers::across_slots(const Slots& slots, std::int64_t lanes,
                               std::span<const std::int64_t> at) {
  std::vector<std::int64_t> used;
  for (const std::int64_t i : at) {
    if (i < 0 || i >= lanes * std::ssize(slots)) continue;
    if (std::find(used.begin(), used.end(), i / lanes) == used.end()) used.push_back(i / lanes);
  }
  const bool is_as_wide = std::ssize(at) == lanes;
  if (lanes == 1 || used.empty() || used.size() > kMostShuffled ||
      (used.size() > 2 && !is_as_wide)) {
    return nullptr;
  }
  std::vector<int> mask(at.size(), -1);
  const auto take_from = [&](std::size_t k, int first) {
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (at[i] >= 0 && at[i] / lanes == used[k]) mask[i] = first + static_cast<int>(at[i] % lanes);
    }
  };
  take_from(0, 0);
  Value* all = slots[static_cast<std::size_t>(used[0])];
  for (std::size_t k = 1; k < used.size(); ++k) {
    if (k > 1) std::iota(mask.begin(), mask.end(), 0);
    take_from(k, static_cast<int>(lanes));
    all = ops_.b().CreateShuffleVector(all, slots[static_cast<std::size_t>(used[k])], mask);
  }
  return used.size() == 1 ? ops_.b().CreateShuffleVector(all, all, mask) : all;
}

void Registers::merge(const State& one, BasicBlock* a, BasicBlock* b) {
  // A value of one element may have become one per lane on the other way.
  const auto with_lanes = [&](Value* value, Value* like, BasicBlock* end) {
    if (Ops::lanes_of(value) >= Ops::lanes_of(like)) return value;
    const IrBuilder::InsertPointGuard guard(ops_.b());
    ops_.b().SetInsertPoint(end->getTerminator());
    return ops_.splat(value, Ops::lanes_of(like));
  };
  for (auto& [buffer, slots] : state_) {
    const Slots& others = one.at(buffer);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (slots[i] == others[i]) continue;
      Value* x = with_lanes(others[i], slots[i], a);
      Value* y = with_lanes(slots[i], others[i], b);
      llvm::PHINode* phi = ops_.b().CreatePHI(x->getType(), 2);
      phi->addIncoming(x, a);
      phi->addIncoming(y, b);
      slots[i] = phi;
    }
  }
}

}  // namespace cambium::codegen
