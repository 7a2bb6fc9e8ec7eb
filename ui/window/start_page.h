// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"

#include <vector>

class QGridLayout;
class QVBoxLayout;

namespace tilewright::ui {

/// A recently opened file with its figures ("32 ops · best total 6 915.2").
struct RecentFile
{
    QString path;
    QString figures;
};

/// Page that is shown while nothing is open: button to open files, recent files, samples with thumbnails.
class StartPage : public QWidget
{
    Q_OBJECT
public:
    explicit StartPage(const ViewContext& context, QWidget* parent = nullptr);
    void setRecent(const std::vector<RecentFile>& files);

Q_SIGNALS:
    void openRequested();
    void filesRequested(const QStringList& paths);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void fillSamples();
    void addLensSamples(QVBoxLayout& column, QWidget* page);
    void arrangeSamples();

    ViewContext m_context;
    QGridLayout* m_samples = nullptr;
    std::vector<QWidget*> m_sampleButtons;
    int m_cell = 0; ///< width of the button of a sample, in pixels
    int m_columns = 0;
    std::vector<RecentFile> m_recentFiles;
    QVBoxLayout* m_recent = nullptr;
    QWidget* m_recentBox = nullptr;
};

} // namespace tilewright::ui
