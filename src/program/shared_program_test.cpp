#include "program/shared_program.h"

#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "program/clone.h"
#include "program/fingerprint.h"
#include "program/text.h"

namespace cambium::program {
namespace {

constexpr const char* kScale = R"(program scale(x: f32[8] input, y: f32[8] output) {
  for i in 8 {
    block y(spatial i = i) {
      y[i] = x[i] * 0.5
    }
  }
}
)";

TEST(SharedProgram, OutlivesTheContextThatItWasMadeFrom) {
  auto cx = std::make_unique<Context>();
  const Program made = parse(*cx, kScale).value();
  const Fingerprint name = fingerprint_of(made);
  const std::string text = to_text(*cx, made);
  const SharedProgram shared(made);
  cx.reset();
  EXPECT_EQ(fingerprint_of(*shared), name);
  EXPECT_EQ(to_text(shared), text);
  const SharedProgram copy = shared;
  EXPECT_EQ(copy->root, shared->root) << "a copy shares the program";
}

TEST(SharedProgram, SeveralThreadsCloneItAtOnce) {
  Context cx;
  const SharedProgram shared(parse(cx, kScale).value());
  std::vector<std::string> texts(4);
  std::vector<std::thread> threads;
  for (std::string& text : texts) {
    threads.emplace_back([&shared, &text] {
      for (int i = 0; i < 100; ++i) {
        Context own;
        text = to_text(own, clone_into(own, *shared));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : texts) EXPECT_EQ(text, to_text(shared));
}

}  // namespace
}  // namespace cambium::program
