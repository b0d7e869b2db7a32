// The messages between the runner and its parent: a header (magic, version, length) and a body of
// 64-bit words. Object code and buffers are not sent: they lie in a memory file that both processes
// map. Decoding trusts no body and refuses RunnerFailed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.h"
#include "base/result.h"
#include "measure/timing.h"

namespace cambium::measure {

inline constexpr std::uint32_t kMagic = 0x6d626d43;  // "Cmbm"
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::uint64_t kLongestMessage = 1 << 20;
inline constexpr int kControlDescriptor = 3, kMemoryDescriptor = 4;  // in the runner
inline constexpr std::uint64_t kPage = 4096;

// Fills memory that a kernel should not read: a quiet NaN as f32, as f64 and, in one half, as f16
// and bf16.
inline constexpr std::uint32_t kPoison = 0xfffa5a5a;

struct Header {
  std::uint32_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint64_t length = 0;
};

// Whole pages of the shared memory that contain one buffer. The runner maps them between guard
// pages.
struct Area {
  std::uint64_t offset = 0;  // of the first page
  std::uint64_t pages = 0;
  std::uint64_t start = 0;  // of the buffer, relative to the first page
  std::uint64_t bytes = 0;
  bool is_writable = false;
  CAMBIUM_FIELDS(f("offset", s.offset), f("pages", s.pages), f("start", s.start),
                 f("bytes", s.bytes), f("writable", s.is_writable))
};

struct Job {
  std::string symbol;
  Area object;
  std::vector<Area> buffers;
  Area workspace;
  CAMBIUM_FIELDS(f("symbol", s.symbol), f("object", s.object), f("buffers", s.buffers),
                 f("workspace", s.workspace))
};

enum class Mode : std::uint8_t { Run, Rank, Compare };

struct Request {
  Mode mode = Mode::Run;
  std::int64_t threads = 1;
  std::int64_t alarm_seconds = 0;  // after which the runner kills itself if the parent does not
  RankingOptions ranking;
  ComparisonOptions comparison;
  std::vector<Job> jobs;  // two for Compare, one otherwise
  CAMBIUM_FIELDS(f("mode", s.mode), f("threads", s.threads), f("alarm", s.alarm_seconds),
                 f("ranking", s.ranking), f("comparison", s.comparison), f("jobs", s.jobs))
};

enum class Outcome : std::uint8_t {
  Hello,    // the greeting, once
  Done,     // reals: the fields of a ranking or comparison, in order
  Refused,  // text: why
  BadObject,
  SymbolMissing,
  Crashed,  // numbers: signal, job, buffer (or -1), Touch, whether it wrote (1, 0, or -1: unknown)
};
// Where the faulting address lies relative to a buffer.
enum class Touch : std::uint8_t { Elsewhere, Before, Inside, After };

struct Reply {
  Outcome outcome = Outcome::Done;
  std::string text;
  std::vector<std::int64_t> numbers;
  std::vector<double> reals;
  CAMBIUM_FIELDS(f("outcome", s.outcome), f("text", s.text), f("numbers", s.numbers),
                 f("reals", s.reals))
};

std::string encode(const Request& request);  // with the header
std::string encode(const Reply& reply);
Result<Request> decode_request(std::string_view body);  // without it
Result<Reply> decode_reply(std::string_view body);
Status check_header(const Header& header);

}  // namespace cambium::measure
