#include <algorithm>

#include "codegen/llvm/emitter.h"
#include "expr/divisibility.h"

namespace cambium::codegen {
namespace {

llvm::Align align_of(const program::Buffer* buffer) {
  return llvm::Align(static_cast<std::uint64_t>(size_of(buffer->dtype)));
}

// What the value of a place's terms leaves when divided by n, where that is known.
std::optional<std::int64_t> remainder_of(const Position& position, std::int64_t n) {
  std::int64_t sum = 0;
  for (const Position::Term& term : position.terms) {
    const expr::Residue residue = expr::residue_of(term.atom);
    if (term.factor * residue.modulus % n != 0) return std::nullopt;
    sum += term.factor * residue.remainder;
  }
  return expr::floor_mod(sum, n);
}

// Whether lanes are the same few neighbours over and over: 0 1 0 1 ...
bool repeats(std::span<const std::int64_t> lanes, std::int64_t period) {
  const std::int64_t n = std::ssize(lanes);
  if (period < 2 || period > 4 || 2 * period > n || n % period != 0) return false;
  for (std::int64_t i = 0; i < n; ++i) {
    if (lanes[static_cast<std::size_t>(i)] != lanes[0] + i % period) return false;
  }
  return period != 3;
}

}  // namespace

// The buffer in whose memory this one lives: itself, or the result that a local becomes.
const program::Buffer* Emitter::memory_of(const Buffer* buffer) const {
  const auto home = locals_.homes.find(buffer);
  const bool is_inside = home != locals_.homes.end() && home->second.inside.result != nullptr;
  return is_inside ? home->second.inside.result : buffer;
}

// Where a buffer begins, found once per function.
Value* Emitter::base(const Buffer* buffer) {
  Value*& known = now_.bases[buffer];
  if (known != nullptr) return known;
  const IrBuilder::InsertPointGuard guard(b());
  b().SetInsertPoint(scope_.frame().levels[0].head);
  if (buffer->role == program::Role::Local) {
    const LocalHome& home = locals_.homes.at(buffer);
    known = shifted(now_.workspace, home.offset);
    if (home.per_worker) {
      const Workspace& all = locals_.workspace;
      Value* step = b().getInt64(static_cast<std::uint64_t>(all.worker_bytes));
      known = b().CreateGEP(b().getInt8Ty(), shifted(known, all.shared_bytes),
                            b().CreateMul(now_.worker, step));
    }
    return known;
  }
  const auto& all = program_.parameters;
  const std::int64_t number = std::find(all.begin(), all.end(), buffer) - all.begin();
  const std::int64_t pointer_bytes = 8;
  known = b().CreateLoad(b().getPtrTy(), shifted(now_.buffers, number * pointer_bytes));
  return known;
}

Value* Emitter::shifted(Value* pointer, std::int64_t bytes) {
  if (bytes == 0) return pointer;
  return b().CreateGEP(b().getInt8Ty(), pointer, Ops::whole(b().getInt64Ty(), bytes));
}

std::optional<std::vector<std::int64_t>> Emitter::register_positions(const Buffer* buffer,
                                                                     const Position& position) {
  if (!position.is_constant()) {
    fail(Rejection(Reason::NotInRegisters, std::string(buffer->name),
                   "block '" + std::string(block_->name) +
                       "' uses it at a place that is not known when the code is made"));
    return std::nullopt;
  }
  std::vector<std::int64_t> at = position.lanes;
  if (at.empty()) at.push_back(0);
  for (std::int64_t& one : at) one += position.number;
  return at;
}

// Whether the lanes that take no part stand behind the rows of the buffer, where nobody reads them:
// whatever is written there does no harm, and keeping what was there would take an operation.
bool Emitter::masks_padding_alone(const Buffer* buffer, std::span<const std::int64_t> at) const {
  const RegisterForm& form = locals_.homes.at(buffer).form;
  const auto* mask = llvm::dyn_cast<llvm::Constant>(mask_);
  if (mask == nullptr || form.row == form.padded_row || at.size() == 1) return false;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const llvm::Constant* lane = mask->getAggregateElement(static_cast<unsigned>(i));
    if (lane == nullptr) return false;
    if (lane->isNullValue() && at[i] % form.padded_row < form.row) return false;
  }
  return true;
}

