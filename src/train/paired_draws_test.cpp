#include "train/paired_draws.h"

#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "train/legality_testing.h"
#include "train/verdict.h"

namespace cambium::train {
namespace {

using testing::Asked;
using testing::block_diagonal;
using testing::two_convolutions;
using Origins = std::vector<model::WeightOrigin>;

DrawOptions small() {
  DrawOptions options;
  options.batch = 2;
  options.seed = 7;
  return options;
}

// Images are random numbers here.
PairedDraws drawing(FisherScore score, const DrawOptions& options = small()) {
  return PairedDraws(two_convolutions(), Minibatches::open("", options.seed).value(), options,
                     std::move(score));
}

TEST(PairedDraws, GiveBothNetworksTheSameImagesAndWeights) {
  std::vector<Asked> asked;
  PairedDraws draws = drawing(watched(asked));
  const Origins origins = {block_diagonal()};
  ASSERT_TRUE(draws.of_candidate(two_convolutions(2, "w2.grouped"), origins, 0).ok());
  ASSERT_EQ(asked.size(), 2u);
  const Asked &original = asked[0], &candidate = asked[1];
  EXPECT_EQ(original.model, "dense");
  EXPECT_EQ(candidate.model, "grouped");
  EXPECT_EQ(original.images.inputs.fingerprint(), candidate.images.inputs.fingerprint());
  EXPECT_EQ(original.images.labels, candidate.images.labels);
  for (const char* name : {"w1", "fc.w"}) {
    EXPECT_EQ(original.weights.at(name), candidate.weights.at(name)) << name;
  }
  // Each element of the grouped weight is the original's, as large as its own law makes it: half as
  // many inputs are summed up, but a law by fan out does not ask for them.
  const std::vector<double>& dense = original.weights.at("w2");
  const std::vector<double>& grouped = candidate.weights.at("w2.grouped");
  ASSERT_EQ(grouped.size(), dense.size() / 2);
  for (std::size_t i = 0; i < grouped.size(); ++i) {
    EXPECT_EQ(grouped[i], dense[static_cast<std::size_t>(origins[0].elements[i])]) << i;
  }
}

TEST(PairedDraws, DrawWhatHasNoOriginAnew) {
  std::vector<Asked> asked;
  PairedDraws draws = drawing(watched(asked));
  ASSERT_TRUE(draws.of_candidate(two_convolutions(2, "w2.grouped"), {}, 0).ok());
  const std::vector<double>& dense = asked[0].weights.at("w2");
  const std::set<double> known(dense.begin(), dense.end());
  for (const double element : asked[1].weights.at("w2.grouped"))
    EXPECT_EQ(known.count(element), 0u);
}

// The same network, and the same under another name of a weight.
TEST(PairedDraws, ScoreTheOriginalAsItself) {
  PairedDraws draws = drawing(testing::squares);
  Origins renamed = {{"another", "w2", {}}};
  for (std::int64_t i = 0; i < testing::kChannels * testing::kChannels * 9; ++i) {
    renamed[0].elements.push_back(i);
  }
  for (const std::size_t draw : {0u, 1u, 2u}) {
    const auto original = draws.of_original(draw);
    ASSERT_TRUE(original.ok()) << original.rejection().message();
    EXPECT_EQ(draws.of_candidate(two_convolutions(), {}, draw)->total, (*original)->total);
    EXPECT_EQ(draws.of_candidate(two_convolutions(1, "another"), renamed, draw)->total,
              (*original)->total);
    EXPECT_NE(draws.of_candidate(two_convolutions(1, "another"), {}, draw)->total,
              (*original)->total)
        << "other numbers give another score";
  }
}

TEST(PairedDraws, DifferInImagesAndWeights) {
  std::vector<Asked> asked;
  PairedDraws draws = drawing(watched(asked));
  std::set<std::vector<double>> weights, images;
  for (const std::size_t draw : {0u, 1u, 2u, 3u}) {
    ASSERT_TRUE(draws.of_original(draw).ok());
    weights.insert(asked.back().weights.at("w1"));
    images.insert(asked.back().images.inputs.to_doubles());
  }
  EXPECT_EQ(weights.size(), 4u);
  EXPECT_EQ(images.size(), 4u);
  EXPECT_EQ(asked.size(), 4u);
  ASSERT_TRUE(draws.of_original(2).ok());
  EXPECT_EQ(asked.size(), 4u) << "the original is scored once";
}

// A draw is the same whoever asks first, and whether its weights were kept.
TEST(PairedDraws, FollowFromTheirNumber) {
  DrawOptions poor = small();
  poor.most_bytes = 1;  // keeps the weights of one draw
  PairedDraws one = drawing(testing::squares), other = drawing(testing::squares, poor);
  const model::Model candidate = two_convolutions(2, "w2.grouped");
  const Origins origins = {block_diagonal()};
  std::vector<double> forth, back;
  for (const std::size_t draw : {0u, 1u, 2u}) {
    forth.push_back(one.of_candidate(candidate, origins, draw)->total);
  }
  for (const std::size_t draw : {2u, 0u, 1u}) {
    back.push_back(other.of_candidate(candidate, origins, draw)->total);
  }
  EXPECT_EQ(back, (std::vector<double>{forth[2], forth[0], forth[1]}));
  DrawOptions another = small();
  another.seed = 8;
  PairedDraws others = drawing(testing::squares, another);
  EXPECT_NE(others.of_original(0).value()->total, one.of_original(0).value()->total);
}

TEST(PairedDraws, ScoreTheSameImagesAgainAfterAFailure) {
  std::vector<Asked> asked;
  bool fails = true;
  PairedDraws draws = drawing(
      [&](const model::Model& model, const ProxyBatch& batch, const FisherOptions& options) {
        (void)watched(asked)(model, batch, options);
        if (std::exchange(fails, false)) {
          return Result<FisherReport>(Rejection(Reason::NotEnoughMemory, "the device"));
        }
        return testing::squares(model, batch, options);
      });
  EXPECT_EQ(draws.of_original(0).rejection().reason(), Reason::NotEnoughMemory);
  ASSERT_TRUE(draws.of_original(0).ok());
  EXPECT_EQ(asked[0].images.inputs.fingerprint(), asked[1].images.inputs.fingerprint());
}

TEST(PairedDraws, RefuseOriginsThatDoNotFit) {
  PairedDraws draws = drawing(testing::squares);
  const model::Model candidate = two_convolutions(2, "w2.grouped");
  const auto reason = [&](model::WeightOrigin origin) {
    const auto report = draws.of_candidate(candidate, std::vector{std::move(origin)}, 0);
    EXPECT_FALSE(report.ok());
    return report.ok() ? Reason::BadJob : report.rejection().reason();
  };
  model::WeightOrigin unknown = block_diagonal(), missing = block_diagonal(),
                      few = block_diagonal(), beyond = block_diagonal();
  unknown.weight = "w3";
  EXPECT_EQ(reason(unknown), Reason::NotFound);
  missing.from = "w2.grouped";  // not of the original
  EXPECT_EQ(reason(missing), Reason::NotFound);
  few.elements.pop_back();
  EXPECT_EQ(reason(few), Reason::ShapeMismatch);
  beyond.elements.back() = testing::kChannels * testing::kChannels * 9;
  EXPECT_EQ(reason(beyond), Reason::IndexOutOfRange);
}

// Without a score of the original, every candidate would be legal.
TEST(PairedDraws, RefuseAnOriginalThatHasNoScore) {
  for (const double total : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
    PairedDraws draws = drawing([total](const auto&...) {
      return Result<FisherReport>(FisherReport{total, {}});
    });
    EXPECT_EQ(draws.of_original(0).rejection().reason(), Reason::NotPromising) << total;
    EXPECT_EQ(draws.of_candidate(two_convolutions(), {}, 0).rejection().reason(),
              Reason::NotPromising);
  }
}

TEST(PairedDraws, RefuseACandidateWithoutAFiniteScore) {
  PairedDraws draws = drawing([](const model::Model& model, const auto&...) {
    const bool is_original = model.name() == "dense";
    return Result<FisherReport>(
        FisherReport{is_original ? 1 : std::numeric_limits<double>::quiet_NaN(), {}});
  });
  const auto report = draws.of_candidate(two_convolutions(2, "w2.grouped"), {}, 0);
  EXPECT_EQ(report.rejection().reason(), Reason::NotPromising);
}

}  // namespace
}  // namespace cambium::train
