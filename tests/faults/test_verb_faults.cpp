// SPDX-License-Identifier: GPL-3.0-or-later
// Every call of a verb to the system fails once: the n-th open, read, write, fsync, rename, mmap and
// allocation, for all n up to the last (TILEWRIGHT_FAULTS=all; else a sample). After each run an output is
// what it was before or what the verb writes without a fault, a failure has a message and exit code 2,
// nothing is left beside, and no process aborts. A run is a child of this process with the verb as a call, so
// that a thousand of them take some seconds.
#include "cli/command_line.h"
#include "faults_support.h"
#include "known_findings.h"
#include "test_main.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace test_verb_faults {

using namespace tilewright;
using namespace tilewright::test;
namespace fs = std::filesystem;

namespace {

using Files = std::map<std::string, std::string>;

struct Outcome
{
    int code = -1; ///< of the verb; -1: the process ended by a signal or an exception
    std::string how, out, err;
    long calls = 0;
    bool happened = false;
    Files files;
};

std::string contentOf(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

Files filesIn(const fs::path& folder)
{
    Files out;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && entry.path().parent_path().filename() != "log") // named by process
            out[fs::relative(entry.path(), folder).string()] = contentOf(entry.path());
    return out;
}

/// What a verb prints, in memory that is there before: as a terminal or a pipe, it needs no allocation.
class Printed : public std::streambuf
{
public:
    explicit Printed(std::size_t size) : m_text(size, '\0') { setp(m_text.data(), m_text.data() + size); }
    [[nodiscard]] std::string text() const { return {pbase(), pptr()}; }

private:
    std::string m_text;
};

std::string readAll(int pipe)
{
    std::string out;
    char buffer[4096];
    for (ssize_t n; (n = ::read(pipe, buffer, sizeof buffer)) > 0;)
        out.append(buffer, static_cast<std::size_t>(n));
    return out;
}

} // namespace

class TestVerbFaults : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    KnownFindings m_known{TILEWRIGHT_SOURCE_DIR "/tests/faults/known.txt"};
    long m_runs = 0, m_happened = 0;
    QStringList m_found;

    [[nodiscard]] fs::path folder() const { return m_dir.path().toStdString(); }

    /// One run in an empty folder with `before` in it.
    Outcome run(const std::vector<std::string>& words, const Files& before, TilewrightCall call, long n,
                int error, bool stays)
    {
        for (const auto& entry : fs::directory_iterator(folder()))
            fs::remove_all(entry.path());
        for (const auto& [name, content] : before)
            std::ofstream(folder() / name, std::ios::binary) << content;
        int ends[2];
        if (::pipe(ends) != 0)
            qFatal("no pipe");
        std::fflush(nullptr);
        const char* only = std::getenv("TILEWRIGHT_FAULT_ONLY"); // this n in this process, for a debugger
        const pid_t child = only && n == std::atol(only) ? 0 : ::fork();
        if (child == 0) {
            ::close(ends[0]);
            ::alarm(60);
            if (::chdir(folder().c_str()) != 0 ||
                ::dup2(ends[1], 2) < 0) // what the library prints before it aborts
                ::_exit(99);
            std::vector<std::string> copy = words;
            std::vector<char*> argv;
            for (std::string& word : copy)
                argv.push_back(word.data());
            argv.push_back(nullptr);
            for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL})
                std::signal(signal, SIG_DFL); // Qt Test calls a debugger
            Printed printed(std::size_t{1} << 20), said(std::size_t{1} << 16);
            std::ostream out(&printed), err(&said);
            int code = 98;
            cli::endWithoutMemoryInWords();
            try {
                tilewright_faults_arm(call, n, error, stays ? 1 : 0);
                code = cli::runCommandLine(static_cast<int>(copy.size()), argv.data(), out, err);
                tilewright_faults_disarm();
            } catch (const std::exception& e) {
                tilewright_faults_disarm();
                err << e.what();
            }
            const std::string all = std::to_string(tilewright_faults_disarm()) + ' ' +
                                    std::to_string(tilewright_faults_happened()) + '\n' +
                                    std::to_string(printed.text().size()) + '\n' + printed.text() +
                                    said.text();
            if (::write(ends[1], all.data(), all.size()) < 0)
                ::_exit(97);
            ::_exit(code);
        }
        ::close(ends[1]);
        const std::string all = readAll(ends[0]);
        ::close(ends[0]);
        int status = 0;
        ::waitpid(child, &status, 0);
        Outcome o;
        o.happened = true;
        if (WIFEXITED(status)) {
            std::istringstream in(all);
            std::size_t size = 0;
            if (in >> o.calls >> o.happened >> size) {
                in.get();
                o.out.resize(size);
                in.read(o.out.data(), static_cast<std::streamsize>(size));
                o.err.assign(std::istreambuf_iterator<char>(in), {});
            } else { // it has ended at once, with a message
                o.happened = true;
                o.err = all;
            }
            o.code = WEXITSTATUS(status);
        } else {
            o.how = "signal " + std::to_string(WTERMSIG(status));
            o.err = all;
        }
        o.files = filesIn(folder());
        return o;
    }

    void find(const std::string& what, const std::string& detail, long n)
    {
        if (!m_known.has(what))
            m_found << QString::fromStdString(what + " (n = " + std::to_string(n) +
                                              "): " + detail.substr(0, 300));
    }

    void judge(const std::string& verb, const Fault& fault, long n, const Outcome& o, const Outcome& usual,
               const Files& before)
    {
        const std::string what = verb + ' ' + fault.name + ": ";
        if (o.code == -1)
            return find(what + o.how, o.err, n);
        if (o.code > 2 && o.code != 130)
            return find(what + (o.code == 98 ? "exception" : "exit code " + std::to_string(o.code)), o.err,
                        n);
        const bool failed = o.code == 2;
        if (failed && o.err.empty())
            find(what + "no message", {}, n);
        if (!failed && o.out != usual.out)
            find(what + "another answer without a word", o.out, n);
        for (const auto& [name, content] : o.files) {
            const auto was = before.find(name);
            const auto is = usual.files.find(name);
            const bool isOld = was != before.end() && content == was->second;
            const bool isNew = is != usual.files.end() && content == is->second;
            const bool isRescued = failed && name.find(".rescued.") != std::string::npos &&
                                   o.err.find(name) != std::string::npos; // a result that the message names
            if (!isOld && !isNew && !isRescued)
                find(what + (is == usual.files.end() ? "left beside" : "neither old nor new"), name, n);
            else if (!failed && !isNew)
                find(what + "success without the file", name, n);
        }
        for (const auto& [name, content] : usual.files)
            if (!o.files.contains(name) && (before.contains(name) || !failed))
                find(what + (failed ? "the old file is gone" : "success without the file"), name, n);
    }

