// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/database.h"

#include "base/text.h"
#include "base/utf8.h"

#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>
#include <utility>

namespace tilewright::tables {

namespace {

/// Maximum number of bytes of all texts of an answer.
constexpr std::size_t kMostText = std::size_t{64} << 20;
constexpr int kMostValue = 1 << 20; ///< maximum number of bytes of one value
constexpr int kMostSql = 1 << 16;
/// Number of steps of SQLite's virtual machine between two checks for a stop.
constexpr int kStepsBetweenLooks = 2000;

struct CloseStatement
{
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, CloseStatement>;

struct CloseConnection
{
    void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
};
using Connection = std::unique_ptr<sqlite3, CloseConnection>;

/// Checks the result of a statement of this program. Such a statement fails only for lack of memory; any
/// other failure is a defect of the program.
void require(int code)
{
    if (code == SQLITE_NOMEM)
        throw std::bad_alloc();
    if (code != SQLITE_OK && code != SQLITE_DONE)
        throw std::logic_error(std::string("SQLite: ") + sqlite3_errstr(code));
}

Statement prepared(sqlite3* connection, std::string_view sql, int& code, const char** rest = nullptr)
{
    sqlite3_stmt* statement = nullptr;
    code = sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()), &statement, rest);
    return Statement(statement);
}

void execute(sqlite3* connection, const std::string& sql)
{
    int code = SQLITE_OK;
    const Statement statement = prepared(connection, sql, code);
    require(code);
    require(sqlite3_step(statement.get()));
}

void bind(sqlite3_stmt* statement, int at, const TableValue& value)
{
    if (const auto* const integer = std::get_if<std::int64_t>(&value))
        require(sqlite3_bind_int64(statement, at, *integer));
    else if (const auto* const number = std::get_if<double>(&value);
             number != nullptr && std::isfinite(*number))
        require(sqlite3_bind_double(statement, at, *number));
    else if (const auto* const text = std::get_if<std::string>(&value))
        require(
            sqlite3_bind_text64(statement, at, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8));
    else
        require(sqlite3_bind_null(statement, at));
}

/// Allows only reading, and queries for the columns of a table.
int onlyReading(void*, int action, const char* name, const char* function, const char*, const char*)
{
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return std::string_view(function) == "load_extension" ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA: {
        const std::string_view asked(name);
        return asked == "table_info" || asked == "table_list" ? SQLITE_OK : SQLITE_DENY;
    }
    default:
        return SQLITE_DENY;
    }
}

