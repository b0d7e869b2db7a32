// The architecture search that NAS-PTE is compared with: BlockSwap (Turner et al., ICLR 2020). Each
// block of a network gets one of 23 types, which replaces all its convolutions with more than one
// tap. Of random networks of one size, it chooses the one with the highest Fisher Potential. It
// ignores latency. Refuses (NoProposal) a network without such blocks, and a size that few of its
// networks have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "model/model.h"

namespace cambium::bench {

// What replaces a convolution of `in` to `out` channels:
//   Conv:        the convolution stays;
//   DConv*:      in groups over `in` channels, then 1x1;
//   ConvB, G, A: 1x1 to out / `narrow` channels, a convolution in groups over these, 1x1 to `out`.
// Batch norm and ReLU stand between. The number of groups is `groups`, or such that each group has
// `each` channels.
struct BlockType {
  const char* name;
  std::int64_t narrow = 0;  // 0: not narrowed
  std::int64_t groups = 1, each = 0;

  bool is_original() const { return narrow == 0 && groups == 1 && each == 0; }
};
std::span<const BlockType> block_types();

// By block, as positions in block_types().
using BlockChoice = std::vector<std::size_t>;

class BlockSwap {
 public:
  static Result<BlockSwap> make(const model::Model& base);

  std::size_t blocks() const { return blocks_.size(); }
  // Positions in block_types() that fit the block; the original is the first.
  const std::vector<std::size_t>& types_of(std::size_t block) const { return blocks_[block].types; }
  std::int64_t parameters(const BlockChoice& choice) const;
  Result<model::Model> network(const BlockChoice& choice) const;

  // Draws `count` random networks whose numbers of parameters are within 2.5 % of the wanted
  // number.
  Result<std::vector<BlockChoice>> draw(std::size_t count, std::int64_t parameters, Rng rng) const;

 private:
  struct Block {
    std::vector<model::NodeId> convolutions;
    std::vector<std::size_t> types;
    std::vector<std::int64_t> parameters;  // more than the original has, by position in `types`
  };

  BlockSwap(const model::Model& base, std::int64_t parameters)
      : base_(base), parameters_(parameters) {}

  model::Model base_;
  std::int64_t parameters_;
  std::vector<Block> blocks_;
};

}  // namespace cambium::bench
