// SPDX-License-Identifier: GPL-3.0-or-later
// What the mutators of all formats share: what was done to an input, and what the program owes for it.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::fuzz {

/// What must follow where the program accepts the mutated input.
enum class Owes {
    Nothing,     ///< only what holds for every run
    Name,        ///< a message that names what is odd (`word`): nobody may believe it in silence
    NameIfWrong, ///< the same where isWrong() says so
    Effect,      ///< another answer, or a message, in at least one verb: else the field is without effect
    SameAnswer,  ///< the answer of the input as it was: only its form has changed
};

struct Mutation
{
    std::string input; ///< the mutated file, or nothing where `arguments` were mutated
    std::string kind;  ///< "misspelt-key"
    std::string path;  ///< "ops.n.inputs", without positions in lists
    std::string word;  ///< what a message would name: a key, a column
    Owes owes = Owes::Nothing;
    bool isBroken = false; ///< no reader can accept it, and the file itself must be named
};

/// Numbers of one execution, the same on every machine and for every length of a run.
class Random
{
public:
    Random(std::uint64_t seed, std::uint64_t execution) : m_engine(seed * 0x9e3779b97f4a7c15ULL + execution)
    {
    }

    std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(m_engine() % n); }
    bool oneIn(std::size_t n) { return below(n) == 0; }
    template <typename List> const auto& any(const List& list) { return list[below(std::size(list))]; }

private:
    std::mt19937_64 m_engine;
};

/// Mutates one file, given once as it is.
class Mutator
{
public:
    Mutator() = default;
    Mutator(const Mutator&) = delete;
    Mutator& operator=(const Mutator&) = delete;
    virtual ~Mutator() = default;

    [[nodiscard]] virtual Mutation mutate(Random& random) const = 0;
    /// True where the format's description (a schema) says that this input is wrong.
    [[nodiscard]] virtual bool isWrong(const std::string&) const { return false; }
};

/// By the format of a command line in commands.txt: the name of a schema, or topology, buffers, yaml, onnx,
/// text.
[[nodiscard]] std::unique_ptr<Mutator> makeMutator(const std::string& format, const std::string& input);

// One each, behind makeMutator().
[[nodiscard]] std::unique_ptr<Mutator> makeJsonMutator(const std::string& schema, const std::string& input);
[[nodiscard]] std::unique_ptr<Mutator> makeTableMutator(const std::string& input);
[[nodiscard]] std::unique_ptr<Mutator> makeLineMutator(const std::string& input, bool isYaml);
[[nodiscard]] std::unique_ptr<Mutator> makeOnnxMutator(const std::string& input);

/// Words with one slip of the hand: a letter twice, left out, swapped, of the other case, a "-" for a "_".
[[nodiscard]] std::string misspelt(std::string word, Random& random);
/// Bytes as they come from other programs: Latin-1, UTF-16, cut sequences, escapes of terminals, markup.
[[nodiscard]] std::string foreignText(Random& random);
/// Numbers that are at or behind the end of some type or reader.
[[nodiscard]] std::string extremeNumber(Random& random);
/// Damage to the bytes of any file: cut, flipped, doubled, with zeros, with another encoding's mark.
[[nodiscard]] Mutation damaged(const std::string& input, Random& random);

} // namespace tilewright::fuzz
