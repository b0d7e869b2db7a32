// Emitter: adds the nodes of one attempt to a Builder and counts their cost. Copies are cheap: a
// search tries several ways and keeps the cheapest. `finish` removes nodes without readers.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "model/builder.h"
#include "model/recognize/nest.h"

namespace cambium::model::recognition {

struct Effort {
  std::int64_t macs = 0;
  std::int64_t bytes = 0;  // of new activations; weights are rearranged once, so they do not count

  friend auto operator<=>(const Effort&, const Effort&) = default;  // MACs first
};

class Emitter {
 public:
  Emitter(Builder& builder, std::string name, std::uint32_t block)
      : builder_(&builder), name_(std::move(name)), block_(block) {}

  const TensorType& type(Value value) const { return builder_->type(value); }
  // Whether the value depends only on weights.
  bool is_constant(Value value) const;

  // Operators without a valid type give an invalid Value, and so do all their readers.
  Value add(Op op, std::span<const Value> inputs);
  Value add(Op op, std::initializer_list<Value> inputs) {
    return add(std::move(op), std::span<const Value>(inputs.begin(), inputs.size()));
  }
  Value scale(Value value, double factor);  // f32 and f64
  // These functions add no node if nothing changes.
  Value reshape(Value value, const Ints& dims);
  Value transpose(Value value, const std::vector<std::size_t>& perm);
  Value slice(Value value, const Slice& op);

  // Records what was recognized, for people, in the order of the data.
  void note(std::string what) { notes_.push_back(std::move(what)); }
  const std::vector<std::string>& notes() const { return notes_; }

  const Effort& effort() const { return effort_; }
  void pay(std::int64_t bytes) { effort_.bytes += bytes; }

 private:
  Builder* builder_;
  std::string name_;
  std::uint32_t block_;
  Effort effort_;
  std::vector<std::string> notes_;
};

// The base of the access, reshaped to the extents of its axes.
Value shaped(Emitter& emit, const Access& access);
Ints extents_of(const Access& access);

// Crops, strides and splits axes until each reads one loop, as far as movement alone can do it.
// Axes marked in `keep` and overlapping axes stay.
void settle(Emitter& emit, const std::vector<Loop>& loops, Access& access,
            const std::vector<bool>& keep = {});

// Simplifies an axis that is moved by its own loop o and by a loop b that another axis reads too
// (channel b shifted by b): one slice for each b, joined again. No result is larger than the base.
// `pad_too` includes axes moved only by their own loop that leave the base.
void straighten(Emitter& emit, const std::vector<Loop>& loops, Access& access,
                bool pad_too = false);

bool all_plain(const Access& access, const std::vector<Loop>& loops);

}  // namespace cambium::model::recognition
