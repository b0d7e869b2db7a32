#include "cli/convert.h"

#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "cli/commands.h"

namespace cambium::cli {

int convert(const ModelOptions& from, const std::string& to) {
  if (const auto status = engine::check_model_path(to); !status.ok()) {
    return refuse(status.rejection());
  }
  const auto loaded = load(from);
  if (!loaded.ok()) return refuse(loaded.rejection());
  if (const auto status = engine::save_model(loaded->model, to, loaded->classes); !status.ok()) {
    return refuse(status.rejection());
  }
  say(fmt::format("wrote {}", to));
  return kDone;
}

void add_convert(CLI::App& app, Action& action) {
  struct Options {
    ModelOptions model;
    std::string out;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("convert", "Write a model in another format");
  add_model_options(*command, options->model);
  command->add_option("OUT", options->out, "output file: FILE.onnx or FILE.cambium")
      ->required()
      ->type_name("");
  command->footer(
      "Example:\n"
      "  cambium convert net.onnx net.cambium\n"
      "  cambium convert net.onnx fixed.onnx --bind batch=8");
  command->callback(
      [&action, options] { action = [options] { return convert(options->model, options->out); }; });
}

}  // namespace cambium::cli
