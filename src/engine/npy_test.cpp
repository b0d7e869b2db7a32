#include "engine/npy.h"

#include <gtest/gtest.h>

namespace cambium::engine {
namespace {

using model::Tensor;

std::string with_header(const std::string& header, const std::string& data) {
  const std::string line = header + "\n";
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(line.size()) + '\0' + line + data;
}

std::string refusal_of(const std::string& bytes) {
  const auto tensor = parse_npy(bytes);
  if (tensor.ok()) return "accepted";
  EXPECT_EQ(tensor.rejection().reason(), Reason::BadTensorData);
  return tensor.rejection().message();
}

TEST(Npy, RoundTripsEveryElementTypeThatNumpyHas) {
#define CAMBIUM_X(enumerator, name, type)                                              \
  if (DType::enumerator != DType::BF16) {                                              \
    const Tensor tensor =                                                              \
        Tensor::lazy({DType::enumerator, {2, 3}}, {model::Fill::Law::Constant, 1, 0}); \
    const auto again = parse_npy(to_npy(tensor));                                      \
    ASSERT_TRUE(again.ok()) << name << ": " << again.rejection().message();            \
    EXPECT_EQ(again->fingerprint(), tensor.fingerprint()) << name;                     \
  }
  CAMBIUM_FOR_EACH_DTYPE(CAMBIUM_X)
#undef CAMBIUM_X
}

TEST(Npy, RoundTripsEveryRank) {
  for (const model::Ints& dims : {model::Ints{}, {0}, {5}, {1, 1, 7}}) {
    const Tensor tensor = Tensor::lazy({DType::F32, dims}, {model::Fill::Law::Normal, 1, 3});
    const std::string bytes = to_npy(tensor);
    EXPECT_EQ((bytes.size() - static_cast<std::size_t>(tensor.type().bytes())) % 64, 0u);
    EXPECT_EQ(parse_npy(bytes).value().fingerprint(), tensor.fingerprint());
  }
}

TEST(Npy, WritesBrainFloatsAsFloats) {
  const Tensor tensor = Tensor::of<BF16>({1}, {BF16(1.5)});
  EXPECT_EQ(parse_npy(to_npy(tensor)).value().as<float>()[0], 1.5f);
}

TEST(Npy, WritesWhatNumpyWrites) {
  EXPECT_NE(to_npy(Tensor::of<float>({3}, {1, 2, 3})).find("'shape': (3,), }"), std::string::npos);
  EXPECT_NE(to_npy(Tensor::of<float>({1, 2}, {1, 2})).find("'shape': (1, 2), }"),
            std::string::npos);
  EXPECT_NE(to_npy(Tensor::scalar<float>(1)).find("'shape': (), }"), std::string::npos);
}

TEST(Npy, RefusesWhatATensorCannotBe) {
  const auto with = [](const std::string& descr, const std::string& order, const std::string& shape,
                       const std::string& data) {
    return refusal_of(with_header(
        "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }",
        data));
  };
  EXPECT_EQ(with("'<f4'", "False", "(1,)", "1234"), "accepted");
  EXPECT_EQ(refusal_of(""), "tensor 'npy': it does not begin like a .npy file");
  EXPECT_EQ(refusal_of(std::string("\x93NUMPY\x01\x00\xff\xff{", 11) + "    "),
            "tensor 'npy': it ends within the header");
  EXPECT_EQ(refusal_of(std::string("\x93NUMPY\x09\x00\x00\x00    ", 14)),
            "tensor 'npy': version 9 is not supported");
  EXPECT_EQ(with("'>f4'", "False", "(1,)", "1234"),
            "tensor 'npy': elements of type '>f4' are not supported");
  EXPECT_EQ(with("'|O'", "False", "(1,)", "1234"),
            "tensor 'npy': elements of type '|O' are not supported");
  EXPECT_EQ(with("'<f4'", "True", "(1,)", "1234"),
            "tensor 'npy': it is in Fortran order; save numpy.ascontiguousarray(x)");
  EXPECT_EQ(with("'<f4'", "False", "1", "1234"), "tensor 'npy': the shape is not a tuple");
  EXPECT_EQ(with("'<f4'", "False", "(2,)", "1234"),
            "tensor 'npy': f32[2] takes 8 bytes, it holds 4");
  EXPECT_EQ(with("'|b1'", "False", "(1,)", "2"), "tensor 'npy': a bool is neither 0 nor 1");
  EXPECT_EQ(refusal_of(with_header("{}", "")), "tensor 'npy': the header has no 'descr'");
}

TEST(Npy, RefusesAShapeBeyondAllMemory) {
  const auto tensor = parse_npy(with_header(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (4000000000, 4000000000, 9), }", ""));
  ASSERT_FALSE(tensor.ok());
  EXPECT_EQ(tensor.rejection().reason(), Reason::TensorTooLarge);
}

}  // namespace
}  // namespace cambium::engine
