// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "edit/fit.h"
#include "schedule/schedule_json.h"
#include "test_main.h"
#include "window/app_state.h"
#include "workload/generate.h"
#include "workload/problem_json.h"
#include "workspace/schedule_edits.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <random>

namespace test_document {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

QString dataFile(const char* name)
{
    return QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/oracles/schedule/examples/") +
           QLatin1String(name);
}

/// One random edit of any kind; refusals are part of the game.
void randomEdit(AppState& state, std::mt19937& random)
{
    Document& d = state.document;
    Selection& s = state.selection;
    const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    const std::size_t n = d.schedule().size();
    if (n == 0) {
        d.apply(edit::coverMissing(*d.problem(), d.schedule()), QStringLiteral("cover"));
        return;
    }
    const SubgraphId a(pick(n));
    const SubgraphId b(pick(n));
    SelectionState selected;
    selected.subgraph = a;
    selected.subgraphs = {a};
    if (pick(2))
        selected.subgraphs.insert(b);
    if (pick(3) == 0) {
        const auto& ops = d.schedule()[a].ops;
        selected.subgraphs = {a};
        selected.ops = {ops[pick(ops.size())]};
    }
    s.set(selected);
    switch (pick(11)) {
    case 0:
        fuseSelection(d, s);
        break;
    case 1:
        splitSelection(d, s);
        break;
    case 2:
        mergeSelectionWith(d, s, pick(2) ? 1 : -1);
        break;
    case 3:
        moveSelectionTo(d, s, pick(2) ? 1 : -1);
        break;
    case 4:
        shiftSelection(d, s, pick(2) ? 1 : -1);
        break;
    case 5:
        duplicateSelection(d, s);
        break;
    case 6:
        deleteSelection(d, s);
        break;
    case 7: {
        const std::array<std::int64_t, 6> sizes{16, 32, 64, 100, 128, 7};
        d.apply(edit::setGranularity(*d.problem(), d.schedule(), std::array{a},
                                     {sizes[pick(6)], sizes[pick(6)], sizes[pick(6)]},
                                     editOptions(d.rules(), true)),
                QStringLiteral("granularity"));
        break;
    }
    case 8: {
        const auto candidates = retainCandidates(*d.problem(), d.schedule(), a);
        if (!candidates.empty())
            d.apply(
                edit::toggleRetain(*d.problem(), d.schedule(), a, candidates[pick(candidates.size())].tensor),
                QStringLiteral("retain"));
        break;
    }
    case 9:
        setTraversalOfSelection(d, s, static_cast<TraversalKind>(pick(5)));
        break;
    case 10: {
        OpDrop drop;
        drop.ops = {OpId(pick(d.problem()->opCount()))};
        if (pick(3))
            drop.to = b;
        drop.recompute = pick(2);
        applyDrop(d, s, drop);
        break;
    }
    }
}

} // namespace

