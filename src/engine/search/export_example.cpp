#include "engine/search/export_example.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "base/json.h"
#include "base/text.h"
#include "engine/search/fields.h"

namespace cambium::engine {
namespace {

// An element type in C, and how printf shows it.
struct CType {
  const char *dtype, *type, *format, *cast;
};
constexpr std::array kTypes = {CType{"f32", "float", "%.9g", ""},
                               CType{"f64", "double", "%.17g", ""},
                               CType{"i8", "int8_t", "%d", ""},
                               CType{"i16", "int16_t", "%d", ""},
                               CType{"i32", "int32_t", "%ld", "(long)"},
                               CType{"i64", "int64_t", "%lld", "(long long)"},
                               CType{"u8", "uint8_t", "%d", ""},
                               CType{"u16", "uint16_t", "%d", ""},
                               CType{"u32", "uint32_t", "%lu", "(unsigned long)"},
                               CType{"u64", "uint64_t", "%llu", "(unsigned long long)"},
                               CType{"bool", "uint8_t", "%d", ""}};
// Types that C lacks (f16, bf16) are printed as bits.
constexpr CType kBits = {"", "uint16_t", "0x%04x", ""};

struct Buffer {
  CType type;
  std::string name;  // in the program: input0
  std::string size;  // the macro of the header
  std::string about;
};

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

Result<std::vector<Buffer>> buffers_of(const nlohmann::json& tensors, const std::string& kind,
                                       const std::string& prefix) {
  std::vector<Buffer> buffers;
  for (const nlohmann::json& tensor : tensors) {
    std::string name, dtype;
    Fields fields(tensor);
    const nlohmann::json* const type = fields.take("name", name).find("type");
    CAMBIUM_REQUIRE(fields.status());
    Fields of_type(*type);
    const nlohmann::json* const dims = of_type.take("dtype", dtype).find_array("dims");
    CAMBIUM_REQUIRE(of_type.status());
    const auto known = std::find_if(kTypes.begin(), kTypes.end(),
                                    [&](const CType& each) { return dtype == each.dtype; });
    const std::string number = std::to_string(buffers.size());
    buffers.push_back(
        {known == kTypes.end() ? kBits : *known, kind + number,
         fmt::format("{}_{}{}_BYTES", prefix, upper(kind), number),
         fmt::format("{}{} \"{}\": {}{}", kind, number, c_comment(name), dtype, json_text(*dims))});
  }
  return buffers;
}

std::string declared(const std::vector<Buffer>& buffers) {
  std::string text;
  for (const Buffer& each : buffers) {
    text +=
        fmt::format("  static {0} {1}[{2} / sizeof({0})];\n", each.type.type, each.name, each.size);
  }
  return text;
}

std::string listed(const std::vector<Buffer>& buffers) {
  std::vector<std::string> names;
  for (const Buffer& each : buffers) names.push_back(each.name);
  return join(names, ", ");
}

std::string comment(const std::vector<Buffer>& buffers) {
  std::string text;
  for (const Buffer& each : buffers) text += "       " + each.about + "\n";
  return text;
}

}  // namespace

Result<std::string> c_example(std::string_view manifest) {
  CAMBIUM_TRY(const nlohmann::json document, parse_json(manifest));
  std::string model, function, library, header, weights;
  Fields fields(document);
  const nlohmann::json* const files =
      fields.take("model", model).take("function", function).find("files");
  const nlohmann::json* const inputs = fields.find_array("inputs");
  const nlohmann::json* const outputs = fields.find_array("outputs");
  CAMBIUM_REQUIRE(fields.status());
  CAMBIUM_REQUIRE(Fields(*files)
                      .take("library", library)
                      .take("header", header)
                      .take("weights", weights)
                      .status());
  const std::string prefix = upper(header.substr(0, header.rfind('.')));
  CAMBIUM_TRY(const std::vector<Buffer> in, buffers_of(*inputs, "input", prefix));
  CAMBIUM_TRY(const std::vector<Buffer> out, buffers_of(*outputs, "output", prefix));

  std::string reads, prints;
  for (const Buffer& each : in) {
    reads +=
        fmt::format("  if (fread({0}, 1, sizeof {0}, stdin) != sizeof {0}) return 2;\n", each.name);
  }
  for (const Buffer& each : out) {
    prints += fmt::format(
        "  for (size_t i = 0; i < sizeof {0} / sizeof *{0}; ++i) printf(\"{1}\\n\", {2}{0}[i]);\n",
        each.name, each.type.format, each.type.cast);
  }
  return fmt::format(
      "/* Runs the model '{model}' with no Cambium installed. In this folder:\n"
      "     cc main.c {library} -lm '-Wl,-rpath,$ORIGIN' -o run\n"
      "     ./run {weights} < inputs\n"
      "   Standard input has the elements of the inputs, as they are in memory:\n"
      "{about_in}   and standard output the elements of the outputs, one a line:\n{about_out}*/\n"
      "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include \"{header}\"\n\n"
      "int main(int argc, char** argv) {{\n"
      "  void* weights = aligned_alloc(64, {prefix}_WEIGHT_BYTES);\n"
      "  void* workspace = aligned_alloc(64, {prefix}_WORKSPACE_BYTES(1));\n"
      "{declared}"
      "  FILE* file = argc > 1 ? fopen(argv[1], \"rb\") : NULL;\n"
      "  if (!file || fread(weights, 1, {prefix}_WEIGHT_BYTES, file) != {prefix}_WEIGHT_BYTES) "
      "return 1;\n"
      "{reads}"
      "  if ({function}((const void*[]){{{inputs}}}, (void*[]){{{outputs}}}, weights, workspace, "
      "NULL) != 0) return 3;\n"
      "{prints}  return 0;\n}}\n",
      fmt::arg("model", c_comment(model)), fmt::arg("library", library),
      fmt::arg("weights", weights), fmt::arg("about_in", comment(in)),
      fmt::arg("about_out", comment(out)), fmt::arg("header", header), fmt::arg("prefix", prefix),
      fmt::arg("declared", declared(in) + declared(out)), fmt::arg("reads", reads),
      fmt::arg("function", function), fmt::arg("inputs", listed(in)),
      fmt::arg("outputs", listed(out)), fmt::arg("prints", prints));
}

}  // namespace cambium::engine
