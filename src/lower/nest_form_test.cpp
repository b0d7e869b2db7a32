#include "lower/nest_form.h"

#include <gtest/gtest.h>

namespace cambium::lower {
namespace {

TEST(NestForm, ReadsWhatItWrites) {
  NestForm form;
  form.conv = {{2, 1}, {1, 0, 1, 2}, {1, 3}, 4};
  form.filter = {64, 16, 3, 5};
  form.recipe = "group(outer: co, inner: ci, factor: 4)\nbottleneck(loop: ci, factor: 2)\n";
  const auto read = read_nest_form(to_text(form));
  ASSERT_TRUE(read.ok()) << read.rejection().message();
  EXPECT_EQ(to_text(*read), to_text(form));
  EXPECT_EQ(read->filter, form.filter);
  EXPECT_EQ(read->conv.pads, form.conv.pads);
  EXPECT_EQ(read->conv.groups, 4);
  EXPECT_EQ(read->recipe, form.recipe);
}

TEST(NestForm, RefusesOtherFirstLines) {
  const std::string good = "conv filter=[4, 4, 3] strides=[1] pads=[1, 1] dilations=[1] groups=1\n";
  EXPECT_TRUE(read_nest_form(good).ok());
  for (const char* bad :
       {"", "group(outer: co)", "conv filter=[]", "conv filter=[4, 4, 3] strides=[1]",
        "conv filter=[4, 4, 3] strides=[1, 1] pads=[1, 1] dilations=[1] groups=1",
        "conv filter=[4, 4, 3] strides=[1] pads=[1, 1] dilations=[1] groups=0",
        "conv filter=[4, 4, 3] strides=[1] pads=[1, 1] dilations=[1] groups=1 more",
        "conv filter=[4, -4, 3] strides=[1] pads=[1, 1] dilations=[1] groups=1",
        "conv filter=[4, 0, 3] strides=[1] pads=[1, 1] dilations=[1] groups=1",
        "conv filter=[4, 4, 3] strides=[0] pads=[1, 1] dilations=[1] groups=1",
        "conv filter=[4, 4, 3] strides=[1] pads=[1, 1] dilations=[0] groups=1",
        "conv filter=[4, 4294967296, 3] strides=[1] pads=[1, 1] dilations=[1] groups=4294967296"}) {
    const auto read = read_nest_form(bad);
    ASSERT_FALSE(read.ok()) << bad;
    EXPECT_EQ(read.rejection().reason(), Reason::BadSyntax) << bad;
  }
}

}  // namespace
}  // namespace cambium::lower
