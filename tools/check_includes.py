#!/usr/bin/env python3
"""Checks that each file includes the standard headers of the names that it uses.

A name of the standard library must come from a header that the file includes itself or through our
own headers. The compiler cannot check this: each library has its own headers include others, so
a file that forgets <initializer_list> may compile with g++ 12 and fail with g++ 13.

Prints one line for each missing header, `file:line: std::name needs <header>`, and fails if there is
any. With --fix it adds the missing lines instead.
"""

import re
import sys
from functools import cache

from layers import ROOT

SRC = ROOT / "src"
FOLDERS = ("src", "bench", "fuzz", "tests", "examples")

# The headers that declare a name. The first one is proposed; each of the others will do.
DECLARED_IN = """
algorithm: adjacent_find all_of any_of binary_search clamp copy copy_if copy_n count count_if equal fill fill_n
  find find_first_of find_if find_if_not for_each generate includes inplace_merge is_permutation is_sorted
  lexicographical_compare lower_bound max max_element merge min min_element minmax minmax_element mismatch
  next_permutation none_of nth_element partial_sort partition remove_copy_if remove_if replace replace_if
  reverse rotate search set_difference set_intersection set_union shuffle sort stable_partition stable_sort
  transform unique upper_bound partition_point ranges
array: array
atomic: atomic atomic_flag memory_order_acquire memory_order_release memory_order_relaxed
bit: bit_cast bit_ceil bit_floor bit_width countl_zero countr_zero endian has_single_bit popcount rotl rotr
cctype: isalnum isalpha isdigit isspace isupper islower isxdigit isprint tolower toupper
charconv: from_chars to_chars chars_format
chrono: chrono
cmath: acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs floor fma fmax
  fmin fmod frexp hypot isfinite isinf isnan ldexp lgamma llround log log10 log1p log2 lround nan nanf
  nearbyint nextafter pow remainder rint round signbit sin sinh sqrt tan tanh tgamma trunc
compare: strong_ordering weak_ordering partial_ordering
condition_variable: condition_variable
csetjmp: jmp_buf longjmp
csignal: raise signal sig_atomic_t
cstddef: byte max_align_t ptrdiff_t to_integer
cstdint: int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t
cstdio: fclose fflush fgetc fopen fprintf fputs fread fwrite printf puts snprintf FILE
cstdlib: _Exit abort aligned_alloc atof atoi atoll exit free getenv malloc quick_exit strtod strtol strtoll
  strtoull system
cstring: memcmp memcpy memmove memset strchr strcmp strerror strlen strncmp strstr
ctime: clock clock_t time time_t
deque: deque
exception: current_exception exception_ptr rethrow_exception terminate
filesystem: filesystem
forward_list: forward_list
fstream: ifstream ofstream fstream
functional: bit_and bit_or bind function greater hash invoke less minus multiplies not_equal_to not_fn plus
initializer_list: initializer_list
iostream: cerr cin clog cout
iterator: back_inserter distance inserter istream_iterator istreambuf_iterator make_move_iterator next
  ostream_iterator prev reverse_iterator advance
limits: numeric_limits
list: list
map: map multimap
memory: addressof allocator enable_shared_from_this make_shared make_unique make_unique_for_overwrite shared_ptr
  uninitialized_copy unique_ptr weak_ptr static_pointer_cast dynamic_pointer_cast
mutex: call_once lock_guard mutex once_flag recursive_mutex scoped_lock unique_lock
new: align_val_t bad_alloc nothrow
numbers: numbers
numeric: accumulate exclusive_scan gcd inclusive_scan inner_product iota lcm midpoint partial_sum reduce
  transform_reduce
optional: nullopt nullopt_t optional
queue: priority_queue queue
random: mt19937 mt19937_64 uniform_int_distribution uniform_real_distribution normal_distribution
regex: regex regex_match regex_replace regex_search smatch sregex_iterator
set: multiset set
shared_mutex: shared_lock shared_mutex
source_location: source_location
span: as_bytes as_writable_bytes span
sstream: istringstream ostringstream stringstream
stack: stack
stdexcept: invalid_argument logic_error out_of_range overflow_error runtime_error
stop_token: stop_source stop_token
string: getline stod stof stoi stol stoll stoull string to_string
string_view: string_view string_view_literals
system_error: errc error_code generic_category system_category system_error
thread: jthread this_thread thread
tuple: apply ignore make_tuple tie tuple tuple_cat
type_traits: add_const_t common_type_t conditional_t decay_t enable_if_t false_type integral_constant
  invoke_result_t is_aggregate_v is_arithmetic_v is_base_of_v is_class_v is_const_v is_constructible_v is_convertible_v
  is_enum_v is_floating_point_v is_integral_v is_invocable_v is_same is_same_v is_signed_v is_trivially_copyable_v
  is_trivially_destructible_v is_unsigned_v make_signed_t make_unsigned_t remove_const_t remove_cvref_t
  remove_reference_t true_type type_identity_t underlying_type_t void_t
typeindex: type_index
unordered_map: unordered_map unordered_multimap
unordered_set: unordered_set unordered_multiset
utility: as_const cmp_equal cmp_greater cmp_less cmp_less_equal declval exchange forward in_place in_place_index
  in_place_type in_range index_sequence index_sequence_for integer_sequence make_index_sequence make_pair
  move pair
valarray: valarray
variant: get_if holds_alternative monostate variant variant_alternative_t variant_size_v visit
vector: vector

cmath cstdlib: abs
exception new stdexcept: exception
istream iostream fstream sstream iosfwd: istream
ios iostream istream ostream fstream sstream: ios hex
ostream iostream fstream sstream iosfwd: ostream
ostream iostream fstream sstream: endl flush
ios fstream iostream istream ostream sstream: streamsize
string string_view: string_literals
cstddef cstdio cstdlib cstring string string_view vector array span: size_t
cstddef memory functional: nullptr_t
utility tuple variant array: get
algorithm string vector deque list map set: erase erase_if
vector string deque map set list unordered_map unordered_set: erase erase_if
algorithm filesystem cstdio: remove
utility string vector array map set: swap
iterator string string_view vector array span map set unordered_map unordered_set deque initializer_list: begin end
  size ssize empty data cbegin cend rbegin rend
ratio chrono: micro milli nano ratio
"""

