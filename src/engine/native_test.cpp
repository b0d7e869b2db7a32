#include "engine/native.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder_testing.h"
#include "model/builder.h"

namespace cambium::engine {
namespace {

using model::Value;

model::Model product(std::int64_t width) {
  model::Builder b("product");
  const Value x = b.input("x", {DType::F32, {1, 3}});
  const Value weight =
      b.weight("", model::Tensor::lazy({DType::F32, {3, width}}, {model::Fill::Law::Normal, 1, 7}));
  b.output("y", b.add(model::MatMul{}, {x, weight}));
  return std::move(b).finish().value();
}

TEST(CompileModel, RefusesUnknownMachinesAndPassesBeforeAnyWork) {
  const model::Model model = product(4);
  EXPECT_EQ(compile_model(model, {"pdp11", {}, 1, {}}).rejection().reason(),
            Reason::UnknownMachine);
  EXPECT_EQ(compile_model(model, {"host", {"fold-everything"}, 1, {}}).rejection().reason(),
            Reason::UnknownPass);
}

TEST(CompileModel, RefusesWhatDoesNotFitMemory) {
  const model::Model model = product(std::int64_t{1} << 36);
  EXPECT_EQ(compile_model(model, {}).rejection().reason(), Reason::NotEnoughMemory);
}

TEST(CompileLibrary, MakesTheFolderBeforeItCompiles) {
  const ScratchFolder folder;
  const std::string file = folder / "file";
  ASSERT_TRUE(write_file(file, "").ok());
  EXPECT_EQ(compile_library(product(4), {}, file + "/x").rejection().reason(), Reason::Unwritable);
}

}  // namespace
}  // namespace cambium::engine
