// SPDX-License-Identifier: GPL-3.0-or-later
// Issue 41 d: `serve --mcp` answers a client of the Model Context Protocol (revisions 2024-11-05 to
// 2025-11-25).
#include "cli_run.h"
#include "test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace test_cli_serve {

using namespace tilewright::test;
using nlohmann::json;

namespace {

const QString kSamples = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/schedule/");
const std::string kProblem = (kSamples + "example-5.json").toStdString();
const std::string kSchedule = (kSamples + "example-5.b-split-k.schedule.json").toStdString();
const std::string kInvalid = (kSamples + "example-5.a-out-of-memory.schedule.json").toStdString();

const char* const kHello =
    R"({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion":
 "2025-06-18", "capabilities": {}, "clientInfo": {"name": "recorded", "version": "1"}}})";
const char* const kReady = R"({"jsonrpc": "2.0", "method": "notifications/initialized"})";

/// A server that gets all messages, a line each, and its answers.
class Talk
{
public:
    explicit Talk(const QStringList& options = {})
    {
        m_server.start(QStringLiteral(TILEWRIGHT_CLI), QStringList{"serve", "--mcp"} + options);
        send(kHello);
        send(kReady);
    }
    void send(QByteArray message) { m_server.write(message.replace('\n', ' ') + '\n'); }
    void sendJson(const json& message) { send(QByteArray::fromStdString(message.dump())); }
    void call(int id, const std::string& tool, const json& arguments)
    {
        sendJson(json{{"jsonrpc", "2.0"},
                      {"id", id},
                      {"method", "tools/call"},
                      {"params", {{"name", tool}, {"arguments", arguments}}}});
    }
    /// Ends the input. The answers behind that to initialize, in their order.
    std::vector<json> end()
    {
        m_server.closeWriteChannel();
        if (!m_server.waitForFinished(60'000) || m_server.exitCode() != 0)
            return {};
        std::vector<json> out;
        for (const QByteArray& line : m_server.readAllStandardOutput().split('\n'))
            if (!line.isEmpty())
                out.push_back(json::parse(line.toStdString()));
        if (!out.empty())
            out.erase(out.begin());
        return out;
    }
    [[nodiscard]] QByteArray errors() { return m_server.readAllStandardError(); }

private:
    QProcess m_server;
};

} // namespace

class TestCliServe : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void versionsAreNegotiated_data();
    void versionsAreNegotiated();
    void everyVerbIsATool();
    void aCallAnswersAsTheCommandLine();
    void answersWithoutNumbersAreNoErrors();
    void writesAreRefusedUnlessAllowed();
    void wrongMessagesGetAnError_data();
    void wrongMessagesGetAnError();
    void theServerOutlivesWhatIsNoMessage();
    void withoutMcpItIsRefused();

private:
    QTemporaryDir m_folder;
};

