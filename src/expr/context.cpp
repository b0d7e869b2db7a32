#include "expr/context.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <utility>

namespace cambium::expr {
namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a ^ 0x9e3779b97f4a7c15ULL) *
                                    (b ^ (c * 0xd1b54a32d192ed03ULL) ^ 0x8cb92ba72f3d8dd7ULL);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t address(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}

std::uint64_t hash_of(Kind kind, Expr a, Expr b) {
  return mix(static_cast<std::uint64_t>(kind), address(a), address(b));
}

Fingerprint fingerprint(Kind kind, const Fingerprint& a, const Fingerprint& b) {
  const std::array<std::uint64_t, 5> words{static_cast<std::uint64_t>(kind), a.high, a.low, b.high,
                                           b.low};
  return Fingerprint::of_bytes(std::as_bytes(std::span(words)));
}

std::uint16_t depth_over(Expr a, Expr b) {
  const std::uint16_t deeper = b != nullptr && b->depth > a->depth ? b->depth : a->depth;
  return deeper == UINT16_MAX ? deeper : static_cast<std::uint16_t>(deeper + 1);
}

Node leaf(Kind kind, Interval range, bool symbolic, const Fingerprint& fingerprint) {
  return {kind, symbolic, 0, nullptr, nullptr, range, fingerprint, nullptr, nullptr};
}

}  // namespace

Context::Context(SizeTable sizes, std::vector<Binding> bindings)
    : sizes_(std::move(sizes)), bindings_(std::move(bindings)), table_(256, Entry{0, nullptr}) {
  for (const int truth : {0, 1}) {
    const Fingerprint name = fingerprint(Kind::Bool, {}, {0, static_cast<std::uint64_t>(truth)});
    Expr made = arena_.make(leaf(Kind::Bool, Interval::exactly(truth), false, name));
    (truth == 1 ? true_ : false_) = made;
    ++count_;
  }
}

void Context::grow() {
  std::vector<Entry> old(table_.size() * 2, Entry{0, nullptr});
  old.swap(table_);
  for (const Entry& entry : old) {
    if (entry.node == nullptr) continue;
    std::size_t slot = slot_of(entry.hash);
    while (table_[slot].node != nullptr) slot = (slot + 1) & (table_.size() - 1);
    table_[slot] = entry;
  }
}

void Context::insert(std::size_t slot, const Node* node, std::uint64_t hash) {
  table_[slot] = {hash, node};
  if (++count_ * 2 > table_.size()) grow();
}

Expr Context::constant(const Monomial& value) {
  const auto words = value.powers.words();
  const std::uint64_t hash = mix(static_cast<std::uint64_t>(value.factor), words[0], words[1]);
  std::size_t slot = slot_of(hash);
  for (; table_[slot].node != nullptr; slot = (slot + 1) & (table_.size() - 1)) {
    const Entry& entry = table_[slot];
    if (entry.hash == hash && entry.node->kind == Kind::Const && value_of(entry.node) == value) {
      return entry.node;
    }
  }
  const Fingerprint name =
      fingerprint(Kind::Const, {0, static_cast<std::uint64_t>(value.factor)}, {words[0], words[1]});
  Expr made =
      arena_.make(ConstNode{leaf(Kind::Const, range_of(value), !value.is_number(), name), value});
  insert(slot, made, hash);
  return made;
}

// The slot where the node is, or where it would go.
std::size_t Context::probe(std::uint64_t hash, Kind kind, Expr a, Expr b) const {
  std::size_t slot = slot_of(hash);
  for (; table_[slot].node != nullptr; slot = (slot + 1) & (table_.size() - 1)) {
    const Entry& entry = table_[slot];
    if (entry.hash == hash && entry.node->kind == kind && entry.node->a == a &&
        entry.node->b == b) {
      break;
    }
  }
  return slot;
}

Expr Context::find(Kind kind, Expr a, Expr b) const {
  return table_[probe(hash_of(kind, a, b), kind, a, b)].node;
}

Expr Context::node(Kind kind, Expr a, Expr b) {
  const std::uint64_t hash = hash_of(kind, a, b);
  const std::size_t slot = probe(hash, kind, a, b);
  if (table_[slot].node != nullptr) return table_[slot].node;
  const bool symbolic = a->symbolic || (b != nullptr && b->symbolic);
  const Fingerprint name =
      fingerprint(kind, a->fingerprint, b != nullptr ? b->fingerprint : Fingerprint{});
  Expr made = arena_.make(
      Node{kind, symbolic, depth_over(a, b), a, b, range_of(kind, a, b), name, nullptr, nullptr});
  insert(slot, made, hash);
  return made;
}

Result<Expr> Context::axis(std::string_view name, Expr extent) {
  if (!is_name(name)) return Rejection(Reason::BadName, std::string(name));
  if (sizes_.find(name)) return Rejection(Reason::NameTaken, std::string(name));
  const std::uint64_t hash = mix(static_cast<std::uint64_t>(Kind::Axis),
                                 std::hash<std::string_view>()(name), address(extent));
  const std::size_t slot = probe_axis(hash, name, extent);
  if (table_[slot].node != nullptr) return Expr{table_[slot].node};
  char* letters = static_cast<char*>(arena_.allocate(name.size()));
  std::memcpy(letters, name.data(), name.size());
  const std::string_view kept(letters, name.size());

  const Fingerprint named = Fingerprint::of_bytes(std::as_bytes(std::span(kept)));
  const std::int64_t end = extent->range.hi;
  const Interval range{0, end == Interval::kInfinity ? end : (end < 1 ? 0 : end - 1)};
  AxisNode made{leaf(Kind::Axis, range, extent->symbolic,
                     fingerprint(Kind::Axis, named, extent->fingerprint)),
                kept};
  made.a = extent;
  axes_.push_back(arena_.make(std::move(made)));
  insert(slot, axes_.back(), hash);
  return Expr{axes_.back()};
}

