// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <streambuf>
#include <string>

namespace tilewright::manual {

/// What std::cout writes to while it lives. Unlike the stream's own buffer it keeps the reason of the first
/// error, so that a program never ends with success where its output was lost.
class StandardOutput : public std::streambuf
{
public:
    StandardOutput();
    StandardOutput(const StandardOutput&) = delete;
    StandardOutput& operator=(const StandardOutput&) = delete;
    ~StandardOutput() override;

    /// Writes what is left. Prints an error of the whole output as "PROGRAM: standard output: reason" on
    /// stderr and returns 2, else `exitCode`. A closed pipe is no error, as for any program.
    [[nodiscard]] int finish(const std::string& program, int exitCode);
    /// True if something was lost that somebody waits for.
    [[nodiscard]] bool isLost();

protected:
    int overflow(int c) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;

private:
    std::array<char, 1 << 14> m_buffer{};
    std::streambuf* m_before;
    int m_error = 0;
    bool m_isTerminal = false;
};

} // namespace tilewright::manual
