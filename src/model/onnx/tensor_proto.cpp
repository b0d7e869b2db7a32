#include "model/onnx/tensor_proto.h"

#include <cstring>

#include <fmt/core.h>

#include "base/text.h"
#include "model/onnx/element_type.h"

namespace cambium::model::onnx_io {

namespace {

Rejection bad(const onnx::TensorProto& proto, std::string why) {
  return Rejection(Reason::BadTensorData, proto.name(), std::move(why));
}

// Elements in the typed fields: 16-bit floats travel as their bits in int32_data.
template <class T, class Field>
std::vector<std::byte> bytes_of(const Field& field) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(field.size()) * sizeof(T));
  auto* out = reinterpret_cast<T*>(bytes.data());
  for (int i = 0; i < field.size(); ++i) {
    if constexpr (std::is_same_v<T, F16> || std::is_same_v<T, BF16>) {
      out[i].bits = static_cast<std::uint16_t>(field.Get(i));
    } else if constexpr (std::is_same_v<T, bool>) {
      out[i] = field.Get(i) != 0;
    } else {
      out[i] = static_cast<T>(field.Get(i));
    }
  }
  return bytes;
}

std::vector<std::byte> typed_bytes(const onnx::TensorProto& proto, DType dtype) {
  return visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, float>) {
      return bytes_of<T>(proto.float_data());
    } else if constexpr (std::is_same_v<T, double>) {
      return bytes_of<T>(proto.double_data());
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      return bytes_of<T>(proto.int64_data());
    } else if constexpr (std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::uint64_t>) {
      return bytes_of<T>(proto.uint64_data());
    } else {
      return bytes_of<T>(proto.int32_data());
    }
  });
}

std::vector<std::byte> raw_bytes(const std::string& raw, DType dtype) {
  std::vector<std::byte> bytes(raw.size());
  if (!raw.empty()) std::memcpy(bytes.data(), raw.data(), raw.size());
  if (dtype == DType::Bool) {
    for (std::byte& b : bytes) b = b == std::byte{0} ? b : std::byte{1};
  }
  return bytes;
}

Result<ExternalRange> external_range(const onnx::TensorProto& proto) {
  ExternalRange range{{}, 0, -1};
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") range.location = entry.value();
    if (entry.key() != "offset" && entry.key() != "length") continue;
    const auto number = parse_int(entry.value(), 0);
    if (!number.ok()) {
      return bad(proto, "its external " + entry.key() + " is not a non-negative number");
    }
    (entry.key() == "offset" ? range.offset : range.length) = *number;
  }
  return range;
}

}  // namespace

Result<Tensor> take_tensor(onnx::TensorProto& proto, ExternalData& external) {
  const auto dtype = dtype_of_code(proto.data_type());
  if (!dtype) {
    return Rejection(Reason::UnsupportedType, "tensor " + quote(proto.name()),
                     "of " + describe_code(proto.data_type()));
  }
  if (proto.has_segment()) return bad(proto, "it is stored in segments");
  const TensorType type{*dtype, {proto.dims().begin(), proto.dims().end()}};
  CAMBIUM_REQUIRE(check_type(type).at("tensor " + quote(proto.name())));
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    CAMBIUM_TRY(const ExternalRange range, external_range(proto));
    return external.read(range, type).at("tensor " + quote(proto.name()));
  }
  std::vector<std::byte> bytes =
      proto.has_raw_data() ? raw_bytes(proto.raw_data(), *dtype) : typed_bytes(proto, *dtype);
  if (static_cast<std::int64_t>(bytes.size()) != type.bytes()) {
    return bad(proto, fmt::format("{} bytes are given, {} needs {}", bytes.size(), type.text(),
                                  type.bytes()));
  }
  proto.clear_raw_data();
  proto.clear_float_data();
  return Tensor(type, std::move(bytes));
}

void put_tensor(const Tensor& tensor, onnx::TensorProto& proto) {
  proto.set_data_type(static_cast<int>(code_of(tensor.dtype())));
  for (const std::int64_t dim : tensor.dims()) proto.add_dims(dim);
  const auto bytes = tensor.bytes();
  proto.set_raw_data(bytes.data(), bytes.size());
}

void put_external_tensor(const TensorType& type, const ExternalRange& range,
                         onnx::TensorProto& proto) {
  proto.set_data_type(static_cast<int>(code_of(type.dtype)));
  for (const std::int64_t dim : type.dims) proto.add_dims(dim);
  proto.set_data_location(onnx::TensorProto::EXTERNAL);
  const auto add = [&](const char* key, std::string value) {
    auto* entry = proto.add_external_data();
    entry->set_key(key);
    entry->set_value(std::move(value));
  };
  add("location", range.location);
  add("offset", std::to_string(range.offset));
  add("length", std::to_string(range.length));
}

}  // namespace cambium::model::onnx_io
