#include "model/zoo/composites.h"

#include <algorithm>
#include <string>

namespace cambium::model::zoo {

namespace {

constexpr std::int64_t kGroups = 2;     // Syno's g
constexpr std::int64_t kShrinkage = 4;  // Syno's s: m = out / (g * s) channels between the stages
constexpr std::int64_t kSlabs = 2;      // NAS-PTE, sequence 1
constexpr std::int64_t kPeeled = 16;    // sequence 2: outputs that see all channels, at most
constexpr std::int64_t kRestGroups = 2;
constexpr std::int64_t kHalves[] = {2, 4};  // sequence 3: groups of each half of the outputs

Status divides(std::int64_t size, std::int64_t by, const char* what) {
  if (size % by == 0) return Ok{};
  return Rejection(Reason::SizeNotDivisible, size, by, 0).at(what);
}

Soup body() {
  return Soup(Soup::Weights::Inputs);
}

Value image(Soup& s, const ConvPlace& p) {
  return s.input({p.batch, p.in, p.side, p.side});
}

// [N, C, k, H, k, W] with the channels in groups.
Value grouped(Soup& s, Value columns, std::int64_t groups) {
  Ints dims = s.dims(columns);
  dims.insert(dims.begin() + 1, groups);
  dims[2] /= groups;
  return s.reshape(columns, dims);
}

// A convolution as columns and einsum.
Value convolution(Soup& s, const ConvPlace& p, Value x, std::int64_t out, std::int64_t groups) {
  const Ints dims = s.dims(x);
  const Value columns = grouped(s, s.columns(x, p.kernel, 1, 1, p.unfolding), groups);
  const Value w = s.weight({groups, out / groups, dims[1] / groups, p.kernel, p.kernel});
  const Value y = s.einsum("ngcahbw,gocab->ngohw", {columns, w});
  return s.reshape(y, {dims[0], out, dims[2], dims[3]});
}

Status syno_fits(const ConvPlace& p) {
  CAMBIUM_REQUIRE(divides(p.in, kGroups, "channels in"));
  return divides(p.out, kGroups * kShrinkage, "channels out");
}

// Y[n,o,h,w] = sum over G,a,b,c,i of X[n, G i, h+a-k/2, w+b-k/2] W1[G,a,b,o,c] W2[G i, b, c]
Result<Model> syno_1(const ConvPlace& p) {
  CAMBIUM_REQUIRE(syno_fits(p));
  const std::int64_t m = p.out / (kGroups * kShrinkage), k = p.kernel;
  Soup s = body();
  const Value x = grouped(s, s.columns(image(s, p), k, 1, 1, p.unfolding), kGroups);
  const Value w1 = s.weight({kGroups, k, k, p.out, m});
  const Value w2 = s.reshape(s.weight({p.in, k, m}), {kGroups, p.in / kGroups, k, m});
  return s.done(s.einsum("ngiahbw,gaboc,gibc->nohw", {x, w1, w2}));
}

// Y[n,o,h,w] = sum over b,G,a,c,i of
//   X[n, G i, (h+a-k/2 + 1) % H, w+b-k/2] W1[o,G,a,c] W2[G i, b, c], zero outside before the shift
Result<Model> syno_2(const ConvPlace& p) {
  CAMBIUM_REQUIRE(syno_fits(p));
  const std::int64_t m = p.out / (kGroups * kShrinkage), k = p.kernel;
  Soup s = body();
  const Value shifted = s.roll(image(s, p), 2, 1);
  const Value x = grouped(s, s.columns(shifted, k, 1, 1, p.unfolding), kGroups);
  const Value w1 = s.weight({p.out, kGroups, k, m});
  const Value w2 = s.reshape(s.weight({p.in, k, m}), {kGroups, p.in / kGroups, k, m});
  return s.done(s.einsum("ngiahbw,ogac,gibc->nohw", {x, w1, w2}));
}

// Rows in slabs, each padded and convolved with weights of its own.
Result<Model> nas_pte_1(const ConvPlace& p) {
  CAMBIUM_REQUIRE(divides(p.side, kSlabs, "rows"));
  const std::int64_t rows = p.side / kSlabs;
  Soup s = body();
  const Value x = image(s, p);
  std::vector<Value> slabs;
  for (std::int64_t g = 0; g < kSlabs; ++g) {
    slabs.push_back(convolution(s, p, s.slice(x, 2, g * rows, rows), p.out, 1));
  }
  return s.done(s.concat(2, slabs));
}

// The first outputs see all channels, the others are grouped over the rest.
Result<Model> nas_pte_2(const ConvPlace& p) {
  const std::int64_t peeled = std::min({kPeeled, p.in / 2, p.out / 2});
  CAMBIUM_REQUIRE(divides(p.in - peeled, kRestGroups, "channels in"));
  CAMBIUM_REQUIRE(divides(p.out - peeled, kRestGroups, "channels out"));
  Soup s = body();
  const Value x = image(s, p);
  const Value first = convolution(s, p, x, peeled, 1);
  const Value rest = s.slice(x, 1, peeled, p.in - peeled);
  return s.done(s.concat(1, {first, convolution(s, p, rest, p.out - peeled, kRestGroups)}));
}

// Halves of the outputs, each with groups of its own.
Result<Model> nas_pte_3(const ConvPlace& p) {
  CAMBIUM_REQUIRE(divides(p.out, std::ssize(kHalves), "channels out"));
  Soup s = body();
  const Value x = image(s, p);
  std::vector<Value> halves;
  for (const std::int64_t groups : kHalves) {
    const std::int64_t out = p.out / std::ssize(kHalves);
    CAMBIUM_REQUIRE(divides(p.in, groups, "channels in"));
    CAMBIUM_REQUIRE(divides(out, groups, "channels out"));
    halves.push_back(convolution(s, p, x, out, groups));
  }
  return s.done(s.concat(1, halves));
}

// Each channel is moved by one of kernel * kernel offsets, then channels are mixed.
Result<Model> shift(const ConvPlace& p) {
  const std::int64_t offsets = p.kernel * p.kernel, around = p.kernel / 2;
  Soup s = body();
  const Value x = image(s, p);
  std::vector<Value> shifted;
  for (std::int64_t i = 0; i < offsets; ++i) {
    const std::int64_t first = p.in * i / offsets, last = p.in * (i + 1) / offsets;
    if (first == last) continue;
    const Value part = s.slice(x, 1, first, last - first);
    const Value padded = s.pad(s.pad(part, 2, around, around), 3, around, around);
    shifted.push_back(s.slice(s.slice(padded, 2, i / p.kernel, p.side), 3, i % p.kernel, p.side));
  }
  return s.done(s.einsum("nchw,oc->nohw", {s.concat(1, shifted), s.weight({p.out, p.in})}));
}

constexpr KnownComposite kComposites[] = {
    {"syno-1", "Syno's OPERATOR 1: channels to few in groups, then a 3x3 of those", syno_1},
    {"syno-2", "Syno's OPERATOR 2: a shift by one row, 1x3 in groups, 3x1", syno_2},
    {"nas-pte-1", "NAS-PTE's sequence 1: weights of their own for slabs of rows", nas_pte_1},
    {"nas-pte-2", "NAS-PTE's sequence 2: some outputs see all channels, the rest groups",
     nas_pte_2},
    {"nas-pte-3", "NAS-PTE's sequence 3: halves of the outputs in 2 and in 4 groups", nas_pte_3},
    {"shift", "shift convolution: channels moved by nine offsets, then mixed", shift},
};

}  // namespace

std::span<const KnownComposite> known_composites() {
  return kComposites;
}

Result<Composite> known_composite(std::string_view name, const ConvPlace& place) {
  for (const KnownComposite& known : kComposites) {
    if (known.name != name) continue;
    if (std::min({place.batch, place.in, place.out, place.side, place.kernel}) < 1 ||
        place.kernel % 2 == 0) {
      return Rejection(Reason::BadAttribute, "place", "has a size below one or an even kernel");
    }
    CAMBIUM_TRY(Model made, known.body(place).at(std::string(name)));
    return composite_of("known", std::string(name), std::move(made));
  }
  return Rejection(Reason::UnknownName, std::string(name));
}

Model model_around(const Composite& composite, std::uint64_t seed) {
  const Model& body = *composite.body;
  Builder b(composite.document);
  std::vector<Value> inputs;
  for (const NodeId id : body.inputs()) {
    const TensorType& type = body.node(id).outputs[0];
    if (inputs.empty()) {
      inputs.push_back(b.input("x", type));
      continue;
    }
    const Fill fill{Fill::Law::Normal, 0.1, seed + inputs.size()};
    inputs.push_back(b.weight("w", Tensor::lazy(type, fill)));
  }
  const Value first = b.add(composite, inputs, composite.document);
  for (std::size_t i = 0; i < body.outputs().size(); ++i) {
    b.output(body.outputs()[i].name, {first.node, static_cast<std::uint32_t>(i)});
  }
  return std::move(b).finish().value();
}

}  // namespace cambium::model::zoo
