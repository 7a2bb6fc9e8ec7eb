// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/graph/graph_model.h"
#include "views/graph/graph_navigator.h"

#include <QPoint>
#include <QString>

#include <optional>
#include <vector>

namespace tilewright::ui {

/// A search text: part of a name ("query"), or a number of an item ("op 12", "t17", "subgraph 5"). "op 1"
/// finds only that op; "op1" also finds names that begin with op1.
class GraphSearch
{
public:
    explicit GraphSearch(const QString& text);

    [[nodiscard]] bool findsOp(const Problem& problem, OpId op) const;
    [[nodiscard]] bool findsTensor(const Problem& problem, TensorId tensor) const;
    /// True if the node is found. A card is found by its contents.
    [[nodiscard]] bool findsNode(const GraphModel& model, std::size_t node) const;
    /// Returns all nodes found, in reading order, but ops with exactly this name first.
    [[nodiscard]] std::vector<std::size_t> nodes(const GraphModel& model) const;

private:
    enum class Kind { None, Op, Tensor, Subgraph };
    [[nodiscard]] bool isPartOf(const std::string& name) const;
    /// True for an op whose last name parts are the search text: "down" finds "layer0.down".
    [[nodiscard]] bool endsWithParts(const GraphModel& model, std::size_t node) const;

    QString m_text;
    Kind m_kind = Kind::None;
    std::uint32_t m_number = 0;
    bool m_names = true;
};

/// The selection in the graph. It changes by clicks, by arrow keys, along tensors, and from hit to hit of a
/// search.
class GraphCursor : public QObject
{
    Q_OBJECT
public:
    GraphCursor(const ViewContext& context, GraphLayouter& layouter, GraphNavigator& navigator,
                GraphBars& bars, QWidget& view);

    void select(const GraphHit& hit, Qt::KeyboardModifiers modifiers);
    /// Changes the selection without scrolling to it.
    void changeSelection(SelectionState state);
    template <typename F> void withoutScrolling(F&& change)
    {
        m_ownSelection = true;
        change();
        m_ownSelection = false;
    }
    void startAnew();

    /// The node with the keyboard focus.
    [[nodiscard]] std::optional<std::size_t> node() const;
    /// The last op that was selected individually and not through a card.
    [[nodiscard]] std::optional<OpId> lastOp() const { return m_lastOp; }
    [[nodiscard]] QPointF focusPoint() const;
    [[nodiscard]] bool step(QPoint way, Qt::KeyboardModifiers modifiers);
    void startInTheMiddle();
    void followTensor(bool toConsumer);
    void goToSubgraph(int by);

    void search(const QString& text);
    void searchNext(int direction);
    [[nodiscard]] bool isSearching() const { return !m_searchText.isEmpty(); }
    [[nodiscard]] const std::vector<std::size_t>& found() const
    {
        return m_found;
    } ///< nodes in reading order
    [[nodiscard]] std::size_t currentFound() const { return m_currentFound; }

Q_SIGNALS:
    void blockWanted(OpId op); ///< emitted if the block that contains this op must be opened

private:
    void moveTo(std::size_t node, bool extend);
    void selectionChanged();
    void showFound();

    ViewContext m_context;
    GraphLayouter& m_layouter;
    GraphNavigator& m_navigator;
    GraphBars& m_bars;
    QWidget& m_view;
    std::optional<GraphKey> m_cursor;
    std::optional<OpId> m_lastOp;
    QString m_searchText;
    std::vector<std::size_t> m_found;
    std::size_t m_currentFound = 0;
    std::optional<GraphKey> m_openedFor; ///< the hit whose block is being opened
    bool m_ownSelection = false;
};

} // namespace tilewright::ui
