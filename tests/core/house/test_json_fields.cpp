// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_fields.h"
#include "test_main.h"

#include <QtTest>

namespace test_json_fields {

using namespace tilewright;

namespace {

enum class Colour { Red, Green, Blue };
constexpr std::array kColours{Colour::Red, Colour::Green, Colour::Blue};

std::string_view colourName(Colour colour)
{
    constexpr std::array<std::string_view, 3> kNames{"red", "green", "blue"};
    return kNames[static_cast<std::size_t>(colour)];
}

struct Part
{
    std::string name;
    int count = 1;
    bool operator==(const Part&) const = default;
};

void bindFields(JsonFields& f, Part& part)
{
    f.required("name", part.name);
    f.defaulted("count", part.count, 1, Integers{1, 100});
}

struct Thing
{
    std::string title = "none";
    double weight = 1.5;
    bool round = false;
    Colour colour = Colour::Red;
    std::array<std::int64_t, 2> size{1, 1};
    std::vector<Part> parts;
    std::vector<std::int64_t> prices;
    std::optional<Part> spare;
    std::int64_t width = 0;
    bool operator==(const Thing&) const = default;
};

void bindFields(JsonFields& f, Thing& t)
{
    f.optional("title", t.title);
    f.optional("weight", t.weight, Numbers{0, 10});
    f.optional("round", t.round);
    f.optional("colour", t.colour, Words<Colour>{kColours, colourName});
    f.optional("size", t.size, Integers{1, 9});
    f.required("parts", t.parts);
    f.optional("prices", t.prices, f.like("parts"), Integers{0, 1000});
    f.defaulted("spare", t.spare, std::nullopt);
    f.optional("box", [&](JsonFields& box) { box.required("width", t.width, Integers{0, 50}); });
    if (t.width > t.size[0])
        f.fail("box.width", "is wider than the size");
}

QString refusal(const char* text)
{
    const auto thing = parseJsonValue<Thing>(text, "f");
    return thing ? QStringLiteral("accepted") : QString::fromStdString(thing.error().text());
}

} // namespace

/// One function a type names each field once, for reading, writing, checking and the unknown fields.
class TestJsonFields : public QObject
{
    Q_OBJECT

private slots:
    void whatIsWrittenIsReadBack()
    {
        Thing thing;
        thing.colour = Colour::Blue;
        thing.size = {7, 2};
        thing.parts = {{"a", 3}, {"b", 1}};
        thing.prices = {5, 6};
        thing.spare = Part{"c", 2};
        thing.width = 4;
        const std::string text = writeJson(thing).dump();
        QCOMPARE(text,
                 std::string(R"({"title":"none","weight":1.5,"round":false,"colour":"blue","size":[7,2],)"
                             R"("parts":[{"name":"a","count":3},{"name":"b"}],"prices":[5,6],)"
                             R"("spare":{"name":"c","count":2},"box":{"width":4}})"));
        QVERIFY(parseJsonValue<Thing>(text, "f").value() == thing);
        QVERIFY(checkJsonValue(thing));
        thing.parts[1].count = 0;
        QCOMPARE(checkJsonValue(thing).error().text(),
                 std::string("parts[1].count: expected an integer from 1 to 100, got 0"));
    }

    void missingOptionalFieldsLeaveTheValue()
    {
        Thing expected;
        expected.parts = {{"a", 1}};
        QVERIFY(parseJsonValue<Thing>(R"({"parts": [{"name": "a"}]})", "f").value() == expected);
    }

    /// A format that keeps the fields of other programs refuses a misspelt one of its own.
    void aMisspeltFieldIsNoFieldOfAnotherProgram()
    {
        const auto told = [](const char* text) {
            const auto json = parseJson(text, "f");
            std::string name = "none", extra;
            constexpr std::array<std::string_view, 1> kElsewhere{"machine"};
            JsonFields f(JsonCursor(*json, "f"));
            f.optional("name", name);
            f.optional("heights", extra);
            f.allowOthers(kElsewhere);
            const std::string others = f.others();
            const Status closed = f.close();
            return closed ? others : closed.error().text();
        };
        QCOMPARE(told(R"({"author": "me", "machine": 1})"), std::string(R"({"author":"me","machine":1})"));
        QCOMPARE(told(R"({"nmae": "x"})"), std::string("f: unknown field \"nmae\"; did you mean \"name\"?"));
        QCOMPARE(told(R"({"machin": 1})"),
                 std::string("f: unknown field \"machin\"; did you mean \"machine\"?"));
        // "heights" is there, so "weights" is none of its misspellings.
        QCOMPARE(told(R"({"heights": "x", "weights": 1})"), std::string(R"({"weights":1})"));
    }

    void sentences_data()
    {
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* text, const char* sentence) {
            QTest::newRow(text) << QString::fromLatin1(sentence);
        };
        row("[]", "f: expected an object, got a list of 0");
        row("{}", "f: the field \"parts\" is missing");
        row(R"({"parts": [{"nam": "a"}]})", "f: parts[0]: unknown field \"nam\"; did you mean \"name\"?");
        row(R"({"parts": [], "Colour": "red"})", "f: unknown field \"Colour\"; did you mean \"colour\"?");
        row(R"({"parts": [], "pricse": []})", "f: unknown field \"pricse\"; did you mean \"prices\"?");
        row(R"({"parts": [], "partz": []})", "f: unknown field \"partz\"");
        row(R"({"parts": [], "weight": "x", "round": 1, "extra": 2})", "f: unknown field \"extra\"");
        row(R"({"parts": [], "weight": "x", "round": 1})",
            "f: weight: expected a number, got the text \"x\"");
        row(R"({"parts": [], "colour": "pink"})",
            "f: colour: expected \"red\", \"green\" or \"blue\", got the text \"pink\"");
        row(R"({"parts": [], "size": [1, 2, 3]})", "f: size: expected a list of 2, got a list of 3");
        row(R"({"parts": [], "prices": [1]})", "f: prices: has 1 entries, but \"parts\" has 0");
        row(R"({"parts": 3, "prices": [1]})", "f: parts: expected a list, got 3");
        row(R"({"parts": [], "box": {}})", "f: box: the field \"width\" is missing");
        row(R"({"parts": [], "box": {"width": 5}})", "f: box.width: is wider than the size");
        row(R"({"parts": [], "box": {"width": 51}})",
            "f: box.width: expected an integer from 0 to 50, got 51");
        row(R"({"parts": [{"name": "a", "count": 99999999999}]})",
            "f: parts[0].count: expected an integer from 1 to 100, got 99999999999");
    }
    void sentences()
    {
        QFETCH(QString, sentence);
        QCOMPARE(refusal(QTest::currentDataTag()), sentence);
    }
};

TILEWRIGHT_TEST(TestJsonFields)

} // namespace test_json_fields
#include "test_json_fields.moc"
