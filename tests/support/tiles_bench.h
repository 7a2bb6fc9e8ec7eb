// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of the tile grid share: one product, its tiles, and the mouse over them.
#pragma once

#include "views/tiles/tiles_view.h"
#include "window/app_state.h"

#include <QtTest>

#include <memory>

namespace tilewright::ui {

/// One MatMul of side x side x side; `tile` and `k` are its granularity.
inline ProblemPtr matmul(std::int64_t side, std::int64_t capacity = 100000)
{
    Problem::Data data;
    for (int i = 0; i < 3; ++i)
        data.tensors.push_back({side, side, {}});
    data.ops.push_back({OpType::MatMul, {TensorId(0), TensorId(1)}, TensorId(2), 100, {}});
    data.hardware = {capacity, 10, 128, 128, {}};
    return *Problem::build(std::move(data));
}

inline Schedule tiled(std::int64_t w, std::int64_t h, std::int64_t k, const Traversal& traversal = {})
{
    Schedule s;
    s.subgraphs.push_back(
        std::make_shared<const Subgraph>(Subgraph{{OpId(0)}, {w, h, k}, {}, traversal, {}, false}));
    return s;
}

class TilesBench : public QObject
{
protected:
    std::unique_ptr<AppState> m_state;
    std::unique_ptr<TilesView> m_view;

    void open(const ProblemPtr& problem, const Schedule& schedule, QSize size = {1000, 600})
    {
        m_view.reset();
        m_state = std::make_unique<AppState>();
        m_state->document.setProblem(problem, schedule);
        m_state->document.evaluateNow();
        m_view = std::make_unique<TilesView>(m_state->context());
        m_view->resize(size);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        m_view->settle();
    }
    QPoint at(std::int64_t tile) const { return m_view->tileCentre(tile).toPoint(); }
    const Document& document() const { return m_state->document; }

    void drag(const std::vector<std::int64_t>& tiles)
    {
        QTest::mousePress(m_view.get(), Qt::LeftButton, {}, at(tiles.front()));
        for (std::size_t i = 1; i < tiles.size(); ++i) {
            QMouseEvent move(QEvent::MouseMove, at(tiles[i]), m_view->mapToGlobal(at(tiles[i])), Qt::NoButton,
                             Qt::LeftButton, Qt::NoModifier);
            QCoreApplication::sendEvent(m_view.get(), &move);
        }
        QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, at(tiles.back()));
        m_view->settle();
    }
    void close()
    {
        m_view.reset();
        m_state.reset();
    }
};

} // namespace tilewright::ui
