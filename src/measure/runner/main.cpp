// cambium-runner: calls kernels that nobody vouches for. Reads requests from a socket, finds object
// code and buffers in shared memory, replies, and waits for the next; dies with the kernel if that
// crashes. Started by measure::Runner; see measure/protocol.h. No LLVM, no libtorch.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/protocol.h"
#include "measure/runner/crash.h"
#include "measure/runner/elf_image.h"
#include "measure/runner/parallel.h"

namespace cambium::measure {
namespace {

constexpr std::uint64_t kGuardBytes = 1 << 20;  // no memory, only addresses
constexpr std::int64_t kMostThreads = 256;

bool receive(void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = ::recv(kControlDescriptor, at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

bool answer(const Reply& reply) {
  const std::string message = encode(reply);
  std::string_view left = message;
  while (!left.empty()) {
    const ssize_t sent = ::send(kControlDescriptor, left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    left.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

Reply refusal(Outcome outcome, std::string text) {
  Reply reply;
  reply.outcome = outcome;
  reply.text = std::move(text);
  return reply;
}

// Pages of the shared memory between pages that nobody may touch.
class Mapping {
 public:
  static std::optional<Mapping> make(const Area& area, std::uint64_t file_bytes) {
    const std::uint64_t bytes = area.pages * kPage;
    if (area.offset % kPage != 0 || area.pages == 0 || area.pages > file_bytes / kPage ||
        area.offset > file_bytes - bytes || area.start > bytes || area.bytes > bytes - area.start) {
      return std::nullopt;
    }
    void* const all = ::mmap(nullptr, bytes + 2 * kGuardBytes, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) return std::nullopt;
    Mapping mapping(static_cast<char*>(all), bytes + 2 * kGuardBytes, area);
    const int how = area.is_writable ? PROT_READ | PROT_WRITE : PROT_READ;
    if (::mmap(mapping.all_ + kGuardBytes, bytes, how, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
               kMemoryDescriptor, static_cast<off_t>(area.offset)) == MAP_FAILED) {
      return std::nullopt;
    }
    return mapping;
  }
  Mapping(Mapping&& other) noexcept
      : all_(std::exchange(other.all_, nullptr)), size_(other.size_), area_(other.area_) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (all_ != nullptr) ::munmap(all_, size_);
  }

  char* data() const { return all_ + kGuardBytes + area_.start; }
  void watch(std::size_t job, std::size_t buffer) const {
    const auto address = [](const char* p) { return reinterpret_cast<std::uint64_t>(p); };
    watch_range({static_cast<std::int64_t>(job), static_cast<std::int64_t>(buffer), address(all_),
                 address(data()), address(data() + area_.bytes), address(all_ + size_)});
  }

 private:
  Mapping(char* all, std::uint64_t size, const Area& area) : all_(all), size_(size), area_(area) {}

  char* all_;
  std::uint64_t size_;
  Area area_;
};

// A kernel with everything that it is called with.
struct Loaded {
  ElfImage image;
  cambium_kernel kernel;
  std::vector<Mapping> mappings;  // of the buffers, then of the workspace
  std::vector<void*> buffers;

  void call(const cambium_parallel* parallel) const {
    kernel(buffers.data(), mappings.back().data(), parallel);
  }
};

Reply why_not(const Rejection& rejection, const std::string& text) {
  const bool symbol = rejection.reason() == Reason::SymbolMissing;
  return refusal(symbol ? Outcome::SymbolMissing : Outcome::BadObject, text);
}

// Appends the kernel, or says why not.
std::optional<Reply> load(const Job& job, std::size_t number, std::uint64_t file_bytes,
                          std::vector<Loaded>& loaded) {
  const auto object = Mapping::make(job.object, file_bytes);
  if (!object) return refusal(Outcome::Refused, "the object code lies outside the shared memory");
  auto image = ElfImage::load({object->data(), job.object.bytes});
  if (!image) return why_not(image.rejection(), image.rejection().message());
  const auto kernel = image->find(job.symbol);
  if (!kernel) return why_not(kernel.rejection(), job.symbol);
  Loaded result{std::move(*image), reinterpret_cast<cambium_kernel>(*kernel), {}, {}};
  for (std::size_t i = 0; i <= job.buffers.size(); ++i) {
    const Area& area = i < job.buffers.size() ? job.buffers[i] : job.workspace;
    auto mapping = Mapping::make(area, file_bytes);
    if (!mapping) {
      return refusal(Outcome::Refused,
                     "buffer " + std::to_string(i) + " cannot be mapped: " + std::strerror(errno));
    }
    mapping->watch(number, i);
    if (i < job.buffers.size()) result.buffers.push_back(mapping->data());
    result.mappings.push_back(std::move(*mapping));
  }
  loaded.push_back(std::move(result));
  return std::nullopt;
}

class Server {
 public:
  Reply serve(const Request& request) {
    if (request.threads > kMostThreads) return refusal(Outcome::Refused, "too many threads");
    struct stat file {};
    if (::fstat(kMemoryDescriptor, &file) != 0) return refusal(Outcome::Refused, "no memory");
    if (!team_ || team_->threads() != request.threads) {
      team_ = std::make_unique<Team>(static_cast<int>(request.threads));
    }
    forget_ranges();
    std::vector<Loaded> loaded;
    for (std::size_t i = 0; i < request.jobs.size(); ++i) {
      const auto refused =
          load(request.jobs[i], i, static_cast<std::uint64_t>(file.st_size), loaded);
      if (refused) return *refused;
    }
    ::alarm(static_cast<unsigned>(std::clamp<std::int64_t>(request.alarm_seconds, 0, 86400)));
    Reply reply = execute(request, loaded);
    ::alarm(0);
    return reply;
  }

 private:
  Reply execute(const Request& request, const std::vector<Loaded>& loaded) {
    // Without threads, kernels see what a single-threaded caller gives them.
    const cambium_parallel* const parallel = request.threads == 1 ? nullptr : team_->parallel();
    const auto caller = [&](std::size_t i) {
      return [&kernel = loaded[i], parallel] { kernel.call(parallel); };
    };
    Reply reply;
    switch (request.mode) {
      case Mode::Run: caller(0)(); break;
      case Mode::Rank: {
        const Ranking ranking = rank(caller(0), request.ranking);
        reply.reals = {ranking.burst.seconds, ranking.burst.spread,
                       static_cast<double>(ranking.burst.slices * ranking.attempts),
                       ranking.calibration};
        break;
      }
      case Mode::Compare: {
        Comparison comparison = compare(caller(0), caller(1), request.comparison);
        Comparison::fields(comparison, [&](const char*, const auto& field) {
          reply.reals.push_back(static_cast<double>(field));
        });
        break;
      }
    }
    return reply;
  }

  std::unique_ptr<Team> team_;
};

// Limits what kernels could reach of memory: the private kind. Shared memory was counted before.
void limit_memory(const char* text) {
  const rlimit none{0, 0};
  (void)::setrlimit(RLIMIT_CORE, &none);
  const auto bytes = static_cast<rlim_t>(std::strtoull(text, nullptr, 10));
  const rlimit data{bytes, bytes};
  if (bytes > 0) (void)::setrlimit(RLIMIT_DATA, &data);
}

int serve_all() {
  install_crash_handler();
  if (!answer(refusal(Outcome::Hello, ""))) return 1;
  Server server;
  for (;;) {
    Header header;
    if (!receive(&header, sizeof header)) return 0;  // the parent is gone
    if (const Status fine = check_header(header); !fine) {
      (void)answer(refusal(Outcome::Refused, fine.rejection().message()));
      return 1;
    }
    std::string body(header.length, '\0');
    if (!receive(body.data(), body.size())) return 1;
    const auto request = decode_request(body);
    const Reply reply =
        request ? server.serve(*request) : refusal(Outcome::Refused, request.rejection().message());
    if (!answer(reply)) return 1;
  }
}

}  // namespace
}  // namespace cambium::measure

int main(int argc, char** argv) {
  if (argc != 2) {
    constexpr char kUse[] = "cambium-runner is started by cambium, not by hand\n";
    (void)!::write(2, kUse, sizeof kUse - 1);
    return 2;
  }
  cambium::measure::limit_memory(argv[1]);
  return cambium::measure::serve_all();
}
