#include "data/pickle.h"

#include <gtest/gtest.h>

#include "data/test_files.h"

namespace cambium::data {
namespace {

using test::cifar_pickle;
using test::numpy_bytes;
using test::ramp;
using test::short_string;

Reason refusal(const std::string& bytes) {
  const Result<Pickle> result = Pickle::parse(bytes_of(bytes));
  EXPECT_FALSE(result.ok()) << "nothing was refused";
  return result.ok() ? Reason::NotFound : result.rejection().reason();
}

std::string message(const std::string& bytes) {
  const Result<Pickle> result = Pickle::parse(bytes_of(bytes));
  return result.ok() ? "" : result.rejection().message();
}

TEST(Pickle, ReadsAPythonTwoBatch) {
  const std::string pixels = ramp(12);
  const std::string file = cifar_pickle("labels", {3, 1, 9}, pixels);
  const Result<Pickle> pickle = Pickle::parse(bytes_of(file));
  ASSERT_TRUE(pickle.ok()) << pickle.rejection().message();
  EXPECT_EQ(*pickle->integers("labels"), (std::vector<std::int64_t>{3, 1, 9}));
  const auto data = pickle->array("data");
  ASSERT_TRUE(data.ok());
  EXPECT_EQ((*data)->dims, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ((*data)->text, pixels);
}

TEST(Pickle, ReadsTheTextProtocolOfTheNames) {
  const std::string file =
      "(dp1\nS'num_cases_per_batch'\np2\nI10000\nsS'label_names'\np3\n(lp4\nS'airplane'\np5\na"
      "S'automobile'\np6\nag5\nas.";
  const Result<Pickle> pickle = Pickle::parse(bytes_of(file));
  ASSERT_TRUE(pickle.ok()) << pickle.rejection().message();
  EXPECT_EQ(*pickle->texts("label_names"),
            (std::vector<std::string>{"airplane", "automobile", "airplane"}));
}

TEST(Pickle, DecodesTheBytesThatPythonThreeWritesAsLatin1) {
  const std::string file = "\x80\x02}" + short_string("data") + "](c_codecs\nencode\nX" +
                           test::little_endian(5, 4) + "A\xc2\x80\xc3\xbfX" +
                           test::little_endian(6, 4) + "latin1\x86Res.";
  const Result<Pickle> pickle = Pickle::parse(bytes_of(file));
  ASSERT_TRUE(pickle.ok()) << pickle.rejection().message();
  EXPECT_EQ(*pickle->texts("data"), (std::vector<std::string>{"A\x80\xff"}));
}

TEST(Pickle, RefusesEveryGlobalButNumpysArrays) {
  EXPECT_EQ(message("cos\nsystem\n(S'true'\ntR."),
            "this is not a pickle of CIFAR: byte 11: global 'os system' is not one that CIFAR's "
            "files use");
  EXPECT_EQ(refusal("c__builtin__\neval\n."), Reason::BadPickle);
  EXPECT_EQ(refusal("cnumpy\nndarray\n(tR."), Reason::BadPickle);
}

TEST(Pickle, RefusesOpcodesThatCifarDoesNotUse) {
  for (const std::string op : {"i", "o", "\x81", "\x92", "P", "Q", "F1.0\n", "\x8c", "\x95"})
    EXPECT_NE(message("\x80\x02" + op + "."), "") << op;
  EXPECT_NE(message("\x80\x05N.").find("protocol 5"), std::string::npos);
}

TEST(Pickle, RefusesEveryProperPrefixOfAFile) {
  const std::string file = cifar_pickle("labels", {1, 2}, ramp(8));
  ASSERT_TRUE(Pickle::parse(bytes_of(file)).ok());
  for (std::size_t cut = 0; cut < file.size(); ++cut)
    EXPECT_EQ(refusal(file.substr(0, cut)), Reason::BadPickle) << cut;
}

TEST(Pickle, RefusesArraysWhoseShapeDoesNotMatchTheirBytes) {
  EXPECT_EQ(refusal("\x80\x02" + numpy_bytes(3, 5, ramp(14)) + "."), Reason::BadPickle);
  EXPECT_EQ(refusal("\x80\x02" + numpy_bytes(0xffffffff, 2, ramp(14)) + "."), Reason::BadPickle);
  EXPECT_EQ(refusal("\x80\x02" + numpy_bytes(0x40000000, 4, "") + "."), Reason::BadPickle);
}

TEST(Pickle, RefusesAnUnderflowingStack) {
  for (const std::string file : {".", "a.", "(a.", "e.", "s.", "u.", "R.", "b.", "t.", "q\x01.",
                                 "g5\n.", "\x86.", "N(0.", "(u.", "]N(Ne(e."})
    EXPECT_EQ(refusal(file), Reason::BadPickle) << file;
}

TEST(Pickle, AListThatHoldsItselfIsHarmless) {
  const Result<Pickle> pickle =
      Pickle::parse(bytes_of("]q\x01h\x01"
                             "a."));
  ASSERT_TRUE(pickle.ok());
  EXPECT_FALSE(pickle->texts("data").ok());
}

TEST(Pickle, RefusesToDecodeOneTextOverAndOver) {
  std::string file = "\x80\x02(c_codecs\nencode\nq\x01X" + test::little_endian(1000, 4) +
                     std::string(1000, 'x') + "X" + test::little_endian(6, 4) + "latin1\x86q\x02R";
  for (int i = 0; i < 50; ++i) file += "h\x01h\x02R";
  EXPECT_NE(message(file + "t.").find("again and again"), std::string::npos);
}

TEST(Pickle, RefusesMoreValuesThanCifarHas) {
  EXPECT_NE(message(std::string(1'100'000, 'N')).find("more than"), std::string::npos);
  EXPECT_NE(message(std::string(1'100'000, '(')).find("more than"), std::string::npos);
}

TEST(Pickle, NamesTheFieldThatIsMissingOrOfAnotherForm) {
  const std::string file = cifar_pickle("labels", {1}, ramp(4));
  const Result<Pickle> pickle = Pickle::parse(bytes_of(file));
  ASSERT_TRUE(pickle.ok());
  const auto missing = pickle->integers("fine_labels");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.rejection().message(), "'fine_labels' is missing or not a list of integers");
  EXPECT_EQ(pickle->array("labels").rejection().reason(), Reason::MissingField);
  EXPECT_EQ(pickle->texts("labels").rejection().reason(), Reason::MissingField);
}

}  // namespace
}  // namespace cambium::data
