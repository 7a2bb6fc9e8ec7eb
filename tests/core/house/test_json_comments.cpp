// SPDX-License-Identifier: GPL-3.0-or-later
// Comments in JSON files: read over by every reader, told once, not written.
#include "base/file.h"
#include "base/json_comments.h"
#include "base/json_document.h"
#include "base/json_place.h"
#include "base/notice.h"
#include "mapping/files.h"
#include "model/file_kind.h"
#include "schedule/schedule_json.h"
#include "test_main.h"
#include "workload/problem_json.h"

#include <QtTest>

#include <filesystem>

namespace test_json_comments {

using namespace tilewright;

namespace {

/// (No raw strings: moc takes the comments in them for its own.) A chain of two MatMuls as people write it
/// down, with every form of comment and words that are none.
const std::string kProblem = "// \"subgraphs\": a chain of two\n"
                             "{\n"
                             "  \"widths\": [128,128,128,128,128], /* columns, \"op_types\" [ */\n"
                             "  \"heights\": [128,128,128,128,128],\n"
                             "  \"inputs\": [[0,1], [3,2]], // Op0 uses 0&1. Op1 uses 3(result of Op0) & 2.\n"
                             "  \"outputs\": [[3], [4]], /* two\n"
                             "  lines { */\n"
                             "  \"base_costs\": [2000, 2000],\n"
                             "  \"op_names\": [\"http://a\", \"\\\"/*b*/\"],\n"
                             "  \"op_types\": [\"MatMul\", \"MatMul\"],\n"
                             "  \"fast_memory_capacity\": 45000,\n"
                             "  \"slow_memory_bandwidth\": 10,\n"
                             "  \"native_granularity\": [128, 128]\n"
                             "}\n"
                             "// the end";

const std::string kSchedule = "{\n"
                              "  \"subgraphs\": [\n"
                              "    [0, 1] // Step 1: both\n"
                              "  ],\n"
                              "  \"granularities\": [\n"
                              "    [128, 128, 8] // 128 rows\n"
                              "  ],\n"
                              "  \"tensors_to_retain\": [ // REQUIRED\n"
                              "    [] /* none */\n"
                              "  ]\n"
                              "}";

/// Sentences that notice() tells while `f` runs.
template <typename F> QStringList toldBy(const F& f)
{
    QStringList told;
    setNoticeHandler([&](const Error& what) { told << QString::fromStdString(what.text()); });
    f();
    setNoticeHandler({});
    return told;
}

QString fault(std::string_view text)
{
    const auto read = parseJson(text, "f");
    return QString::fromStdString(read ? "accepted" : read.error().text());
}

/// The blocks of a source document that are marked as JSON.
QStringList blocksOf(const std::string& file)
{
    const auto text = readFile(file);
    QStringList out;
    if (text) {
        const QStringList parts = QString::fromStdString(*text).split(QStringLiteral("```"));
        for (const QString& part : parts)
            if (part.startsWith(QLatin1String("json\n")))
                out << part.mid(5);
    }
    return out;
}

} // namespace

class TestJsonComments : public QObject
{
    Q_OBJECT

private slots:
    void commentsAreReadOver()
    {
        QCOMPARE(parseJson("/* a */ [1, // b ]\n 2 /* c */, \"//\", \"/* d\\\" */\"] // e", {})->dump(),
                 std::string("[1,2,\"//\",\"/* d\\\" */\"]"));
        QCOMPARE(parseJson("[1] /**/ /***/ // \xff", {})->dump(), std::string("[1]")); // any bytes
        QCOMPARE(parseJson("// [\r\n[1]//\r\n", {})->dump(), std::string("[1]"));
    }

    void theCommentsAreTold()
    {
        ProblemPtr problem;
        QCOMPARE(toldBy([&] {
                     problem = *readProblem(kProblem, "chain.json");
                     problem = *readProblem(kProblem, "chain.json"); // as the window reads it
                 }),
                 QStringList("chain.json: comments are read over (the first at line 1, column 1) and are not "
                             "kept when the file is saved"));
        QCOMPARE(problem->opCount(), 2U);
        QCOMPARE(problem->opName(OpId(0)), std::string("http://a"));
        QCOMPARE(problem->opName(OpId(1)), std::string("\"/*b*/"));
        const std::string written = writeProblem(*problem);
        QVERIFY(written.find("// ") == std::string::npos);
        QCOMPARE(toldBy([&] { QVERIFY(*readProblem(written, "chain.json")); }), QStringList());
        // A text without a file has no reader who could be told.
        QCOMPARE(toldBy([] { QVERIFY(!parsedJson("[1] // one").is_discarded()); }), QStringList());
    }

