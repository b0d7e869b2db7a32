#include "engine/files.h"

#include <utility>

#include "base/file.h"
#include "base/outputs.h"
#include "base/text.h"
#include "engine/class_names.h"
#include "engine/npy.h"
#include "engine/onnx.h"
#include "model/text.h"
#include "model/zoo/zoo.h"

namespace cambium::engine {

namespace {

namespace zoo = model::zoo;

constexpr std::string_view kZoo = "zoo:";

bool ends_with(const std::string& text, std::string_view ending) {
  return text.size() >= ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

Result<Loaded> load_zoo(const std::string& name, const LoadOptions& options) {
  zoo::ZooOptions wanted;
  wanted.seed = options.seed;
  const std::pair<const char*, std::int64_t*> sizes[] = {{"batch", &wanted.batch},
                                                         {"classes", &wanted.classes},
                                                         {"image", &wanted.image},
                                                         {"length", &wanted.length},
                                                         {"width_divisor", &wanted.width_divisor}};
  for (const auto& bound : options.bind) {
    bool known = false;
    for (const auto& size : sizes) {
      if (bound.first != size.first) continue;
      *size.second = bound.second;
      known = true;
    }
    if (!known) {
      return Rejection(Reason::UnknownBinding, bound.first,
                       "the zoo has batch, classes, image, length and width_divisor");
    }
  }
  CAMBIUM_TRY(model::Model built, zoo::build(name, wanted));
  return Loaded{std::move(built), {}, {}};
}

Result<Loaded> load_text(const std::string& path, const LoadOptions& options) {
  if (!options.bind.empty()) {
    return Rejection(Reason::UnknownBinding, options.bind.begin()->first,
                     "the sizes of a .cambium file are fixed")
        .at(path);
  }
  CAMBIUM_TRY(const std::string text, read_file(path));
  auto parsed = model::parse_text(text).at(path);
  if (!parsed.ok()) return std::move(parsed).rejection();
  return Loaded{std::move(parsed).value(), {}, classes_in_comment(text)};
}

// A model of the zoo without its prefix is the likeliest mistake.
Rejection no_such_form(const std::string& spec) {
  std::vector<std::string> names;
  for (const zoo::ZooEntry& entry : zoo::entries()) names.emplace_back(entry.name);
  const auto near = closest(spec, names);
  return Rejection(
      Reason::BadOption, quote(spec),
      near ? "did you mean zoo:" + *near + "?" : "a model is zoo:NAME, FILE.onnx or FILE.cambium");
}

}  // namespace

Result<Loaded> load_model(const std::string& spec, const LoadOptions& options) {
  if (spec.rfind(kZoo, 0) == 0) return load_zoo(spec.substr(kZoo.size()), options);
  if (ends_with(spec, ".onnx")) return read_onnx(spec, options);
  if (ends_with(spec, ".cambium")) return load_text(spec, options);
  return no_such_form(spec);
}

Status check_model_path(const std::string& path) {
  if (ends_with(path, ".onnx") || ends_with(path, ".cambium")) return check_output_file(path);
  return Rejection(Reason::BadOption, quote(path), "a model is written to .onnx or .cambium");
}

Status check_savable(const model::Model& model, const std::string& path) {
  CAMBIUM_REQUIRE(check_model_path(path));
  return ends_with(path, ".onnx") ? check_onnx(model, path) : Ok{};
}

Status save_model(const model::Model& model, const std::string& path,
                  const std::vector<std::string>& classes) {
  CAMBIUM_REQUIRE(check_model_path(path));
  if (ends_with(path, ".onnx")) return write_onnx(model, path, classes);
  return write_file(path, model::to_text(model) + classes_comment(classes));
}

Result<model::Tensor> load_tensor(const std::string& path) {
  if (ends_with(path, ".pb")) return read_onnx_tensor(path);
  if (!ends_with(path, ".npy")) {
    return Rejection(Reason::BadOption, quote(path), "a tensor is read from .npy or .pb");
  }
  CAMBIUM_TRY(const std::string bytes, read_file(path));
  return parse_npy(bytes).at(path);
}

}  // namespace cambium::engine
