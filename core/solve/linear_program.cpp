// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/linear_program.h"

#include <glpk.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace tilewright {

namespace {

/// Relative error of a sum of a few dozen products of doubles, amply.
constexpr double kRounding = 1e-13;

/// What GLPK keeps for each thread, given back where it would stay behind the thread's end.
struct Environment
{
    Environment() = default;
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    ~Environment() { glp_free_env(); }
};

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
    Solution out;
    if (rows() == 0 || columns() == 0)
        return out;
    const Environment environment;
    const std::unique_ptr<glp_prob, decltype(&glp_delete_prob)> problem(glp_create_prob(), glp_delete_prob);
    glp_prob* lp = problem.get();
    glp_set_obj_dir(lp, GLP_MIN);
    glp_add_rows(lp, static_cast<int>(rows()));
    for (std::size_t i = 0; i < rows(); ++i)
        glp_set_row_bnds(lp, static_cast<int>(i + 1), GLP_LO, m_atLeast[i], 0);
    glp_add_cols(lp, static_cast<int>(columns()));
    std::vector<int> index;
    std::vector<double> value;
    for (std::size_t j = 0; j < columns(); ++j) {
        const int column = static_cast<int>(j + 1);
        glp_set_col_bnds(lp, column, GLP_LO, 0, 0);
        glp_set_obj_coef(lp, column, m_columns[j].cost);
        index.assign(1, 0); // GLPK counts from one
        value.assign(1, 0);
        for (const Entry& e : m_columns[j].entries) {
            index.push_back(static_cast<int>(e.row + 1));
            value.push_back(e.coefficient);
        }
        glp_set_mat_col(lp, column, static_cast<int>(index.size() - 1), index.data(), value.data());
    }
    glp_term_out(GLP_OFF);
    glp_scale_prob(lp, GLP_SF_GM | GLP_SF_EQ | GLP_SF_2N);
    glp_smcp parameters;
    glp_init_smcp(&parameters);
    parameters.msg_lev = GLP_MSG_OFF;
    parameters.meth = GLP_DUALP; // its prices are of use before the optimum
    parameters.tm_lim =
        static_cast<int>(std::clamp(seconds * 1e3, 1.0, double{std::numeric_limits<int>::max()}));
    (void)glp_simplex(lp, &parameters);
    out.optimal = glp_get_status(lp) == GLP_OPT;
    for (std::size_t i = 0; i < rows(); ++i)
        out.prices.push_back(glp_get_row_dual(lp, static_cast<int>(i + 1)));
    if (out.optimal)
        for (std::size_t j = 0; j < columns(); ++j)
            out.values.push_back(glp_get_col_prim(lp, static_cast<int>(j + 1)));
    return out;
}

LinearProgram::Slack LinearProgram::slack(Column column, const std::vector<double>& prices) const
{
    const ColumnData& c = m_columns[column];
    Slack s{c.cost, c.cost};
    for (const Entry& e : c.entries) {
        const double term = e.coefficient * prices[e.row];
        s.value -= term;
        s.error += std::abs(term);
    }
    s.error *= kRounding;
    return s;
}

bool LinearProgram::repair(const Repair& repair, std::vector<double>& prices) const
{
    for (int round = 0; round < 4; ++round) { // what rounding leaves of the first is nothing after another
        const Slack s = slack(repair.column, prices);
        if (s.value >= s.error)
            return true;
        double sum = 0; // of what may be lowered
        for (const Entry& e : m_columns[repair.column].entries)
            if (std::ranges::find(repair.rows, e.row) != repair.rows.end())
                sum += e.coefficient * prices[e.row];
        const double excess = (s.error - s.value) * (1 + 1e-9) + s.error;
        const double keep = sum > excess ? 1 - excess / sum : 0;
        for (const Row row : repair.rows)
            prices[row] *= keep;
    }
    const Slack s = slack(repair.column, prices);
    return s.value >= s.error || (s.value >= 0 && s.error == 0);
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
        if (const Slack s = slack(j, prices); s.value < s.error / 2)
            return kFailed;
    double value = 0;
    for (std::size_t i = 0; i < rows(); ++i)
        value += m_atLeast[i] * prices[i];
    return value * (1 - 1e-9);
}

} // namespace tilewright
