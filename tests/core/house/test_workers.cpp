// SPDX-License-Identifier: GPL-3.0-or-later
// The threads of one computation: what happens to their exceptions.
#include "base/workers.h"
#include "test_main.h"

#include <QtTest>

#include <atomic>
#include <stdexcept>
#include <string>

namespace test_workers {

using tilewright::Workers;
using namespace std::chrono_literals;

class TestWorkers : public QObject
{
    Q_OBJECT

    /// Waits until `flag` is set. The test ends by its time limit if it never is.
    static void waitFor(const std::atomic<bool>& flag)
    {
        while (!flag)
            std::this_thread::sleep_for(1ms);
    }

    template <class Start> static std::string messageOf(Start&& start)
    {
        try {
            std::atomic<bool> end = false;
            Workers workers([&end] { end = true; });
            start(workers, end);
            workers.join();
        } catch (const std::exception& e) {
            return e.what();
        }
        return "none";
    }

private Q_SLOTS:
    void anExceptionOfAThreadIsThrownByJoin()
    {
        QCOMPARE(
            messageOf([](Workers& w, std::atomic<bool>&) { w.start([] { throw std::runtime_error("x"); }); }),
            std::string("x"));
        QCOMPARE(
            messageOf([](Workers& w, std::atomic<bool>&) { w.run([] { throw std::runtime_error("y"); }); }),
            std::string("y"));
        QCOMPARE(messageOf([](Workers& w, std::atomic<bool>&) { w.start([] {}); }), std::string("none"));
    }

    void theOthersAreToldToEnd()
    {
        QCOMPARE(messageOf([](Workers& w, std::atomic<bool>& end) {
                     w.start([&end] {
                         waitFor(end);
                         throw std::runtime_error("second");
                     });
                     w.start([] { throw std::runtime_error("first"); });
                 }),
                 std::string("first"));
    }

    void anExceptionOfTheOwnerEndsTheThreads()
    {
        QCOMPARE(messageOf([](Workers& w, std::atomic<bool>& end) {
                     w.start([&end] { waitFor(end); });
                     throw std::runtime_error("owner");
                 }),
                 std::string("owner"));
    }

    void waitingTellsWhetherAllHaveEnded()
    {
        std::atomic<bool> go = false;
        Workers workers([&go] { go = true; });
        QVERIFY(workers.waitFor(0ms));
        workers.start([&go] { waitFor(go); });
        QVERIFY(!workers.waitFor(1ms));
        go = true;
        while (!workers.waitFor(10ms))
            ;
        workers.join();
    }
};

TILEWRIGHT_TEST(TestWorkers)

} // namespace test_workers
#include "test_workers.moc"
