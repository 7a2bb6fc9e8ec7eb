// SPDX-License-Identifier: GPL-3.0-or-later
// tilewright-onnx-fixtures FOLDER [OPERATORS | malformed]: writes the fixtures, and a chain of so many
// operators; or the malformed files of the fuzzer's corpus.
#include "onnx_fixtures.h"

#include <cstdlib>
#include <fstream>
#include <iostream>

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::cerr << "usage: tilewright-onnx-fixtures FOLDER [OPERATORS | malformed]\n";
        return 2;
    }
    auto fixtures = tilewright::test::onnxFixtures();
    if (argc > 2 && std::string(argv[2]) == "malformed") {
        fixtures.clear();
        for (const auto& file : tilewright::test::malformedOnnx())
            fixtures.push_back({file.name, file.text});
    } else if (argc > 2)
        fixtures.push_back({"chain", tilewright::test::longChain(std::atoi(argv[2]))});
    for (const auto& [name, text] : fixtures) {
        std::ofstream out(std::string(argv[1]) + "/" + name + ".onnx", std::ios::binary);
        out << text;
        if (!out) {
            std::cerr << "cannot write into " << argv[1] << '\n';
            return 2;
        }
    }
    return 0;
}
