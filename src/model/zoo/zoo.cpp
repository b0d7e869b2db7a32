#include "model/zoo/zoo.h"

#include <string>
#include <vector>

#include "base/text.h"

namespace cambium::model::zoo {

namespace {

constexpr std::string_view kTorchvision = "torchvision weights metadata";
constexpr std::string_view kKuangliu = "counted in kuangliu/pytorch-cifar";
constexpr std::string_view kAlphaNas = "google-research abstract_nas";
constexpr std::string_view kOwn = "Cambium";

constexpr double kMega = 1e6;
constexpr double kGiga = 1e9;

// clang-format off
constexpr ZooEntry kEntries[] = {
  {"cnn-alphanas", "two 3x3 convolutions with pooling, two dense layers, 3x32x32", "Jin et al. 2022 (alphaNAS)",
   {2'192'458, 0, 0, 0, kAlphaNas, ""}, cnn_alphanas},
  {"resnet18", "residual network of 8 basic blocks, 3x224x224", "He et al. 2016",
   {11'689'512, 0, 1.814 * kGiga, 0.5 * kMega, kTorchvision, ""}, resnet18},
  {"resnet34", "residual network of 16 basic blocks, 3x224x224", "He et al. 2016",
   {21'797'672, 0, 3.664 * kGiga, 0.5 * kMega, kTorchvision, ""}, resnet34},
  {"resnet50", "residual network of 16 bottlenecks, 3x224x224", "He et al. 2016",
   {25'557'032, 0, 4.089 * kGiga, 0.5 * kMega, kTorchvision, ""}, resnet50},
  {"resnet18-cifar", "resnet18 with a 3x3 stem, 3x32x32, 10 classes", "He et al. 2016; NAS-PTE",
   {11'173'962, 0, 555'422'720, 0, kKuangliu, "MACs as derived for NAS-PTE's release"}, resnet18_cifar},
  {"resnet34-cifar", "resnet34 with a 3x3 stem, 3x32x32, 10 classes", "He et al. 2016; NAS-PTE",
   {21'282'122, 0, 1'159'402'496, 0, kKuangliu, "MACs as derived for NAS-PTE's release"}, resnet34_cifar},
  {"resnet50-cifar", "resnet50 with a 3x3 stem, 3x32x32, 10 classes", "He et al. 2016",
   {23'520'842, 0, 1'304'694'794, 7 * kMega, "NNI pruning benchmark", "its figure counts normalizations too"}, resnet50_cifar},
  {"resnet34-alphanas", "resnet34 for CIFAR with a pool and a 1x1 convolution behind the stem", "Jin et al. 2022 (alphaNAS)",
   {21'286'218, 0, 0, 0, kAlphaNas, ""}, resnet34_alphanas},
  {"resnet50-alphanas", "resnet50 with a 1x1 convolution behind the stem, 3x224x224", "Jin et al. 2022 (alphaNAS)",
   {25'561'128, 0, 0, 0, kAlphaNas, ""}, resnet50_alphanas},
  {"resnet20", "CIFAR residual network of 9 basic blocks, shortcuts without parameters", "He et al. 2016",
   {270'000, 5'000, 41 * kMega, 0.5 * kMega, "akamaster/pytorch_resnet_cifar10", "0.27 M and 41 M are printed"}, resnet20},
  {"resnext29-2x64d", "CIFAR residual network of 9 bottlenecks in 2 groups", "Xie et al. 2017; NAS-PTE, Syno",
   {9'128'778, 0, 0, 0, kKuangliu, ""}, resnext29_2x64d},
  {"regnetx-800mf", "bottlenecks of ratio 1 with groups of 16, 3x224x224", "Radosavovic et al. 2020",
   {7'259'656, 0, 0.800 * kGiga, 0.5 * kMega, kTorchvision, ""}, regnetx_800mf},
  {"densenet121", "dense blocks of 6, 12, 24, 16 layers, growth 32, 3x224x224", "Huang et al. 2017",
   {7'978'856, 0, 2.834 * kGiga, 0.5 * kMega, kTorchvision, ""}, densenet121},
  {"densenet161", "dense blocks of 6, 12, 36, 24 layers, growth 48, 3x224x224", "Huang et al. 2017",
   {28'681'000, 0, 7.728 * kGiga, 0.5 * kMega, kTorchvision, ""}, densenet161},
  {"densenet161-cifar", "densenet161 with a 3x3 stem, 3x32x32, 10 classes", "Huang et al. 2017; NAS-PTE",
   {26'482'378, 0, 0, 0, kKuangliu, ""}, densenet161_cifar},
  {"vgg16", "13 convolutions, 3 dense layers, no normalization, 3x224x224", "Simonyan and Zisserman 2015",
   {138'357'544, 0, 15.470 * kGiga, 0.5 * kMega, kTorchvision, ""}, vgg16},
  {"mobilenet-v2", "17 inverted residuals, 3x224x224", "Sandler et al. 2018",
   {3'504'872, 0, 0.301 * kGiga, 0.5 * kMega, kTorchvision, ""}, mobilenet_v2},
  {"mnasnet-1.0", "17 inverted residuals of kernels 3 and 5, 3x224x224", "Tan et al. 2019",
   {4'383'312, 0, 0.314 * kGiga, 0.5 * kMega, kTorchvision, ""}, mnasnet_1_0},
  {"efficientnet-b0", "16 inverted residuals with squeeze and excitation, 3x224x224", "Tan and Le 2019",
   {5'288'548, 0, 0.386 * kGiga, 0.5 * kMega, kTorchvision, ""}, efficientnet_b0},
  {"efficientnetv2-s", "10 fused and 30 inverted residuals, 3x384x384", "Tan and Le 2021",
   {21'458'488, 0, 8.366 * kGiga, 0.5 * kMega, kTorchvision, "MACs at 384x384"}, efficientnetv2_s},
  {"vit-s16", "vision transformer, 12 layers, width 384, class token, 3x224x224", "Dosovitskiy et al. 2021; Touvron et al. 2021",
   {22'050'664, 0, 4.6 * kGiga, 50 * kMega, "timm vit_small_patch16_224", ""}, vit_s16},
  {"vit-s16-alphanas", "vit-s16 without class token, mean over tokens", "Jin et al. 2022 (alphaNAS)",
   {22'049'896, 0, 0, 0, kAlphaNas, ""}, vit_s16_alphanas},
  {"gpt2", "GPT-2 small, 12 layers, width 768, 1024 tokens", "Radford et al. 2019",
   {124'439'808, 0, 145'824'153'600, 0, "Hugging Face gpt2; nanoGPT transformer_sizing (FLOPs / 2)", ""}, gpt2},
  {"bert-mini6", "BERT encoder, 6 layers, width 768, 12 heads, 128 tokens", "Devlin et al. 2019; Sanh et al. 2019",
   {66'362'880 - 384 * 768, 0, 5.65 * kGiga, 0.1 * kGiga, "DistilBERT; Jiao et al. 2020, table 1 (11.3 GFLOPs / 2)",
    "DistilBERT learns 512 positions, this model 128; the FLOPs include more than products"}, bert_mini6},
  {"tiny-resnet", "6 basic blocks of width 16, 32, 64, 1x28x28, 10 classes", "Cambium",
   {174'970, 0, 0, 0, kOwn, ""}, tiny_resnet},
  {"tiny-gpt", "GPT of 4 layers, width 128, bytes as tokens, 64 of them", "Cambium",
   {834'304, 0, 0, 0, kOwn, ""}, tiny_gpt},
};
// clang-format on

Rejection unknown_model(std::string_view name) {
  std::vector<std::string> names;
  for (const ZooEntry& entry : kEntries) names.emplace_back(entry.name);
  const auto near = closest(name, names);
  return {Reason::UnknownModel, std::string(name),
          near ? "did you mean '" + *near + "'?" : "expected one of " + join(names, ", ")};
}

Status check(const ZooOptions& options) {
  struct Bound {
    const char* name;
    std::int64_t value, low, high;
  };
  const Bound bounds[] = {{"batch", options.batch, 1, 1 << 20},
                          {"classes", options.classes, 0, 1 << 24},
                          {"image", options.image, 0, 1 << 14},
                          {"length", options.length, 0, 1 << 14},
                          {"width_divisor", options.width_divisor, 1, 1 << 14}};
  for (const Bound& b : bounds) {
    if (b.value < b.low || b.value > b.high) {
      return Rejection(Reason::BadOption, b.name,
                       "must be from " + std::to_string(b.low) + " to " + std::to_string(b.high) +
                           ", not " + std::to_string(b.value));
    }
  }
  return Ok{};
}

// An option that the model has no place for is a mistake of whoever gave it.
Status check_used(const ZooOptions& options, const Model& model) {
  const bool reads_images = model.node(model.inputs()[0]).outputs[0].rank() == 4;
  if (options.image > 0 && !reads_images) {
    return Rejection(Reason::BadOption, "image", "model '" + model.name() + "' reads tokens");
  }
  if (options.length > 0 && reads_images) {
    return Rejection(Reason::BadOption, "length", "model '" + model.name() + "' reads images");
  }
  return Ok{};
}

}  // namespace

std::span<const ZooEntry> entries() {
  return kEntries;
}

Result<Model> build(std::string_view name, const ZooOptions& options) {
  CAMBIUM_REQUIRE(check(options));
  for (const ZooEntry& entry : kEntries) {
    if (entry.name != name) continue;
    Result<Model> model = entry.build(name, options).at("model '" + std::string(name) + "'");
    if (model.ok()) CAMBIUM_REQUIRE(check_used(options, *model));
    return model;
  }
  return unknown_model(name);
}

}  // namespace cambium::model::zoo
