// The shared memory of a request, seen from the parent. It places object code and buffers, writes
// their bytes before the call and reads them after it. It puts poison around every buffer and into
// everything that the kernel must write. Refuses WrongArgument, KernelMemory, GuardTouched and
// OutputUntouched.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "codegen/codegen.h"
#include "measure/buffers.h"
#include "measure/protocol.h"
#include "program/interpret.h"

namespace cambium::measure {

class Staging {
 public:
  // `memory` is a memory file, which gets the size that it needs.
  Staging(int memory, std::int64_t limit_bytes) : memory_(memory), limit_(limit_bytes) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging();

  Status add(const codegen::ObjectCode& code, const KernelBuffers& buffers,
             std::vector<const program::Array*> arguments, std::int64_t threads);
  Status write();  // everything that was added
  const std::vector<Job>& jobs() const { return jobs_; }

  // These are for after the call. Buffer -1 is the workspace.
  Status check_guards(std::size_t job) const;
  Result<std::vector<program::Array>> outputs(std::size_t job) const;
  std::string name_of(std::size_t job, std::int64_t buffer) const;

 private:
  struct Source {
    const codegen::ObjectCode* code;
    const KernelBuffers* buffers;
    std::vector<const program::Array*> arguments;
  };
  Area reserve(std::uint64_t bytes, bool is_writable);
  void poison(const Area& area);
  bool has_clean_edges(const Area& area) const;

  int memory_;
  std::int64_t limit_;
  std::uint64_t bytes_ = 0;
  char* mapped_ = nullptr;
  std::vector<Source> sources_;
  std::vector<Job> jobs_;
};

}  // namespace cambium::measure
