#include "schedule/rules/register_tile.h"

#include <gtest/gtest.h>

namespace cambium::schedule {
namespace {

RegisterTile best(const Machine& machine, std::int64_t rows, std::int64_t columns) {
  const RegisterTiles tiles = register_tiles(machine, {rows, columns});
  return tiles.tile(tiles.shapes[tiles.best]);
}

TEST(RegisterTile, FillsTheRegistersWithoutSpilling) {
  const RegisterTile wide = best(*machine_named("avx512"), 512, 512);
  EXPECT_GE(wide.rows * wide.vectors, 20);
  EXPECT_LE(wide.rows * wide.vectors + wide.vectors + 2, 30);
  const RegisterTile narrow = best(*machine_named("avx2"), 512, 512);
  EXPECT_LE(narrow.rows * narrow.vectors + narrow.vectors + 2, 16);
  EXPECT_EQ(best(*machine_named("avx512"), 1, 1000).rows, 1);
  EXPECT_EQ(best(*machine_named("avx512"), 100, 3).lanes, 4) << "a power of two";
}

TEST(RegisterTile, DrawsTheBestShapeMostOften) {
  const RegisterTiles tiles = register_tiles(*machine_named("avx512"), {49, 512});
  ASSERT_EQ(tiles.shapes.size(), tiles.weights.size());
  EXPECT_GT(tiles.shapes.size(), 5u);
  for (const std::int64_t weight : tiles.weights) EXPECT_LE(weight, tiles.weights[tiles.best] + 1);
}

TEST(RegisterTile, DividesWhatMustNotHaveATail) {
  const RegisterTiles tiles =
      register_tiles(*machine_named("avx512"),
                     {.rows = 14, .columns = 128, .even_rows = true, .even_columns = true});
  ASSERT_FALSE(tiles.shapes.empty());
  for (const MicroKernel& shape : tiles.shapes) {
    EXPECT_EQ(14 % shape.rows, 0);
    EXPECT_EQ(128 % (16 * shape.vectors), 0);
  }
}

// Channels of a group: where 16 lanes do not divide them, fewer do.
TEST(RegisterTile, HasLanesThatDivideWhatMustNotHaveATail) {
  for (const char* name : {"avx512", "avx2"}) {
    for (const std::int64_t columns : {12, 17, 20, 24, 40, 56, 96}) {
      SCOPED_TRACE(columns);
      const RegisterTiles tiles = register_tiles(
          *machine_named(name), {.rows = 14, .columns = columns, .even_columns = true});
      ASSERT_FALSE(tiles.shapes.empty());
      for (const MicroKernel& shape : tiles.shapes) {
        EXPECT_EQ(columns % (shape.vectors * tiles.lanes), 0);
      }
    }
  }
  const ResultShape group{.rows = 14, .columns = 24, .even_columns = true};
  EXPECT_EQ(register_tiles(*machine_named("avx512"), group).lanes, 8);
}

TEST(RegisterTile, NeedsFewerVectorsWhereLoadsAreCheap) {
  Machine machine = *machine_named("avx512");
  machine.ceilings = Ceilings{.fma_gflops = 100, .loads_per_ns = 8};
  const RegisterTiles cheap = register_tiles(machine, {64, 32});
  machine.ceilings->loads_per_ns = 1;
  const RegisterTiles dear = register_tiles(machine, {64, 32});
  const auto weight_of = [](const RegisterTiles& tiles, MicroKernel shape) {
    for (std::size_t i = 0; i < tiles.shapes.size(); ++i) {
      if (tiles.shapes[i] == shape) return tiles.weights[i];
    }
    return std::int64_t{0};
  };
  EXPECT_GT(weight_of(cheap, {16, 1}), weight_of(dear, {16, 1}));
}

}  // namespace
}  // namespace cambium::schedule
