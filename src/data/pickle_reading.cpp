// The lower half of the pickle machine: bytes, texts, numbers and the stack.
#include <charconv>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "data/pickle_machine.h"

namespace cambium::data {

// Keeps the first problem. True, so that a handler may `return fail(...)`: the opcode was known.
bool PickleMachine::fail(std::string problem) {
  if (problem_.empty()) problem_ = std::move(problem);
  return true;
}

std::uint64_t PickleMachine::little_endian(int width) {
  const std::string_view raw = take(static_cast<std::uint64_t>(width));
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < raw.size(); ++i)
    value |= std::uint64_t{static_cast<std::uint8_t>(raw[i])} << (8 * i);
  return value;
}

std::string_view PickleMachine::take(std::uint64_t count) {
  const std::size_t left = bytes_.size() - at_;
  if (count > left) {
    fail(fmt::format("the file is cut short: {} bytes announced, {} left", count, left));
    return {};
  }
  const std::string_view taken =
      text_of_bytes(bytes_.subspan(at_, static_cast<std::size_t>(count)));
  at_ += taken.size();
  return taken;
}

std::string_view PickleMachine::line() {
  const std::string_view rest = text_of_bytes(bytes_.subspan(at_));
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) {
    fail("the file is cut short: a line without its end");
    return {};
  }
  at_ += end + 1;
  return rest.substr(0, end);
}

std::optional<std::int64_t> PickleMachine::decimal(std::string_view digits) {
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc() || stop != end) {
    fail(fmt::format("{} is not an integer", quote(digits.substr(0, 32))));
    return std::nullopt;
  }
  return value;
}

// A file that decodes each of its texts once keeps fewer bytes than it has; one that decodes the
// same text again and again is after our memory.
std::string_view PickleMachine::keep(std::string text) {
  kept_bytes_ += text.size();
  if (kept_bytes_ > bytes_.size()) {
    fail("the same text is decoded again and again");
    return {};
  }
  pickle_.owned_.push_back(std::make_shared<const std::string>(std::move(text)));
  return *pickle_.owned_.back();
}

// The repr() of a Python 2 str. CIFAR's class names need no escapes, so there are none.
std::string_view PickleMachine::unquote(std::string_view quoted) {
  const bool fits = quoted.size() >= 2 && quoted.front() == quoted.back() &&
                    (quoted.front() == '\'' || quoted.front() == '"');
  if (!fits) {
    fail("a STRING that is not in quotes");
    return {};
  }
  const std::string_view inner = quoted.substr(1, quoted.size() - 2);
  if (inner.find('\\') == std::string_view::npos) return inner;
  fail("a STRING with escapes");
  return {};
}

std::string_view PickleMachine::latin1_of_utf8(std::string_view utf8) {
  std::string out;
  out.reserve(utf8.size());
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(utf8[i]);
    if (byte < 0x80) {
      out.push_back(utf8[i]);
      continue;
    }
    const bool fits = (byte == 0xc2 || byte == 0xc3) && i + 1 < utf8.size() &&
                      (static_cast<std::uint8_t>(utf8[i + 1]) & 0xc0) == 0x80;
    if (!fits) {
      fail("a text that is not latin1");
      return {};
    }
    const auto low = static_cast<std::uint8_t>(utf8[++i]) & 0x3f;
    out.push_back(static_cast<char>(((byte & 0x03) << 6) | low));
  }
  return keep(std::move(out));
}

void PickleMachine::push(PickleNode made) {
  stack_.push_back(static_cast<Id>(pickle_.nodes_.size()));
  pickle_.nodes_.push_back(std::move(made));
}

void PickleMachine::push_number(Kind kind, std::int64_t number) {
  PickleNode made;
  made.kind = kind;
  made.number = number;
  push(std::move(made));
}

void PickleMachine::push_text(std::string_view text) {
  PickleNode made;
  made.kind = Kind::Text;
  made.text = text;
  push(std::move(made));
}

// Answers 0, a node that need not exist, when there is nothing to pop; the problem is then set.
PickleMachine::Id PickleMachine::pop() {
  if (stack_.empty()) {
    fail("the stack is empty");
    return 0;
  }
  const Id top = stack_.back();
  stack_.pop_back();
  return top;
}

std::vector<PickleMachine::Id> PickleMachine::pop_to_mark() {
  if (marks_.empty() || marks_.back() > stack_.size()) {
    fail("no MARK on the stack");
    return {};
  }
  const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  std::vector<Id> items(first, stack_.end());
  stack_.erase(first, stack_.end());
  marks_.pop_back();
  return items;
}

}  // namespace cambium::data
