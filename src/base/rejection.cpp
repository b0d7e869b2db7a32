#include "base/rejection.h"

#include <utility>

#include <fmt/core.h>

#include "base/utf8.h"

namespace cambium {

namespace {

// A text of a refusal may be a name out of a foreign file, as long as that file.
constexpr std::size_t kLongestText = 1000;

std::string brief(const std::string& text) {
  return shortened(text, kLongestText);
}

}  // namespace

std::string_view name_of(Reason reason) {
  switch (reason) {
#define CAMBIUM_X(name, text) \
  case Reason::name: return #name;
    CAMBIUM_FOR_EACH_REASON(CAMBIUM_X)
#undef CAMBIUM_X
  }
  return "?";
}

std::string_view text_of(Reason reason) {
  switch (reason) {
#define CAMBIUM_X(name, text) \
  case Reason::name: return text;
    CAMBIUM_FOR_EACH_REASON(CAMBIUM_X)
#undef CAMBIUM_X
  }
  return "?";
}

Rejection::Rejection(Reason reason, std::string s, std::string t, std::int64_t a, std::int64_t b,
                     std::int64_t c)
    : reason_(reason),
      numbers_{a, b, c},
      detail_(std::make_shared<const Detail>(Detail{std::move(s), std::move(t), {}})) {}

Rejection&& Rejection::at(std::string place) && {
  Detail detail = detail_ ? *detail_ : Detail{};
  detail.places.push_back(std::move(place));
  detail_ = std::make_shared<const Detail>(std::move(detail));
  return std::move(*this);
}

std::vector<std::string> Rejection::places() const {
  if (!detail_) return {};
  return {detail_->places.rbegin(), detail_->places.rend()};
}

std::string Rejection::message() const {
  static const Detail kNone;
  const Detail& detail = detail_ ? *detail_ : kNone;
  std::string out;
  for (auto place = detail.places.rbegin(); place != detail.places.rend(); ++place) {
    out += brief(*place);
    out += ": ";
  }
  out += fmt::format(fmt::runtime(text_of(reason_)), fmt::arg("a", numbers_[0]),
                     fmt::arg("b", numbers_[1]), fmt::arg("c", numbers_[2]),
                     fmt::arg("s", brief(detail.s)), fmt::arg("t", brief(detail.t)));
  return out;
}

}  // namespace cambium
