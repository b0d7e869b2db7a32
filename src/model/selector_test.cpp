#include "model/selector.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace cambium::model {
namespace {

SiteFacts conv_site(std::int64_t kernel, std::int64_t stride = 1, std::int64_t groups = 1) {
  SiteFacts facts;
  facts.name = "layer1.0.conv1";
  facts.block = "basic";
  facts.kernel = {kernel, kernel};
  facts.stride = {stride, stride};
  facts.dilation = {1, 1};
  facts.groups = groups;
  facts.in = facts.out = 64;
  facts.depthwise = groups == 64;
  facts.same = true;
  return facts;
}

bool accepts(const char* text, const SiteFacts& facts) {
  auto selector = Selector::parse(text);
  EXPECT_TRUE(selector.ok()) << selector.rejection().message();
  return selector.ok() && selector->accepts(facts);
}

std::string refusal(const char* text) {
  const auto selector = Selector::parse(text);
  if (selector.ok()) return "accepted";
  EXPECT_EQ(selector.rejection().reason(), Reason::BadSelector);
  return selector.rejection().message();
}

TEST(Selector, AllKeysMustHold) {
  EXPECT_TRUE(accepts("conv:k=3,groups=1", conv_site(3)));
  EXPECT_FALSE(accepts("conv:k=3,groups=1", conv_site(3, 1, 2)));
  EXPECT_FALSE(accepts("conv:k=3,groups=1", conv_site(1)));
  EXPECT_TRUE(accepts("conv:*", conv_site(7, 2)));
}

TEST(Selector, AlternativesAndRanges) {
  EXPECT_TRUE(accepts("conv:k=1|3", conv_site(1)));
  EXPECT_FALSE(accepts("conv:k=1|3", conv_site(5)));
  EXPECT_TRUE(accepts("conv:in=32..64", conv_site(3)));
  EXPECT_FALSE(accepts("conv:in=65..", conv_site(3)));
}

TEST(Selector, EveryAxisMustMatch) {
  SiteFacts wide = conv_site(3);
  wide.kernel = {1, 3};
  EXPECT_FALSE(accepts("conv:k=3", wide));
  EXPECT_TRUE(accepts("conv:k=1|3", wide));
}

TEST(Selector, FlagsHaveYesAndNo) {
  EXPECT_TRUE(accepts("conv:depthwise", conv_site(3, 1, 64)));
  EXPECT_FALSE(accepts("conv:depthwise", conv_site(3)));
  EXPECT_TRUE(accepts("conv:depthwise=no,same", conv_site(3)));
}

TEST(Selector, NamesAndBlocksArePatterns) {
  EXPECT_TRUE(accepts("conv:name=layer1.*", conv_site(3)));
  EXPECT_FALSE(accepts("conv:name=layer2.*|stem", conv_site(3)));
  EXPECT_TRUE(accepts("conv:block=bas?c", conv_site(3)));
  SiteFacts block;
  block.kind = SiteKind::Block;
  block.block = "basic";
  block.name = "layer1.0";
  EXPECT_TRUE(accepts("block:basic", block));
  EXPECT_TRUE(accepts("block:*", block));
  EXPECT_TRUE(accepts("block:type=b*,name=*.0", block));
  EXPECT_FALSE(accepts("block:bottleneck", block));
}

TEST(Selector, ClausesAreAlternatives) {
  SiteFacts linear;
  linear.kind = SiteKind::Linear;
  linear.name = "h.0.attn.qkv";
  EXPECT_TRUE(accepts("conv:k=3+linear:name=*qkv*", linear));
  EXPECT_TRUE(accepts("conv:k=3 + linear:name=*qkv*", conv_site(3)));
  EXPECT_FALSE(accepts("conv:k=3", linear));
}

TEST(Selector, FormsListTheKeysThatItTakes) {
  const auto forms = selector_forms();
  ASSERT_EQ(forms.size(), 3u);
  EXPECT_EQ(forms[1], (std::pair<std::string, std::string>("linear", "in, out, name, block")));
  for (const auto& [kind, keys] : forms) {
    for (const std::string_view key : split(keys, ',')) {
      const std::string name(trim(key));
      const bool is_flag = name == "depthwise" || name == "same";
      const std::string text = kind + ":" + name + (is_flag ? "=yes" : "=1");
      EXPECT_TRUE(Selector::parse(text).ok()) << text;
    }
  }
}

TEST(Selector, RefusesUnknownWordsWithTheNearest) {
  EXPECT_NE(refusal("convs:*").find("did you mean 'conv'?"), std::string::npos);
  EXPECT_NE(refusal("conv:strid=2").find("did you mean 'stride'?"), std::string::npos);
  EXPECT_NE(refusal("linear:k=3").find("expected one of in, out, name, block"), std::string::npos);
  EXPECT_NE(refusal("attention:*").find("expected one of conv, linear, block"), std::string::npos);
}

TEST(Selector, RefusesWhatIsNoValue) {
  for (const char* text :
       {"", "conv", "conv:", "conv:k", "conv:k=", "conv:k=x", "conv:k=-1", "conv:k=5..3",
        "conv:depthwise=maybe", "conv:k=3,", "conv:*+", "conv:k=99999999999999999999"}) {
    EXPECT_NE(refusal(text), "accepted") << text;
  }
}

TEST(Selector, PatternsWithManyStarsStayFast) {
  const std::string text(5000, 'a');
  EXPECT_FALSE(matches_pattern("*a*a*a*a*a*a*a*a*a*a*b", text));
  EXPECT_TRUE(matches_pattern("*a*a?*", text));
}

}  // namespace
}  // namespace cambium::model
