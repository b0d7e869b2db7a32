// The text of traces; see schedule.h.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "base/scanner.h"
#include "schedule/steps/rebuild.h"
#include "schedule/trace/schedule.h"

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

constexpr std::string_view kLongSigns[] = {"->"};
constexpr Lexicon kLexicon{.long_signs = kLongSigns, .blanks = " \t\n\r\v\f"};

bool begins_with_digit(std::string_view text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

// Words stand as they are, other texts in quotes.
std::string quoted(const std::string& text) {
  const Scanner only(text, kLexicon);
  const bool is_word = only.kind() == Scanner::Kind::Name && only.token() == text;
  if (is_word && !begins_with_digit(text)) return text;
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

class Reader : public Scanner {
 public:
  // With sizes, it reads a document.
  explicit Reader(std::string_view text, const NamedSizes* sizes = nullptr)
      : Scanner(text, kLexicon), sizes_(sizes) {}

  bool reads_document() const { return sizes_ != nullptr; }

  Status read(std::string& value) {
    constexpr std::string_view kWanted = "a name or a quoted text";
    if (!at("\"")) {
      if (begins_with_digit(token())) return refuse(kWanted);
      CAMBIUM_TRY(value, word(kWanted));
      return Ok{};
    }
    CAMBIUM_TRY(const std::string_view written, string(Strings::Escaped));
    value.clear();
    for (std::size_t i = 0; i < written.size(); ++i) {
      const bool escaped = written[i] == '\\';
      if (escaped) ++i;
      value += escaped && written[i] == 'n' ? '\n' : written[i];
    }
    return Ok{};
  }
  Status read(std::int64_t& value) {
    if (reads_document()) return read_size(value);
    const bool negative = take("-");
    CAMBIUM_TRY(value, whole("a whole number of 64 bits"));
    if (negative) value = -value;
    return Ok{};
  }
  Status read(bool& value) {
    value = at_word("true");
    if (!value && !at_word("false")) return refuse("true or false");
    advance();
    return Ok{};
  }
  template <class E>
  requires std::is_enum_v<E> Status read(E& value) {
    const auto& words = words_of(value);
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (!take_word(words[i])) continue;
      value = static_cast<E>(i);
      return Ok{};
    }
    return refuse(fmt::format("one of {}", fmt::join(words, ", ")));
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
  // A product of numbers and sizes; a quotient must be exact: 3*Co/4.
  Status read_size(std::int64_t& value) {
    const std::size_t from = place();
    std::string written(token());
    CAMBIUM_TRY(value, size_factor());
    while (at("*") || at("/")) {
      const bool divides = at("/");
      advance();
      const std::string by_name(token());
      CAMBIUM_TRY(const std::int64_t by, size_factor());
      if (divides && (by == 0 || value % by != 0)) {
        return Rejection(Reason::NotDivisible, written, "", value, by).at(describe(from));
      }
      if (!divides && value > kMostIterations / std::max<std::int64_t>(by, 1)) {
        return refuse_at(from, "a size of at most 2^40");
      }
      value = divides ? value / by : value * by;
      written += (divides ? "/" : "*") + by_name;
    }
    return Ok{};
  }
  Result<std::int64_t> size_factor() {
    if (!begins_with_digit(token())) {
      for (const auto& [name, size] : *sizes_) {
        if (take_word(name)) return size;
      }
      std::string names;
      for (const auto& [name, size] : *sizes_) names += (names.empty() ? "" : ", ") + name;
      return refuse("a number or one of the sizes " + names);
    }
    const std::size_t at = place();
    CAMBIUM_TRY(const std::int64_t number, whole("a whole number of 64 bits"));
    if (number > kMostIterations) return refuse_at(at, "a size of at most 2^40");
    return number;
  }

  const NamedSizes* sizes_;
};

// The fields of one step, in any order, each once.
template <class S>
Result<Step> read_fields(Reader& reader, S step) {
  Names seen;
  if (!reader.take(")")) {
    do {
      const std::size_t place = reader.place();
      CAMBIUM_TRY(const std::string_view name, reader.word("a field"));
      std::optional<Status> outcome;
      for (const std::string& s : seen) {
        if (s == name) return reader.refuse_at(place, "each field once");
      }
      CAMBIUM_REQUIRE(reader.expect(":"));
      S::fields(step, [&](std::string_view field, auto& member) {
        if (field == name) outcome = reader.read(member);
      });
      if (!outcome) return reader.refuse_at(place, "a field of " + std::string(S::kName));
      if (!outcome->ok()) return std::move(*outcome).rejection();
      seen.emplace_back(name);
    } while (reader.take(","));
    CAMBIUM_REQUIRE(reader.expect(")"));
  }
  std::optional<Rejection> missing;
  S::fields(step, [&](std::string_view field, auto& member) {
    for (const std::string& s : seen) {
      if (s == field) return;
    }
    // Numbers and words have a default, which a document need not repeat; names have none.
    constexpr bool kHasDefault = requires {
      member = 0;
    }
    || std::is_enum_v<std::decay_t<decltype(member)>>;
    if (kHasDefault && reader.reads_document()) return;
    if (!missing) missing = Rejection(Reason::MissingField, std::string(field), "written");
  });
  if (missing) return std::move(*missing).at(S::kName);
  return Step(std::move(step));
}

Result<Step> read_step(Reader& reader, std::string_view name) {
  std::optional<Result<Step>> found;
  for_each_step<Step>([&](auto step) {
    if (name == step.kName) found = read_fields(reader, std::move(step));
  });
  return found ? std::move(*found) : Rejection(Reason::UnknownStep, std::string(name));
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

namespace {

Result<Trace> read_trace(Reader reader) {
  Trace trace;
  while (!reader.at_end()) {
    CAMBIUM_TRY(const std::string_view name, reader.word("a step"));
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

}  // namespace

Result<Trace> parse_trace(std::string_view text) {
  return read_trace(Reader(text));
}

Result<Trace> parse_document(std::string_view text, const NamedSizes& sizes) {
  return read_trace(Reader(text, &sizes));
}

}  // namespace cambium::schedule