// Lanes that repeat the elements of some others, where it is known which of them take part: those
// that take none load what lies between the others, so that no mask is needed. Nothing where lanes
// that take part do not lie closely together.
std::optional<Position> Emitter::of_lanes_that_take_part(const Position& position) const {
  const auto* mask = llvm::dyn_cast<llvm::Constant>(mask_);
  if (mask == nullptr || position.is_contiguous()) return std::nullopt;
  std::optional<std::int64_t> low, high;
  Position sure = position;
  std::vector<bool> takes_part;
  for (std::size_t i = 0; i < position.lanes.size(); ++i) {
    const llvm::Constant* lane = mask->getAggregateElement(static_cast<unsigned>(i));
    if (lane == nullptr) return std::nullopt;
    takes_part.push_back(!lane->isNullValue());
    if (!takes_part.back()) continue;
    low = std::min(low.value_or(position.lanes[i]), position.lanes[i]);
    high = std::max(high.value_or(position.lanes[i]), position.lanes[i]);
  }
  if (!low || *high - *low >= scope_.lanes()) return std::nullopt;
  for (std::size_t i = 0; i < sure.lanes.size(); ++i) {
    if (!takes_part[i]) sure.lanes[i] = std::clamp(sure.lanes[i], *low, *high);
  }
  return sure;
}

Value* Emitter::load(const Buffer* buffer, const Position& position) {
  if (registers_.has(buffer)) {
    const auto at = register_positions(buffer, position);
    return at ? registers_.read(buffer, *at) : llvm::PoisonValue::get(ops_.type_of(buffer->dtype));
  }
  buffer = memory_of(buffer);
  Value* pointer = scope_.pointer(base(buffer), position, size_of(buffer->dtype));
  const bool is_sure = mask_ == nullptr || some_lane_;
  if (position.is_uniform() && is_sure) return load_span(buffer, pointer, position.number, 1);
  if (position.varying != nullptr || position.is_uniform()) {
    return load_by_pointers(buffer, lane_pointers(buffer, pointer, position));
  }
  if (mask_ == nullptr) return load_lanes(buffer, pointer, position);
  if (const auto sure = of_lanes_that_take_part(position)) {
    return load_lanes(buffer, pointer, *sure);
  }
  if (!position.is_contiguous()) {
    return load_by_pointers(buffer, lane_pointers(buffer, pointer, position));
  }
  // All of it belongs to the buffer if one lane does: what other lanes load is not used.
  const auto window = window_of(buffer, position);
  const bool is_window = window && window->start == position.number;
  if (is_window && some_lane_) return load_span(buffer, pointer, position.number, scope_.lanes());
  Value*& known = known_.load(buffer, {word(pointer), static_cast<std::uint64_t>(position.number),
                                       static_cast<std::uint64_t>(scope_.lanes()), word(mask_)});
  if (known == nullptr) {
    Type* type = ops_.memory_type_of(buffer->dtype, scope_.lanes());
    Value* at = shifted(pointer, position.number * size_of(buffer->dtype));
    Value* loaded = nullptr;
    if (is_window) {  // without any lane it may lie anywhere: the beginning of the buffer will do
      at = b().CreateSelect(b().CreateOrReduce(mask_), at, base(buffer));
      loaded = b().CreateAlignedLoad(type, at, align_of(buffer));
    } else {
      loaded = b().CreateMaskedLoad(type, at, align_of(buffer), mask_,
                                    llvm::Constant::getNullValue(type));
    }
    known = ops_.from_memory(loaded, buffer->dtype);
  }
  return known;
}

