#include "data/text_set.h"

#include <filesystem>
#include <string_view>
#include <utility>

#include "base/file.h"

namespace cambium::data {
namespace {

namespace fs = std::filesystem;

// The last `share` of a text, beginning behind white space so that no word is cut in two.
std::size_t cut_at(std::string_view text, double share) {
  const auto wanted = static_cast<std::size_t>(static_cast<double>(text.size()) * (1.0 - share));
  if (share <= 0 || wanted >= text.size()) return text.size();
  const std::size_t blank = text.find_first_of(" \t\r\n", wanted);
  return blank == std::string_view::npos ? wanted : blank + 1;
}

struct Texts {
  std::string train, wanted;
};

Result<Texts> cut_file(std::string text, Split split, const TextOptions& options) {
  const std::size_t test = cut_at(text, options.test_share);
  const std::size_t validation =
      cut_at(std::string_view(text).substr(0, test), options.validation_share);
  Texts out;
  out.train = text.substr(0, validation);
  if (split == Split::Validation) out.wanted = text.substr(validation, test - validation);
  if (split == Split::Test) out.wanted = text.substr(test);
  return out;
}

Result<Texts> read_folder(const fs::path& folder, Split split, const TextOptions& options) {
  CAMBIUM_TRY(std::string train, read_file((folder / "train.txt").string()));
  Texts out;
  const fs::path valid = folder / "valid.txt";
  std::error_code ignored;
  if (fs::exists(valid, ignored)) {
    out.train = std::move(train);
    if (split == Split::Validation) {
      CAMBIUM_TRY(out.wanted, read_file(valid.string()));
    }
  } else {
    TextOptions carve_only = options;
    carve_only.test_share = 0;
    CAMBIUM_TRY(out, cut_file(std::move(train), split, carve_only));
  }
  if (split == Split::Test) {
    CAMBIUM_TRY(out.wanted, read_file((folder / "test.txt").string()));
  }
  return out;
}

}  // namespace

Result<TextSplit> load_text(const std::string& path, Split split, const TextOptions& options) {
  std::error_code ignored;
  Texts texts;
  if (fs::is_directory(path, ignored)) {
    CAMBIUM_TRY(texts, read_folder(path, split, options));
  } else {
    CAMBIUM_TRY(std::string content, read_file(path));
    CAMBIUM_TRY(texts, cut_file(std::move(content), split, options));
  }
  const std::string& text = split == Split::Train ? texts.train : texts.wanted;
  if (text.empty())
    return Rejection(Reason::NoSamples, path, std::string(name_of(split)) + " text");

  TextSplit out;
  if (options.level == TextLevel::Byte) {
    out.vocabulary = std::make_shared<const Vocabulary>(Vocabulary::of_bytes());
    out.bytes = text;
  } else {
    out.vocabulary =
        std::make_shared<const Vocabulary>(Vocabulary::of_words(texts.train, options.vocabulary));
    out.words = out.vocabulary->encode_words(text);
  }
  return out;
}

}  // namespace cambium::data
