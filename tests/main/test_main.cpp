// SPDX-License-Identifier: GPL-3.0-or-later
// main() of an executable with the tests of one folder. The test is named by the link that was called
// (build/release/tests/test_latency) or by the first argument (tests-charts test_latency).
#include "test_main.h"

#include <cstdio>
#include <filesystem>
#include <map>
#include <string>

#ifdef TILEWRIGHT_TESTS_OF_WINDOW
#include <QApplication>
using Application = QApplication;
#else
using Application = QCoreApplication;
#endif

namespace {

struct RegisteredTest
{
    tilewright::test_main::TestRun run;
    tilewright::test_main::ChildRun child;
};

std::map<std::string, RegisteredTest>& tests()
{
    static std::map<std::string, RegisteredTest> all;
    return all;
}

std::string nameOf(const char* path)
{
    return std::filesystem::path(path).stem().string();
}

} // namespace

bool tilewright::test_main::registerTest(const char* sourceFile, TestRun run, ChildRun child)
{
    tests()[nameOf(sourceFile)] = {run, child};
    return true;
}

int main(int argc, char** argv)
{
    auto test = tests().find(nameOf(argv[0]));
    if (test == tests().end() && argc > 1) {
        test = tests().find(argv[1]);
        --argc;
        ++argv;
    }
    if (test == tests().end()) {
        std::fputs("name one of:\n", stderr);
        for (const auto& [name, unused] : tests())
            std::fprintf(stderr, "  %s\n", name.c_str());
        return 2;
    }
    Application app(argc, argv);
#ifdef TILEWRIGHT_TESTS_OF_WINDOW
    Application::setAttribute(Qt::AA_Use96Dpi, true);
    Application::setAttribute(Qt::AA_DontUseNativeDialogs, true);
#endif
    if (test->second.child) {
        if (const auto code = test->second.child(argc, argv))
            return *code;
    }
    return test->second.run(argc, argv);
}
