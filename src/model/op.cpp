#include "model/op.h"

#include "base/fingerprint.h"
#include "model/fingerprint.h"

namespace cambium::model {

namespace {

struct FieldHasher {
  Hasher hasher;

  void operator()(std::string_view, const Ints& values) { hasher.add_range(values); }
  void operator()(std::string_view, const std::vector<double>& values) { hasher.add_range(values); }
  void operator()(std::string_view, const std::string& text) { hasher.add(std::string_view(text)); }
  void operator()(std::string_view, const std::shared_ptr<const Model>& body) {
    if (body != nullptr) hasher.add(structure_of(*body));
  }
  template <class T>
  void operator()(std::string_view, T value) {
    hasher.add(value);
  }
};

std::string_view pool_name(PoolFn fn) {
#define CAMBIUM_X(enumerator, name) name "_pool",
  static constexpr std::string_view kNames[] = {CAMBIUM_FOR_EACH_POOL(CAMBIUM_X)};
#undef CAMBIUM_X
  return kNames[static_cast<std::size_t>(fn)];
}

std::string_view reduce_name(ReduceFn fn) {
#define CAMBIUM_X(enumerator, name) "reduce_" name,
  static constexpr std::string_view kNames[] = {CAMBIUM_FOR_EACH_REDUCE(CAMBIUM_X)};
#undef CAMBIUM_X
  return kNames[static_cast<std::size_t>(fn)];
}

}  // namespace

Arity arity_of(const Op& op) {
#define CAMBIUM_X(op, name, fewest, most, outputs) Arity{fewest, most, outputs},
  static constexpr Arity kArities[] = {CAMBIUM_FOR_EACH_OP(CAMBIUM_X)};
#undef CAMBIUM_X
  return kArities[op.index()];
}

std::string_view kind_of(const Op& op) {
#define CAMBIUM_X(op, name, fewest, most, outputs) name,
  static constexpr std::string_view kNames[] = {CAMBIUM_FOR_EACH_OP(CAMBIUM_X)};
#undef CAMBIUM_X
  return kNames[op.index()];
}

std::string_view name_of(const Op& op) {
  if (const auto* unary = std::get_if<Unary>(&op)) return name_of(unary->fn);
  if (const auto* activation = std::get_if<Activation>(&op)) return name_of(activation->fn);
  if (const auto* binary = std::get_if<Binary>(&op)) return name_of(binary->fn);
  if (const auto* pool = std::get_if<Pool>(&op)) return pool_name(pool->fn);
  if (const auto* reduce = std::get_if<Reduce>(&op)) return reduce_name(reduce->fn);
  if (const auto* arg = std::get_if<ArgReduce>(&op)) return arg->maximum ? "arg_max" : "arg_min";
  return kind_of(op);
}

Fingerprint fields_fingerprint(const Op& op) {
  FieldHasher fields;
  fields.hasher.add(kind_of(op));
  std::visit([&](const auto& x) { std::decay_t<decltype(x)>::fields(x, fields); }, op);
  return fields.hasher.done();
}

}  // namespace cambium::model
