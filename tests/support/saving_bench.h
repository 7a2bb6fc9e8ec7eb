// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of saving share: files of their own, answers to dialogs, messages of the window.
#pragma once

#include "base/file.h"
#include "window/message_bar.h"
#include "window_fixture.h"
#include "workspace/schedule_edits.h"

#include <QFileDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QStandardPaths>
#include <QTimer>
#include <QToolButton>

#include <cstdio>
#include <functional>

namespace tilewright::ui {

class SavingBench
{
protected:
    inline static const QString kNote = QStringLiteral("typed just before");

    static QString problemFile() { return example("ex3.problem.json"); }

    static std::string contentOf(const QString& path)
    {
        const auto text = readFile(path.toStdString());
        return text ? *text : "unreadable: " + text.error().text();
    }

    static void writeText(const QString& path, std::string_view text)
    {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(text.data(), static_cast<qint64>(text.size())), static_cast<qint64>(text.size()));
    }

    /// Replaces a file as editors do: another file is renamed to its name.
    static void replaceByRename(const QString& path, std::string_view text)
    {
        writeText(path + QStringLiteral(".new"), text);
        QCOMPARE(std::rename(qPrintable(path + QStringLiteral(".new")), qPrintable(path)), 0);
    }

    /// Presses a button of the next message box, then runs `then`; `seen` gets the text of the box.
    static void answerBox(const QString& button, QString* seen = nullptr,
                          const std::function<void()>& then = {})
    {
        QTimer::singleShot(10, qApp, [button, seen, then] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            if (!box) {
                answerBox(button, seen, then);
                return;
            }
            if (seen)
                *seen = box->text();
            if (then)
                then();
            for (QAbstractButton* b : box->buttons())
                if (b->text().remove(QLatin1Char('&')) == button) {
                    b->click();
                    return;
                }
            qWarning("no button %s", qPrintable(button));
            box->reject();
        });
    }

    /// Chooses a file in the next file dialog.
    static void chooseFile(const QString& path)
    {
        QTimer::singleShot(10, qApp, [path] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            if (!dialog) {
                chooseFile(path);
                return;
            }
            // selectFile() does not replace the text of a line edit that has the focus.
            dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(path);
            static_cast<QDialog*>(dialog)->accept();
        });
    }

    static QToolButton* buttonOf(MessageBar* bar, const char* text)
    {
        for (QToolButton* b : bar->findChildren<QToolButton*>())
            if (b->text() == QLatin1String(text) && !b->isHidden())
                return b;
        return nullptr;
    }

    static void edit(MainWindow& window)
    {
        window.state().selection.selectOps({OpId(1), OpId(2)});
        QVERIFY(fuseSelection(window.state().document, window.state().selection));
    }

    /// The bar with this text; null if there is none.
    static MessageBar* barWith(MainWindow& window, const char* text)
    {
        for (auto* bar : window.findChildren<MessageBar*>())
            if (bar->text().contains(QLatin1String(text)))
                return bar;
        return nullptr;
    }

    /// Empties the settings and the folder of recovery copies, and lets dialogs ask.
    void prepare()
    {
        qputenv("XDG_DATA_HOME", m_data.path().toUtf8());
        m_settings.fresh();
        QDir(recoveryFolder()).removeRecursively();
        QFile::remove(recoveryFolder());
        qApp->setProperty("tilewrightNoPrompts", false);
    }

    QString recoveryFolder() const
    {
        return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
               QStringLiteral("/recovery");
    }
    QString settingsFolder() const { return QFileInfo(m_settings.filePath("x")).path(); }
    /// A problem and a schedule that may be written.
    QStringList files()
    {
        const QStringList out{m_settings.filePath("p.json"), m_settings.filePath("p.schedule.json")};
        for (const QString& path : out)
            QFile::remove(path);
        QFile::copy(problemFile(), out[0]);
        QFile::copy(example("ex3A.solution.json"), out[1]);
        return out;
    }
    std::string otherSchedule() const { return contentOf(example("ex3C.solution.json")); }

    PrivateSettings m_settings;
    QTemporaryDir m_data;
};

} // namespace tilewright::ui
