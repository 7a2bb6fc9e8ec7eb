// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/columns/linear_program.h"

#include <glpk.h>

#include <algorithm>
#include <limits>

namespace tilewright {

namespace {

/// Number of linear programs of this thread. The GLPK environment of a thread is freed with its last linear
/// program, since GLPK does not free it at the end of the thread.
thread_local int programs = 0;

/// A sparse row or column in the format of GLPK: arrays with indices from 1.
struct SparseVector
{
    std::vector<int> index{0};
    std::vector<double> value{0};
    void add(std::size_t at, double coefficient)
    {
        index.push_back(static_cast<int>(at + 1));
        value.push_back(coefficient);
    }
    [[nodiscard]] int size() const { return static_cast<int>(index.size() - 1); }
};

IncrementalLp::Solution run(glp_prob* program, int method, double seconds, int iterations)
{
    glp_smcp parameters;
    glp_init_smcp(&parameters);
    parameters.msg_lev = GLP_MSG_OFF;
    parameters.meth = method;
    parameters.tm_lim =
        static_cast<int>(std::clamp(seconds * 1e3, 1.0, double{std::numeric_limits<int>::max()}));
    parameters.it_lim = iterations;
    const int failed = glp_simplex(program, &parameters);
    IncrementalLp::Solution out;
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

IncrementalLp::IncrementalLp(std::span<const double> rightHandSides)
{
    ++programs;
    glp_term_out(GLP_OFF);
    m_program = glp_create_prob();
    glp_set_obj_dir(m_program, GLP_MIN);
    for (const double atLeast : rightHandSides)
        (void)addRow(atLeast);
}

IncrementalLp::~IncrementalLp()
{
    glp_delete_prob(m_program);
    if (--programs == 0)
        glp_free_env();
}

std::size_t IncrementalLp::addRow(double atLeast, std::span<const RowEntry> shares)
{
    const int row = glp_add_rows(m_program, 1);
    glp_set_row_bnds(m_program, row, GLP_LO, atLeast, 0);
    SparseVector sparse;
    for (const RowEntry& s : shares)
        sparse.add(s.column, s.coefficient);
    glp_set_mat_row(m_program, row, sparse.size(), sparse.index.data(), sparse.value.data());
    m_changedRightHandSides |= !shares.empty();
    return static_cast<std::size_t>(row - 1);
}

void IncrementalLp::setAtLeast(std::size_t row, double atLeast)
{
    m_changedRightHandSides = true;
    glp_set_row_bnds(m_program, static_cast<int>(row + 1), GLP_LO, atLeast, 0);
}

IncrementalLp::Column IncrementalLp::add(double cost, std::span<const Entry> entries)
{
    const int column = glp_add_cols(m_program, 1);
    glp_set_col_bnds(m_program, column, GLP_LO, 0, 0);
    glp_set_obj_coef(m_program, column, cost);
    SparseVector sparse;
    for (const Entry& e : entries)
        sparse.add(e.row, e.coefficient);
    glp_set_mat_col(m_program, column, sparse.size(), sparse.index.data(), sparse.value.data());
    return static_cast<Column>(column - 1);
}

void IncrementalLp::setCost(Column column, double cost)
{
    glp_set_obj_coef(m_program, static_cast<int>(column + 1), cost);
}

IncrementalLp::Solution IncrementalLp::solve(double seconds, int iterations)
{
    // After columns were added, the old basis is primal feasible, so the primal simplex method is used. After
    // right-hand sides have changed, the basis is dual feasible, so the dual simplex method is used.
    Solution found = run(m_program, m_changedRightHandSides ? GLP_DUALP : GLP_PRIMAL, seconds, iterations);
    m_changedRightHandSides = false;
    if (!found.optimal) {
        glp_adv_basis(m_program, 0); // the old basis may be numerically ill-conditioned
        found = run(m_program, GLP_PRIMAL, seconds, iterations);
    }
    return found;
}

} // namespace tilewright
