// SPDX-License-Identifier: GPL-3.0-or-later
// FastEngine: tiles in the order of a traversal.
#pragma once

#include "eval/fast_engine.h"

namespace tilewright {

/// Line after line (rows or columns), each forwards or, when `snake`, alternating.
template <class Limits> Tally FastEngine<Limits>::runLines(bool byRows, bool snake)
{
    const Mask& outerRuns = byRows ? m_byRow : m_byCol;
    const Mask& innerRuns = byRows ? m_byCol : m_byRow;
    const Mask innerFixed = ~(byRows ? m_bufferCol : m_bufferRow);
    const Mask outerFixed = ~(byRows ? m_bufferRow : m_bufferCol);
    const std::size_t outerClasses = byRows ? m_rowClasses : m_colClasses;
    const std::size_t innerClasses = byRows ? m_colClasses : m_rowClasses;

    LineState state{};
    const auto line = [&](std::size_t outer, bool backwards, bool first) {
        Tally out{};
        Mask paid{}; // outerRuns paid in this line
        bool start = true;
        for (std::size_t n = 0; n < innerClasses; ++n) {
            const std::size_t inner = backwards ? innerClasses - 1 - n : n;
            const Span span = (byRows ? m_colSpan : m_rowSpan)[inner];
            Class& c = byRows ? classAt(outer, inner) : classAt(inner, outer);
            if (c.phases == 0)
                continue; // no sink takes part: no step, the last one stays the last one
            const std::int64_t begin = backwards ? span.begin + span.count - 1 : span.begin;
            for (std::int64_t i = 0; i < span.count; ++i) {
                Mask reuse{};
                if (!m_forgets) {
                    reuse = state.previous & ~m_bufferStep;
                    if (start)
                        reuse &= outerFixed;
                    if (i > 0 || state.at != begin)
                        reuse &= innerFixed;
                }
                Mask charge = m_always | (outerRuns & ~paid) | (m_once & ~state.once);
                if (first)
                    charge |= innerRuns;
                const LineState before = state;
                const Mask paidBefore = paid;
                const Tally t = tile(c, reuse, charge, state.previous);
                paid |= c.allRuns & outerRuns;
                state.once |= c.allRuns & m_once;
                if (i > 0 && state == before && paid == paidBefore) {
                    out.add(t, span.count - i);
                    break;
                }
                out.add(t);
                start = false;
            }
            state.at = backwards ? span.begin : span.begin + span.count - 1;
        }
        return out;
    };

    Tally total{};
    for (std::size_t outer = 0; outer < outerClasses; ++outer) {
        const Span span = (byRows ? m_rowSpan : m_colSpan)[outer];
        // The two previous lines of this class, to find a period of one (same direction) or two.
        LineState in[2]{};
        Tally tallies[2]{};
        std::int64_t known = 0;
        for (std::int64_t i = 0; i < span.count; ++i) {
            const bool first = span.begin + i == 0;
            const std::int64_t left = span.count - i;
            if (!snake && known >= 1 && in[0] == state) {
                total.add(tallies[0], left);
                break;
            }
            if (snake && known >= 2 && in[1] == state) {
                const LineState odd = in[0];
                total.add(tallies[1], (left + 1) / 2);
                total.add(tallies[0], left / 2);
                if (left % 2 == 1)
                    state = odd;
                break;
            }
            const LineState before = state;
            const Tally t = line(outer, snake && (span.begin + i) % 2 == 1, first);
            total.add(t);
            if (first)
                continue;
            in[1] = in[0];
            tallies[1] = tallies[0];
            in[0] = before;
            tallies[0] = t;
            ++known;
        }
    }
    return total;
}

} // namespace tilewright
