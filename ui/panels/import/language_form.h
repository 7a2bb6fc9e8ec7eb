// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/form.h"
#include "canvas/view.h"
#include "llm/model.h"

#include <QWidget>

namespace tilewright::ui {

/// Form for the part of a language model that runs: phase, sequences, tokens, layers, widths. It has the
/// options and defaults of the command line. Each change is one undo step.
class LanguageForm : public QWidget
{
    Q_OBJECT
public:
    explicit LanguageForm(Document& document, QWidget* parent = nullptr);

    /// Shows the options of the open model. The form is hidden if the model is not a language model.
    void refresh();

Q_SIGNALS:
    void refused(const QString& why); ///< emitted after a change; `why` is empty if the change was accepted

private:
    void take(const llm::LlmOptions& options);
    [[nodiscard]] llm::LlmOptions now() const;

    Document& m_document;
    ValueForm<llm::LlmOptions> m_fields;
    NumberBox *m_prompt, *m_cached, *m_tokens, *m_layers, *m_expertChips;
    DecimalBox* m_expertSkew;
};

} // namespace tilewright::ui
