// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/linear_program.h"

#include <glpk.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace tilewright {

namespace {

/// What GLPK keeps for each thread, given back with the last program there: it would stay behind the thread's
/// end.
thread_local int programs = 0;

glp_prob* createProgram()
{
    ++programs;
    glp_term_out(GLP_OFF);
    glp_prob* const out = glp_create_prob();
    glp_set_obj_dir(out, GLP_MIN);
    return out;
}

void deleteProgram(glp_prob* program)
{
    glp_delete_prob(program);
    if (--programs == 0)
        glp_free_env();
}

void addRows(glp_prob* program, std::span<const double> atLeast)
{
    glp_add_rows(program, static_cast<int>(atLeast.size()));
    for (std::size_t i = 0; i < atLeast.size(); ++i)
        glp_set_row_bnds(program, static_cast<int>(i + 1), GLP_LO, atLeast[i], 0);
}

/// The columns of a program that has room for them; they are filled one by one.
class Filling
{
public:
    explicit Filling(glp_prob* program) : m_program(program) {}
    void operator()(int column, double cost, std::span<const LinearProgram::Entry> entries)
    {
        glp_set_col_bnds(m_program, column, GLP_LO, 0, 0);
        glp_set_obj_coef(m_program, column, cost);
        m_index.assign(1, 0); // GLPK counts from one
        m_value.assign(1, 0);
        for (const LinearProgram::Entry& e : entries) {
            m_index.push_back(static_cast<int>(e.row + 1));
            m_value.push_back(e.coefficient);
        }
        glp_set_mat_col(m_program, column, static_cast<int>(m_index.size() - 1), m_index.data(),
                        m_value.data());
    }

private:
    glp_prob* m_program;
    std::vector<int> m_index;
    std::vector<double> m_value;
};

LinearProgram::Solution run(glp_prob* program, int method, double seconds)
{
    glp_smcp parameters;
    glp_init_smcp(&parameters);
    parameters.msg_lev = GLP_MSG_OFF;
    parameters.meth = method;
    parameters.tm_lim =
        static_cast<int>(std::clamp(seconds * 1e3, 1.0, double{std::numeric_limits<int>::max()}));
    const int failed = glp_simplex(program, &parameters);
    LinearProgram::Solution out;
    out.optimal = failed == 0 && glp_get_status(program) == GLP_OPT;
    for (int i = 1; i <= glp_get_num_rows(program); ++i)
        out.prices.push_back(glp_get_row_dual(program, i));
    if (out.optimal)
        for (int j = 1; j <= glp_get_num_cols(program); ++j)
            out.values.push_back(glp_get_col_prim(program, j));
    return out;
}

} // namespace

LinearProgram::Column LinearProgram::addColumn(double cost)
{
    m_columns.push_back({cost, {}});
    return m_columns.size() - 1;
}

LinearProgram::Row LinearProgram::addRow(double atLeast)
{
    m_atLeast.push_back(atLeast);
    return m_atLeast.size() - 1;
}

void LinearProgram::add(Row row, Column column, double coefficient)
{
    if (coefficient != 0)
        m_columns[column].entries.push_back({row, coefficient});
}

void LinearProgram::repairBy(Column column, std::vector<Row> rows, int phase)
{
    m_repairs.push_back({column, std::move(rows), phase});
}

LinearProgram::Solution LinearProgram::solve(double seconds) const
{
    if (rows() == 0 || columns() == 0)
        return {};
    const std::unique_ptr<glp_prob, decltype(&deleteProgram)> problem(createProgram(), deleteProgram);
    glp_prob* lp = problem.get();
    addRows(lp, m_atLeast);
    glp_add_cols(lp, static_cast<int>(columns()));
    Filling fill(lp);
    for (std::size_t j = 0; j < columns(); ++j)
        fill(static_cast<int>(j + 1), m_columns[j].cost, m_columns[j].entries);
    glp_scale_prob(lp, GLP_SF_GM | GLP_SF_EQ | GLP_SF_2N);
    return run(lp, GLP_DUALP, seconds); // its prices are of use before the optimum
}

Slack LinearProgram::slack(Column column, const std::vector<double>& prices) const
{
    Slack out(m_columns[column].cost);
    for (const Entry& e : m_columns[column].entries)
        out.take(e.coefficient * prices[e.row]);
    return out;
}

bool LinearProgram::repair(const Repair& repair, std::vector<double>& prices) const
{
    for (int round = 0; round < 4; ++round) { // what rounding leaves of the first is nothing after another
        const Slack s = slack(repair.column, prices);
        if (s.holds())
            return true;
        double sum = 0; // of what may be lowered
        for (const Entry& e : m_columns[repair.column].entries)
            if (std::ranges::find(repair.rows, e.row) != repair.rows.end())
                sum += e.coefficient * prices[e.row];
        const double excess = (s.error() - s.value()) * (1 + 1e-9) + s.error();
        const double keep = sum > excess ? 1 - excess / sum : 0;
        for (const Row row : repair.rows)
            prices[row] *= keep;
    }
    return slack(repair.column, prices).holds();
}

double LinearProgram::certify(std::vector<double>& prices) const
{
    constexpr double kFailed = -1;
    if (prices.size() != rows())
        return kFailed;
    for (double& price : prices)
        price = std::isfinite(price) ? std::max(price, 0.0) : 0.0;
    std::vector<const Repair*> order;
    for (const Repair& r : m_repairs)
        order.push_back(&r);
    std::ranges::stable_sort(order, {}, &Repair::phase);
    for (const Repair* r : order)
        if (!repair(*r, prices))
            return kFailed;
    for (Column j = 0; j < columns(); ++j) // a repair may have undone another one
        if (const Slack s = slack(j, prices); s.value() < s.error() / 2)
            return kFailed;
    double value = 0;
    for (std::size_t i = 0; i < rows(); ++i)
        value += m_atLeast[i] * prices[i];
    return value * (1 - 1e-9);
}

GrowingProgram::GrowingProgram(std::span<const double> atLeast) : m_program(createProgram())
{
    addRows(m_program, atLeast);
}

GrowingProgram::~GrowingProgram()
{
    deleteProgram(m_program);
}

LinearProgram::Column GrowingProgram::add(double cost, std::span<const LinearProgram::Entry> entries)
{
    const int column = glp_add_cols(m_program, 1);
    Filling{m_program}(column, cost, entries);
    return static_cast<LinearProgram::Column>(column - 1);
}

void GrowingProgram::setCost(LinearProgram::Column column, double cost)
{
    glp_set_obj_coef(m_program, static_cast<int>(column + 1), cost);
}

GrowingProgram::Solution GrowingProgram::solve(double seconds)
{
    // What was best before can still be done: the primal method goes on from there.
    LinearProgram::Solution found = run(m_program, GLP_PRIMAL, seconds);
    if (!found.optimal) {
        glp_adv_basis(m_program, 0); // where numbers have become too bad
        found = run(m_program, GLP_PRIMAL, seconds);
    }
    return {std::move(found), glp_get_obj_val(m_program)};
}

} // namespace tilewright