// Neighbouring elements, loaded once.
Value* Emitter::load_span(const Buffer* buffer, Value* pointer, std::int64_t at,
                          std::int64_t lanes) {
  Value*& known = known_.load(
      buffer, {word(pointer), static_cast<std::uint64_t>(at), static_cast<std::uint64_t>(lanes)});
  if (known == nullptr) {
    Type* type = ops_.memory_type_of(buffer->dtype, lanes);
    Value* address = shifted(pointer, at * size_of(buffer->dtype));
    known = ops_.from_memory(b().CreateAlignedLoad(type, address, align_of(buffer)), buffer->dtype);
  }
  return known;
}

// An aligned stretch of the buffer that holds all the lanes: different accesses share its load.
std::optional<Emitter::Window> Emitter::window_of(const Buffer* buffer, const Position& position) {
  const std::int64_t n = scope_.lanes();
  if (buffer->elements() % n != 0) return std::nullopt;
  const auto remainder = remainder_of(position, n);
  if (!remainder) return std::nullopt;
  const std::int64_t first = *remainder + position.number;
  const std::int64_t window = expr::floor_div(first + position.lanes[0], n);
  Window found{window * n - *remainder, {}};
  for (std::int64_t lane : position.lanes) {
    if (expr::floor_div(first + lane, n) != window) return std::nullopt;
    found.lanes.push_back(first + lane - window * n);
  }
  return found;
}

// A load that a condition, the same for all lanes, switches off: instead of jumping over it, code
// at the border of an image stays straight and loads what it does not use from the beginning of the
// buffer. (A masked load would do the same, but takes hundreds of cycles where nothing is mapped.)
// Nothing when the lanes do not lie together.
std::optional<Value*> Emitter::load_where(Expr condition, const Buffer* buffer,
                                          const Position& position, Value* otherwise) {
  if (registers_.has(buffer) || mask_ != nullptr || scope_.lanes() == 1 ||
      position.varying != nullptr || position.is_uniform() || buffer->dtype != DType::F32 ||
      buffer->elements() < scope_.lanes()) {
    return std::nullopt;
  }
  buffer = memory_of(buffer);
  Window window{position.number, {}};
  if (!position.is_contiguous()) {
    const auto found = window_of(buffer, position);
    if (!found) return std::nullopt;
    window = *found;
  }
  Value* pointer = scope_.pointer(base(buffer), position, size_of(buffer->dtype));
  Value* holds = scope_.value(condition);
  Value*& known = known_.load(buffer, {word(pointer), static_cast<std::uint64_t>(window.start),
                                       word(holds), word(otherwise)});
  if (known == nullptr) {
    Type* type = ops_.memory_type_of(buffer->dtype, scope_.lanes());
    Value* at = shifted(pointer, window.start * size_of(buffer->dtype));
    at = b().CreateSelect(holds, at, base(buffer));
    Value* loaded = b().CreateAlignedLoad(type, at, align_of(buffer));
    known = ops_.choose(splat(holds), loaded, splat(otherwise));
  }
  return window.lanes.empty() ? known : ops_.select_lanes(known, known, window.lanes);
}

// Lanes at known distances: one or two loads and a shuffle where they lie close together.
Value* Emitter::load_lanes(const Buffer* buffer, Value* pointer, const Position& position) {
  const std::int64_t n = scope_.lanes();
  if (position.is_contiguous()) return load_span(buffer, pointer, position.number, n);
  const auto [low, high] = std::minmax_element(position.lanes.begin(), position.lanes.end());
  const std::int64_t least = *low;
  const std::int64_t span = *high - least + 1;
  std::vector<std::int64_t> lanes;
  const auto within_span = [&] {
    Value* all = load_span(buffer, pointer, position.number + least, span);
    for (std::int64_t lane : position.lanes) lanes.push_back(lane - least);
    return ops_.select_lanes(all, all, lanes);
  };
  if (repeats(position.lanes, span)) return within_span();  // one instruction loads and repeats
  if (const auto window = window_of(buffer, position)) {
    Value* all = load_span(buffer, pointer, window->start, n);
    return ops_.select_lanes(all, all, window->lanes);
  }
  if (span <= n && (span & (span - 1)) == 0 && span > 1) return within_span();
  if (span >= n && span <= 2 * n) {  // both ends are elements of the buffer, so all between are
    Value* front = load_span(buffer, pointer, position.number + least, n);
    Value* back = load_span(buffer, pointer, position.number + *high - n + 1, n);
    for (std::int64_t lane : position.lanes) {
      const std::int64_t at = lane - least;
      lanes.push_back(at < n ? at : n + at - (span - n));
    }
    return ops_.select_lanes(front, back, lanes);
  }
  if (Value* column = load_transposed(buffer, pointer, position)) return column;
  Value* all = llvm::PoisonValue::get(ops_.type_of(buffer->dtype, n));
  for (std::size_t i = 0; i < position.lanes.size(); ++i) {
    Value* one = load_span(buffer, pointer, position.number + position.lanes[i], 1);
    all = b().CreateInsertElement(all, one, i);
  }
  return all;
}

