// Random models as native code: small graphs of products, elementwise operators and movements.
#include "compile/compile_testing.h"
#include "model/random_model.h"

namespace cambium::compile {
namespace {

TEST(Compile, RandomModelsEqualTheReference) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    expect_native_equals_reference(model::random_model(seed));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace cambium::compile
