// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "base/text.h"
#include "manual/program.h"
#include "table.h"
#include "tables/call.h"
#include "verbs.h"

#include <iostream>

namespace tilewright::cli {

namespace {

struct TablesArguments : tables::TablesCall
{
    std::string output, query;
    bool schema = false, json = false;
};

void bindOptions(verbs::OptionList& o, TablesArguments& a)
{
    bindOptions(o, static_cast<tables::TablesCall&>(a));
    o["problem"].required = false; // --schema needs no problem
    o.add("-o,--output", a.output, "FILE", "Write the tables as an SQLite database", o.writes());
    o.add("--query", a.query, "SQL", "Answer one SELECT statement about the tables");
    o.flag("--schema", a.schema, "List all tables and their columns", o.alone(true, "alone"));
    o.flag("--json", a.json, kJsonHelp);
}

void printSizes(const tables::Database& database)
{
    Table table({"table", "rows"});
    for (const tables::TableSize& size : database.sizes())
        table.add(size.name, size.rows);
    print(table);
    if (const auto leftOut = database.query("SELECT table_name || ': ' || reason FROM left_out"))
        for (const auto& row : leftOut->rows)
            std::cout << "left out     " << row[0].exact() << '\n';
}

/// Prints the result of the SQL query of the call.
int answer(const tables::Database& database, const TablesArguments& a, const std::stop_token& stop)
{
    auto result = database.query(a.query, {}, stop);
    if (!result) {
        if (stop.stop_requested())
            return Exit::Interrupted;
        Error error = result.error();
        error.path = "--query";
        return fail(error);
    }
    if (a.json) {
        std::cout << queryJson(*result);
        return Exit::Success;
    }
    print(result->table());
    if (result->more)
        std::cout << "more than " << formatGrouped(result->rows.size()) << " rows: the others are left out\n";
    return Exit::Success;
}

int tablesVerb(TablesArguments& a)
{
    if (a.schema) {
        std::cout << tables::schemaText();
        return Exit::Success;
    }
    if (!a.workload.isNamed())
        return fail({ErrorCode::Field, "is required", "problem", {}});
    const InterruptGuard interrupt;
    const auto subject = tables::subjectOf(a, interrupt.token());
    if (!subject)
        return interrupt.token().stop_requested() ? static_cast<int>(Exit::Interrupted)
                                                  : fail(subject.error());
    const auto database = tables::Database::of(*subject, {interrupt.token(), {}});
    if (!database)
        return Exit::Interrupted;
    if (!a.output.empty())
        if (const Status s = writeFileAtomically(a.output, database->file()); !s)
            return fail(s.error());
    if (!a.query.empty()) {
        if (const int code = answer(*database, a, interrupt.token()); code != Exit::Success)
            return code;
    } else if (a.json)
        std::cout << tablesJson(*database);
    else
        printSizes(*database);
    const Evaluation& evaluation = subject->snapshot->evaluation;
    if (evaluation.valid())
        return Exit::Success;
    tell(a.schedule + ": " + sentence(*evaluation.verdict()));
    return Exit::No;
}

} // namespace

void addTablesVerb(CLI::App& app, int& exitCode)
{
    manual::addVerb<TablesArguments>(
        app, "tables",
        "Ops, tensors, subgraphs, steps and more as tables of an SQLite file, and "
        "answers to questions in SQL",
        tablesVerb, exitCode);
}

} // namespace tilewright::cli