// Whether the block runs in all of so many copies of an unrolled loop.
bool Emitter::all_take_part(const Copy& copy, std::int64_t from, std::int64_t count) {
  bool all = true;
  for (std::int64_t number = from; number < from + count; ++number) {
    scope_.replace(copy.axis, cx_.number(number));
    all = all && scope_.here(block_->predicate) == cx_.indices().boolean(true);
  }
  scope_.replace(copy.axis, cx_.number(copy.number));
  return all;
}

// A copy whose lanes lie a row apart, in a loop along the row that is unrolled: as many rows as
// there are lanes are loaded whole and transposed in registers, for all copies of the loop at once.
// Nothing where it is not so, or where some of the copies might not load.
Value* Emitter::load_transposed(const Buffer* buffer, Value* pointer, const Position& position) {
  const std::int64_t n = scope_.lanes();
  const auto& lanes = position.lanes;
  const program::ScalarNode& copied = *block_->body->value;
  if (block_->body->value->kind != program::ScalarKind::Load || n < 4 || (n & (n - 1)) != 0) {
    return nullptr;
  }
  const std::int64_t row = lanes[1] - lanes[0];
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (row < n || lanes[i] != static_cast<std::int64_t>(i) * row) return nullptr;
  }
  const auto key = [&](std::int64_t at) -> Known::Key {
    return {word(pointer), static_cast<std::uint64_t>(at), static_cast<std::uint64_t>(n),
            static_cast<std::uint64_t>(row), 0};
  };
  if (Value* known = known_.load(buffer, key(position.number))) return known;
  const auto along = std::find_if(copies_.rbegin(), copies_.rend(), [&](const Copy& copy) {
    const std::int64_t other = copy.number > 0 ? copy.number - 1 : copy.number + 1;
    if (copy.of < n || copy.number - copy.number % n + n > copy.of) return false;
    scope_.replace(copy.axis, cx_.number(other));
    const Position there = scope_.position(flat(*copied.buffer, copied.indices));
    scope_.replace(copy.axis, cx_.number(copy.number));
    return there.lanes == lanes && there.terms.size() == position.terms.size() &&
           there.number - position.number == other - copy.number &&
           scope_.pointer(base(buffer), there, size_of(buffer->dtype)) == pointer;
  });
  if (along == copies_.rend() || !all_take_part(*along, along->number / n * n, n)) return nullptr;
  const std::int64_t start = position.number - along->number % n;
  std::vector<Value*> rows;
  for (std::int64_t i = 0; i < n; ++i) {
    rows.push_back(load_span(buffer, pointer, start + i * row, n));
  }
  ops_.transpose(rows);
  for (std::int64_t i = 0; i < n; ++i) {
    known_.load(buffer, key(start + i)) = rows[static_cast<std::size_t>(i)];
  }
  return known_.load(buffer, key(position.number));
}

