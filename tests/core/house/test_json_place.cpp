// SPDX-License-Identifier: GPL-3.0-or-later
// From an error about a file to the characters it is about.
#include "base/json_document.h"
#include "base/json_place.h"
#include "test_main.h"
#include "workload/problem_json.h"

#include <QtTest>

namespace test_json_place {

using namespace tilewright;

namespace {

const std::string kText = "{\n  \"a\": [1, [20, 3], {\"b\": \"x\\\"]\", \"c\": 4}],\n"
                          "  \"d\": -1.5e3\n}\n";

QString at(const std::string& path)
{
    const auto place = placeOfPath(kText, path);
    return place ? QString::fromStdString(kText.substr(place->begin, place->end - place->begin))
                 : QStringLiteral("nothing");
}

} // namespace

class TestJsonPlace : public QObject
{
    Q_OBJECT
private slots:
    void pathsLeadToTheirValues()
    {
        QCOMPARE(at("a[0]"), QString("1"));
        QCOMPARE(at("a[1]"), QString("[20, 3]"));
        QCOMPARE(at("a[1][0]"), QString("20"));
        QCOMPARE(at("a[2].b"), QString("\"x\\\"]\""));
        QCOMPARE(at("a[2].c"), QString("4"));
        QCOMPARE(at("d"), QString("-1.5e3"));
        QCOMPARE(at("a[7]"), at("a")); // what is there of it
        QCOMPARE(at("a[1].b"), QString("[20, 3]"));
        QCOMPARE(at("e"), QString("nothing"));
        QCOMPARE(at(""), QString("nothing"));
    }

    /// Cut anywhere, with any path: a place inside the text or none.
    void neverOutside()
    {
        for (std::size_t n = 0; n <= kText.size(); ++n)
            for (const char* path : {"a[0]", "a[1][1]", "a[2].c", "d", "d[", "[0]", "a..", "a]["})
                if (const auto place = placeOfPath(std::string_view(kText).substr(0, n), path))
                    QVERIFY(place->begin <= place->end && place->end <= n);
    }

    void errorsOfReadersAreFound()
    {
        const std::string broken = "{\n \"widths\": [1, 2\n \"heights\": [1]}\n";
        const auto syntax = readProblem(broken, "f.json");
        QVERIFY(!syntax);
        const auto place = placeOfError(broken, syntax.error());
        QVERIFY(place);
        QCOMPARE(broken.substr(place->begin, place->end - place->begin), std::string("\"heights\""));
        const std::string wrong =
            "{\"widths\": [1, \"two\"], \"heights\": [1, 1], \"inputs\": [[0]], \"outputs\": [[1]], "
            "\"base_costs\": [1], \"op_types\": [\"Pointwise\"], \"fast_memory_capacity\": 10, "
            "\"slow_memory_bandwidth\": 1, \"native_granularity\": [1, 1]}";
        const auto field = readProblem(wrong, "f.json");
        QVERIFY(!field);
        const auto value = placeOfError(wrong, field.error());
        QVERIFY2(value, field.error().text().c_str());
        QCOMPARE(wrong.substr(value->begin, value->end - value->begin), std::string("\"two\""));
        QVERIFY(!placeOfError(wrong, {ErrorCode::Io, "line 3, column 1 cannot be read", {}, {}}));
    }
};

TILEWRIGHT_TEST(TestJsonPlace)

} // namespace test_json_place
#include "test_json_place.moc"
