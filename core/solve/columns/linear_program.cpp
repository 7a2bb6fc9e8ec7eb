// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/columns/linear_program.h"

#include <glpk.h>

#include <algorithm>
#include <limits>

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

GrowingProgram::Solution run(glp_prob* program, int method, double seconds, int changes)
{
    glp_smcp parameters;
    glp_init_smcp(&parameters);
    parameters.msg_lev = GLP_MSG_OFF;
    parameters.meth = method;
    parameters.tm_lim =
        static_cast<int>(std::clamp(seconds * 1e3, 1.0, double{std::numeric_limits<int>::max()}));
    parameters.it_lim = changes;
    const int failed = glp_simplex(program, &parameters);
    GrowingProgram::Solution out;
    out.optimal = failed == 0 && glp_get_status(program) == GLP_OPT;
    for (int i = 1; i <= glp_get_num_rows(program); ++i)
        out.prices.push_back(glp_get_row_dual(program, i));
    if (out.optimal)
        for (int j = 1; j <= glp_get_num_cols(program); ++j)
            out.values.push_back(glp_get_col_prim(program, j));
    out.value = glp_get_obj_val(program);
    return out;
}

} // namespace

GrowingProgram::GrowingProgram(std::span<const double> atLeast) : m_program(createProgram())
{
    glp_add_rows(m_program, static_cast<int>(atLeast.size()));
    for (std::size_t i = 0; i < atLeast.size(); ++i)
        glp_set_row_bnds(m_program, static_cast<int>(i + 1), GLP_LO, atLeast[i], 0);
}

GrowingProgram::~GrowingProgram()
{
    deleteProgram(m_program);
}

std::size_t GrowingProgram::addRow(double atLeast, std::span<const Share> shares)
{
    const int row = glp_add_rows(m_program, 1);
    glp_set_row_bnds(m_program, row, GLP_LO, atLeast, 0);
    std::vector<int> index{0}; // GLPK counts from one
    std::vector<double> value{0};
    for (const Share& s : shares) {
        index.push_back(static_cast<int>(s.column + 1));
        value.push_back(s.coefficient);
    }
    glp_set_mat_row(m_program, row, static_cast<int>(shares.size()), index.data(), value.data());
    m_isMoved |= !shares.empty();
    return static_cast<std::size_t>(row - 1);
}

void GrowingProgram::setAtLeast(std::size_t row, double atLeast)
{
    m_isMoved = true;
    glp_set_row_bnds(m_program, static_cast<int>(row + 1), GLP_LO, atLeast, 0);
}

GrowingProgram::Column GrowingProgram::add(double cost, std::span<const Entry> entries)
{
    const int column = glp_add_cols(m_program, 1);
    glp_set_col_bnds(m_program, column, GLP_LO, 0, 0);
    glp_set_obj_coef(m_program, column, cost);
    std::vector<int> index{0}; // GLPK counts from one
    std::vector<double> value{0};
    for (const Entry& e : entries) {
        index.push_back(static_cast<int>(e.row + 1));
        value.push_back(e.coefficient);
    }
    glp_set_mat_col(m_program, column, static_cast<int>(entries.size()), index.data(), value.data());
    return static_cast<Column>(column - 1);
}

void GrowingProgram::setCost(Column column, double cost)
{
    glp_set_obj_coef(m_program, static_cast<int>(column + 1), cost);
}

GrowingProgram::Solution GrowingProgram::solve(double seconds, int changes)
{
    // With new columns what was best before can still be done, with other right-hand sides its prices still
    // hold: it goes on from there.
    Solution found = run(m_program, m_isMoved ? GLP_DUALP : GLP_PRIMAL, seconds, changes);
    m_isMoved = false;
    if (!found.optimal) {
        glp_adv_basis(m_program, 0); // where numbers have become too bad
        found = run(m_program, GLP_PRIMAL, seconds, changes);
    }
    return found;
}

} // namespace tilewright
