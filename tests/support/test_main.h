// SPDX-License-Identifier: GPL-3.0-or-later
// How a test class becomes a part of the executable of its folder, which holds several.
#pragma once

#include <QtTest>

#include <optional>

namespace tilewright::test_main {

using TestRun = int (*)(int argc, char** argv);
/// Answers a call that the test makes of its own executable; nothing when the arguments are those of Qt Test.
using ChildRun = std::optional<int> (*)(int argc, char** argv);

/// Adds the test of a source file, under the file's name without folder and suffix.
bool registerTest(const char* sourceFile, TestRun run, ChildRun child = nullptr);

template <typename Test> int runTest(int argc, char** argv)
{
    Test test;
    return QTest::qExec(&test, argc, argv);
}

} // namespace tilewright::test_main

/// At the end of a test_*.cpp, before its .moc: registers the class; a second argument is its ChildRun.
#define TILEWRIGHT_TEST(Class, ...)                                                                          \
    [[maybe_unused]] static const bool kRegistered##Class = tilewright::test_main::registerTest(             \
        __FILE__, &tilewright::test_main::runTest<Class> __VA_OPT__(, ) __VA_ARGS__);
