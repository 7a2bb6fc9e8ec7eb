// SPDX-License-Identifier: GPL-3.0-or-later
#include "manual/standard_output.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>

#include <fcntl.h>
#include <unistd.h>

namespace tilewright::manual {

StandardOutput::StandardOutput()
{
    // A standard descriptor that the caller has closed is opened on /dev/null. Otherwise the next opened file
    // would get its number.
    for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(file, F_GETFD) < 0)
            (void)!::open("/dev/null", file == STDERR_FILENO ? O_WRONLY : O_RDONLY);
    m_isTerminal = ::isatty(STDOUT_FILENO) != 0;
    setp(m_buffer.data(), m_buffer.data() + m_buffer.size());
    m_before = std::cout.rdbuf(this);
}

StandardOutput::~StandardOutput()
{
    StandardOutput::sync();
    std::cout.rdbuf(m_before);
}

int StandardOutput::sync()
{
    for (const char* at = pbase(); at < pptr() && m_error == 0;) {
        const ssize_t n = ::write(STDOUT_FILENO, at, static_cast<std::size_t>(pptr() - at));
        if (n > 0)
            at += n;
        else if (n == 0 || errno != EINTR)
            m_error = n == 0 ? EIO : errno;
    }
    setp(m_buffer.data(), m_buffer.data() + m_buffer.size());
    return m_error == 0 ? 0 : -1;
}

int StandardOutput::overflow(int c)
{
    if (sync() != 0)
        return traits_type::eof();
    if (c != traits_type::eof())
        sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
}

std::streamsize StandardOutput::xsputn(const char* text, std::streamsize size)
{
    const std::streamsize written = std::streambuf::xsputn(text, size);
    if (m_isTerminal && std::memchr(text, '\n', static_cast<std::size_t>(written)))
        sync();
    return written;
}

int StandardOutput::finish(const std::string& program, int exitCode)
{
    if (!isLost())
        return exitCode;
    std::cerr << program << ": standard output: " << std::strerror(m_error) << '\n';
    return 2;
}

bool StandardOutput::isLost()
{
    return sync() != 0 && m_error != EPIPE;
}

} // namespace tilewright::manual
