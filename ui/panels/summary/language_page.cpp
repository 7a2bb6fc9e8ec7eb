// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/summary/language_page.h"

#include "panels/summary/summary_tables.h"
#include "theme/text.h"

#include <QHeaderView>
#include <QTableView>
#include <QTreeView>

#include <algorithm>

namespace tilewright::ui {

LanguagePage::LanguagePage(QWidget* parent)
    : QSplitter(Qt::Horizontal, parent), m_rows(new TableModel(this)), m_table(new QTableView),
      m_explained(new ExplanationModel(this)), m_tree(new QTreeView)
{
    setObjectName(QStringLiteral("summary.language"));
    setChildrenCollapsible(false);
    m_rows->setTable(languageTable({}));
    asList(*m_table, tr("Key figures of the language model"), *m_rows);
    m_table->setAlternatingRowColors(true);
    m_table->setTabKeyNavigation(false);
    m_table->setMinimumHeight(1);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    addWidget(m_table);
    asExplanation(*m_tree, tr("What the key figure is made of"), *m_explained);
    addWidget(m_tree);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, &LanguagePage::explain);
}

void LanguagePage::show(std::span<const verbs::Summary> summaries)
{
    m_values.clear();
    if (!summaries.empty())
        for (const verbs::LanguageLine& line : verbs::languageLines(summaries.front()))
            m_values.push_back(line.explained ? std::optional(*line.explained) : std::nullopt);
    int row = m_table->currentIndex().row();
    // Without a valid row, select the first one with an explanation.
    if (row < 0 || row >= static_cast<int>(m_values.size()))
        row = static_cast<int>(std::ranges::find_if(m_values, [](const auto& v) { return v.has_value(); }) -
                               m_values.begin());
    m_rows->setTable(languageTable(summaries));
    m_table->setCurrentIndex(m_rows->index(row, 0));
    explain();
}

void LanguagePage::explain()
{
    const int row = m_table->currentIndex().row();
    if (row < 0 || row >= static_cast<int>(m_values.size()) || !m_values[static_cast<std::size_t>(row)])
        return m_explained->clear();
    m_explained->setExplanation(*m_values[static_cast<std::size_t>(row)]);
    m_tree->expandToDepth(1);
}

} // namespace tilewright::ui
