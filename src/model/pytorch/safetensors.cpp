#include "model/pytorch/safetensors.h"

#include <bit>
#include <cstdint>

#include <nlohmann/json.hpp>

namespace cambium::model {

namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::size_t kAlignment = 8;  // of the elements

Result<std::string> type_name(DType dtype) {
  switch (dtype) {
    case DType::F32: return std::string("F32");
    case DType::F64: return std::string("F64");
    case DType::F16: return std::string("F16");
    case DType::BF16: return std::string("BF16");
    case DType::I8: return std::string("I8");
    case DType::I16: return std::string("I16");
    case DType::I32: return std::string("I32");
    case DType::I64: return std::string("I64");
    case DType::U8: return std::string("U8");
    case DType::Bool: return std::string("BOOL");
    case DType::U16:
    case DType::U32:
    case DType::U64: break;
  }
  return Rejection(Reason::UnsupportedType, "an element of safetensors",
                   std::string(name_of(dtype)));
}

}  // namespace

Result<std::string> to_safetensors(const NamedTensors& tensors) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::int64_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    CAMBIUM_TRY(const std::string type, type_name(tensor.dtype()).at("'" + name + "'"));
    const std::int64_t end = offset + tensor.type().bytes();
    header[name] = {{"dtype", type}, {"shape", tensor.dims()}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  // In this order, which json_text() does not keep. What is not UTF-8 must not throw.
  std::string text = header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  std::string out;
  out.reserve(sizeof(std::uint64_t) + text.size() + static_cast<std::size_t>(offset));
  for (std::size_t i = 0; i < sizeof(std::uint64_t); ++i) {
    out += static_cast<char>(text.size() >> (8 * i) & 0xff);
  }
  out += text;
  for (const auto& [name, tensor] : tensors) {
    const auto bytes = tensor.bytes();
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return out;
}

}  // namespace cambium::model