void TestCliServe::versionsAreNegotiated_data()
{
    QTest::addColumn<QString>("asked");
    QTest::addColumn<QString>("agreed");
    for (const char* known : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"})
        QTest::newRow(known) << known << known;
    QTest::newRow("future") << "2099-01-01"
                            << "2025-11-25";
}

void TestCliServe::versionsAreNegotiated()
{
    QFETCH(QString, asked);
    QFETCH(QString, agreed);
    Talk talk;
    talk.sendJson(
        json{{"jsonrpc", "2.0"},
             {"id", "a"},
             {"method", "initialize"},
             {"params", {{"protocolVersion", asked.toStdString()}, {"capabilities", json::object()}}}});
    const auto answers = talk.end();
    QCOMPARE(answers.size(), std::size_t{1});
    const json& result = answers[0]["result"];
    QCOMPARE(answers[0]["id"], json("a"));
    QCOMPARE(result["protocolVersion"].get<std::string>(), agreed.toStdString());
    QCOMPARE(result["capabilities"], (json{{"tools", json::object()}}));
    QCOMPARE(result["serverInfo"]["name"], json("tilewright"));
}

void TestCliServe::everyVerbIsATool()
{
    Talk talk;
    talk.send(QByteArray(R"({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})"));
    talk.send(QByteArray(R"({"jsonrpc": "2.0", "id": 2, "method": "ping"})"));
    const auto answers = talk.end();
    QCOMPARE(answers.size(), std::size_t{2});
    QCOMPARE(answers[1]["result"], json::object());
    std::map<std::string, json> tools;
    for (const json& tool : answers[0]["result"]["tools"])
        tools[tool["name"].get<std::string>()] = tool;
    QCOMPARE(tools.size(), std::size_t{21}); // all verbs but serve
    const json& evaluate = tools["evaluate"]["inputSchema"];
    QCOMPARE(evaluate["type"], json("object"));
    QCOMPARE(evaluate["required"], (json{"problem", "schedule"}));
    QCOMPARE(evaluate["additionalProperties"], json(false));
    QCOMPARE(evaluate["properties"]["set"]["type"], json("array"));
    QVERIFY(!evaluate["properties"].contains("json"));
    const json& solve = tools["solve"]["inputSchema"]["properties"];
    QCOMPARE(solve["seconds"]["type"], json("number"));
    QCOMPARE(solve["threads"]["type"], json("integer"));
    QCOMPARE(solve["placeable"]["type"], json("boolean"));
    QCOMPARE(solve["objective"]["default"], json("latency"));
    QCOMPARE(solve["seed"]["default"], json(1));
    QCOMPARE(solve["objective"]["enum"], (json{"latency", "energy", "edp"}));
    QCOMPARE(tools["systolic"]["inputSchema"]["properties"]["dram_gb_per_s"]["type"], json("number"));
    for (const auto& [name, tool] : tools) {
        QVERIFY2(!tool["description"].get<std::string>().empty(), name.c_str());
        QCOMPARE(tool["annotations"]["readOnlyHint"], json(true));
        for (const auto& [property, schema] : tool["inputSchema"]["properties"].items())
            QVERIFY2(!schema["description"].get<std::string>().empty(), (name + " " + property).c_str());
    }
}

void TestCliServe::aCallAnswersAsTheCommandLine()
{
    Talk talk;
    talk.call(1, "evaluate", {{"problem", kProblem}, {"schedule", kSchedule}});
    talk.call(2, "tables", {{"problem", kProblem}, {"query", "SELECT count(*) AS ops FROM ops"}});
    talk.call(3, "tables", {{"schema", true}});
    talk.call(4, "tile", {{"gemm", "64x64x64"}, {"capacity", 4096}, {"level_buffers", {0, 0, 1}}});
    talk.call(5, "evaluate",
              {{"problem", kProblem}, {"schedule", kSchedule}}); // nothing is left of the calls before
    const auto answers = talk.end();
    QCOMPARE(answers.size(), std::size_t{5});
    const json expected = json::parse(
        runCli({"evaluate", QString::fromStdString(kProblem), QString::fromStdString(kSchedule), "--json"})
            .out.toStdString());
    const json& first = answers[0]["result"];
    QCOMPARE(first["isError"], json(false));
    QCOMPARE(first["structuredContent"], expected);
    QCOMPARE(json::parse(first["content"][0]["text"].get<std::string>()), expected);
    QCOMPARE(first["content"][0]["type"], json("text"));
    QCOMPARE(answers[1]["result"]["structuredContent"]["columns"], (json{"ops"}));
    QVERIFY(answers[2]["result"]["content"][0]["text"].get<std::string>().starts_with("about: "));
    QVERIFY(!answers[2]["result"].contains("structuredContent"));
    QCOMPARE(answers[3]["result"]["isError"], json(false));
    QCOMPARE(answers[4]["result"], first);
}

void TestCliServe::answersWithoutNumbersAreNoErrors()
{
    Talk talk;
    talk.call(1, "check", {{"problem", kProblem}, {"schedule", kInvalid}}); // "no" is an answer
    talk.call(2, "check", {{"problem", "nothing.json"}, {"schedule", kSchedule}});
    talk.call(3, "bound", {{"problem", kProblem}, {"threads", 2}});
    talk.call(4, "bound", {{"problem", kProblem}, {"seconds", -1}});
    talk.call(5, "bound", {{"problem", "/dev/stdin"}}); // the client's
    talk.send(QByteArray(R"({"jsonrpc": "2.0", "id": 6, "method": "ping"})"));
    const auto answers = talk.end();
    QCOMPARE(answers.size(), std::size_t{6});
    QCOMPARE(answers[0]["result"]["isError"], json(false));
    QCOMPARE(answers[0]["result"]["structuredContent"]["valid"], json(false));
    const auto sentence = [&](std::size_t i) {
        return answers[i]["result"]["content"][0]["text"].get<std::string>();
    };
    for (std::size_t i = 1; i < 5; ++i)
        QCOMPARE(answers[i]["result"]["isError"], json(true));
    QVERIFY2(sentence(1).find("nothing.json") != std::string::npos, sentence(1).c_str());
    QVERIFY2(sentence(2).find("--threads: needs --seconds") != std::string::npos, sentence(2).c_str());
    QVERIFY2(sentence(3).find("--seconds: expected a number") != std::string::npos, sentence(3).c_str());
    QVERIFY2(sentence(4).find("/dev/stdin") != std::string::npos, sentence(4).c_str());
}

void TestCliServe::writesAreRefusedUnlessAllowed()
{
    const std::string file = m_folder.filePath("t.sqlite").toStdString();
    const json arguments{{"problem", kProblem}, {"output", file}};
    Talk reader;
    reader.call(1, "tables", arguments);
    const auto refused = reader.end();
    QCOMPARE(refused.size(), std::size_t{1});
    QCOMPARE(refused[0]["result"]["isError"], json(true));
    QVERIFY(refused[0]["result"]["content"][0]["text"].get<std::string>().starts_with(
        "output: this server does not write"));
    QVERIFY(!QFile::exists(QString::fromStdString(file)));
    Talk writer({"--allow-writes"});
    writer.call(1, "tables", arguments);
    const auto written = writer.end();
    QCOMPARE(written.size(), std::size_t{1});
    QCOMPARE(written[0]["result"]["isError"], json(false));
    QVERIFY(QFile::exists(QString::fromStdString(file)));
}

void TestCliServe::wrongMessagesGetAnError_data()
{
    QTest::addColumn<QByteArray>("message");
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("words");
    const auto row = [](const char* name, const QByteArray& message, int code, const char* words) {
        QTest::newRow(name) << message << code << QByteArray(words);
    };
    row("no JSON", "{", -32700, "is not JSON");
    row("bytes", QByteArray("\xff\xfe\x00", 3), -32700, "is not JSON");
    row("deep", QByteArray(100'000, '['), -32700, "is not JSON");
    row("huge", QByteArray(5 << 20, ' ') + "{}", -32600, "longer than");
    row("a batch", "[]", -32600, "not an object");
    row("a text", "\"ping\"", -32600, "not an object");
    row("no version", R"({"id": 1, "method": "ping"})", -32600, "jsonrpc");
    row("another version", R"({"jsonrpc": "1.0", "id": 1, "method": "ping"})", -32600, "jsonrpc");
    row("no method", R"({"jsonrpc": "2.0", "id": 1})", -32600, "method");
    row("method", R"({"jsonrpc": "2.0", "id": 1, "method": 7})", -32600, "method");
    row("id", R"({"jsonrpc": "2.0", "id": null, "method": "ping"})", -32600, "id: ");
    row("unknown", R"({"jsonrpc": "2.0", "id": 1, "method": "resources/list"})", -32601,
        "no method resources/list");
    row("params", R"({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []})", -32602, "params");
    const auto call = [](const char* params) {
        return R"({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": )" + QByteArray(params) + "}";
    };
    row("no name", call("{}"), -32602, "name: ");
    row("tool", call(R"({"name": "serve", "arguments": {}})"), -32602, "no tool serve");
    row("arguments", call(R"({"name": "bound", "arguments": []})"), -32602, "arguments: ");
    row("required", call(R"({"name": "bound"})"), -32602, "problem: is required");
    row("argument", call(R"({"name": "bound", "arguments": {"problem": "x", "speed": 1}})"), -32602,
        "bound has no argument speed");
    row("hidden", call(R"({"name": "bound", "arguments": {"problem": "x", "json": true}})"), -32602,
        "bound has no argument json");
    row("type", call(R"({"name": "bound", "arguments": {"problem": "x", "threads": "all"}})"), -32602,
        "threads: expected a value of type integer");
    row("flag", call(R"({"name": "solve", "arguments": {"problem": "x", "placeable": 1}})"), -32602,
        "placeable: expected a value of type boolean");
    row("list", call(R"({"name": "bound", "arguments": {"problem": "x", "dim": "N=1"}})"), -32602,
        "dim: expected an array of type string");
    row("cursor", R"({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "2"}})", -32602,
        "cursor");
    row("hello", R"({"jsonrpc": "2.0", "id": 1, "method": "initialize"})", -32602, "protocolVersion");
}

void TestCliServe::wrongMessagesGetAnError()
{
    QFETCH(QByteArray, message);
    QFETCH(int, code);
    QFETCH(QByteArray, words);
    Talk talk;
    talk.send(message);
    talk.send(QByteArray(R"({"jsonrpc": "2.0", "id": 99, "method": "ping"})")); // the server goes on
    const auto answers = talk.end();
    QCOMPARE(answers.size(), std::size_t{2});
    QCOMPARE(answers[0]["error"]["code"].get<int>(), code);
    const std::string said = answers[0]["error"]["message"].get<std::string>();
    QVERIFY2(said.find(words.toStdString()) != std::string::npos, said.c_str());
    QVERIFY(said.find('\n') == std::string::npos);
    QCOMPARE(answers[1]["id"], json(99));
}

void TestCliServe::theServerOutlivesWhatIsNoMessage()
{
    Talk talk;
    talk.send(QByteArray());                                                             // an empty line
    talk.send(QByteArray(R"({"jsonrpc": "2.0", "method": "notifications/cancelled"})")); // a notification
    talk.send(QByteArray(R"({"jsonrpc": "2.0", "id": 7, "result": {}})"));               // an answer
    talk.send(QByteArray(R"({"jsonrpc": "2.0", "id": 99, "method": "ping"})"));
    const auto answers = talk.end();
    QCOMPARE(answers.size(), std::size_t{1});
    QCOMPARE(answers[0]["id"], json(99));
    QVERIFY(talk.errors().isEmpty());
}

void TestCliServe::withoutMcpItIsRefused()
{
    const CliRun run = runCli({"serve"});
    QCOMPARE(run.code, 2);
    QCOMPARE(run.err, QByteArray("tilewright-cli: --mcp: is required\n"));
    QProcess early; // a request before initialize
    early.start(QStringLiteral(TILEWRIGHT_CLI), {"serve", "--mcp"});
    early.write(R"({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})"
                "\n");
    early.closeWriteChannel();
    QVERIFY(early.waitForFinished());
    QVERIFY(early.readAllStandardOutput().contains("the first request must be initialize"));
}

TILEWRIGHT_TEST(TestCliServe)

} // namespace test_cli_serve
#include "test_cli_serve.moc"