class TestDocument : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void opensProblemAndSchedule()
    {
        AppState state;
        QVERIFY(state.document.openFile(dataFile("ex5.problem.json")));
        QCOMPARE(state.document.schedule().size(), 2u);
        QVERIFY(state.document.snapshot()->evaluation.valid());
        QVERIFY(state.document.openFile(dataFile("ex5B.solution.json")));
        QCOMPARE(state.document.schedule().size(), 1u);
        QCOMPARE(state.document.snapshot()->evaluation.total, 6915.2);
        QVERIFY(!state.document.isModified());
    }
    void badFilesGiveOneSentenceAndLoseNothing()
    {
        AppState state;
        QVERIFY(state.document.openFile(dataFile("ex5.problem.json")));
        const Schedule before = state.document.schedule();
        QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("broken.json"));
        QVERIFY(writeFileAtomically(path.toStdString(), "{\"op_types\": [1,"));
        const Status opened = state.document.openFile(path);
        QVERIFY(!opened);
        QVERIFY(QString::fromStdString(opened.error().text()).contains(QStringLiteral("broken.json")));
        QVERIFY(state.document.schedule() == before);
        const Status missing = state.document.openFile(dir.filePath(QStringLiteral("none.json")));
        QVERIFY(!missing);
    }
    /// A difference to what has no latency is none.
    void whatCannotRunIsNoBaseline()
    {
        AppState state;
        Document& document = state.document;
        QVERIFY(document.openFile(dataFile("ex5.problem.json")));
        document.pinBaseline();
        QCOMPARE(document.baselines().size(), 1U);
        QVERIFY(document.openFile(dataFile("ex5A.solution.json"))); // out of memory
        QVERIFY(!document.snapshot()->evaluation.valid());
        const QSignalSpy refused(&document, &Document::refused);
        document.pinBaseline();
        QCOMPARE(refused.count(), 1);
        QCOMPARE(document.baselines().size(), 1U);
        QVERIFY(document.baseline()->evaluation.valid());
    }
    /// Two values set one after the other are two steps, of which each can be had back.
    void aPauseIsTheEndOfAnUndoStep()
    {
        AppState state;
        Document& document = state.document;
        QVERIFY(document.openFile(dataFile("ex5.problem.json")));
        const auto tile = [&document](std::int64_t h) {
            Schedule next = document.schedule();
            Subgraph s = *next.subgraphs[0];
            s.granularity.h = h;
            next.subgraphs[0] = std::make_shared<const Subgraph>(std::move(s));
            document.apply(std::move(next), QStringLiteral("h"), QStringLiteral("h"));
        };
        tile(64);
        tile(32); // the wheel goes on
        QCOMPARE(document.undoStack().count(), 1);
        QTest::qWait(1600);
        tile(16);
        QCOMPARE(document.undoStack().count(), 2);
        document.undoStack().undo();
        QCOMPARE(document.schedule().subgraphs[0]->granularity.h, 32);
    }
    /// Issue "Explorer", must show 2.
    /// The figures of a schedule are those of its machine; one edit takes both, and one undo step gives both
    /// back.
    void theReadablePartStandsOnItsMachine()
    {
        AppState state;
        const QString block = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json");
        QVERIFY(state.document.setMachine(*machinePreset("server"), {}));
        QVERIFY(state.document.openFile(block));
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("broken.json"));
        std::string text = *state.document.fileText();
        const std::size_t at = text.find("\"machine\"");
        QVERIFY(at != std::string::npos);
        // An op in a subgraph that does not exist.
        const std::size_t order = text.find("\"subgraphs\"");
        QVERIFY(order != std::string::npos);
        const std::size_t digit = text.find_first_of("0123456789", order);
        text.insert(digit, "99999999, ");
        QVERIFY(writeFileAtomically(path.toStdString(), text));
        QVERIFY(state.document.setMachine(*machinePreset("edge"), QStringLiteral("edge")));
        QVERIFY(!state.document.openSchedule(path));
        QVERIFY(state.document.openReadablePart(path));
        QCOMPARE(state.document.machine()->name, std::string("server"));
        QCOMPARE(state.document.snapshot()->problem, state.document.problem());
        QVERIFY(state.document.snapshot()->evaluation.total > 0);
        state.document.undoStack().undo();
        QCOMPARE(state.document.machine()->name, std::string("edge"));
    }

    void undoAndRedoOf500EditsReturnTheIdenticalDocument()
    {
        GenerateOptions options;
        options.layers = 1;
        options.rows = 256;
        AppState state;
        const auto problem = generateWorkload(options);
        QVERIFY2(problem.hasValue(), problem ? "" : problem.error().text().c_str());
        state.document.setProblem(*problem, oneOpPerSubgraph(**problem));
        std::mt19937 random(7);
        struct State
        {
            Schedule schedule;
            double total;
            bool valid;
        };
        std::vector<State> states;
        const auto remember = [&] {
            state.document.evaluateNow();
            const Evaluation& e = state.document.snapshot()->evaluation;
            states.push_back({state.document.schedule(), e.total, e.valid()});
        };
        remember();
        int edits = 0;
        while (edits < 500) {
            const int before = state.document.undoStack().index();
            randomEdit(state, random);
            if (state.document.undoStack().index() == before)
                continue;
            ++edits;
            remember();
            // What is shown is what the command line says of the saved file.
            const auto text = writeSchedule(*state.document.problem(), state.document.schedule());
            QVERIFY(text.hasValue());
            const auto read = readSchedule(*state.document.problem(), *text, "saved");
            QVERIFY2(read.hasValue(), read ? "" : read.error().text().c_str());
            QVERIFY(read->formatIssues.empty());
            const Evaluation again =
                evaluate(*state.document.problem(), read->schedule, state.document.rules());
            QCOMPARE(again.total, states.back().total);
            QCOMPARE(again.valid(), states.back().valid);
        }
        for (int direction : {-1, 1})
            for (int i = 0; i < 500; ++i) {
                direction < 0 ? state.document.undoStack().undo() : state.document.undoStack().redo();
                state.document.evaluateNow();
                const State& expected = states[static_cast<std::size_t>(direction < 0 ? 499 - i : i + 1)];
                QVERIFY(state.document.schedule() == expected.schedule);
                QCOMPARE(state.document.snapshot()->evaluation.total, expected.total);
            }
    }
    void editsWithOneMergeKeyAreOneUndoStep()
    {
        AppState state;
        QVERIFY(state.document.openFile(dataFile("ex4.problem.json")));
        const Schedule before = state.document.schedule();
        for (const std::int64_t w : {8, 16, 32})
            state.document.apply(edit::setGranularity(*state.document.problem(), state.document.schedule(),
                                                      std::array{SubgraphId(0)}, {w, 64, 128}),
                                 QStringLiteral("drag"), QStringLiteral("drag"));
        QCOMPARE(state.document.undoStack().count(), 1);
        state.document.undoStack().undo();
        QVERIFY(state.document.schedule() == before);
    }
    void refusedEditsSayWhy()
    {
        AppState state;
        QVERIFY(state.document.openFile(dataFile("ex5.problem.json")));
        QSignalSpy refused(&state.document, &Document::refused);
        state.selection.selectSubgraph(SubgraphId(0));
        QVERIFY(!fuseSelection(state.document, state.selection));
        QCOMPARE(refused.count(), 1);
        QVERIFY(!refused.first().first().toString().isEmpty());
    }
    void savedFilesReadBackEqualAndTheStateIsClean()
    {
        AppState state;
        QTemporaryDir dir;
        QVERIFY(state.document.openFile(dataFile("ex3.problem.json")));
        state.selection.selectOps({OpId(1), OpId(2)});
        QVERIFY(fuseSelection(state.document, state.selection));
        QVERIFY(state.document.isModified());
        const QString path = dir.filePath(QStringLiteral("s.json"));
        QVERIFY(state.document.save(path));
        QVERIFY(!state.document.isModified());
        const auto loaded = loadSchedule(*state.document.problem(), path.toStdString());
        QVERIFY(loaded.hasValue());
        QCOMPARE(loaded->schedule.size(), state.document.schedule().size());
        QVERIFY(!state.document.save(dir.filePath(QStringLiteral("no/such/folder/s.json"))));
    }
    void recoveryBringsTheEditsBack()
    {
        QTemporaryDir dir;
        AppState state;
        QVERIFY(state.document.openFile(dataFile("ex3.problem.json")));
        state.selection.selectOps({OpId(1), OpId(2)});
        QVERIFY(fuseSelection(state.document, state.selection));
        const Schedule edited = state.document.schedule();
        const auto copy = state.document.recoveryCopy();
        QVERIFY(copy.hasValue());
        AppState next;
        QVERIFY(next.document.recover(*copy));
        QCOMPARE(next.document.schedule().size(), edited.size());
        QVERIFY(next.document.schedule().subgraphs.back()->ops == edited.subgraphs.back()->ops);
        QCOMPARE(next.document.problemPath(), dataFile("ex3.problem.json"));
        QVERIFY(next.document.isModified());
    }
    /// What a crash or a person left in the recovery folder never costs what is open.
    void brokenRecoveryIsRefused()
    {
        AppState state;
        QVERIFY(state.document.openFile(dataFile("ex3.problem.json")));
        state.selection.selectOps({OpId(1), OpId(2)});
        QVERIFY(fuseSelection(state.document, state.selection));
        const ProblemPtr problem = state.document.problem();
        const Schedule schedule = state.document.schedule();
        const QJsonObject good = *state.document.recoveryCopy();
        const QString text = good[QStringLiteral("text")].toString();
        const QString problemText = good[QStringLiteral("problem")].toString();
        struct Case
        {
            const char* what;
            QString problem, schedule;
        };
        std::vector<Case> cases{
            {"no problem", {}, text},
            {"problem twice", problemText + problemText, text},
            {"binary problem", QString::fromLatin1(QByteArray("\0\1\xff", 3)), text},
            {"problem that is a schedule", text, text},
            {"empty schedule", problemText, {}},
            {"schedule that is none", problemText, QStringLiteral("{\"a\": 1}")},
            {"binary schedule", problemText, QString::fromLatin1(QByteArray("\x00\xff\xfe{", 4))},
            {"op that is not there", problemText,
             QStringLiteral(R"({"subgraphs":[[99]],"granularities":[[1,1,1]]})")},
        };
        for (const qsizetype length : {text.size() / 4, text.size() / 2, text.size() - 3})
            cases.push_back({"schedule cut short", problemText, text.left(length)});
        for (const Case& c : cases) {
            QJsonObject copy = good;
            copy[QStringLiteral("problem")] = c.problem;
            copy[QStringLiteral("text")] = c.schedule;
            const Status restored = state.document.recover(copy);
            QVERIFY2(!restored, c.what);
            QVERIFY2(!restored.error().message.empty(), c.what);
            QVERIFY2(state.document.problem() == problem && state.document.schedule() == schedule, c.what);
        }
    }
    void backgroundEvaluationDeliversTheLatestState()
    {
        AppState state;
        QVERIFY(state.document.openFile(dataFile("ex4.problem.json")));
        int published = 0;
        state.document.whenChanged(this, Part::Snapshot, [&] { ++published; });
        for (const std::int64_t w : {8, 16, 32, 64})
            state.document.apply(edit::setGranularity(*state.document.problem(), state.document.schedule(),
                                                      std::array{SubgraphId(0)}, {w, 64, 128}),
                                 QStringLiteral("w"));
        state.document.waitForSnapshot();
        QVERIFY(published >= 1);
        const Evaluation direct =
            evaluate(*state.document.problem(), state.document.schedule(), state.document.rules());
        QCOMPARE(state.document.snapshot()->evaluation.total, direct.total);
    }
    void trialsDoNotTouchTheDocument()
    {
        AppState state;
        QVERIFY(state.document.openFile(dataFile("ex3.problem.json")));
        const double before = state.document.snapshot()->evaluation.total;
        const auto fused =
            edit::fuseOps(*state.document.problem(), state.document.schedule(), std::array{OpId(1), OpId(2)});
        QVERIFY(fused.hasValue());
        SnapshotPtr trial;
        state.document.requestTrial(*fused, [&](SnapshotPtr s) { trial = s; });
        QTRY_VERIFY(trial != nullptr);
        QVERIFY(trial->evaluation.total < before);
        QCOMPARE(state.document.snapshot()->evaluation.total, before);
        QCOMPARE(state.document.undoStack().count(), 0);
    }
    void coloursOfNeighboursDifferAndStay()
    {
        AppState state;
        QVERIFY(state.document.openFile(dataFile("ex3.problem.json")));
        const auto before = state.document.colours();
        QVERIFY(before[0] != before[1] && before[1] != before[2] && before[0] != before[2]);
        state.selection.selectOps({OpId(1), OpId(2)});
        QVERIFY(fuseSelection(state.document, state.selection));
        QCOMPARE(state.document.colours()[0], before[0]);
    }

    // -- announcements and the selection

    void aChangeIsAnnouncedWhenTheUndoStackHasCountedIt()
    {
        AppState state;
        Document& document = state.document;
        QVERIFY(state.workspace.open(dataFile("ex3.problem.json")));
        const Schedule start = document.schedule();
        std::vector<bool> modified;
        document.whenChanged(this, Part::Steps, [&] { modified.push_back(document.isModified()); });
        state.selection.selectOps({OpId(1), OpId(2)});
        QVERIFY(fuseSelection(document, state.selection));
        document.undoStack().undo();
        document.undoStack().redo();
        document.newSchedule();
        document.undoStack().setIndex(0);
        QCOMPARE(modified, (std::vector<bool>{true, false, true, true, false}));
        QVERIFY(document.schedule() == start);
        disconnect(&document, nullptr, this, nullptr);
    }
    void anEditThatAnswersAnAnnouncementIsAStepOfItsOwn()
    {
        AppState state;
        Document& document = state.document;
        QVERIFY(state.workspace.open(dataFile("ex3.problem.json")));
        const Schedule start = document.schedule();
        bool once = false;
        document.whenChanged(this, Part::Steps, [&] {
            if (!std::exchange(once, true))
                document.newSchedule();
        });
        state.selection.selectOps({OpId(1), OpId(2)});
        (void)fuseSelection(document, state.selection);
        QCOMPARE(document.undoStack().count(), 2);
        QVERIFY(document.schedule() == start);
        document.undoStack().undo();
        QVERIFY(document.schedule() != start);
        document.undoStack().undo();
        QVERIFY(document.schedule() == start);
        document.undoStack().setIndex(2);
        QVERIFY(document.schedule() == start);
        disconnect(&document, nullptr, this, nullptr);
    }

    void theSelectionNamesOnlyWhatThereIs()
    {
        AppState state;
        QVERIFY(state.workspace.open(dataFile("ex3.problem.json")));
        state.selection.selectSubgraph(SubgraphId(2));
        QCOMPARE(state.selection.state().subgraph, std::optional(SubgraphId(2)));
        state.selection.selectSubgraph(SubgraphId(3)); // of an earlier schedule, in a picture that is behind
        QVERIFY(!state.selection.state().hasSubgraph());
        state.selection.selectOps({OpId(1), OpId(3)});
        QCOMPARE(state.selection.state().ops, std::set<OpId>{OpId(1)});
        state.selection.selectTensor(TensorId(4));
        QVERIFY(!state.selection.state().tensor);
    }
};

TILEWRIGHT_TEST(TestDocument)

} // namespace test_document
#include "test_document.moc"