std::size_t Context::probe_axis(std::uint64_t hash, std::string_view name, Expr extent) const {
  std::size_t slot = slot_of(hash);
  for (; table_[slot].node != nullptr; slot = (slot + 1) & (table_.size() - 1)) {
    const Entry& entry = table_[slot];
    if (entry.hash == hash && entry.node->kind == Kind::Axis && extent_of(entry.node) == extent &&
        name_of(entry.node) == name) {
      break;
    }
  }
  return slot;
}

Expr Context::find_axis(std::string_view name) const {
  Expr found = nullptr;
  for (const AxisNode* axis : axes_) {
    if (axis->name != name) continue;
    if (found != nullptr) return nullptr;
    found = axis;
  }
  return found;
}

std::size_t Context::count_axes(std::string_view name) const {
  return static_cast<std::size_t>(std::count_if(
      axes_.begin(), axes_.end(), [name](const AxisNode* axis) { return axis->name == name; }));
}

bool Context::is_integer(const Monomial& value) const {
  if (!value.powers.any_negative()) return true;
  return !bindings_.empty() && require_integer(value.magnitude(), bindings_).ok();
}

std::optional<Monomial> Context::whole_quotient(const Monomial& a, const Monomial& c) const {
  const auto q = divide_exact(a, c);
  if (!q || !q->powers.any_negative()) return q;
  const bool size_over_coefficients = !q->powers.any_negative_primary() && q->powers.any_positive();
  return size_over_coefficients && is_integer(*q) ? q : std::nullopt;
}

Interval Context::range_of(const Monomial& value) const {
  if (value.is_number()) return Interval::exactly(value.factor);
  const Size size = value.magnitude();
  // A size is a positive integer: at least one, and at least its number when nothing divides it.
  Interval range{size.is_whole() ? size.factor() : 1, Interval::kInfinity};
  if (!bindings_.empty()) {
    if (const auto found = bounds(size, bindings_); found.ok()) {
      range = {found->min.floor(), found->max.ceil()};
    }
  }
  return value.factor > 0 ? range : mul(range, Interval::exactly(-1));
}

Interval Context::range_of(Kind kind, Expr a, Expr b) const {
  switch (kind) {
    case Kind::Add: return expr::add(a->range, b->range);
    case Kind::Mul: return expr::mul(a->range, b->range);
    case Kind::Div: return expr::div(a->range, b->range);
    case Kind::Mod: return expr::mod(a->range, b->range);
    case Kind::Min: return expr::min(a->range, b->range);
    case Kind::Max: return expr::max(a->range, b->range);
    case Kind::Less: return expr::less(a->range, b->range);
    case Kind::Equal: return expr::equal(a->range, b->range);
    case Kind::And: return expr::min(a->range, b->range);
    case Kind::Or: return expr::max(a->range, b->range);
    case Kind::Not: return {1 - a->range.hi, 1 - a->range.lo};
    case Kind::Const:
    case Kind::Bool:
    case Kind::Axis: break;
  }
  return a->range;
}

Expr add(Context& cx, Expr x, Expr y) {
  return cx.node(Kind::Add, x, y);
}

Expr sub(Context& cx, Expr x, Expr y) {
  return add(cx, x, mul(cx, y, Monomial::of(-1)));
}

Expr mul(Context& cx, Expr x, const Monomial& c) {
  if (x->kind == Kind::Const) {
    if (const auto product = multiply(value_of(x), c)) return cx.constant(*product);
  } else if (x->kind == Kind::Mul) {
    if (const auto product = multiply(value_of(x->b), c)) {
      return cx.node(Kind::Mul, x->a, cx.constant(*product));
    }
  }
  return cx.node(Kind::Mul, x, cx.constant(c));
}

Expr mul(Context& cx, Expr x, const Size& c) {
  return mul(cx, x, Monomial::of(c));
}
Expr div(Context& cx, Expr x, const Size& c) {
  return cx.node(Kind::Div, x, cx.constant(c));
}
Expr mod(Context& cx, Expr x, const Size& c) {
  return cx.node(Kind::Mod, x, cx.constant(c));
}
Expr min(Context& cx, Expr x, Expr y) {
  return cx.node(Kind::Min, x, y);
}
Expr max(Context& cx, Expr x, Expr y) {
  return cx.node(Kind::Max, x, y);
}
Expr less(Context& cx, Expr x, Expr y) {
  return cx.node(Kind::Less, x, y);
}
Expr less_equal(Context& cx, Expr x, Expr y) {
  return logical_not(cx, less(cx, y, x));
}
Expr equal(Context& cx, Expr x, Expr y) {
  return cx.node(Kind::Equal, x, y);
}
Expr logical_and(Context& cx, Expr p, Expr q) {
  return cx.node(Kind::And, p, q);
}
Expr logical_or(Context& cx, Expr p, Expr q) {
  return cx.node(Kind::Or, p, q);
}
Expr logical_not(Context& cx, Expr p) {
  return cx.node(Kind::Not, p, nullptr);
}

}  // namespace cambium::expr