private Q_SLOTS:
    void init()
    {
        m_found.clear();
        tilewright_faults_folder(nullptr);
    }
    void cleanupTestCase() { qDebug("%ld runs, %ld faults", m_runs, m_happened); }

    void everyCallFailsOnce_data()
    {
        QTest::addColumn<QString>("line");
        const auto row = [](const char* name, const char* line) {
            QTest::newRow(name) << QString::fromLatin1(line);
        };
        row("info",
            "info @/samples/models/branches.onnx --compare @/samples/models/branches.onnx --dim rows=2 "
            "--csv d.csv");
        row("check",
            "check @/samples/schedule/example-3.json @/samples/schedule/example-3.c-keep.schedule.json");
        row("evaluate",
            "evaluate @/samples/schedule/example-4.json @/samples/schedule/example-4.b-snake.schedule.json "
            "--trace t.csv --report r.csv");
        row("evaluate-json", "evaluate @/samples/schedule/example-4.json "
                             "@/samples/schedule/example-4.b-snake.schedule.json --trace t.json --json");
        row("solve",
            "solve @/samples/schedule/example-1.json --seconds 9 --iterations 20 --threads 1 -o s.json");
        row("bound", "bound @/samples/schedule/example-5.json --json");
        row("place", "place @/tests/fuzz/verbs/seeds/buffers.csv --capacity 40 -o offsets.csv");
        row("run", "run @/samples/schedule/example-4.json @/samples/schedule/example-4.b-snake.schedule.json "
                   "--trace t.json --json");
        row("convert", "convert @/samples/models/branches.onnx --dim rows=2 --to problem -o p.json");
        row("generate", "generate mlp --layers 2 --rows 8 --width 8 --hidden 8 -o p.json");
        row("systolic",
            "systolic @/tests/fuzz/verbs/seeds/topology.csv --array 8x8 --csv t.csv --reports folder");
        row("systolic-traces", "systolic --gemm 12x10x8 --array 4x4 --address-traces folder");
        row("systolic-program", "systolic --gemm 12x10x8 --machine @/tests/fuzz/verbs/seeds/machine.json "
                                "--pipeline pipelined --trace t.json");
        row("tile", "tile @/tests/fuzz/verbs/seeds/gemms.csv --machine @/tests/fuzz/verbs/seeds/machine.json "
                    "--csv t.csv");
        row("npu", "npu @/samples/npu/kv_three_banks.json --graph g.json --trace t.json --csv o.csv");
        row("map",
            "map @/tests/fuzz/verbs/seeds/gemm.layer.json @/tests/fuzz/verbs/seeds/small.architecture.json "
            "--method @/tests/fuzz/verbs/seeds/gemm.method.json --csv c.csv --export timeloop folder");
        row("map-search",
            "map @/tests/fuzz/verbs/seeds/gemm.layer.json --quick --seconds 9 --threads 1 -o m.json");
        row("summary", "summary @/samples/models/small-conv.csv --machine "
                       "@/tests/fuzz/verbs/seeds/machine.json --csv s.csv");
        row("validate", "validate @/tests/fuzz/verbs/seeds/measured.csv --machine "
                        "@/tests/fuzz/verbs/seeds/machine.json --html v.html");
        row("fit", "fit @/tests/fuzz/verbs/seeds/measured.csv --machine "
                   "@/tests/fuzz/verbs/seeds/machine.json -o f.json");
        row("overlay", "overlay @/tests/fuzz/verbs/seeds/topology.csv @/tests/fuzz/verbs/seeds/values.csv "
                       "--machine @/tests/fuzz/verbs/seeds/machine.json --csv o.csv");
        row("traces", "traces @/tests/fuzz/verbs/seeds/profile.trace.json "
                      "@/tests/fuzz/verbs/seeds/profile.trace.json --csv t.csv");
        row("explain", "explain @/samples/models/small-conv.csv total_latency --what-if --machine "
                       "@/tests/fuzz/verbs/seeds/machine.json");
        row("tables", "tables @/samples/schedule/example-4.json "
                      "@/samples/schedule/example-4.b-snake.schedule.json --place -o t.sqlite");
        row("tables-query", "tables @/samples/schedule/example-1.json --query SELECT*FROM(steps) --json");
        row("sweep", "sweep @/tests/fuzz/verbs/seeds/sweep.plan.json --threads 1 -o folder");
    }
    void everyCallFailsOnce()
    {
        QFETCH(QString, line);
        std::vector<std::string> words{"tilewright-cli"};
        for (const QString& word : line.split(u' '))
            words.push_back(QString(word).replace(u'@', QStringLiteral(TILEWRIGHT_SOURCE_DIR)).toStdString());
        const std::string verb = words[1];
        Outcome usual = run(words, {}, TILEWRIGHT_OPEN, 0, 0, false);
        QVERIFY2(usual.code == 0, usual.err.c_str());
        const Outcome again = run(words, {}, TILEWRIGHT_OPEN, 0, 0, false);
        const bool isSteady = again.files == usual.files;
        Files before;
        for (const auto& [name, content] : usual.files)
            if (name.find('/') == std::string::npos)
                before[name] = "what was there\n";
        std::vector<Fault> faults = ioFaults();
#ifndef TILEWRIGHT_NO_MALLOC
        faults.push_back({TILEWRIGHT_MALLOC, ENOMEM, false, "malloc"});
#endif
        for (const Fault& fault : faults) {
            const long calls = run(words, before, fault.call, 0, 0, false).calls;
            for (const long n : faultsToTry(calls, fault.call == TILEWRIGHT_MALLOC ? 60 : 12)) {
                Outcome o = run(words, before, fault.call, n, fault.error, fault.stays);
                ++m_runs;
                m_happened += o.happened ? 1 : 0;
                if (again.out != usual.out) // it tells times
                    o.out = usual.out;
                for (auto& [name, content] : o.files)
                    if (!isSteady && !(before.contains(name) && content == before.at(name)) &&
                        !content.empty() && usual.files.contains(name))
                        content = usual.files[name];
                judge(verb, fault, n, o, usual, before);
            }
        }
        m_found.removeDuplicates();
        QVERIFY2(m_found.isEmpty(), qPrintable(m_found.mid(0, 40).join(u'\n')));
    }
};

TILEWRIGHT_TEST(TestVerbFaults)

} // namespace test_verb_faults
#include "test_verb_faults.moc"