Value* Emitter::lane_pointers(const Buffer* buffer, Value* pointer, const Position& position) {
  const std::int64_t n = scope_.lanes();
  const std::int64_t bytes = size_of(buffer->dtype);
  std::vector<llvm::Constant*> steps;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t lane =
        position.lanes.empty() ? 0 : position.lanes[static_cast<std::size_t>(i)];
    steps.push_back(b().getInt64(static_cast<std::uint64_t>((lane + position.number) * bytes)));
  }
  Value* offsets = llvm::ConstantVector::get(steps);
  if (position.varying != nullptr) {
    Value* moved = scope_.value(position.varying);
    offsets = b().CreateAdd(offsets, b().CreateMul(moved, Ops::whole(moved->getType(), bytes)));
  }
  return b().CreateGEP(b().getInt8Ty(), pointer, offsets);
}

Value* Emitter::load_by_pointers(const Buffer* buffer, Value* pointers) {
  Type* type = ops_.memory_type_of(buffer->dtype, scope_.lanes());
  Value* loaded = b().CreateMaskedGather(type, pointers, align_of(buffer), mask_,
                                         llvm::Constant::getNullValue(type));
  return ops_.from_memory(loaded, buffer->dtype);
}

void Emitter::store(const Buffer* buffer, const Position& position, Value* value) {
  if (!registers_.has(buffer)) return store_in_memory(memory_of(buffer), position, value);
  const auto at = register_positions(buffer, position);
  if (!at) return;
  if (at->size() > 1) value = splat(value);
  if (buffer->dtype == DType::F16 || buffer->dtype == DType::BF16) {
    value = ops_.as_stored(value, buffer->dtype);
  }
  if (mask_ != nullptr && !masks_padding_alone(buffer, *at)) {
    const bool is_shared = at->size() == 1 && !locals_.homes.at(buffer).per_lane;
    if (is_shared) {
      return fail(
          Rejection(Reason::NotInRegisters, std::string(buffer->name),
                    "some lanes of block '" + std::string(block_->name) + "' write one element"));
    }
    value = splat(value);
    Value* old = registers_.read(buffer, *at);
    if (llvm::isa<llvm::PoisonValue>(old)) old = llvm::PoisonValue::get(value->getType());
    value = ops_.choose(mask_, value, splat(old));
  }
  registers_.write(buffer, *at, value);
}

void Emitter::store_in_memory(const Buffer* buffer, const Position& position, Value* value) {
  const std::int64_t bytes = size_of(buffer->dtype);
  Value* pointer = scope_.pointer(base(buffer), position, bytes);
  known_.forget(buffer);
  const std::int64_t n = scope_.lanes();
  const bool is_single = n == 1 || (position.is_uniform() && mask_ == nullptr);
  if (!is_single) value = splat(value);
  Value* stored = ops_.to_memory(is_single ? ops_.lane(value, n - 1) : value, buffer->dtype);
  Value* at = shifted(pointer, position.number * bytes);
  if (is_single) {
    b().CreateAlignedStore(stored, at, align_of(buffer));
  } else if (position.is_contiguous() && mask_ != nullptr) {
    b().CreateMaskedStore(stored, at, align_of(buffer), mask_);
  } else if (position.is_contiguous()) {
    b().CreateAlignedStore(stored, at, align_of(buffer));
  } else if (mask_ != nullptr || position.varying != nullptr) {
    b().CreateMaskedScatter(stored, lane_pointers(buffer, pointer, position), align_of(buffer),
                            mask_);
  } else {
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t lane = position.number + position.lanes[static_cast<std::size_t>(i)];
      b().CreateAlignedStore(ops_.lane(stored, i), shifted(pointer, lane * bytes),
                             align_of(buffer));
    }
  }
  const bool is_exact = stored->getType() == value->getType() && buffer->dtype != DType::Bool;
  if (is_exact && mask_ == nullptr && (is_single || position.is_contiguous())) {
    known_.load(buffer, {word(pointer), static_cast<std::uint64_t>(position.number),
                         static_cast<std::uint64_t>(is_single ? 1 : n)}) = value;
  }
}

}  // namespace cambium::codegen
