#include "loopnest/shapes.h"

#include <utility>

#include "model/builder.h"

namespace cambium::bench {
namespace {

// clang-format off
constexpr PaperLayer kLayers[] = {
    {"C1",    3, 224,  64, 7, 2, 3, 118'013'952,     9'408,          0,          0,          0},
    {"C2",   64,  56,  64, 3, 1, 1, 115'605'504,    36'864, 57'802'752, 43'352'064, 61'415'424},
    {"C3",   64,  56,  64, 1, 1, 0,  12'845'056,     4'096,  6'422'528,  4'816'896,  6'823'936},
    {"C4",   64,  56, 128, 3, 2, 1,  57'802'752,    73'728, 28'901'376, 21'676'032, 26'191'872},
    {"C5",   64,  56, 128, 1, 2, 0,   6'422'528,     8'192,  3'211'264,  2'408'448,  2'910'208},
    {"C6",  128,  28, 128, 3, 1, 1, 115'605'504,   147'456, 57'802'752, 43'352'064, 58'705'920},
    {"C7",  128,  28, 256, 3, 2, 1,  57'802'752,   294'912, 28'901'376, 21'676'032, 27'320'832},
    {"C8",  128,  28, 256, 1, 2, 0,   6'422'528,    32'768,  3'211'264,  2'408'448,  3'035'648},
    {"C9",  256,  14, 256, 3, 1, 1, 115'605'504,   589'824, 57'802'752, 43'352'064, 58'028'544},
    {"C10", 256,  14, 512, 3, 2, 1,  57'802'752, 1'179'648, 28'901'376, 21'676'032, 28'054'656},
    {"C11", 256,  14, 512, 1, 2, 0,   6'422'528,   131'072,  3'211'264,  2'408'448,  3'117'184},
    {"C12", 512,   7, 512, 3, 1, 1, 115'605'504, 2'359'296, 57'802'752, 43'352'064, 57'859'200},
};

constexpr PaperNetwork kNetworks[] = {
    {"zoo:resnet34-cifar", kOriginal,    21'282'122, 1'159'402'496},
    {"zoo:resnet34-cifar", kTwoGroups,   10'739'018,   583'734'272},
    {"zoo:resnet34-cifar", kPaperHalves,  8'103'242,   439'817'216},
    {"zoo:resnet34-cifar", kPaperPeel,   10'743'626,   592'102'400},
    {"zoo:resnet34-cifar", kPaperSlabs,  42'368'330, 1'159'402'496},
    {"zoo:resnet18-cifar", kOriginal,    11'173'962,   555'422'720},
    {"zoo:resnet18-cifar", kTwoGroups,    5'681'226,   281'744'384},
};
// clang-format on

}  // namespace

std::span<const PaperLayer> paper_layers() {
  return kLayers;
}

std::span<const PaperNetwork> paper_networks() {
  return kNetworks;
}

lower::Layouts channels_last(const model::Model& model) {
  lower::Layouts layouts;
  const auto set = [&](model::Value value) {
    layouts.set(value, lower::channels_last(model.type(value).rank()));
  };
  for (const model::NodeId input : model.inputs()) set({input, 0});
  for (const model::Output& output : model.outputs()) set(output.value);
  return layouts;
}

Result<LayerModel> model_of(const PaperLayer& layer) {
  model::Builder b(layer.name);
  const model::Value x = b.input("x", {DType::F32, {1, layer.in, layer.side, layer.side}});
  const model::Value w =
      b.weight("conv.weight",
               model::Tensor::lazy({DType::F32, {layer.out, layer.in, layer.kernel, layer.kernel}},
                                   {model::Fill::Law::Uniform, 0.5, 7}));
  const model::Conv conv{
      {layer.stride, layer.stride}, {layer.pad, layer.pad, layer.pad, layer.pad}, {1, 1}, 1};
  b.output("y", b.add(conv, {x, w}, "conv"));
  LayerModel made;
  CAMBIUM_TRY(made.model, std::move(b).finish());
  made.layouts = channels_last(made.model);
  return made;
}

}  // namespace cambium::bench
