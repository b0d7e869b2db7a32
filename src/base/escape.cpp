#include "base/escape.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/utf8.h"

namespace cambium {

namespace {

constexpr std::size_t kLongestLabel = 200;      // characters, in a drawing
constexpr std::size_t kLongestIdentifier = 64;  // file systems take 255 bytes, with endings

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_one_of(char c, std::string_view all) {
  return all.find(c) != std::string_view::npos;
}

// Each character: as letters where nobody would see it and `kept` does not name it, as
// `write(out, c)` puts it where it is ASCII, otherwise as it is.
template <class Write>
std::string each_character(std::string_view text, std::string_view kept, const Write& write) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  while (!text.empty()) {
    const Character next = first_character(text);
    text.remove_prefix(next.bytes.size());
    const char c = next.bytes[0];
    if (is_invisible(next) && !(next.is_valid && is_one_of(c, kept))) {
      for (const char letter : visible(next)) write(out, letter);
    } else if (next.bytes.size() > 1) {
      out += next.bytes;
    } else {
      write(out, c);
    }
  }
  return out;
}

void as_it_is(std::string& out, char c) {
  out += c;
}

// `backslashed` ones get a backslash.
auto with_backslash(std::string_view backslashed) {
  return [backslashed](std::string& out, char c) {
    if (is_one_of(c, backslashed)) out += '\\';
    out += c;
  };
}

void as_html(std::string& out, char c) {
  switch (c) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += "&quot;"; break;
    case '\'': out += "&#39;"; break;
    default: out += c;
  }
}

}  // namespace

std::string terminal_text(std::string_view text) {
  return each_character(text, "", as_it_is);
}

std::string terminal_lines(std::string_view text) {
  return each_character(text, "\n\t", as_it_is);
}

std::string html_text(std::string_view text) {
  return each_character(text, "\n\t", as_html);
}

std::string dot_text(std::string_view text) {
  // Graphviz reads entities of HTML in labels, and \N, \G, \l after a backslash.
  return each_character(shortened(text, kLongestLabel), "", [](std::string& out, char c) {
    if (c == '&') {
      out += "&amp;";
    } else {
      with_backslash("\"\\")(out, c);
    }
  });
}

std::string markdown_text(std::string_view text) {
  return each_character(text, "", [](std::string& out, char c) {
    const bool after_www = out.ends_with("www") || out.ends_with("WWW");
    if (is_one_of(c, "&<>\"'")) {
      as_html(out, c);
    } else if (c == ':' || c == '@' || (c == '.' && after_www)) {
      out += fmt::format("&#{};", static_cast<int>(c));  // addresses become links by themselves
    } else {
      with_backslash("\\`*_{}[]()#+-!|~$^=")(out, c);
    }
  });
}

std::string python_doc(std::string_view text) {
  return each_character(text, "\n\t", with_backslash("\\\""));
}

std::string c_comment(std::string_view text) {
  // A blank goes into whatever ends or begins a comment or continues a line: "*/", "/*", a
  // backslash at the end, and the trigraph of one.
  std::string out = each_character(text, "", [](std::string& so_far, char c) {
    const char last = so_far.empty() ? '/' : so_far.back();
    const bool is_risky = (last == '*' && c == '/') || (last == '/' && c == '*') ||
                          (last == '?' && c == '?') || (so_far.empty() && c == '/');
    if (is_risky) so_far += ' ';
    so_far += c;
  });
  if (!out.empty() && is_one_of(out.back(), "*\\/")) out += ' ';
  return out;
}

std::string shell_word(std::string_view text) {
  const bool is_plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter_or_digit(c) || is_one_of(c, "-_./:=,+@%");
  });
  if (is_plain) return std::string(text);
  std::string bytes;  // of what nobody would see, in the form that shells read back
  bool has_invisible = false;
  for (std::string_view rest = text; !rest.empty();) {
    const Character next = first_character(rest);
    rest.remove_prefix(next.bytes.size());
    has_invisible |= is_invisible(next);
    for (const char c : next.bytes) {
      if (is_invisible(next)) {
        bytes += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
      } else {
        with_backslash("\\'")(bytes, c);
      }
    }
  }
  if (has_invisible) return "$'" + bytes + "'";
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string identifier(std::string_view text, std::string_view prefix) {
  std::string out;
  const bool needs_prefix = text.empty() || (text[0] >= '0' && text[0] <= '9');
  if (needs_prefix) out = prefix;
  for (const char c : text.substr(0, kLongestIdentifier - out.size())) {
    out += is_letter_or_digit(c) ? c : '_';
  }
  return out;
}

}  // namespace cambium
