#include "measure/protocol.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace cambium::measure {
namespace {

Request sample_request() {
  Request request;
  request.mode = Mode::Compare;
  request.threads = 2;
  request.ranking.moved = 0.25;
  request.comparison.burst.caches = Caches::Cold;
  Job job;
  job.symbol = "kernel";
  job.buffers = {Area{4096, 1, 64, 4032, true}, Area{8192, 2, 0, 8192, false}};
  request.jobs = {job, job};
  return request;
}

std::string body_of(const std::string& message) {
  return message.substr(sizeof(Header));
}

TEST(Protocol, ARequestArrivesAsItWasSent) {
  const std::string message = encode(sample_request());
  const auto back = decode_request(body_of(message));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(encode(*back), message);
  EXPECT_EQ(back->jobs[1].buffers[1].pages, 2u);
  EXPECT_EQ(back->ranking.moved, 0.25);
  EXPECT_EQ(back->comparison.burst.caches, Caches::Cold);
}

TEST(Protocol, RefusesWhatIsCutOffOrTooLong) {
  const std::string body = body_of(encode(sample_request()));
  for (std::size_t length = 0; length < body.size(); ++length) {
    EXPECT_EQ(decode_request(body.substr(0, length)).rejection().reason(), Reason::RunnerFailed);
  }
  EXPECT_FALSE(decode_request(body + "x").ok());
}

TEST(Protocol, SurvivesRandomBytes) {
  const std::string body = body_of(encode(sample_request()));
  Rng rng(7);
  for (int i = 0; i < 5000; ++i) {
    std::string changed = body;
    for (std::int64_t n = rng.between(1, 4); n > 0; --n) {
      changed[rng.below(changed.size())] = static_cast<char>(rng.below(256));
    }
    (void)decode_request(changed);
    (void)decode_reply(changed);
  }
}

TEST(Protocol, RefusesAnotherVersionOrLanguage) {
  EXPECT_TRUE(check_header({kMagic, kVersion, 100}).ok());
  EXPECT_FALSE(check_header({kMagic + 1, kVersion, 100}).ok());
  EXPECT_NE(check_header({kMagic, kVersion + 1, 100}).rejection().message().find("version 2"),
            std::string::npos);
  EXPECT_FALSE(check_header({kMagic, kVersion, kLongestMessage + 1}).ok());
}

TEST(Protocol, RefusesRequestsThatAskForNothingSensible) {
  Request request = sample_request();
  request.jobs.pop_back();
  EXPECT_FALSE(decode_request(body_of(encode(request))).ok());
  request = sample_request();
  request.threads = 0;
  EXPECT_FALSE(decode_request(body_of(encode(request))).ok());
}

}  // namespace
}  // namespace cambium::measure
