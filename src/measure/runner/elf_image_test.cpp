#include "measure/runner/elf_image.h"

#include <cmath>
#include <cstring>

#include <elf.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "measure/kernels_testing.h"

namespace cambium::measure {
namespace {

using Kernel = void (*)(void* const*, void*, const void*);

// Code, constants, tables of addresses, data that is written and calls within and to the outside.
constexpr char kBefore[] =
    "static const double table[4] = {1, 2, 4, 8};\n"
    "static double zeros[16];\n"
    "static double add(double x, double y) { return x + y; }\n"
    "static double mul(double x, double y) { return x * y; }\n"
    "static double (*volatile const functions[2])(double, double) = {add, mul};\n"
    "static volatile int counter = 3;\n"
    "double global_value = 5;\n"
    "__attribute__((noinline)) double twice(double x) { return x + x; }\n";
constexpr char kBody[] =
    "double* y = b[0]; zeros[3] += 1;\n"
    "y[0] = table[counter]; y[1] = functions[1](3, 4); y[2] = cos(y[0]); y[3] = twice(y[1]);\n"
    "y[4] = global_value; double (*volatile f)(double) = sin; y[5] = f(1); y[6] = zeros[3];\n";

TEST(ElfImage, RunsWhatTheCompilerMade) {
  for (const char* option : {"-O0", "-O2", "-O3"}) {
    CAMBIUM_COMPILE_OR_SKIP(code, kBody, kBefore, option);
    const auto image = ElfImage::load(code.bytes);
    ASSERT_TRUE(image.ok()) << image.rejection().message();
    double y[7] = {};
    void* buffers[] = {y};
    reinterpret_cast<Kernel> (*image->find("kernel"))(buffers, nullptr, nullptr);
    const double expected[] = {8, 12, std::cos(8), 24, 5, std::sin(1), 1};
    for (int i = 0; i < 7; ++i) EXPECT_DOUBLE_EQ(y[i], expected[i]) << option << " " << i;
  }
}

TEST(ElfImage, RefusesASymbolThatIsNoFunctionOfTheObject) {
  CAMBIUM_COMPILE_OR_SKIP(code, kBody, kBefore);
  const auto image = ElfImage::load(code.bytes);
  ASSERT_TRUE(image.ok());
  for (const char* name : {"colonel", "cos", "global_value", ""}) {
    EXPECT_EQ(image->find(name).rejection().reason(), Reason::SymbolMissing) << name;
  }
}

std::string why(const std::string& object) {
  const auto image = ElfImage::load(object);
  if (image.ok()) return "loaded";
  EXPECT_EQ(image.rejection().reason(), Reason::BadObject);
  return image.rejection().message();
}

TEST(ElfImage, RefusesOtherProcessorsAndKinds) {
  CAMBIUM_COMPILE_OR_SKIP(code, kBody, kBefore);
  const auto with = [&code = code](std::size_t offset, char byte) {
    std::string changed = code.bytes;
    changed[offset] = byte;
    return why(changed);
  };
  EXPECT_NE(with(0, 'x').find("not an ELF file"), std::string::npos);
  EXPECT_NE(with(EI_CLASS, ELFCLASS32).find("another processor"), std::string::npos);
  EXPECT_NE(with(offsetof(Elf64_Ehdr, e_machine), char(EM_AARCH64)).find("another processor"),
            std::string::npos);
  EXPECT_NE(with(offsetof(Elf64_Ehdr, e_type), ET_DYN).find("not relocatable"), std::string::npos);
}

TEST(ElfImage, RefusesThreadLocalDataAndFunctionsOfLibc) {
  CAMBIUM_COMPILE_OR_SKIP(local, "*(int*)b[0] = counter;", "__thread int counter = 3;");
  EXPECT_NE(why(local.bytes).find("thread-local"), std::string::npos);
  CAMBIUM_COMPILE_OR_SKIP(foreign, "free(b[0]);", "void free(void*);");
  EXPECT_NE(why(foreign.bytes).find("'free' is no function of libm"), std::string::npos);
}

TEST(ElfImage, RefusesEveryObjectThatIsCutOff) {
  CAMBIUM_COMPILE_OR_SKIP(code, kBody, kBefore);
  for (std::size_t length = 0; length < code.bytes.size(); ++length) {
    EXPECT_NE(why(code.bytes.substr(0, length)), "loaded") << length;
  }
}

// Loading runs nothing of it, so that a broken object must be refused or load, never crash.
TEST(ElfImage, SurvivesObjectsThatAreBroken) {
  CAMBIUM_COMPILE_OR_SKIP(code, kBody, kBefore);
  Rng rng(11);
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string changed = code.bytes;
    for (std::int64_t n = rng.between(1, 8); n > 0; --n) {
      // Half of them in the tables at both ends, where everything hangs.
      std::uint64_t at = rng.below(changed.size());
      if (rng.chance(0.3)) at = rng.below(sizeof(Elf64_Ehdr));
      if (rng.chance(0.3)) at = changed.size() - 1 - rng.below(changed.size() / 3);
      const char edges[] = {0, 1, char(0x7f), char(0x80), char(0xff), char(rng.below(256))};
      changed[at] = edges[rng.below(sizeof edges)];
    }
    if (!ElfImage::load(changed).ok()) ++refused;
  }
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 20'000);
}

}  // namespace
}  // namespace cambium::measure
