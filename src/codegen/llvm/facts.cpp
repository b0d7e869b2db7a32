#include "codegen/llvm/facts.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include <llvm/ADT/StringExtras.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/Format.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include "codegen/llvm/llvm_backend.h"
#include "codegen/llvm/target.h"

namespace cambium::codegen {
namespace {

// The parts of LLVM that read instructions of one target.
struct Reader {
  llvm::Triple triple;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCInstrAnalysis> analysis;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};

Result<Reader> reader_for(const Machine& machine) {
  Reader r;
  r.triple = llvm::Triple(machine.triple);
  std::string error;
#if LLVM_VERSION_MAJOR >= 22
  const llvm::Triple& name = r.triple;
#else
  const std::string& name = r.triple.str();
#endif
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(name, error);
  if (target == nullptr) return Rejection(Reason::CodegenFailed, error);
  r.registers.reset(target->createMCRegInfo(name));
  r.assembly.reset(target->createMCAsmInfo(*r.registers, name, llvm::MCTargetOptions()));
  r.instructions.reset(target->createMCInstrInfo());
  r.subtarget.reset(target->createMCSubtargetInfo(name, machine.cpu, machine.features));
  r.analysis.reset(target->createMCInstrAnalysis(r.instructions.get()));
  r.context = std::make_unique<llvm::MCContext>(r.triple, r.assembly.get(), r.registers.get(),
                                                r.subtarget.get());
  r.disassembler.reset(target->createMCDisassembler(*r.subtarget, *r.context));
  r.printer.reset(target->createMCInstPrinter(r.triple, r.assembly->getAssemblerDialect(),
                                              *r.assembly, *r.instructions, *r.registers));
  r.printer->setPrintBranchImmAsAddress(true);
  return r;
}

struct Line {
  std::uint64_t address;
  std::string text;
};
struct Range {
  std::uint64_t begin, end;  // a branch at `end` goes back to `begin`
};

bool has_vector_register(std::string_view text) {
  if (text.find("%xmm") != text.npos || text.find("%ymm") != text.npos ||
      text.find("%zmm") != text.npos) {
    return true;
  }
  const std::size_t at = text.find_first_of("qv");  // AArch64: "ldr q0, [sp, #16]"
  return at != text.npos && at > 0 && (text[at - 1] == '\t' || text[at - 1] == ' ') &&
         at + 1 < text.size() && text[at + 1] >= '0' && text[at + 1] <= '9';
}

bool touches_stack(std::string_view text) {
  return text.find("(%rsp") != text.npos || text.find("[sp") != text.npos;
}

std::int64_t count_spills(const std::vector<Line>& lines, const std::vector<Range>& loops) {
  std::int64_t spills = 0;
  for (const Range& loop : loops) {
    const bool is_innermost = std::none_of(loops.begin(), loops.end(), [&](const Range& other) {
      return &other != &loop && other.begin >= loop.begin && other.end < loop.end;
    });
    if (!is_innermost) continue;
    for (const Line& line : lines) {
      if (line.address >= loop.begin && line.address <= loop.end && touches_stack(line.text) &&
          has_vector_register(line.text)) {
        ++spills;
      }
    }
  }
  return spills;
}

void read_section(Reader& r, llvm::ArrayRef<std::uint8_t> bytes, std::uint64_t address,
                  std::vector<Line>& lines, std::vector<Range>& loops) {
  for (std::uint64_t at = 0; at < bytes.size();) {
    llvm::MCInst instruction;
    std::uint64_t size = 0;
    const auto status = r.disassembler->getInstruction(instruction, size, bytes.slice(at),
                                                       address + at, llvm::nulls());
    if (status == llvm::MCDisassembler::Fail) {
      at += std::max<std::uint64_t>(size, 1);
      continue;
    }
    std::string text;
    llvm::raw_string_ostream stream(text);
    // x86 counts jumps from the end of the instruction.
    const std::uint64_t origin = r.triple.isX86() ? address + at + size : address + at;
    r.printer->printInst(&instruction, origin, "", *r.subtarget, stream);
    lines.push_back({address + at, stream.str()});
    std::uint64_t target = 0;
    if (r.analysis != nullptr && r.analysis->isBranch(instruction) &&
        r.analysis->evaluateBranch(instruction, address + at, size, target) &&
        target <= address + at) {
      loops.push_back({target, address + at});
    }
    at += size;
  }
}

}  // namespace

Result<Disassembly> disassemble(const std::string& object, const Machine& machine, bool with_text) {
  set_up_llvm();
  CAMBIUM_TRY(Reader r, reader_for(machine));
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "kernel.o"));
  if (!file) return Rejection(Reason::CodegenFailed, llvm::toString(file.takeError()));
  if ((*file)->getArch() != r.triple.getArch()) {
    return Rejection(Reason::CodegenFailed, "the object is not for " + r.triple.str());
  }
  Disassembly result;
  for (const llvm::object::SectionRef& section : (*file)->sections()) {
    if (!section.isText()) continue;
    auto content = section.getContents();
    if (!content) return Rejection(Reason::CodegenFailed, llvm::toString(content.takeError()));
    std::vector<Line> lines;
    std::vector<Range> loops;
    read_section(r, llvm::arrayRefFromStringRef(*content), section.getAddress(), lines, loops);
    result.code_bytes += static_cast<std::int64_t>(content->size());
    result.loop_spills += count_spills(lines, loops);
    if (!with_text) continue;
    llvm::raw_string_ostream stream(result.text);
    for (const Line& line : lines) {
      stream << llvm::format_hex_no_prefix(line.address, 6) << ":" << line.text << "\n";
    }
  }
  return result;
}

Result<std::string> LlvmBackend::print_assembly(const ObjectCode& object,
                                                const Machine& machine) const {
  CAMBIUM_REQUIRE(check_format(object, CodeFormat::Elf, "the disassembler"));
  CAMBIUM_TRY(Disassembly all, disassemble(object.bytes, machine, true));
  return std::move(all.text);
}

}  // namespace cambium::codegen
