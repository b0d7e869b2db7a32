// Why something was refused, as a value: an enum reason, the numbers and texts that belong to it,
// and the place. A refusal that has only numbers allocates nothing, since a search refuses millions
// of times. The sentence is made only on request.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/reasons.h"

namespace cambium {

class [[nodiscard]] Rejection {
 public:
  explicit Rejection(Reason reason) : reason_(reason) {}
  Rejection(Reason reason, std::int64_t a, std::int64_t b = 0, std::int64_t c = 0)
      : reason_(reason), numbers_{a, b, c} {}
  Rejection(Reason reason, std::string s, std::string t = {}, std::int64_t a = 0,
            std::int64_t b = 0, std::int64_t c = 0);

  // Adds an outer place: `r.at("node 'conv1'").at("model.onnx")` reads
  // "model.onnx: node 'conv1': ...".
  Rejection&& at(std::string place) &&;

  Reason reason() const { return reason_; }
  std::int64_t number(int i) const { return numbers_[static_cast<std::size_t>(i)]; }
  std::vector<std::string> places() const;  // outermost first
  std::string message() const;              // one line: places and the filled-in text

 private:
  struct Detail {
    std::string s, t;
    std::vector<std::string> places;  // innermost first
  };

  Reason reason_;
  std::array<std::int64_t, 3> numbers_{};
  std::shared_ptr<const Detail> detail_;
};

}  // namespace cambium
