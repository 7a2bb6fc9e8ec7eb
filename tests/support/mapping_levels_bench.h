// SPDX-License-Identifier: GPL-3.0-or-later
// The views of the Mapping lens on an architecture with levels of its own.
#pragma once

#include "hierarchy/edits.h"
#include "mapping_bench.h"
#include "verbs/map_hierarchy.h"
#include "views/mapping/mapping_view.h"

#include <QMouseEvent>
#include <QtTest>

namespace tilewright::ui {

using hierarchy::Place;

inline const char* const kFiveLevels = "hierarchies/five-levels.json";
inline const Place kDram{0, {}}, kSram{1, {}}, kClusters{1, "clusters"}, kCluster{2, {}}, kRows{2, "rows"},
    kColumns{2, "columns"}, kWeights{3, {}}, kRegisters{4, {}};

inline QString levelsData(const char* file)
{
    return QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/levels/") + QLatin1String(file);
}

/// What `map LAYER ARCHITECTURE` answers.
inline hierarchy::SearchResult answerOfVerb(const MappingSetup& setup, const char* objective = "edp")
{
    verbs::MapCall call;
    call.hierarchy = setup.levels;
    call.objective = objective;
    return verbs::mapLayerOnHierarchy({setup.layer, *mapping::makeNest(setup.layer), {}}, call, {});
}

/// Opens layers and architectures, and finds and moves loops in the nest.
class MappingLevelsBench : public MappingBench
{

protected:
    /// The view with a small product on five levels.
    template <typename V = MappingView> V& openSmall(QSize size = {1500, 800})
    {
        V& view = MappingBench::open<V>(nullptr, size);
        openLayer(R"({"name": "small", "kind": "gemm", "m": 64, "n": 48, "k": 32})");
        openSample(kFiveLevels);
        view.settle();
        return view;
    }
    void openLayer(const char* text) { QVERIFY(state().openText(text, QStringLiteral("layer.json"))); }
    void openSample(const char* file)
    {
        const auto opened = m_app->workspace.open(mappingSample(file));
        QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
    }
    /// The case of docs/rules/hierarchy.md 6.
    MappingView& openByHand()
    {
        auto& view = MappingBench::open<MappingView>(nullptr, {1500, 800});
        openLayer(R"({"name": "by hand", "kind": "gemm", "m": 4, "n": 2, "k": 4})");
        (void)m_app->workspace.open(levelsData("by-hand.json"));
        view.settle();
        (void)m_app->workspace.open(levelsData("by-hand-mapping.json"));
        return view;
    }
    const hierarchy::Architecture& levels() { return *state().setup().levels; }
    std::size_t columnOfPlace(const Place& place)
    {
        const auto places = placesOf(levels(), state().setup().mapping);
        return static_cast<std::size_t>(std::ranges::find(places, place) - places.begin());
    }
    std::int64_t factor(const Place& place, const char* loop)
    {
        std::int64_t out = 1;
        for (const hierarchy::TiledLoop& tiled : loopsAt(state().setup().mapping, place))
            out *= tiled.loop == state().nest().loopByName(loop) ? tiled.factor : 1;
        return out;
    }
    QPointF grip(const MappingView& view, const Place& place, const char* loop)
    {
        const NestBarPlace* bar = view.places().bar(columnOfPlace(place), state().nest().loopByName(loop));
        return bar ? QPointF(bar->rect.left() + 10, bar->rect.center().y()) : QPointF(-1, -1);
    }
    static void move(QWidget& w, QPointF at, Qt::KeyboardModifiers modifiers = {})
    {
        QMouseEvent event(QEvent::MouseMove, at, w.mapToGlobal(at), Qt::NoButton, Qt::LeftButton, modifiers);
        QCoreApplication::sendEvent(&w, &event);
    }
    /// Drags up to the point, without the release.
    static void dragTo(QWidget& w, QPointF from, QPointF to)
    {
        QTest::mousePress(&w, Qt::LeftButton, {}, from.toPoint());
        move(w, from + QPointF(12, 0));
        move(w, to);
    }
    static void drop(QWidget& w, QPointF at, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mouseRelease(&w, Qt::LeftButton, modifiers, at.toPoint());
    }
};

} // namespace tilewright::ui
