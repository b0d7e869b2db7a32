// Selector: which sites of a model may be rewritten, as a user writes it on the command line.
// Refuses unknown kinds, unknown keys and bad values, and suggests what may have been meant.
//
//   conv:*                  every convolution with a weight
//   conv:k=3,groups=1       all keys must match
//   conv:k=1|3,in=16..      alternatives and ranges; each axis must match
//   conv:depthwise          one filter per channel (depthwise=no: all others)
//   linear:name=*qkv*       matmul or gemm with a weight; * and ? in texts
//   block:basic             blocks by type
//   conv:k=3+linear:*       either
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/tensor.h"

namespace cambium::model {

enum class SiteKind : std::uint8_t { Conv, Linear, Block };
std::string_view name_of(SiteKind kind);

// The properties of a site that a selector can test.
struct SiteFacts {
  SiteKind kind = SiteKind::Conv;
  std::string name;               // of the node or of the block
  std::string block;              // type of the block that it is or belongs to; may be empty
  Ints kernel, stride, dilation;  // of a convolution, per spatial axis
  std::int64_t groups = 1;        // of a convolution
  std::int64_t in = 0, out = 0;   // channels; of a convolution or a linear layer
  bool depthwise = false;         // as many groups as input channels, and more than one
  bool same = false;  // every spatial output size is the input size divided by the stride
};

class Selector {
 public:
  static Result<Selector> parse(std::string_view text);

  bool accepts(const SiteFacts& facts) const;
  const std::string& text() const { return text_; }

 private:
  struct Range {
    std::int64_t low, high;
  };
  struct Filter {
    std::size_t key;  // row in the table of keys
    std::vector<Range> ranges;
    std::vector<std::string> patterns;
    bool wanted = true;  // the value of a flag
  };
  struct Clause {
    SiteKind kind;
    std::vector<Filter> filters;
  };

  static Result<Clause> parse_clause(std::string_view text);
  static Result<Filter> parse_filter(SiteKind kind, std::string_view text);
  static bool holds(const Filter& filter, const SiteFacts& facts);

  std::string text_;
  std::vector<Clause> clauses_;
};

// Every kind with its keys, for help texts.
std::vector<std::pair<std::string, std::string>> selector_forms();

// Whether the whole text matches. * matches any characters, ? matches one.
bool matches_pattern(std::string_view pattern, std::string_view text);

}  // namespace cambium::model
