#include "data/pickle_machine.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"

namespace cambium::data {
namespace {

constexpr std::size_t kMaxNodes = 1'000'000;  // CIFAR-100's training file needs 200,000
constexpr std::size_t kMaxRank = 8;
constexpr std::uint8_t kNewestProtocol = 3;

// The only globals those files name. None is called: the machine itself knows what they mean.
constexpr std::string_view kReconstruct = "numpy.core.multiarray _reconstruct";
constexpr std::string_view kReconstruct2 = "numpy._core.multiarray _reconstruct";  // numpy 2
constexpr std::string_view kNdarray = "numpy ndarray";
constexpr std::string_view kDtype = "numpy dtype";
constexpr std::string_view kEncode = "_codecs encode";  // how Python 3 writes bytes in protocol 2
constexpr std::string_view kGlobals[] = {kReconstruct, kReconstruct2, kNdarray, kDtype, kEncode};

}  // namespace

Result<Pickle> PickleMachine::run() {
  while (problem_.empty()) {
    const std::size_t start = at_;
    if (at_ == bytes_.size()) {
      fail("the file ends before its STOP");
      break;
    }
    const std::uint8_t op = bytes_[at_++];
    if (op == '.') {
      const Id top = pop();
      if (problem_.empty() && node(top).kind == Kind::Global) fail("a bare global as the result");
      if (!problem_.empty()) break;
      pickle_.root_ = top;
      return std::move(pickle_);
    }
    const bool known = handle_scalar(op) || handle_text(op) || handle_container(op) ||
                       handle_memo(op) || handle_object(op);
    if (!known) {
      at_ = start;
      fail(fmt::format("opcode 0x{:02x} is not one that CIFAR's files use", op));
    }
    if (problem_.empty() && pickle_.nodes_.size() > kMaxNodes)
      fail(fmt::format("more than {} values", kMaxNodes));
  }
  return Rejection(Reason::BadPickle, problem_, {}, static_cast<std::int64_t>(at_));
}

bool PickleMachine::handle_scalar(std::uint8_t op) {
  switch (op) {
    case 0x80: {  // PROTO
      const std::uint64_t protocol = little_endian(1);
      if (protocol > kNewestProtocol)
        fail(fmt::format("protocol {}, the newest read is {}", protocol, kNewestProtocol));
      return true;
    }
    case 'N': push_of(Kind::None); return true;
    case 0x88: push_number(Kind::Bool, 1); return true;  // NEWTRUE
    case 0x89: push_number(Kind::Bool, 0); return true;  // NEWFALSE
    case 'K': push_number(Kind::Int, static_cast<std::int64_t>(little_endian(1))); return true;
    case 'M': push_number(Kind::Int, static_cast<std::int64_t>(little_endian(2))); return true;
    case 'J':
      push_number(Kind::Int,
                  static_cast<std::int32_t>(static_cast<std::uint32_t>(little_endian(4))));
      return true;
    case 'I': {  // INT, as text; 00 and 01 are the truth values of protocols 0 and 1
      const std::string_view digits = line();
      const bool truth = digits == "00" || digits == "01";
      const std::optional<std::int64_t> value = decimal(digits);
      if (value) push_number(truth ? Kind::Bool : Kind::Int, *value);
      return true;
    }
    default: return false;
  }
}

bool PickleMachine::handle_text(std::uint8_t op) {
  switch (op) {
    case 'S': push_text(unquote(line())); return true;
    case 'U':  // SHORT_BINSTRING
    case 'C':  // SHORT_BINBYTES
      push_text(take(little_endian(1)));
      return true;
    case 'T':  // BINSTRING
    case 'X':  // BINUNICODE
    case 'B':  // BINBYTES
      push_text(take(little_endian(4)));
      return true;
    default: return false;
  }
}

bool PickleMachine::handle_container(std::uint8_t op) {
  switch (op) {
    case '(':
      marks_.push_back(stack_.size());
      return marks_.size() <= kMaxNodes || fail(fmt::format("more than {} marks", kMaxNodes));
    case ']': push_of(Kind::List); return true;
    case '}': push_of(Kind::Dict); return true;
    case ')': push_of(Kind::Tuple); return true;
    case 'l':
    case 'd':
    case 't': {
      PickleNode made;
      made.kind = op == 'l' ? Kind::List : op == 'd' ? Kind::Dict : Kind::Tuple;
      made.items = pop_to_mark();
      if (op == 'd' && made.items.size() % 2 != 0) return fail("a dictionary key without a value");
      push(std::move(made));
      return true;
    }
    case 'a': collect(Kind::List, 1); return true;
    case 's': collect(Kind::Dict, 2); return true;
    case 'e': append_since_mark(Kind::List); return true;
    case 'u': append_since_mark(Kind::Dict); return true;
    case 0x85:
    case 0x86:
    case 0x87: {  // TUPLE1 to TUPLE3
      PickleNode tuple;
      tuple.kind = Kind::Tuple;
      for (int i = 0x84; i < op; ++i) tuple.items.insert(tuple.items.begin(), pop());
      push(std::move(tuple));
      return true;
    }
    default: return false;
  }
}

bool PickleMachine::handle_memo(std::uint8_t op) {
  const auto key_of_line = [this] {
    const std::optional<std::int64_t> key = decimal(line());
    return static_cast<std::uint64_t>(key.value_or(0));
  };
  switch (op) {
    case 'p': put(key_of_line()); return true;
    case 'q': put(little_endian(1)); return true;
    case 'r': put(little_endian(4)); return true;
    case 'g': get(key_of_line()); return true;
    case 'h': get(little_endian(1)); return true;
    case 'j': get(little_endian(4)); return true;
    default: return false;
  }
}

bool PickleMachine::handle_object(std::uint8_t op) {
  switch (op) {
    case 'c': {
      const std::string_view module = line();
      const std::string name = fmt::format("{} {}", module, line());
      const auto* known = std::find(std::begin(kGlobals), std::end(kGlobals), name);
      if (known == std::end(kGlobals))
        return fail(fmt::format("global {} is not one that CIFAR's files use", quote(name)));
      PickleNode global;
      global.kind = Kind::Global;
      global.text = *known;
      push(std::move(global));
      return true;
    }
    case 'R': reduce(); return true;
    case 'b': build(); return true;
    default: return false;
  }
}

// numpy arrays are written as _reconstruct(ndarray, (0,), 'b') and dtype('u1', 0, 1), whose state
// BUILD then fills in.
void PickleMachine::reduce() {
  const Id arguments = pop();
  const Id callee = pop();
  if (!problem_.empty()) return;
  if (node(callee).kind != Kind::Global || node(arguments).kind != Kind::Tuple) {
    fail("a call of an unknown global");
    return;
  }
  const std::string_view name = node(callee).text;
  const std::vector<Id>& items = node(arguments).items;
  if (name == kReconstruct || name == kReconstruct2) {
    const bool fits =
        !items.empty() && node(items[0]).kind == Kind::Global && node(items[0]).text == kNdarray;
    if (!fits) {
      fail("a reconstructed object that is not a numpy array");
      return;
    }
    push_of(Kind::Array);
  } else if (name == kDtype) {
    const bool fits = !items.empty() && node(items[0]).kind == Kind::Text;
    if (!fits || (node(items[0]).text != "u1" && node(items[0]).text != "|u1")) {
      fail("a numpy type other than u1");
      return;
    }
    push_of(Kind::Dtype);
  } else if (name == kEncode) {
    const bool fits = items.size() == 2 && node(items[0]).kind == Kind::Text &&
                      node(items[1]).kind == Kind::Text && node(items[1]).text == "latin1";
    if (!fits) {
      fail("an encoding other than latin1");
      return;
    }
    push_text(latin1_of_utf8(node(items[0]).text));
  } else {
    fail("a call of numpy.ndarray");
  }
}

void PickleMachine::build() {
  const Id state = pop();
  const Id object = pop();
  if (!problem_.empty()) return;
  PickleNode& target = node(object);
  if (node(state).kind != Kind::Tuple) {
    fail("the state of an object is not a tuple");
  } else if (target.kind == Kind::Array) {
    build_array(target, node(state));
  } else if (target.kind != Kind::Dtype) {  // the state of u1 says nothing more
    fail("a state for an object that is not a numpy array");
  }
  stack_.push_back(object);
}

// (version, shape, dtype, is Fortran order, bytes)
void PickleMachine::build_array(PickleNode& array, const PickleNode& state) {
  const std::vector<Id>& items = state.items;
  const bool fits = items.size() == 5 && node(items[1]).kind == Kind::Tuple &&
                    node(items[2]).kind == Kind::Dtype && node(items[3]).number == 0 &&
                    node(items[4]).kind == Kind::Text && array.dims.empty();
  if (!fits) {
    fail("a numpy array that is not unsigned bytes in C order");
    return;
  }
  const std::string_view values = node(items[4]).text;
  std::uint64_t count = 1;
  for (const Id item : node(items[1]).items) {
    const std::int64_t dim = node(item).number;
    if (node(item).kind != Kind::Int || dim < 1 ||
        static_cast<std::uint64_t>(dim) > values.size()) {
      fail(fmt::format("a numpy array of {} bytes with a dimension of {}", values.size(), dim));
      return;
    }
    count *= static_cast<std::uint64_t>(dim);
    if (count > values.size() || array.dims.size() == kMaxRank) break;
    array.dims.push_back(dim);
  }
  if (count != values.size() || array.dims.size() != node(items[1]).items.size()) {
    fail(fmt::format("a numpy array of {} bytes whose shape has another size", values.size()));
    return;
  }
  array.text = values;
}

void PickleMachine::put(std::uint64_t key) {
  if (stack_.empty()) {
    fail("PUT on an empty stack");
    return;
  }
  memo_[key] = stack_.back();
  if (memo_.size() > kMaxNodes) fail(fmt::format("more than {} memo entries", kMaxNodes));
}

void PickleMachine::get(std::uint64_t key) {
  const auto found = memo_.find(key);
  if (found == memo_.end()) {
    fail(fmt::format("GET {} before its PUT", key));
    return;
  }
  stack_.push_back(found->second);
  if (stack_.size() > kMaxNodes) fail(fmt::format("a stack of more than {} values", kMaxNodes));
}

void PickleMachine::append_since_mark(Kind kind) {
  if (marks_.empty()) {
    fail("no MARK on the stack");
    return;
  }
  const std::size_t count = stack_.size() - std::min(stack_.size(), marks_.back());
  marks_.pop_back();
  collect(kind, count);
}

// Moves the top `count` values into the list or dictionary below them.
void PickleMachine::collect(Kind kind, std::size_t count) {
  if (stack_.size() < count + 1) {
    fail("the stack is too short");
    return;
  }
  if (kind == Kind::Dict && count % 2 != 0) {
    fail("a dictionary key without a value");
    return;
  }
  const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
  PickleNode& into = node(*(first - 1));
  if (into.kind != kind) {
    fail("items for an object that cannot hold items");
    return;
  }
  into.items.insert(into.items.end(), first, stack_.end());
  stack_.erase(first, stack_.end());
}

}  // namespace cambium::data
