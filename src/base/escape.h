// Texts of others in the languages that Cambium writes. Names, titles, paths and reasons come from
// files that somebody made, perhaps to harm whoever opens them: none may become code, markup, a
// further line or a command of the terminal. There is one function for each language, and every
// writer passes all that it did not make itself through the one of its language.
//
// In all of them what cannot be seen becomes letters, as base/utf8.h has it (\x1b, \u202e, \xff):
// the result is UTF-8 that shows everything. JSON has its own place (base/json.h), and so has the
// text form of models (model/text.h), which reads back what it wrote.
#pragma once

#include <string>
#include <string_view>

namespace cambium {

// A part of one line on a terminal, or in a text file.
std::string terminal_text(std::string_view text);
// Several lines of them: tabs and line ends stay.
std::string terminal_lines(std::string_view text);

// Inside elements and quoted attributes of HTML and SVG; tabs and line ends stay.
std::string html_text(std::string_view text);

// Inside a double-quoted label of Graphviz. Long ones lose their middle: a drawing has to fit
// somewhere.
std::string dot_text(std::string_view text);

// A part of one line of Markdown, a cell of a table too: plain text, whatever it holds.
std::string markdown_text(std::string_view text);

// Inside a docstring of Python between """; tabs and line ends stay.
std::string python_doc(std::string_view text);

// Inside a comment of C between /* and */, in one line.
std::string c_comment(std::string_view text);

// One word of a command line for a shell, quoted where it must be.
std::string shell_word(std::string_view text);

// An identifier of C and Python that reminds of the text, also the name of a file: letters and
// digits of ASCII and '_', at most 64, the first no digit. Where it would begin with a digit or
// have nothing in it, `prefix` stands before it. Different texts may give the same one
// (base/unique_names.h).
std::string identifier(std::string_view text, std::string_view prefix);

}  // namespace cambium