TableValue valueAt(sqlite3_stmt* statement, int column)
{
    const int type = sqlite3_column_type(statement, column);
    if (type == SQLITE_INTEGER)
        return TableValue(static_cast<std::int64_t>(sqlite3_column_int64(statement, column)));
    if (type == SQLITE_FLOAT)
        return TableValue(sqlite3_column_double(statement, column));
    if (type == SQLITE_NULL)
        return {};
    const void* const bytes =
        type == SQLITE_BLOB ? sqlite3_column_blob(statement, column) : sqlite3_column_text(statement, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
    if (bytes == nullptr && size > 0)
        throw std::bad_alloc();
    return TableValue(printable({static_cast<const char*>(bytes), size}));
}

/// The conditions under which a query ends before its answer is complete.
struct Watch
{
    const std::stop_token& stop;
    double end = 0; ///< end time by wallClock(); 0: none
    bool late = false;

    static int look(void* self)
    {
        auto& watch = *static_cast<Watch*>(self);
        watch.late = watch.end > 0 && wallClock() > watch.end;
        return watch.late || watch.stop.stop_requested() ? 1 : 0;
    }
};

Error sqlError(std::string message)
{
    return {ErrorCode::Field, std::move(message), "query", {}};
}

bool isSame(std::string_view a, std::string_view b)
{
    return std::ranges::equal(
        a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

} // namespace

struct Database::State
{
    Connection connection;
    std::mutex mutex;
    std::vector<TableSize> sizes;

    [[nodiscard]] Error errorOf(int code, const Watch& watch, const QueryLimits& limits) const
    {
        if (watch.late)
            return sqlError("the question took longer than " + formatNumber(limits.seconds) +
                            " s and was ended");
        if (code == SQLITE_INTERRUPT)
            return sqlError("stopped");
        if (code == SQLITE_AUTH)
            return sqlError("only SELECT is answered: the tables cannot be changed");
        if (code == SQLITE_NOMEM)
            throw std::bad_alloc();
        return sqlError(printable(sqlite3_errmsg(connection.get())));
    }
};

Database::Database(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Database::~Database() = default;

std::shared_ptr<const Database> Database::of(const Subject& subject, const Progress& progress)
{
    auto state = std::make_unique<State>();
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(
        ":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY, nullptr);
    state->connection.reset(opened);
    require(code);
    execute(opened, "PRAGMA temp_store = MEMORY"); // sorting writes no files
    execute(opened, "BEGIN");
    struct Insert
    {
        Statement statement;
        std::size_t table = 0;
    };
    std::map<const Schema*, Insert> inserts;
    for (const Schema* const schema : schemas()) {
        execute(opened, createStatement(*schema));
        std::string sql = "INSERT INTO ";
        sql.append(schema->name).append(" VALUES (");
        for (std::size_t c = 0; c < schema->columns.size(); ++c)
            sql.append(c == 0 ? "?" : ",?");
        int made = SQLITE_OK;
        Statement statement = prepared(opened, sql + ")", made);
        require(made);
        inserts[schema] = {std::move(statement), state->sizes.size()};
        state->sizes.push_back({schema->name, 0});
    }
    const bool complete = writeTables(
        subject,
        [&](const Schema& schema, std::span<const TableValue> values) {
            const Insert& insert = inserts[&schema];
            for (std::size_t c = 0; c < values.size(); ++c)
                bind(insert.statement.get(), static_cast<int>(c) + 1, values[c]);
            require(sqlite3_step(insert.statement.get()));
            require(sqlite3_reset(insert.statement.get()));
            ++state->sizes[insert.table].rows;
        },
        progress);
    if (!complete)
        return nullptr;
    inserts.clear();
    execute(opened, "COMMIT");
    execute(opened, "PRAGMA query_only = ON");
    for (const auto& [limit, most] : {std::pair{SQLITE_LIMIT_LENGTH, kMostValue},
                                      {SQLITE_LIMIT_SQL_LENGTH, kMostSql},
                                      {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200},
                                      {SQLITE_LIMIT_ATTACHED, 0},
                                      {SQLITE_LIMIT_WORKER_THREADS, 0}})
        sqlite3_limit(opened, limit, most);
    sqlite3_set_authorizer(opened, onlyReading, nullptr);
    return std::shared_ptr<const Database>(new Database(std::move(state)));
}

const std::vector<TableSize>& Database::sizes() const noexcept
{
    return m_state->sizes;
}

std::string Database::file() const
{
    const std::scoped_lock lock(m_state->mutex);
    sqlite3* const connection = m_state->connection.get();
    sqlite3_int64 size = 0;
    sqlite3_set_authorizer(connection, nullptr, nullptr); // SQLite itself queries the number of pages
    const std::unique_ptr<unsigned char, void (*)(void*)> bytes(
        sqlite3_serialize(connection, "main", &size, 0), sqlite3_free);
    sqlite3_set_authorizer(connection, onlyReading, nullptr);
    if (!bytes)
        throw std::bad_alloc();
    return {reinterpret_cast<const char*>(bytes.get()), static_cast<std::size_t>(size)};
}

Result<QueryResult> Database::query(const std::string& sql, const QueryLimits& limits,
                                    const std::stop_token& stop) const
{
    const std::scoped_lock lock(m_state->mutex);
    sqlite3* const connection = m_state->connection.get();
    Watch watch{stop, limits.seconds > 0 ? wallClock() + limits.seconds : 0};
    struct Watching // during this query
    {
        sqlite3* connection;
        Watching(sqlite3* c, Watch& w) : connection(c)
        {
            sqlite3_progress_handler(c, kStepsBetweenLooks, &Watch::look, &w);
        }
        Watching(const Watching&) = delete;
        Watching& operator=(const Watching&) = delete;
        ~Watching() { sqlite3_progress_handler(connection, 0, nullptr, nullptr); }
    };
    if (sql.size() > static_cast<std::size_t>(kMostSql))
        return sqlError("the question is longer than " + formatGrouped(kMostSql) + " characters");
    const Watching watching(connection, watch);
    int code = SQLITE_OK;
    const char* rest = nullptr;
    const Statement statement = prepared(connection, sql, code, &rest);
    if (code != SQLITE_OK)
        return m_state->errorOf(code, watch, limits);
    if (!statement)
        return sqlError("there is no question: expected SELECT ...");
    const Statement second =
        prepared(connection, {rest, static_cast<std::size_t>(sql.data() + sql.size() - rest)}, code);
    if (second || code != SQLITE_OK)
        return sqlError("one statement at a time");
    QueryResult out;
    const int columns = sqlite3_column_count(statement.get());
    for (int c = 0; c < columns; ++c) {
        const char* const name = sqlite3_column_name(statement.get(), c);
        if (name == nullptr)
            throw std::bad_alloc();
        out.columns.push_back(printable(name));
    }
    std::size_t bytes = 0;
    while ((code = sqlite3_step(statement.get())) == SQLITE_ROW) {
        if (out.rows.size() == limits.rows || bytes > kMostText) {
            out.more = true;
            return out;
        }
        std::vector<TableValue>& row = out.rows.emplace_back();
        row.reserve(static_cast<std::size_t>(columns));
        for (int c = 0; c < columns; ++c) {
            row.push_back(valueAt(statement.get(), c));
            if (const auto* const text = std::get_if<std::string>(&row.back()))
                bytes += text->size();
        }
        bytes += row.size() * sizeof(TableValue);
    }
    if (code != SQLITE_DONE)
        return m_state->errorOf(code, watch, limits);
    return out;
}

bool QueryResult::isNumeric(std::size_t column) const
{
    bool any = false;
    for (const auto& row : rows) {
        if (std::holds_alternative<std::string>(row[column]))
            return false;
        any = any || row[column].isKnown();
    }
    return any;
}

std::size_t QueryResult::indexOf(std::string_view name) const
{
    const auto at = std::ranges::find_if(columns, [&](const std::string& c) { return isSame(c, name); });
    return static_cast<std::size_t>(at - columns.begin());
}

TableCell QueryResult::cell(std::size_t row, std::size_t column) const
{
    constexpr int kDigits = 6;
    constexpr double kManyDigits = 1e5;
    const TableValue& value = rows[row][column];
    const auto* const number = std::get_if<double>(&value);
    if (number == nullptr || *number == std::floor(*number) || std::abs(*number) >= kManyDigits)
        return value;
    return {value, significantNumber(*number, kDigits)};
}

Table QueryResult::table() const
{
    Table out;
    for (std::size_t c = 0; c < columns.size(); ++c)
        out.columns.push_back({columns[c], isNumeric(c) ? ColumnKind::Number : ColumnKind::Text});
    out.rows.resize(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row)
        for (std::size_t c = 0; c < columns.size(); ++c)
            out.rows[row].push_back(cell(row, c));
    return out;
}

} // namespace tilewright::tables
