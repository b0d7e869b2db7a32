#include "spaces/loopnest/graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/builder.h"
#include "program/analysis.h"
#include "program/walk.h"
#include "spaces/loopnest/graph_block.h"
#include "spaces/loopnest/graph_reads.h"
#include "spaces/loopnest/graph_writes.h"

namespace cambium::spaces::loopnest {
namespace {

using model::Ints;
using model::Value;
using program::Buffer;
using program::Role;

constexpr std::int64_t kMostSums = 256;  // in a graph
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

Rejection unknown(const BlockForm& form, std::string why) {
  return Rejection(Reason::NotAContraction, std::string(form.name), std::move(why));
}

// A loop of which the target has digits in two dimensions: at each iteration, a piece of its own.
Expr shared_loop(const BlockForm& form) {
  std::vector<Expr> seen;
  for (const Expr e : form.to) {
    for (const Expr loop : program::axes_of(e)) {
      if (std::find(seen.begin(), seen.end(), loop) != seen.end()) return loop;
      seen.push_back(loop);
    }
  }
  return nullptr;
}

class Drawing {
 public:
  Drawing(program::Context& cx, const program::Program& program)
      : cx_(cx), program_(program), builder_("nest") {}

  Result<model::Model> run() {
    add_inputs();
    for (const program::Site& site : program::sites_of(program_)) {
      CAMBIUM_TRY(BlockForm form, form_of(cx_, site));
      CAMBIUM_REQUIRE(add(std::move(form)));
    }
    for (const Buffer* parameter : program_.parameters) {
      if (parameter->role != Role::Output) continue;
      const Value y = whole(parameter);
      if (!y.valid()) {
        return Rejection(Reason::NotAContraction, std::string(parameter->name),
                         "some of its elements are not written, or its parts overlap");
      }
      builder_.output("y", y);
    }
    return std::move(builder_).finish();
  }

 private:
  void add_inputs() {
    int weights = 0;
    for (const Buffer* parameter : program_.parameters) {
      if (parameter->role == Role::Output) continue;
      const bool is_data = parameter->role == Role::Input;
      const std::string name = is_data ? "x" : "w" + std::to_string(++weights);
      const Ints dims(parameter->dims.begin(), parameter->dims.end());
      values_.emplace(parameter, builder_.input(name, {parameter->dtype, dims}));
    }
  }

  // Invalid: not all of it was written, or the pieces do not fit together.
  Value whole(const Buffer* buffer) {
    const auto known = values_.find(buffer);
    if (known != values_.end()) return known->second;
    const Ints dims(buffer->dims.begin(), buffer->dims.end());
    const Value value = pieces_[buffer].whole(builder_, dims);
    if (value.valid()) values_.emplace(buffer, value);
    return value;
  }

  Status add(BlockForm form) {
    for (const auto& [target, copy] : copies_) read_through(cx_, copy, form);
    if (form.target->role == Role::Local && can_read_through(form)) {
      copies_.emplace_back(form.target, std::move(form));
      return Ok{};
    }
    if (form.factors.empty()) {
      if (pieces_[form.target].add_zeros()) return Ok{};
      return unknown(form, "it writes zeros over a result");
    }
    return add_sum(form);
  }

  // A sum, or a copy, which is the same with one factor.
  Status add_sum(const BlockForm& form) {
    if (const Expr loop = shared_loop(form)) return add_apart(form, {loop});
    if (++sums_ > kMostSums) {
      return Rejection(Reason::SizeOutOfRange, "the number of pieces of a nest", {}, sums_, 1,
                       kMostSums);
    }
    std::vector<Expr> conditions = form.conditions;
    std::erase_if(conditions,
                  [](Expr e) { return e->kind == expr::Kind::Bool && expr::truth_of(e); });
    std::vector<View> views;
    for (const Reading& factor : form.factors) {
      std::vector<AxisRead> axes;
      for (const Expr e : factor.at) {
        CAMBIUM_TRY(AxisRead read, axis_read_of(e, conditions));
        axes.push_back(std::move(read));
      }
      const Value value = whole(factor.buffer);
      if (!value.valid()) return unknown(form, "it reads elements that no block has written");
      const auto viewed = view_of(builder_, value, axes);
      if (const auto* uneven = std::get_if<Uneven>(&viewed)) {
        return add_apart(form, uneven->loops);
      }
      CAMBIUM_REQUIRE(builder_.status());
      views.push_back(std::get<View>(viewed));
    }
    if (!conditions.empty()) return unknown(form, "its conditions join several dimensions");
    return write(form, views);
  }

