// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/examples.h"

#include <array>

namespace tilewright::tables {

std::span<const Example> examples()
{
    static constexpr std::array kExamples{
        Example{"Which subgraphs take longest?",
                R"(SELECT subgraph, op_names, latency_time_units, bound
FROM subgraphs ORDER BY latency_time_units DESC LIMIT 5)"},
        Example{"How much of the time do compute and memory limit?",
                R"(SELECT bound, count(*) AS subgraphs, sum(latency_time_units) AS latency_time_units,
  sum(latency_time_units) / (SELECT number FROM about WHERE name = 'total_latency') AS fraction
FROM subgraphs GROUP BY bound ORDER BY fraction DESC)"},
        Example{"How long would the schedule take without waiting for memory, and without compute?",
                R"(SELECT sum(latency_time_units) AS latency_time_units,
  sum(compute_time_units) AS unlimited_bandwidth_time_units,
  sum(memory_time_units) AS unlimited_compute_time_units
FROM subgraphs)"},
        Example{
            "Which tensors cause the most traffic, and how often is each element loaded?",
            R"(SELECT name, role, sum(load_elements) AS load_elements, sum(store_elements) AS store_elements,
  sum(load_elements) / size_elements AS loads_per_element
FROM traffic JOIN tensors USING (tensor)
GROUP BY tensor ORDER BY sum(load_elements) + sum(store_elements) DESC LIMIT 5)"},
        Example{"Which results go to slow memory and come back, so that fusing or retaining could save them?",
                R"(SELECT name, sum(store_elements) AS store_elements, sum(load_elements) AS load_elements
FROM traffic JOIN tensors USING (tensor) WHERE role = 'intermediate'
GROUP BY tensor HAVING sum(store_elements) > 0 AND sum(load_elements) > 0
ORDER BY sum(store_elements) + sum(load_elements) DESC LIMIT 5)"},
        Example{"How full is the fast memory in each subgraph?",
                R"(SELECT subgraph, peak_working_set_elements,
  peak_working_set_elements / (SELECT number FROM about WHERE name = 'fast_memory_capacity') AS fraction
FROM subgraphs ORDER BY fraction DESC LIMIT 5)"},
        Example{"What is in the fast memory when it is fullest?",
                R"(WITH peak AS (SELECT subgraph, step FROM steps ORDER BY working_set_elements DESC LIMIT 1)
SELECT peak.subgraph, peak.step, kind, name, buffers.size_elements
FROM peak, buffers JOIN tensors USING (tensor)
WHERE (first_subgraph, first_step) <= (peak.subgraph, peak.step)
  AND (last_subgraph, last_step) >= (peak.subgraph, peak.step)
ORDER BY buffers.size_elements DESC)"},
        Example{
            "Which steps wait longest for memory?",
            R"(SELECT subgraph, step, tile_row, tile_column, memory_time_units - compute_time_units AS wait_time_units
FROM steps ORDER BY wait_time_units DESC LIMIT 5)"},
        Example{"Which ops leave the array idle for longest?",
                R"(SELECT op, name, array_cycles, array_utilisation_fraction,
  array_cycles * (1 - array_utilisation_fraction) AS idle_cycles
FROM ops WHERE array_cycles > 0 ORDER BY idle_cycles DESC LIMIT 5)"},
        Example{"Where do padding and repeated work cost most?",
                R"(SELECT subgraph, op_names, padding_ratio, padding_time_units
FROM subgraphs WHERE padding_ratio > 1 ORDER BY padding_time_units DESC LIMIT 5)"},
        Example{"Which values of the machine are not measured or documented?",
                R"(SELECT part, count(*) AS fields, sum(origin = 'given') AS given_without_source,
  sum(origin = 'assumed') AS assumed, sum(origin = 'default') AS defaults, sum(origin = 'derived') AS derived
FROM sources WHERE origin NOT IN ('measured', 'datasheet', 'paper')
GROUP BY part ORDER BY fields DESC LIMIT 8)"},
        Example{"What do the cores of the NPU wait for?",
                R"(SELECT state, count(*) AS times, sum(length_cycles) AS length_cycles,
  1.0 * sum(length_cycles) / (SELECT sum(length_cycles) FROM stalls) AS fraction
FROM stalls GROUP BY state ORDER BY length_cycles DESC)"},
        Example{"Which operators of the NPU wait longest for DRAM, and how much do they move?",
                R"(SELECT operator, type, wait_dram_cycles, dram_bytes
FROM npu_ops ORDER BY wait_dram_cycles DESC LIMIT 5)"},
        Example{"What does the mapping of least energy cost in time?",
                R"(SELECT e.operator, e.energy_pj, e.length_cycles, c.energy_pj AS fastest_energy_pj,
  c.length_cycles AS fastest_length_cycles
FROM mappings e JOIN mappings c USING (layer)
WHERE e.objective = 'energy' AND c.objective = 'cycles' ORDER BY e.length_cycles DESC LIMIT 5)"},
        Example{"At which point of the sweep is each metric least?",
                R"(SELECT m.name, min(m.number) AS number, m.point,
  (SELECT group_concat(a.name || ' ' || a.text, ', ') FROM sweep_values a
   WHERE a.point = m.point AND a.kind = 'axis') AS axes
FROM sweep_values m WHERE m.kind = 'metric' GROUP BY m.name)"},
    };
    return kExamples;
}

} // namespace tilewright::tables
