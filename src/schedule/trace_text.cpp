// The text of traces; see schedule.h.
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "schedule/schedule.h"

namespace cambium::schedule {
namespace {

constexpr std::array<std::string_view, 3> kTails = {"exact", "guard", "peel"};
constexpr std::array<std::string_view, 3> kParts = {"loop", "block", "buffer"};
const std::array<std::string_view, 3>& words_of(Tail) {
  return kTails;
}
const std::array<std::string_view, 3>& words_of(Part) {
  return kParts;
}

bool is_word_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

// Words stand as they are, other texts in quotes.
std::string quoted(const std::string& text) {
  bool is_word = !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0;
  for (const char c : text) is_word = is_word && is_word_letter(c);
  if (is_word) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string written(const std::string& value) {
  return quoted(value);
}
std::string written(std::int64_t value) {
  return std::to_string(value);
}
std::string written(bool value) {
  return value ? "true" : "false";
}
template <class E>
requires std::is_enum_v<E> std::string written(E value) {
  return std::string(words_of(value)[static_cast<std::size_t>(value)]);
}
template <class T>
std::string written(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) text += (text.empty() ? "" : ", ") + written(value);
  return "[" + text + "]";
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool at_end() {
    skip();
    return next_ == text_.size();
  }
  bool take(std::string_view sign) {
    skip();
    if (text_.substr(next_, sign.size()) != sign) return false;
    next_ += sign.size();
    return true;
  }
  Status expect(std::string_view sign) {
    if (take(sign)) return Ok{};
    return refuse("'" + std::string(sign) + "'");
  }
  Rejection refuse(std::string expected) {
    skip();
    std::int64_t line = 1;
    std::size_t start = 0;
    for (std::size_t i = 0; i < next_; ++i) {
      if (text_[i] != '\n') continue;
      ++line;
      start = i + 1;
    }
    const std::string found =
        next_ == text_.size() ? "the end" : "'" + std::string(1, text_[next_]) + "'";
    return Rejection(Reason::BadSyntax, std::move(expected), found, line,
                     static_cast<std::int64_t>(next_ - start) + 1);
  }

  Result<std::string> word(const std::string& what) {
    skip();
    const std::size_t start = next_;
    while (next_ < text_.size() && is_word_letter(text_[next_])) ++next_;
    if (next_ == start) return refuse(what);
    return std::string(text_.substr(start, next_ - start));
  }

  Status read(std::string& value) {
    if (take("\"")) {
      value.clear();
      for (; next_ < text_.size() && text_[next_] != '"' && text_[next_] != '\n'; ++next_) {
        char c = text_[next_];
        if (c == '\\' && next_ + 1 < text_.size()) {
          c = text_[++next_];
          if (c == 'n') c = '\n';
        }
        value += c;
      }
      return expect("\"");
    }
    skip();
    if (next_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[next_])) != 0) {
      return refuse("a name or a quoted text");
    }
    CAMBIUM_TRY(value, word("a name or a quoted text"));
    return Ok{};
  }
  Status read(std::int64_t& value) {
    const bool negative = take("-");
    skip();
    bool any = false;
    value = 0;
    for (; next_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[next_])) != 0;
         ++next_) {
      any = true;
      if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
          __builtin_add_overflow(value, std::int64_t{text_[next_] - '0'}, &value)) {
        return refuse("a number of 64 bits");
      }
    }
    if (!any) return refuse("a number");
    if (negative) value = -value;
    return Ok{};
  }
  Status read(bool& value) {
    const std::size_t start = next_;
    CAMBIUM_TRY(const std::string found, word("true or false"));
    value = found == "true";
    if (value || found == "false") return Ok{};
    next_ = start;
    return refuse("true or false");
  }
  template <class E>
  requires std::is_enum_v<E> Status read(E& value) {
    const std::size_t start = next_;
    CAMBIUM_TRY(const std::string found, word("a word"));
    const auto& words = words_of(value);
    std::string all;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == found) {
        value = static_cast<E>(i);
        return Ok{};
      }
      all += (i == 0 ? "" : ", ") + std::string(words[i]);
    }
    next_ = start;
    return refuse("one of " + all);
  }
  template <class T>
  Status read(std::vector<T>& values) {
    CAMBIUM_REQUIRE(expect("["));
    values.clear();
    if (take("]")) return Ok{};
    do {
      T value{};
      CAMBIUM_REQUIRE(read(value));
      values.push_back(std::move(value));
    } while (take(","));
    return expect("]");
  }

 private:
  void skip() {
    while (next_ < text_.size()) {
      if (text_[next_] == '#') {
        while (next_ < text_.size() && text_[next_] != '\n') ++next_;
      } else if (std::isspace(static_cast<unsigned char>(text_[next_])) == 0) {
        return;
      } else {
        ++next_;
      }
    }
  }

  std::string_view text_;
  std::size_t next_ = 0;
};

