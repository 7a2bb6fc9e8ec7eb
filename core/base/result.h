// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace tilewright {

enum class ErrorCode {
    Io,       ///< a file cannot be read or written
    Syntax,   ///< not JSON, or beyond the limits of size and nesting
    Field,    ///< a field is missing or has the wrong type or value
    Problem,  ///< well-formed, but not a legal problem, layer, model, ...
    Refused,  ///< an edit or request that the rules do not allow
    Missing,  ///< readable, but with parts that the program cannot compute (--strict)
    Internal, ///< an internal error of the program
};

/// Reason why an input or a request was not accepted. `text()` returns the sentence for the user.
struct Error
{
    ErrorCode code = ErrorCode::Field;
    std::string message; ///< the reason, without a full stop
    std::string path;    ///< position in the document as a JSON path ("inputs[3][0]"); may be empty
    std::string file;    ///< name of the file; may be empty

    [[nodiscard]] std::string text() const
    {
        std::string out;
        for (const std::string* part : {&file, &path})
            if (!part->empty())
                out += *part + ": ";
        return out + message;
    }
    bool operator==(const Error&) const = default;
};

/// Returns an error about the content of a problem, layer or machine; `path` as in Error.
[[nodiscard]] inline Error problemError(std::string path, std::string message)
{
    return {ErrorCode::Problem, std::move(message), std::move(path), {}};
}

/// A value or an Error; like std::expected (C++23).
template <typename T> class [[nodiscard]] Result
{
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    [[nodiscard]] bool hasValue() const noexcept { return m_state.index() == 0; }
    explicit operator bool() const noexcept { return hasValue(); }

    [[nodiscard]] T& value() &
    {
        assert(hasValue());
        return *std::get_if<0>(&m_state);
    }
    [[nodiscard]] const T& value() const&
    {
        assert(hasValue());
        return *std::get_if<0>(&m_state);
    }
    [[nodiscard]] T value() &&
    {
        assert(hasValue());
        return std::move(*std::get_if<0>(&m_state));
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    [[nodiscard]] const Error& error() const&
    {
        assert(!hasValue());
        return *std::get_if<1>(&m_state);
    }

private:
    std::variant<T, Error> m_state;
};

struct Unit
{
    bool operator==(const Unit&) const = default;
};
/// Result of a function without a value: success or an Error.
using Status = Result<Unit>;

} // namespace tilewright