  // A piece for each iteration of the first of these loops that the target has.
  Status add_apart(const BlockForm& form, const std::vector<Expr>& loops) {
    const auto is_kept = [&](Expr loop) {
      return std::any_of(form.to.begin(), form.to.end(),
                         [&](Expr e) { return program::uses(e, loop); });
    };
    const auto loop = std::find_if(loops.begin(), loops.end(), is_kept);
    if (loop == loops.end()) {
      return unknown(form, "it reads outside of its operand along a reduction");
    }
    for (std::int64_t i = 0; i < extent_of_loop(*loop); ++i) {
      CAMBIUM_REQUIRE(add_sum(at_iteration(cx_, form, *loop, i)));
    }
    return Ok{};
  }

  Status write(const BlockForm& form, const std::vector<View>& views) {
    std::vector<AxisRead> axes;
    std::vector<Expr> kept;  // loops in the order of the target's elements
    for (const Expr e : form.to) {
      std::vector<Expr> none;
      CAMBIUM_TRY(AxisRead axis, axis_read_of(e, none));
      kept.insert(kept.end(), axis.loops.begin(), axis.loops.end());
      axes.push_back(std::move(axis));
    }
    CAMBIUM_TRY(const Value sum, summed(form, views, kept));
    Box box;
    for (const AxisRead& axis : axes) {
      const auto [first, last] = std::minmax_element(axis.at.begin(), axis.at.end());
      box.begin.push_back(*first);
      box.extent.push_back(*last - *first + 1);
    }
    // Zeros in the gaps of what is added leave the others as they are.
    const bool has_gaps = !std::all_of(axes.begin(), axes.end(), is_dense);
    const std::optional<Value> spread = spread_out(builder_, sum, axes);
    if (!spread || (has_gaps && form.starts_anew)) return unknown(form, "it writes with gaps");
    CAMBIUM_REQUIRE(builder_.status());
    box.value = shaped(*spread, box.extent);
    if (pieces_[form.target].add(builder_, std::move(box), !form.starts_anew)) return Ok{};
    return unknown(form, "it writes over another result");
  }

  Value shaped(Value value, const Ints& dims) {
    if (builder_.type(value).dims == dims) return value;
    return builder_.add(model::Reshape{dims}, {value});
  }

  // A value that loops count, with one more axis for each of the others: it is the same there.
  Value repeated(Value value, const std::vector<Expr>& read, const std::vector<Expr>& kept) {
    Ints single, all;
    for (const Expr loop : kept) {
      all.push_back(extent_of_loop(loop));
      const bool is_read = std::find(read.begin(), read.end(), loop) != read.end();
      single.push_back(is_read ? all.back() : 1);
    }
    value = shaped(value, single);
    return single == all ? value : builder_.add(model::Expand{all}, {value});
  }

  // Of the product of the views over all loops that are not kept. It has an axis for each of these.
  Result<Value> summed(const BlockForm& form, const std::vector<View>& views,
                       const std::vector<Expr>& kept) {
    if (views.size() == 1 && views[0].loops == kept) return views[0].value;
    std::vector<Expr> lettered;
    const auto letter = [&](Expr loop) {
      const auto found = std::find(lettered.begin(), lettered.end(), loop);
      if (found != lettered.end()) return static_cast<std::size_t>(found - lettered.begin());
      lettered.push_back(loop);
      return lettered.size() - 1;
    };
    std::string equation;
    std::vector<Value> values;
    for (const View& view : views) {
      if (!values.empty()) equation += ",";
      for (const Expr loop : view.loops) {
        const std::size_t number = letter(loop);
        if (number >= kLetters.size()) return unknown(form, "it has too many loops");
        equation += kLetters[number];
      }
      values.push_back(view.value);
    }
    equation += "->";
    for (const Expr loop : form.loops) {
      const bool is_used = std::find(lettered.begin(), lettered.end(), loop) != lettered.end() ||
                           std::find(kept.begin(), kept.end(), loop) != kept.end();
      if (!is_used && extent_of_loop(loop) > 1) {
        return unknown(form, "it adds the same term repeatedly");
      }
    }
    for (const Expr loop : kept) {
      const auto found = std::find(lettered.begin(), lettered.end(), loop);
      if (found != lettered.end()) {
        equation += kLetters[static_cast<std::size_t>(found - lettered.begin())];
      }
    }
    return repeated(builder_.add(model::Einsum{equation}, values), lettered, kept);
  }

  program::Context& cx_;
  const program::Program& program_;
  model::Builder builder_;
  std::map<const Buffer*, Value> values_;
  std::map<const Buffer*, Pieces> pieces_;  // of what blocks write
  // What only moves elements, or borders them with zeros; readers look through it.
  std::vector<std::pair<const Buffer*, BlockForm>> copies_;
  std::int64_t sums_ = 0;
};

}  // namespace

Result<model::Model> body_of(program::Context& cx, const program::Program& program) {
  return Drawing(cx, program).run();
}

}  // namespace cambium::spaces::loopnest
