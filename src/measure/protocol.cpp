#include "measure/protocol.h"

#include <bit>
#include <cstring>
#include <type_traits>

namespace cambium::measure {
namespace {

template <class T>
concept HasFields = requires(T& t) {
  T::fields(t, [](const char*, auto&) {});
};

class Writer {
 public:
  explicit Writer(std::string& to) : to_(to) {}

  template <class T>
  void put(const T& value) {
    if constexpr (HasFields<T>) {
      T::fields(value, [this](const char*, const auto& field) { this->put(field); });
    } else if constexpr (std::is_same_v<T, double>) {
      word(std::bit_cast<std::uint64_t>(value));
    } else {
      word(static_cast<std::uint64_t>(value));
    }
  }
  void put(const std::string& text) {
    word(text.size());
    to_ += text;
  }
  template <class T>
  void put(const std::vector<T>& values) {
    word(values.size());
    for (const T& value : values) put(value);
  }

 private:
  void word(std::uint64_t value) {
    char bytes[8];
    std::memcpy(bytes, &value, 8);
    to_.append(bytes, 8);
  }
  std::string& to_;
};

class Reader {
 public:
  explicit Reader(std::string_view from) : from_(from) {}
  bool is_sound() const { return sound_ && from_.empty(); }

  template <class T>
  void get(T& value) {
    if constexpr (HasFields<T>) {
      T::fields(value, [this](const char*, auto& field) { this->get(field); });
    } else if constexpr (std::is_same_v<T, double>) {
      value = std::bit_cast<double>(word());
    } else {
      value = static_cast<T>(word());
    }
  }
  void get(std::string& text) {
    const std::uint64_t size = word();
    if (size > from_.size()) return fail();
    text = from_.substr(0, size);
    from_.remove_prefix(size);
  }
  template <class T>
  void get(std::vector<T>& values) {
    const std::uint64_t size = word();
    if (size > from_.size() / 8) return fail();  // every element takes a word or more
    values.resize(size);
    for (T& value : values) get(value);
  }

 private:
  void fail() {
    sound_ = false;
    from_ = {};
  }
  std::uint64_t word() {
    std::uint64_t value = 0;
    if (from_.size() < 8) {
      fail();
      return 0;
    }
    std::memcpy(&value, from_.data(), 8);
    from_.remove_prefix(8);
    return value;
  }

  std::string_view from_;
  bool sound_ = true;
};

template <class T>
std::string encode_any(const T& value) {
  std::string message(sizeof(Header), '\0');
  Writer(message).put(value);
  const Header header{kMagic, kVersion, message.size() - sizeof(Header)};
  std::memcpy(message.data(), &header, sizeof header);
  return message;
}

template <class T>
Result<T> decode_any(std::string_view body) {
  T value;
  Reader reader(body);
  reader.get(value);
  if (!reader.is_sound()) return Rejection(Reason::RunnerFailed, "a message is malformed");
  return value;
}

}  // namespace

std::string encode(const Request& request) {
  return encode_any(request);
}
std::string encode(const Reply& reply) {
  return encode_any(reply);
}

Result<Request> decode_request(std::string_view body) {
  CAMBIUM_TRY(Request request, decode_any<Request>(body));
  const std::size_t jobs = request.mode == Mode::Compare ? 2 : 1;
  if (request.mode > Mode::Compare || request.jobs.size() != jobs || request.threads < 1) {
    return Rejection(Reason::RunnerFailed, "a request has impossible values");
  }
  return request;
}

Result<Reply> decode_reply(std::string_view body) {
  CAMBIUM_TRY(Reply reply, decode_any<Reply>(body));
  const bool is_short = (reply.outcome == Outcome::Crashed && reply.numbers.size() != 5);
  if (reply.outcome > Outcome::Crashed || is_short) {
    return Rejection(Reason::RunnerFailed, "a reply has impossible values");
  }
  return reply;
}

Status check_header(const Header& header) {
  if (header.magic != kMagic) return Rejection(Reason::RunnerFailed, "it uses another protocol");
  if (header.version != kVersion) {
    return Rejection(Reason::RunnerFailed, "it uses protocol version " +
                                               std::to_string(header.version) + ", not " +
                                               std::to_string(kVersion));
  }
  if (header.length > kLongestMessage) {
    return Rejection(Reason::RunnerFailed,
                     "a message of " + std::to_string(header.length) + " bytes is too long");
  }
  return Ok{};
}

}  // namespace cambium::measure
