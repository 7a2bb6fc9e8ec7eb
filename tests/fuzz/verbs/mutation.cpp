// SPDX-License-Identifier: GPL-3.0-or-later
#include "mutation.h"

#include <algorithm>
#include <cctype>

namespace tilewright::fuzz {

std::unique_ptr<Mutator> makeMutator(const std::string& format, const std::string& input)
{
    if (format == "topology" || format == "buffers")
        return makeTableMutator(input);
    if (format == "yaml" || format == "text")
        return makeLineMutator(input, format == "yaml");
    if (format == "onnx")
        return makeOnnxMutator(input);
    return makeJsonMutator(format, input);
}

std::string misspelt(std::string word, Random& random)
{
    if (word.empty())
        return "x";
    const std::string before = word;
    const std::size_t at = random.below(word.size());
    switch (random.below(5)) {
    case 0:
        word.insert(at, 1, word[at]);
        break;
    case 1:
        word.erase(at, 1);
        break;
    case 2:
        std::swap(word[at], word[random.below(word.size())]);
        break;
    case 3:
        word[at] = static_cast<char>(std::islower(static_cast<unsigned char>(word[at])) != 0
                                         ? std::toupper(static_cast<unsigned char>(word[at]))
                                         : std::tolower(static_cast<unsigned char>(word[at])));
        break;
    default:
        std::replace(word.begin(), word.end(), '_', '-');
    }
    return word == before || word.empty() ? before + "s" : word;
}

std::string foreignText(Random& random)
{
    static const std::vector<std::string> kTexts{
        "Schicht_\xe4",
        "\xff\xfes\0c\0h\0",
        "cut \xe2\x82",
        "\xed\xa0\x80",
        "\xc0\xaf",
        "\x1b[31mred\x1b]0;title\x07",
        "line\ntotal 1",
        "tab\there",
        "<img src=file:///etc/passwd><b>bold</b>",
        "=1+1",
        "\xe2\x80\xae"
        "evil",
        "\x7f\x08\x08",
        "\xc2\x9b"
        "31m",
        "\xef\xbf\xbe",
        "\xf0\x9f\x92\xa9",
        "",
        " ",
        std::string(5000, 'x'),
    };
    return random.any(kTexts);
}

std::string extremeNumber(Random& random)
{
    static const std::vector<std::string> kNumbers{"0",
                                                   "-1",
                                                   "-0",
                                                   "1e3",
                                                   "1.5",
                                                   "1e308",
                                                   "-1e308",
                                                   "1e-308",
                                                   "1e400",
                                                   "2147483647",
                                                   "2147483648",
                                                   "2147483649",
                                                   "4294967296",
                                                   "9007199254740993",
                                                   "9223372036854775807",
                                                   "9223372036854775808",
                                                   "-9223372036854775808",
                                                   "18446744073709551616",
                                                   "0.1",
                                                   "3.0",
                                                   "1000000007"};
    return random.any(kNumbers);
}

Mutation damaged(const std::string& input, Random& random)
{
    Mutation out{input, "", "", "", Owes::Nothing, false};
    std::string& text = out.input;
    const std::size_t at = random.below(text.size());
    switch (random.below(9)) {
    case 0:
        out.kind = "cut";
        text.resize(at);
        break;
    case 1:
        out.kind = "flipped";
        if (!text.empty())
            text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
        break;
    case 2:
        out.kind = "doubled";
        text += text;
        break;
    case 3:
        out.kind = "zeros";
        text.insert(at, std::string(1 + random.below(8), '\0'));
        break;
    case 4:
        out.kind = "bom";
        text.insert(0, "\xef\xbb\xbf");
        break;
    case 5: {
        out.kind = "utf-16";
        std::string wide = "\xff\xfe";
        for (const char c : text)
            wide += c, wide += '\0';
        text = wide;
        break;
    }
    case 6:
        out.kind = "spliced";
        text.insert(at, text.substr(random.below(text.size()), random.below(64)));
        break;
    case 7:
        out.kind = "erased";
        text.erase(at, 1 + random.below(16));
        break;
    default:
        out.kind = "empty";
        text = random.oneIn(2) ? "" : "\n";
        out.isBroken = true;
    }
    return out;
}

} // namespace tilewright::fuzz
