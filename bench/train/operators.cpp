#include "train/operators.h"

#include <algorithm>
#include <cmath>

#include "model/composite.h"
#include "model/cost.h"
#include "model/recognize/recognize.h"
#include "model/zoo/net.h"
#include "model/zoo/soup.h"

namespace cambium::bench {

namespace {

using model::Model;
using model::Value;
using model::zoo::ConvPlace;
using model::zoo::Soup;

struct Kind {
  const char* name;
  std::int64_t kernel, groups, dilation;  // groups 0: one per channel
};
constexpr Kind kKinds[] = {{"conv 3x3", 3, 1, 1},
                           {"conv 3x3, 4 groups", 3, 4, 1},
                           {"conv 3x3, 8 groups", 3, 8, 1},
                           {"conv 3x3, depthwise", 3, 0, 1},
                           {"conv 3x3, dilated by 2", 3, 1, 2},
                           {"conv 1x1", 1, 1, 1}};

Model conv(const ConvPlace& p, const Kind& kind) {
  const std::int64_t groups = kind.groups == 0 ? p.in : kind.groups;
  const std::int64_t around = kind.dilation * (kind.kernel - 1) / 2;
  Soup s;
  const Value x = s.input({p.batch, p.in, p.side, p.side});
  const Value w = s.weight({p.out, p.in / groups, kind.kernel, kind.kernel});
  return s.done(s.builder().add(
      model::Conv{{1, 1}, {around, around, around, around}, {kind.dilation, kind.dilation}, groups},
      {x, w}));
}

Model product(const ConvPlace& p) {
  Soup s;
  const Value x = s.input({p.batch * p.side * p.side, p.in});
  return s.done(s.builder().add(model::MatMul{}, {x, s.weight({p.in, p.out})}));
}

Model unfolded(const ConvPlace& p) {
  Soup s;
  const Value x = s.input({p.batch, p.in, p.side, p.side});
  const Value columns = s.columns(x, 3, 1, 1, model::zoo::Unfolding::Slices);
  return s.done(s.einsum("ncahbw,ocab->nohw", {columns, s.weight({p.out, p.in, 3, 3})}));
}

TrainOperator of(std::string name, Model model) {
  const model::Cost cost = model::cost_of(model);
  // Values, their gradients and one more; an einsum of three factors makes all its points first.
  auto values = static_cast<double>(cost.activation_bytes);
  for (std::size_t i = 0; i < cost.nodes.size(); ++i) {
    const model::Node& node = *model.nodes()[i];
    if (node.as<model::Einsum>() == nullptr || node.inputs.size() < 3) continue;
    values += static_cast<double>(cost.nodes[i].macs) * sizeof(float);
  }
  return {std::move(name), std::move(model), cost.macs, 3 * values, false};
}

}  // namespace

Result<std::vector<TrainOperator>> train_operators(const ConvPlace& place) {
  std::vector<TrainOperator> out;
  for (const Kind& kind : kKinds) out.push_back(of(kind.name, conv(place, kind)));
  out.push_back(of("matrix product", product(place)));
  std::vector<TrainOperator> written;
  written.push_back(of("im2col and einsum", unfolded(place)));
  for (const model::zoo::KnownComposite& known : model::zoo::known_composites()) {
    CAMBIUM_TRY(const model::Composite composite, model::zoo::known_composite(known.name, place));
    const Model model = model::zoo::model_around(composite);
    written.push_back(of(std::string(known.name), model::expanded(model)));
  }
  for (TrainOperator& each : written) {
    TrainOperator found = each;
    found.recognized = true;
    // An einsum of three factors counts all points of its indices at once: what it needs is what
    // recognition leaves of it.
    each.macs = found.macs =
        std::min(each.macs, model::cost_of(model::recognize(each.model).model).macs);
    out.push_back(std::move(each));
    out.push_back(std::move(found));
  }
  return out;
}

TrainOperator convolution_of_macs(std::int64_t macs, const ConvPlace& place) {
  const auto per_pair = static_cast<double>(9 * place.batch * place.side * place.side);
  const double channels = std::sqrt(static_cast<double>(macs) / per_pair);
  ConvPlace same = place;
  same.in = same.out = std::max<std::int64_t>(1, std::llround(channels));
  return of("conv 3x3", conv(same, kKinds[0]));
}

}  // namespace cambium::bench
