// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <streambuf>
#include <string>

namespace tilewright::manual {

/// Stream buffer that replaces the one of std::cout during its lifetime. It remembers the reason of the first
/// write error, so that a program whose output was lost does not report success.
class StandardOutput : public std::streambuf
{
public:
    StandardOutput();
    StandardOutput(const StandardOutput&) = delete;
    StandardOutput& operator=(const StandardOutput&) = delete;
    ~StandardOutput() override;

    /// Writes the buffered output. If any output failed, prints "PROGRAM: standard output: reason" on stderr
    /// and returns 2, otherwise returns `exitCode`. A closed pipe does not count as an error.
    [[nodiscard]] int finish(const std::string& program, int exitCode);
    /// True if output was lost for another reason than a closed pipe.
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
