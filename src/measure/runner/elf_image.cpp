#include "measure/runner/elf_image.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>

namespace cambium::measure {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kLargestImage = std::uint64_t{64} << 20;
constexpr std::uint64_t kStubBytes = 16;  // jmp *0(%rip); the address

Rejection bad(std::string why) {
  return Rejection(Reason::BadObject, std::move(why));
}

std::uint64_t round_up(std::uint64_t n, std::uint64_t to) {
  return (n + to - 1) / to * to;
}

// A structure of the file, copied because the file's bytes need not be aligned.
template <class T>
std::optional<T> read_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// Functions of libm and of nothing else: dlsym would also find what libm itself uses.
void* libm_function(const std::string& name) {
  static void* const library = ::dlopen("libm.so.6", RTLD_NOW);
  void* const found = library == nullptr ? nullptr : ::dlsym(library, name.c_str());
  Dl_info info{};
  if (found == nullptr || ::dladdr(found, &info) == 0 || info.dli_fname == nullptr) return nullptr;
  return std::strstr(info.dli_fname, "libm.so") == nullptr ? nullptr : found;
}

}  // namespace

struct ElfImage::State {
  std::byte* memory = nullptr;
  std::uint64_t bytes = 0;
  std::map<std::string, void*, std::less<>> functions;

  ~State() {
    if (memory != nullptr) ::munmap(memory, bytes);
  }
};

namespace {

class Loader {
 public:
  Loader(std::string_view file, std::byte*& memory, std::uint64_t& bytes)
      : file_(file), memory_(memory), bytes_(bytes) {}

