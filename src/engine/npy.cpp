#include "engine/npy.h"

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/text.h"
#include "model/verify.h"

namespace cambium::engine {

namespace {

using model::Tensor;
using model::TensorType;

constexpr std::string_view kMagic = "\x93NUMPY";

struct Code {
  DType dtype;
  std::string_view text;  // kind and size
};
constexpr Code kCodes[] = {{DType::F32, "f4"}, {DType::F64, "f8"}, {DType::F16, "f2"},
                           {DType::I8, "i1"},  {DType::I16, "i2"}, {DType::I32, "i4"},
                           {DType::I64, "i8"}, {DType::U8, "u1"},  {DType::U16, "u2"},
                           {DType::U32, "u4"}, {DType::U64, "u8"}, {DType::Bool, "b1"}};

Rejection refuse(std::string why) {
  return Rejection(Reason::BadTensorData, "npy", std::move(why));
}

// The text behind `'key':` in the header, a Python dictionary, without blanks before it.
Result<std::string_view> entry(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) return refuse(fmt::format("the header has no '{}'", key));
  return trim(header.substr(at + key.size() + 3));
}

Result<DType> parse_descr(std::string_view header) {
  CAMBIUM_TRY(const std::string_view text, entry(header, "descr"));
  const std::string_view code = text.substr(0, 5);  // '<f4'
  if (code.size() == 5 && code[0] == '\'' && code[4] == '\'' && code[1] != '>') {
    for (const Code& each : kCodes) {
      if (code.substr(2, 2) == each.text) return each.dtype;
    }
  }
  return refuse(fmt::format("elements of type {} are not supported",
                            std::string(text.substr(0, text.find(',')))));
}

Result<model::Ints> parse_shape(std::string_view header) {
  CAMBIUM_TRY(std::string_view text, entry(header, "shape"));
  const std::size_t close = text.find(')');
  if (text.empty() || text[0] != '(' || close == std::string_view::npos) {
    return refuse("the shape is not a tuple");
  }
  model::Ints dims;
  for (const std::string_view part : split(text.substr(1, close - 1), ',')) {
    if (trim(part).empty()) continue;
    CAMBIUM_TRY(const std::int64_t dim, parse_int(trim(part), 0));
    dims.push_back(dim);
  }
  return dims;
}

// The header and where the elements begin.
Result<std::pair<std::string_view, std::size_t>> parse_header(std::string_view bytes) {
  if (bytes.substr(0, kMagic.size()) != kMagic || bytes.size() < 12) {
    return refuse("it does not begin like a .npy file");
  }
  const int version = bytes[6];
  if (version < 1 || version > 3)
    return refuse(fmt::format("version {} is not supported", version));
  const std::size_t digits = version == 1 ? 2 : 4;
  std::size_t length = 0;
  for (std::size_t i = digits; i-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(bytes[8 + i]);
  }
  const std::size_t start = 8 + digits;
  if (length > bytes.size() - start) return refuse("it ends within the header");
  return std::pair(bytes.substr(start, length), start + length);
}

}  // namespace

Result<Tensor> parse_npy(std::string_view bytes) {
  CAMBIUM_TRY(const auto header, parse_header(bytes));
  CAMBIUM_TRY(const DType dtype, parse_descr(header.first));
  CAMBIUM_TRY(const std::string_view fortran, entry(header.first, "fortran_order"));
  if (fortran.rfind("False", 0) != 0) {
    return refuse("it is in Fortran order; save numpy.ascontiguousarray(x)");
  }
  CAMBIUM_TRY(model::Ints dims, parse_shape(header.first));
  const TensorType type{dtype, std::move(dims)};
  CAMBIUM_REQUIRE(check_type(type));
  const std::string_view data = bytes.substr(header.second);
  if (static_cast<std::int64_t>(data.size()) != type.bytes()) {
    return refuse(
        fmt::format("{} takes {} bytes, it holds {}", type.text(), type.bytes(), data.size()));
  }
  std::vector<std::byte> elements(data.size());
  if (!data.empty()) std::memcpy(elements.data(), data.data(), data.size());
  if (!model::are_elements(dtype, elements)) return refuse("a bool is neither 0 nor 1");
  return Tensor(type, std::move(elements));
}

std::string to_npy(const Tensor& tensor) {
  if (tensor.dtype() == DType::BF16) {
    std::vector<float> values;
    for (const double value : tensor.to_doubles()) values.push_back(static_cast<float>(value));
    return to_npy(Tensor::of<float>(tensor.dims(), values));
  }
  std::string_view code;
  for (const Code& each : kCodes) {
    if (each.dtype == tensor.dtype()) code = each.text;
  }
  std::string shape;
  for (const std::int64_t dim : tensor.dims()) shape += fmt::format("{}, ", dim);
  if (tensor.dims().size() > 1) shape.resize(shape.size() - 2);  // (3,) but (3, 4)
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                   size_of(tensor.dtype()) == 1 ? '|' : '<', code, trim(shape));
  // NumPy aligns the elements at 64 bytes, and ends the header with a line feed.
  const std::size_t unpadded = kMagic.size() + 4 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header += '\n';
  std::string out(kMagic);
  out +=
      {'\1', '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  out += header;
  const auto elements = tensor.bytes();
  out.append(reinterpret_cast<const char*>(elements.data()), elements.size());
  return out;
}

}  // namespace cambium::engine
