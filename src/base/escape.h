// Escapes foreign texts for the languages that Cambium writes. Names, titles, paths and reasons
// come from files that may be hostile. They must not become code, markup, another line or a
// terminal command. There is one function per language, and every writer passes foreign texts
// through it.
//
// All functions replace invisible characters by letters as base/utf8.h does (\x1b, \u202e, \xff),
// so the result is UTF-8 that shows everything. JSON (base/json.h) and the text form of models
// (model/text.h) escape texts themselves.
#pragma once

#include <string>
#include <string_view>

namespace cambium {

// Part of one line on a terminal or in a text file.
std::string terminal_text(std::string_view text);
// Several such lines: keeps tabs and line ends.
std::string terminal_lines(std::string_view text);

// Inside elements and quoted attributes of HTML and SVG. Keeps tabs and line ends.
std::string html_text(std::string_view text);

// Inside a double-quoted label of Graphviz. Long labels lose their middle, to keep drawings small.
std::string dot_text(std::string_view text);

// Part of one line of Markdown or of a table cell, shown as plain text.
std::string markdown_text(std::string_view text);

// Inside a Python docstring between """. Keeps tabs and line ends.
std::string python_doc(std::string_view text);

// Inside a C comment between /* and */, on one line.
std::string c_comment(std::string_view text);

// One word of a shell command, quoted if necessary.
std::string shell_word(std::string_view text);

// An identifier for C, Python and file names that resembles the text: at most 64 ASCII letters,
// digits and '_'. It starts with `prefix` if it would otherwise be empty or start with a digit.
// Different texts may give the same identifier (see base/unique_names.h).
std::string identifier(std::string_view text, std::string_view prefix);

}  // namespace cambium
