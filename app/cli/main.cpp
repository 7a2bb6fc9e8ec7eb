// SPDX-License-Identifier: GPL-3.0-or-later
#include "command_line.h"

#include "manual/standard_output.h"

#include <iostream>

int main(int argc, char** argv)
{
    tilewright::cli::endWithoutMemoryInWords();
    tilewright::manual::StandardOutput output; // before the first use of std::cout
    const int code = tilewright::cli::runCommandLine(argc, argv, std::cout, std::cerr);
    return output.finish("tilewright-cli", code);
}