    void everyKindIsRecognised()
    {
        QCOMPARE(*fileKindOf(kProblem, "f"), FileKind::Problem);
        QCOMPARE(*fileKindOf(kSchedule, "f"), FileKind::Schedule);
        const auto problem = *readProblem(kProblem, "f");
        const auto schedule = readSchedule(*problem, kSchedule, "f");
        QVERIFY(schedule && schedule->formatIssues.empty());
        QCOMPARE(schedule->schedule.size(), 1U);
        const auto nest = mapping::makeNest(mapping::Layer());
        const auto method = mapping::writeMethod(*nest, mapping::trivialMethod(*nest));
        QVERIFY(mapping::readMethod("// a method\n" + method, "f", *nest).hasValue());
    }

    void placesRemain()
    {
        QCOMPARE(withoutJsonComments("[1/*\n*/,//\n2]"), std::string("[1  \n  ,  \n2]"));
        for (const std::string& text : {kProblem, kSchedule})
            QCOMPARE(withoutJsonComments(text).size(), text.size());
        const auto place = placeOfPath(kProblem, "inputs[1][0]");
        QVERIFY(place.has_value());
        QCOMPARE(place->begin, kProblem.find("3,2]"));
        QCOMPARE(place->end, place->begin + 1);
        QVERIFY(fault("[1, // one\n 2 3]").startsWith("f: not valid JSON at line 2, column 4"));
    }

    void whatIsNoCommentIsRefused()
    {
        QCOMPARE(fault("[1, /* 2]"),
                 QString("f: not valid JSON at line 1, column 5 (the comment is not closed)"));
        QCOMPARE(fault("// only a comment"), QString("f: the file is empty"));
        QVERIFY(fault("[1 / 2]").startsWith("f: not valid JSON at line 1, column 4"));
        QVERIFY(fault("[1] # no").startsWith("f: not valid JSON at line 1, column 5"));
        const std::string deep(100'000, '[');
        QVERIFY(fault("// " + deep + "\n1").startsWith("accepted"));
        QVERIFY(fault("/**/" + deep).startsWith("f: brackets are nested more than 64 levels deep"));
    }

    /// Cut anywhere: a text of the same length, and no comment left but one that is not closed.
    void neverOutside()
    {
        for (const std::string& text : {kProblem, kSchedule})
            for (std::size_t n = 0; n <= text.size(); ++n) {
                const std::string plain = withoutJsonComments(std::string_view(text).substr(0, n));
                QCOMPARE(plain.size(), n);
                const auto open = firstJsonComment(plain);
                QVERIFY(!open || plain.substr(*open, 2) == "/*");
            }
    }

    /// The blocks of the document that defines the format, word by word.
    void blocksOfTheSourceDocument()
    {
        const std::string file = TILEWRIGHT_SOURCE_DIR "/../shared/seeds/004_d4d91f4f4f1c32ba.txt";
        if (!std::filesystem::exists(file))
            QSKIP("the source documents are not here");
        int commented = 0;
        for (const QString& block : blocksOf(file)) {
            const std::string text = block.toStdString();
            if (!firstJsonComment(text) || text.find("...],") != std::string::npos)
                continue; // without a comment, or the form of a file with dots for numbers
            ++commented;
            QVERIFY2(parseJson(text, "block").hasValue(), text.c_str());
            if (*fileKindOf(text, "block") == FileKind::Problem)
                QVERIFY(readProblem(text, "block").hasValue());
        }
        QCOMPARE(commented, 2); // the schedule of the format, the input of example 5
    }
};

TILEWRIGHT_TEST(TestJsonComments)

} // namespace test_json_comments

#include "test_json_comments.moc"
