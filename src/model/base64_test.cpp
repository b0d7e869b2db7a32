#include "model/base64.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace cambium::model {
namespace {

std::string encoded(std::string_view text) {
  return to_base64(std::as_bytes(std::span(text)));
}

TEST(Base64, EncodesAsTheStandardSays) {  // the vectors of RFC 4648
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foo"), "Zm9v");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
}

TEST(Base64, RoundTripsRandomBytes) {
  Rng rng(1);
  for (std::size_t size = 0; size < 200; ++size) {
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(rng.below(256));
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
  }
}

TEST(Base64, RefusesWhatItWouldNotPrint) {
  for (const char* text : {"Z", "Zg=", "Zg", "Zh==", "Zm9=", "====", "Z===", "Zg==Zg==", "Zm9 ",
                           "Zm9v\n", "Zm\xc3\xa9"}) {
    EXPECT_FALSE(from_base64(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace cambium::model
