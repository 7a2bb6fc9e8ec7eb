// SPDX-License-Identifier: GPL-3.0-or-later
// The start page, and the samples that the page and the menu offer.
#pragma once

#include "canvas/view.h"

#include <QFileInfo>
#include <QStringList>

#include <functional>
#include <vector>

class QMenu;
class QGridLayout;
class QVBoxLayout;

namespace tilewright::ui {

using OpenFiles = std::function<void(const QStringList& paths)>;

/// Returns the problem files among the samples of the Schedule lens.
[[nodiscard]] QFileInfoList sampleProblems();
/// Returns the schedule files in the folder of a problem X: "X.schedule.json", "X.*.schedule.json".
[[nodiscard]] QStringList schedulesBeside(const QFileInfo& problem);
/// Returns the problem file that belongs to a schedule by its name. For "X.fused.schedule.json" this is
/// "X.fused.json" or "X.json" in the same folder. Empty if there is none.
[[nodiscard]] QString problemBeside(const QFileInfo& schedule);
/// Title of a schedule in menus: "A: one by one" for "example-1.a-one-by-one.schedule.json".
[[nodiscard]] QString scheduleTitle(const QFileInfo& problem, const QString& schedule);
/// Adds menu entries that open the problem alone, with each of its schedules, or with all of them for
/// comparison.
void addSchedules(QMenu& menu, const QFileInfo& problem, const OpenFiles& open);

/// A group of samples that are not problems of the Schedule lens.
struct SampleKind
{
    QString folder, text, tip;
};
[[nodiscard]] std::vector<SampleKind> sampleKinds();
/// Adds the samples of one group to a menu.
void addSamples(QMenu& menu, const SampleKind& kind, const OpenFiles& open);

/// Adds all samples to a menu.
void addAllSamples(QMenu& menu, const OpenFiles& open);

/// A recently opened file with its figures ("32 ops · best total 6 915.2").
struct RecentFile
{
    QString path;
    QString figures;
};

/// The page that is shown while nothing is open: a button to open files, recent files, and samples with
/// thumbnails.
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
