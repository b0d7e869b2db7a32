#include "data/spec.h"

#include <array>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include "base/text.h"

namespace cambium::data {
namespace {

struct Row {
  DataName name;
  std::string_view spelling;
  std::string_view default_path;  // empty: a path must be given
  std::vector<std::string> options;
};

const std::array<Row, 6>& rows() {
  static const std::array<Row, 6> kRows = {{
      {DataName::FashionMnist, "fashion-mnist", kFashionMnistFolder, {"train"}},
      {DataName::Mnist, "mnist", "", {"train"}},
      {DataName::Cifar10, "cifar10", "", {"train"}},
      {DataName::Cifar100, "cifar100", "", {"train"}},
      {DataName::Text, "text", "", {"level", "vocab"}},
      {DataName::Images, "images", "", {"size", "train"}},
  }};
  return kRows;
}

constexpr std::int64_t kMaxWords = 1 << 24;
constexpr std::int64_t kMaxAskedSide = 4096;
constexpr std::int64_t kMaxImages = std::int64_t{1} << 31;

std::string suggest(std::string_view wrong, const std::vector<std::string>& names) {
  if (const std::optional<std::string> near = closest(wrong, names))
    return fmt::format("did you mean {}?", *near);
  return names.empty() ? "it has no options" : "expected one of " + join(names, ", ");
}

Result<const Row*> find_row(std::string_view spelling) {
  std::vector<std::string> names;
  for (const Row& row : rows()) {
    if (row.spelling == spelling) return &row;
    names.emplace_back(row.spelling);
  }
  return Rejection(Reason::UnknownDataset, std::string(spelling), suggest(spelling, names));
}

Status set_option(DataSpec& spec, const std::string& key, std::string_view value) {
  if (key == "level") {
    if (value != "byte" && value != "word")
      return Rejection(Reason::BadOption, key,
                       fmt::format("expected byte or word, found {}", quote(value)));
    spec.level = value == "word" ? TextLevel::Word : TextLevel::Byte;
    return Ok{};
  }
  const std::int64_t most = key == "vocab" ? kMaxWords : key == "size" ? kMaxAskedSide : kMaxImages;
  const Result<std::int64_t> number = parse_int(value, key == "vocab" ? 0 : 1, most);
  if (!number) return Rejection(Reason::BadOption, key, number.rejection().message());
  if (key == "vocab") {
    spec.vocabulary = static_cast<std::size_t>(*number);
  } else if (key == "size") {
    spec.size = static_cast<int>(*number);
  } else {
    spec.train = *number;
  }
  return Ok{};
}

}  // namespace

std::string DataSpec::text() const {
  const Row& row = rows()[static_cast<std::size_t>(name)];
  std::string out(row.spelling);
  if (path != row.default_path) out += ":" + path;
  if (level == TextLevel::Word) out += ",level=word";
  if (vocabulary != 0) out += fmt::format(",vocab={}", vocabulary);
  if (size != 0) out += fmt::format(",size={}", size);
  if (train != 0) out += fmt::format(",train={}", train);
  return out;
}

Result<DataSpec> parse_spec(std::string_view text) {
  const std::vector<std::string_view> pieces = split(text, ',');
  const std::string_view head = pieces.front();
  const std::size_t colon = head.find(':');
  const std::string_view spelling = head.substr(0, colon);
  CAMBIUM_TRY(const Row* const row, find_row(spelling));

  DataSpec spec;
  spec.name = row->name;
  spec.path = colon == std::string_view::npos ? row->default_path : head.substr(colon + 1);
  if (spec.path.empty())
    return Rejection(Reason::BadOption, std::string(spelling),
                     fmt::format("needs a path: {}:PATH", spelling));
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const std::size_t equals = pieces[i].find('=');
    const std::string key(pieces[i].substr(0, equals));
    bool known = false;
    for (const std::string& option : row->options) known = known || option == key;
    if (!known || equals == std::string_view::npos)
      return Rejection(
          Reason::BadOption, key.empty() ? "''" : key,
          known ? "needs a value: " + key + "=VALUE"
                : fmt::format("is not an option of {}; {}", spelling, suggest(key, row->options)));
    CAMBIUM_REQUIRE(set_option(spec, key, pieces[i].substr(equals + 1)));
  }
  return spec;
}

}  // namespace cambium::data