  Status run(std::map<std::string, void*, std::less<>>& functions) {
    CAMBIUM_REQUIRE(read_sections());
    CAMBIUM_REQUIRE(read_symbols());
    CAMBIUM_REQUIRE(lay_out());
    CAMBIUM_REQUIRE(resolve());
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type == SHT_RELA) CAMBIUM_REQUIRE(relocate(section));
      if (section.sh_type == SHT_REL) return bad("it has relocations without addends");
    }
    for (const Symbol& symbol : symbols_) {
      const bool is_code = symbol.section < sections_.size() &&
                           (sections_[symbol.section].sh_flags & SHF_EXECINSTR) != 0;
      if (is_code && symbol.is_global && symbol.value < sections_[symbol.section].sh_size) {
        functions.emplace(symbol.name, memory_ + symbol.address);
      }
    }
    if (::mprotect(memory_, code_bytes_, PROT_READ | PROT_EXEC) != 0) {
      return bad("memory for code was refused");
    }
    return Ok{};
  }

 private:
  static constexpr std::uint32_t kUndefined = 0xffffffff, kElsewhere = 0xfffffffe;
  struct Symbol {
    std::string name;
    std::uint64_t value = 0;
    std::uint64_t address = 0;  // from the start of the image
    std::uint32_t section = kUndefined;
    bool is_global = false;
    std::uint64_t stub = 0;  // of an undefined one: from the start of the image
    std::uint64_t got = 0;
    std::uint64_t outside = 0;  // the function itself
  };

  Status read_sections() {
    const auto header = read_at<Elf64_Ehdr>(file_, 0);
    if (!header) return bad("it is too short");
    if (std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return bad("it is not an ELF file");
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_machine != EM_X86_64) {
      return bad("it is for another processor");
    }
    if (header->e_type != ET_REL) return bad("it is not relocatable");
    if (header->e_shentsize != sizeof(Elf64_Shdr))
      return bad("its section headers have an unknown size");
    for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
      const auto section = read_at<Elf64_Shdr>(file_, header->e_shoff + i * sizeof(Elf64_Shdr));
      if (header->e_shoff > file_.size() || !section) return bad("its section headers are cut off");
      const bool is_in_file = section->sh_type != SHT_NOBITS && section->sh_type != SHT_NULL;
      if (is_in_file && (section->sh_offset > file_.size() ||
                         file_.size() - section->sh_offset < section->sh_size)) {
        return bad("section " + std::to_string(i) + " is cut off");
      }
      sections_.push_back(*section);
    }
    return Ok{};
  }

  std::string_view content(const Elf64_Shdr& section) const {
    return section.sh_type == SHT_NOBITS ? std::string_view()
                                         : file_.substr(section.sh_offset, section.sh_size);
  }

  Status read_symbols() {
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      if (sections_[i].sh_type != SHT_SYMTAB) continue;
      if (symbol_section_ != 0) return bad("it has two symbol tables");
      symbol_section_ = i;
    }
    if (symbol_section_ == 0) return bad("it has no symbols");
    const Elf64_Shdr& table = sections_[symbol_section_];
    if (table.sh_link >= sections_.size() || sections_[table.sh_link].sh_type != SHT_STRTAB) {
      return bad("its symbols have no names");
    }
    const std::string_view names = content(sections_[table.sh_link]);
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      const auto raw = read_at<Elf64_Sym>(content(table), at);
      if (!raw || raw->st_name >= names.size() + (names.empty() ? 1 : 0)) {
        return bad("a symbol's name is cut off");
      }
      const std::size_t end = names.find('\0', raw->st_name);
      if (end == std::string_view::npos && !names.empty()) return bad("a symbol's name has no end");
      Symbol symbol;
      if (!names.empty()) symbol.name = names.substr(raw->st_name, end - raw->st_name);
      symbol.value = raw->st_value;
      symbol.is_global = ELF64_ST_BIND(raw->st_info) != STB_LOCAL;
      if (ELF64_ST_TYPE(raw->st_info) == STT_TLS) return bad("it has thread-local data");
      if (raw->st_shndx == SHN_COMMON) return bad("it has common symbols");
      if (raw->st_shndx == SHN_UNDEF) {
        symbol.section = kUndefined;
      } else if (raw->st_shndx < sections_.size()) {
        symbol.section = raw->st_shndx;
      } else {
        symbol.section = kElsewhere;  // absolute: the name of the source file
      }
      symbols_.push_back(std::move(symbol));
    }
    return Ok{};
  }

  // Code first, with the stubs; then, from a new page on, everything else, with the table of
  // addresses. All in one piece, so that distances fit 32 bits.
  Status lay_out() {
    addresses_.assign(sections_.size(), kNowhere);
    std::uint64_t at = 0;
    CAMBIUM_REQUIRE(place(true, at));
    stubs_ = round_up(at, kStubBytes);
    code_bytes_ = round_up(stubs_ + symbols_.size() * kStubBytes, kPageBytes);
    at = code_bytes_;
    CAMBIUM_REQUIRE(place(false, at));
    got_ = round_up(at, 8);
    bytes_ = round_up(got_ + symbols_.size() * 8, kPageBytes);
    if (bytes_ > kLargestImage) return bad("it is larger than 64 MiB");
    void* const mapped =
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return bad("there is no memory for it");
    memory_ = static_cast<std::byte*>(mapped);
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      if (addresses_[i] == kNowhere) continue;
      const std::string_view bytes = content(sections_[i]);
      if (!bytes.empty()) std::memcpy(memory_ + addresses_[i], bytes.data(), bytes.size());
    }
    return Ok{};
  }

  Status place(bool executable, std::uint64_t& at) {
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const Elf64_Shdr& section = sections_[i];
      if ((section.sh_flags & SHF_ALLOC) == 0 || section.sh_type == SHT_NULL) continue;
      if (((section.sh_flags & SHF_EXECINSTR) != 0) != executable) continue;
      if ((section.sh_flags & SHF_TLS) != 0) return bad("it has thread-local data");
      const std::uint64_t alignment = section.sh_addralign == 0 ? 1 : section.sh_addralign;
      if (alignment > kPageBytes || (alignment & (alignment - 1)) != 0) {
        return bad("section " + std::to_string(i) + " has an odd alignment");
      }
      if (section.sh_size > kLargestImage) return bad("it is larger than 64 MiB");
      at = round_up(at, alignment);
      addresses_[i] = at;
      at += section.sh_size;
      if (at > kLargestImage) return bad("it is larger than 64 MiB");
    }
    return Ok{};
  }

  // Where symbols are: in the image, or, of those that it lacks, behind a stub. Only what a
  // relocation asks for is looked up: names of debug sections mean nothing here.
  Status resolve() {
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      Symbol& symbol = symbols_[i];
      symbol.stub = stubs_ + i * kStubBytes;
      symbol.got = got_ + i * 8;
      if (symbol.section < sections_.size() && addresses_[symbol.section] != kNowhere) {
        if (symbol.value > sections_[symbol.section].sh_size) {
          return bad("symbol '" + symbol.name + "' lies outside its section");
        }
        symbol.address = addresses_[symbol.section] + symbol.value;
      } else if (symbol.section < sections_.size()) {
        symbol.section = kElsewhere;
      }
    }
    return Ok{};
  }

  Status bind_outside(Symbol& symbol) {
    if (symbol.outside != 0) return Ok{};
    void* const function = libm_function(symbol.name);
    if (function == nullptr) return bad("'" + symbol.name + "' is no function of libm");
    symbol.outside = reinterpret_cast<std::uint64_t>(function);
    const unsigned char jump[8] = {0xff, 0x25, 0x02, 0, 0, 0, 0x0f, 0x0b};  // jmp *2(%rip); ud2
    std::memcpy(memory_ + symbol.stub, jump, 8);
    std::memcpy(memory_ + symbol.stub + 8, &symbol.outside, 8);
    symbol.address = symbol.stub;
    return Ok{};
  }

  Status relocate(const Elf64_Shdr& table) {
    if (table.sh_info >= sections_.size() || table.sh_link != symbol_section_) {
      return bad("relocations apply to no section");
    }
    if (addresses_[table.sh_info] == kNowhere) return Ok{};  // debug information
    const Elf64_Shdr& section = sections_[table.sh_info];
    const std::string_view rows = content(table);
    for (std::uint64_t at = 0; at + sizeof(Elf64_Rela) <= rows.size(); at += sizeof(Elf64_Rela)) {
      const Elf64_Rela row = *read_at<Elf64_Rela>(rows, at);
      const std::uint64_t number = ELF64_R_SYM(row.r_info);
      const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(row.r_info));
      if (type == R_X86_64_NONE) continue;
      if (number >= symbols_.size()) return bad("a relocation uses an unknown symbol");
      const std::uint64_t width = type == R_X86_64_64 || type == R_X86_64_PC64 ? 8 : 4;
      if (row.r_offset > section.sh_size || section.sh_size - row.r_offset < width) {
        return bad("a relocation lies outside its section");
      }
      Symbol& symbol = symbols_[number];
      if (symbol.section == kElsewhere)
        return bad("a relocation uses '" + symbol.name + "', which is in no section");
      if (symbol.section == kUndefined) CAMBIUM_REQUIRE(bind_outside(symbol));
      CAMBIUM_REQUIRE(apply(type, addresses_[table.sh_info] + row.r_offset, symbol, row.r_addend));
    }
    return Ok{};
  }

  Status apply(std::uint32_t type, std::uint64_t place, Symbol& symbol, std::int64_t addend) {
    const auto base = reinterpret_cast<std::uint64_t>(memory_);
    const std::uint64_t value = base + symbol.address + static_cast<std::uint64_t>(addend);
    const std::uint64_t here = base + place;
    switch (type) {
      case R_X86_64_64: std::memcpy(memory_ + place, &value, 8); return Ok{};
      case R_X86_64_PC64: {
        const std::uint64_t distance = value - here;
        std::memcpy(memory_ + place, &distance, 8);
        return Ok{};
      }
      case R_X86_64_PC32:
      case R_X86_64_PLT32: return store_distance(place, value - here);
      case R_X86_64_GOTPCREL:
      case R_X86_64_GOTPCRELX:
      case R_X86_64_REX_GOTPCRELX: {
        const std::uint64_t target =
            symbol.section == kUndefined ? symbol.outside : base + symbol.address;
        std::memcpy(memory_ + symbol.got, &target, 8);
        return store_distance(place, base + symbol.got + static_cast<std::uint64_t>(addend) - here);
      }
      default: return bad("a relocation has the unknown type " + std::to_string(type));
    }
  }

  Status store_distance(std::uint64_t place, std::uint64_t distance) {
    const auto narrow = static_cast<std::int32_t>(distance);
    if (static_cast<std::uint64_t>(static_cast<std::int64_t>(narrow)) != distance) {
      return bad("a relocation does not fit 32 bits");
    }
    std::memcpy(memory_ + place, &narrow, 4);
    return Ok{};
  }

  static constexpr std::uint64_t kNowhere = std::numeric_limits<std::uint64_t>::max();
  std::string_view file_;
  std::byte*& memory_;
  std::uint64_t& bytes_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<Symbol> symbols_;
  std::vector<std::uint64_t> addresses_;  // of sections, from the start of the image
  std::size_t symbol_section_ = 0;
  std::uint64_t stubs_ = 0, got_ = 0, code_bytes_ = 0;
};

}  // namespace

Result<ElfImage> ElfImage::load(std::string_view object) {
  auto state = std::make_unique<State>();
  CAMBIUM_REQUIRE(Loader(object, state->memory, state->bytes).run(state->functions));
  return ElfImage(std::move(state));
}

ElfImage::ElfImage(std::unique_ptr<State> state) : state_(std::move(state)) {}
ElfImage::ElfImage(ElfImage&&) noexcept = default;
ElfImage& ElfImage::operator=(ElfImage&&) noexcept = default;
ElfImage::~ElfImage() = default;

Result<void*> ElfImage::find(std::string_view symbol) const {
  const auto found = state_->functions.find(symbol);
  if (found == state_->functions.end()) {
    return Rejection(Reason::SymbolMissing, std::string(symbol));
  }
  return found->second;
}

}  // namespace cambium::measure
