// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"

#include <vector>

class QGridLayout;
class QVBoxLayout;

namespace tilewright::ui {

/// Shown while nothing is open: Open, drop hint, recent files, the samples as live pictures.
class StartPage : public QWidget
{
    Q_OBJECT
public:
    explicit StartPage(const ViewContext& context, QWidget* parent = nullptr);
    void setRecent(const QStringList& paths);

Q_SIGNALS:
    void openRequested();
    void fileRequested(const QString& path);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fillSamples();
    void arrangeSamples();

    ViewContext m_context;
    QGridLayout* m_samples = nullptr;
    std::vector<QWidget*> m_sampleButtons;
    int m_columns = 0;
    QVBoxLayout* m_recent = nullptr;
    QWidget* m_recentBox = nullptr;
};

/// Folder of the samples: beside the source tree or the installation; empty when there is none.
[[nodiscard]] QString samplesFolder();

} // namespace tilewright::ui