# What the standard says that a header includes, as far as the names above matter.
BRINGS = {
    "initializer_list": "algorithm array deque functional list map memory mutex optional queue random regex set string "
    "string_view tuple unordered_map unordered_set utility valarray variant vector",
    "compare": "array deque list map memory optional queue set string string_view system_error tuple unordered_map "
    "unordered_set utility variant vector filesystem thread chrono",
    "string": "filesystem fstream iostream sstream stdexcept system_error regex",
    "string_view": "string filesystem",
    "ios": "fstream iostream istream ostream sstream",
    "istream": "iostream",
    "ostream": "iostream",
    "iterator": "algorithm",
    "chrono": "thread filesystem condition_variable",
    "mutex": "condition_variable",
    "cstddef": "iterator span",
    "system_error": "filesystem mutex charconv",
}

STRING = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|' r"'(?:\\.|[^'\\\n])+'|//[^\n]*|/\*(?:.|\n)*?\*/")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">\n]+)[">]', re.M)
QUALIFIED = re.compile(r"(?<!\w)std\s*::\s*(\w+)")
# What needs a header without naming it after `std::`: what to call it, its pattern, its headers.
UNQUALIFIED = [
    ("a loop over {...}", re.compile(r"\bfor \([^;()]*[^:]:\s*\{"), ["initializer_list"]),
    ("<=>", re.compile(r"<=>"), ["compare"]),
    ("", re.compile(r"\btypeid\b"), ["typeinfo"]),
    ("", re.compile(r"\berrno\b"), ["cerrno", "errno.h"]),
    ("", re.compile(r"\bassert(?=\()"), ["cassert"]),
    ("", re.compile(r"\bU?INT_(MAX|MIN)\b"), ["climits", "limits.h"]),
    ("", re.compile(r"\bU?INT\d+_(MAX|MIN)\b"), ["cstdint", "stdint.h"]),
    ("", re.compile(r"\b(INFINITY|NAN)\b"), ["cmath", "math.h"]),
]


def read_table():
    table = {}
    for row in re.split(r"\n(?=\w)", DECLARED_IN.strip()):
        headers, names = row.split(":")
        for name in names.split():
            table.setdefault(name, []).extend(headers.split())
    return table


TABLE = read_table()
BROUGHT_BY = {header: set(by.split()) for header, by in BRINGS.items()}


def source_files():
    found = [p for folder in FOLDERS for p in (ROOT / folder).rglob("*") if p.suffix in (".h", ".cpp", ".cu")]
    return sorted(found)


@cache
def text_of(path):
    return path.read_text()


@cache
def roots():
    """Where our include paths begin: src, the folders of the benchmarks and of the tests that share headers."""
    return [SRC, ROOT / "bench", *sorted(p for p in (ROOT / "tests").glob("*") if p.is_dir())]


@cache
def file_at(path):
    return path if path.exists() else None


@cache
def under_roots(target):
    return next((found for root in roots() if (found := file_at(root / target))), None)


def included_file(path, target):
    return file_at(path.parent / target) or under_roots(target)


@cache
def headers_of(path):
    """The standard headers that a file includes, itself or through our own headers."""
    headers, waiting, seen = set(), [path], set()
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        for kind, target in INCLUDE.findall(text_of(file)):
            ours = included_file(file, target) if kind == '"' or target.endswith(".h") else None
            if ours:
                waiting.append(ours)
            else:
                headers.add(target)
    for header, by in BROUGHT_BY.items():
        if headers & by:
            headers.add(header)
    return headers


def uses(path):
    """(line, what is written, the headers of which one is needed)"""
    blank = STRING.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text_of(path))
    found = [(use, f"std::{use[1]}", TABLE.get(use[1])) for use in QUALIFIED.finditer(blank)]
    for written, pattern, headers in UNQUALIFIED:
        found += [(use, written or use[0], headers) for use in pattern.finditer(blank)]
    return [(blank.count("\n", 0, use.start()) + 1, written, headers) for use, written, headers in found]


def missing_in(path):
    """{header: (line, what is written)}, the first use that needs each."""
    missing = {}
    for line, written, headers in uses(path):
        if headers is None:
            print(f"{path.relative_to(ROOT)}:{line}: tools/check_includes.py does not know {written}: add it to the table")
            missing.setdefault("", (line, written))
        elif not headers_of(path).intersection(headers):
            missing.setdefault(headers[0], (line, written))
    return {header: use for header, use in missing.items() if header}, len(missing)


def add(path, headers):
    """Writes the includes into the block of standard headers, in order."""
    lines = path.read_text().split("\n")
    block = [i for i, line in enumerate(lines) if re.match(r"#include <[a-z_0-9]+>", line)]
    if not block:
        quoted = [i for i, line in enumerate(lines) if line.startswith("#include") or line.startswith("#pragma once")]
        at = quoted[0] + 1
        new = ["", *(f"#include <{h}>" for h in sorted(headers))]
        if lines[at].strip():
            new.append("")
        lines[at:at] = new
    else:
        first = block[0]
        last = first
        while last + 1 in block:
            last += 1
        merged = sorted({*lines[first : last + 1], *(f"#include <{h}>" for h in headers)})
        lines[first : last + 1] = merged
    path.write_text("\n".join(lines))


def main():
    fix, count = "--fix" in sys.argv, 0
    for path in source_files():
        missing, breaks = missing_in(path)
        for header, (line, written) in sorted(missing.items(), key=lambda item: item[1]):
            print(f"{path.relative_to(ROOT)}:{line}: {written} needs <{header}>")
        if fix and missing:
            add(path, missing)
        count += breaks
    sys.exit(1 if count else 0)


main()