// The fields of one step, in any order, each once.
template <class S>
Result<Step> read_fields(Reader& reader) {
  S step{};
  Names seen;
  if (!reader.take(")")) {
    do {
      CAMBIUM_TRY(const std::string name, reader.word("a field"));
      std::optional<Status> outcome;
      for (const std::string& s : seen) {
        if (s == name) return reader.refuse("each field once");
      }
      CAMBIUM_REQUIRE(reader.expect(":"));
      S::fields(step, [&](std::string_view field, auto& member) {
        if (field == name) outcome = reader.read(member);
      });
      if (!outcome) return reader.refuse("no field '" + name + "'");
      if (!outcome->ok()) return std::move(*outcome).rejection();
      seen.push_back(name);
    } while (reader.take(","));
    CAMBIUM_REQUIRE(reader.expect(")"));
  }
  std::optional<Rejection> missing;
  S::fields(step, [&](std::string_view field, auto&) {
    for (const std::string& s : seen) {
      if (s == field) return;
    }
    if (!missing) missing = Rejection(Reason::MissingField, std::string(field), "written");
  });
  if (missing) return std::move(*missing).at(S::kName);
  return Step(std::move(step));
}

template <std::size_t i = 0>
Result<Step> read_step(Reader& reader, const std::string& name) {
  if constexpr (i == std::variant_size_v<Step>) {
    return Rejection(Reason::UnknownStep, name);
  } else {
    using S = std::variant_alternative_t<i, Step>;
    if (name == S::kName) return read_fields<S>(reader);
    return read_step<i + 1>(reader, name);
  }
}

}  // namespace

std::string to_text(const Step& step) {
  return std::visit(
      [](const auto& s) {
        using S = std::decay_t<decltype(s)>;
        std::string fields;
        S::fields(s, [&](std::string_view name, const auto& value) {
          fields += (fields.empty() ? "" : ", ") + std::string(name) + ": " + written(value);
        });
        return std::string(S::kName) + "(" + fields + ")";
      },
      step);
}

std::string to_text(const Trace& trace) {
  std::string text;
  for (const Record& record : trace) {
    text += to_text(record.step);
    for (std::size_t i = 0; i < record.made.size(); ++i) {
      text += (i == 0 ? " -> " : ", ") + quoted(record.made[i]);
    }
    text += "\n";
  }
  return text;
}

Result<Trace> parse_trace(std::string_view text) {
  Reader reader(text);
  Trace trace;
  while (!reader.at_end()) {
    CAMBIUM_TRY(const std::string name, reader.word("a step"));
    CAMBIUM_REQUIRE(reader.expect("("));
    CAMBIUM_TRY(Step step, read_step(reader, name));
    Record record{std::move(step), {}};
    if (reader.take("->")) {
      do {
        CAMBIUM_REQUIRE(reader.read(record.made.emplace_back()));
      } while (reader.take(","));
    }
    trace.push_back(std::move(record));
  }
  return trace;
}

}  // namespace cambium::schedule
