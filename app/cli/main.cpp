// SPDX-License-Identifier: GPL-3.0-or-later
#include "command_line.h"

#include <iostream>

int main(int argc, char** argv)
{
    return tilewright::cli::runCommandLine(argc, argv, std::cout, std::cerr);
}
