;;; costline-table.el --- Buffers with costs in columns  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; What the buffers of this package have in common: they are drawn again when costs change, and tables fit their windows.

;;; Code:

(require 'cl-lib)
(require 'costline-faces)
(require 'costline-server)
(require 'seq)
(require 'tabulated-list)

;;;; Buffers that follow the profile

(defvar-local costline--outdated nil
  "Whether costs changed since this buffer was drawn.")

(defvar-local costline--drawn-width nil
  "The width of the window that this buffer was drawn for.")

(defvar costline--redrawing nil
  "Whether a buffer is drawn again with the costs that it has.")

(defun costline--follow ()
  "Draw this buffer again when costs change, or the width of its window."
  (add-hook 'window-buffer-change-functions #'costline--shown-again nil t)
  (add-hook 'window-size-change-functions #'costline--resized nil t))

(defun costline--follows-p ()
  "Return non-nil if this buffer is drawn again when costs change."
  (memq #'costline--shown-again window-buffer-change-functions))

(defun costline--update-buffers (server)
  "Draw buffers with costs of SERVER again, hidden ones later."
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (and (costline--follows-p) (eq (costline--buffer-server) server))
        (if (get-buffer-window buffer t)
            (with-demoted-errors "Costline: %S" (revert-buffer))
          (setq costline--outdated t))))))

;; The redisplay calls these two functions, and is over when their timers run.

(defun costline--shown-again (window)
  "Draw the buffer of WINDOW again soon if its costs are outdated."
  (with-current-buffer (window-buffer window)
    (when costline--outdated
      (setq costline--outdated nil)
      (run-at-time 0 nil #'costline--when-free (costline--buffer-server) #'costline--draw-again (current-buffer) nil))))

(defun costline--resized (window)
  "Draw the buffer of WINDOW again soon if it was drawn for another width."
  (with-current-buffer (window-buffer window)
    (unless (eql costline--drawn-width (window-body-width window))
      (run-at-time 0 nil #'costline--draw-again (current-buffer) t))))

(defun costline--draw-again (buffer redrawing)
  "Draw BUFFER again, if REDRAWING with the costs that it has."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (let ((costline--redrawing redrawing)) (revert-buffer)))))

(defun costline--window-width ()
  "Return the number of columns for which this buffer is to be drawn."
  (let ((window (or (get-buffer-window nil t) (selected-window))))
    (setq costline--drawn-width (window-body-width window))
    (window-max-chars-per-line window)))

(defun costline--marks (&rest lists)
  "Return the texts in LISTS for the mode line."
  (let ((texts (seq-filter #'stringp (apply #'seq-concatenate 'list lists))))
    (and texts (concat ": " (string-join texts " · ")))))

;;;; Tables

(defconst costline--nothing "No profile is shown, or it has no such costs."
  "The text of a buffer without costs.")

(defvar-local costline--rows nil
  "The rows of this table: plists with the keys of the server.")

(defvar-keymap costline-table-mode-map
  "RET" #'costline-table-visit
  "<mouse-2>" #'costline-table-click
  "<double-mouse-1>" #'costline-table-click
  "c" #'costline-table-callers
  "e" #'costline-table-callees)

(declare-function costline-table-callers "costline-tree" ())
(declare-function costline-table-callees "costline-tree" ())

(define-derived-mode costline-table-mode tabulated-list-mode "Costs"
  "A table of costs.  The echo area has all about the row at point."
  (setq tabulated-list-format []
        tabulated-list-padding 1
        truncate-lines t)
  (kill-local-variable 'glyphless-char-display) ; would replace the triangles of changes in terminals
  (setq-local revert-buffer-function #'costline--table-revert)
  (add-hook 'eldoc-documentation-functions #'costline--row-text nil t)
  (eldoc-mode 1)
  (costline--follow))

(defvar-local costline--row-function #'tabulated-list-get-id
  "What returns the row, or another function with a cost, at point.")

(defun costline--row ()
  "Return the row at point, nil if there is none."
  (funcall costline--row-function))

(defun costline--current-row ()
  "Return the row at point, or signal that there is none."
  (or (costline--row) (user-error "There is no row at point")))

(defun costline-table-visit ()
  "Go to the source of the row at point, or to a description if it has none."
  (interactive)
  (let ((row (costline--current-row)))
    (costline--open (or (plist-get row :uri) (costline--get row :item :uri)) (plist-get row :line0))))

(defun costline-table-click (event)
  "Go to the source of the row at the position of EVENT, a click."
  (interactive "e")
  (mouse-set-point event)
  (call-interactively (key-binding (kbd "RET"))))

(defun costline--row-text (&rest _)
  "Return the name, the whole cost and the place of the row at point."
  (when-let* ((row (costline--row))) (costline--whole-text row)))

(defun costline--whole-text (row)
  "Return the name, the whole cost and the place of ROW."
  (let ((name (plist-get row :name)) (text (plist-get row :text)))
    (string-join (delq nil (list (unless (string-search (or name "") (or text "")) name) text (plist-get row :placeText))) "  ")))

(defun costline--row-key ()
  "Return what remains of the row at point when costs change."
  (let ((row (costline--row)))
    (or (plist-get row :row-id)
        (mapcar (apply-partially #'plist-get row) '(:title :file :line)))))

(defun costline--go-to-row (key)
  "Go to the row with KEY, and return non-nil if there is one."
  (goto-char (point-min))
  (while (not (or (eobp) (equal (costline--row-key) key))) (forward-line))
  (not (eobp)))

(defun costline--table-revert (&rest _)
  "Draw the table again.  Each window stays at its row, else at its line."
  (let ((places (mapcar (lambda (window)
                          (save-excursion
                            (goto-char (window-point window))
                            (list window (costline--row-key) (line-number-at-pos) (current-column)
                                  (count-lines (window-start window) (pos-bol)))))
                        (get-buffer-window-list nil nil t))))
    (tabulated-list-revert)
    (pcase-dolist (`(,window ,key ,line ,column ,above) places)
      (let ((position (save-excursion
                        (unless (costline--go-to-row key)
                          (goto-char (point-min))
                          (forward-line (1- line)))
                        (move-to-column column)
                        (point))))
        (set-window-point window position)
        (set-window-start window (save-excursion (goto-char position) (pos-bol (- 1 above))) t)))))

(defun costline--table-entries (columns &optional sorter)
  "Return `costline--rows' as the entries of a table with COLUMNS.
Each column is (HEADING KIND TEXT), where TEXT is a function that returns
the text of a row, or nil, and KIND is `bar', `number', `name' or `place'.
Columns without any text are left out.  A narrow window cuts places first,
and names only if there is no other room.  SORTER sorts numbers."
  (let* ((texts (mapcar (lambda (column) (mapcar (lambda (row) (or (funcall (nth 2 column) row) "")) costline--rows)) columns))
         (room (- (costline--window-width) tabulated-list-padding 1))
         shown)
    (cl-loop for (heading kind) in columns for cells in texts
             for width = (apply #'max 0 (mapcar #'string-width cells))
             when (or (> width 0) (eq kind 'name))
             do (progn
                  (setq width (if (eq kind 'bar) 8 (max width (string-width heading))))
                  (when (memq kind '(bar number)) (cl-decf room (1+ width)))
                  (push (list heading kind width cells) shown)))
    (setq shown (nreverse shown)
          tabulated-list-format
          (vconcat (cl-loop for (heading kind width) in shown
                            collect (pcase kind
                                      ('number (list heading width sorter :right-align t))
                                      ('name (list heading (min width (max 12 room)) (and sorter t)))
                                      (_ (list heading width (and sorter t)))))))
    (tabulated-list-init-header)
    (if costline--rows
        (cl-mapcar #'list costline--rows (apply #'cl-mapcar #'vector (mapcar (lambda (column) (nth 3 column)) shown)))
      (list (list nil (vector costline--nothing))))))

;;;; Cells

(defun costline--share (row)
  "Return a bar for the share of ROW, of up to eight characters."
  (let ((eighths (round (* 64 (min 1 (max 0 (or (plist-get row :share) 0)))))))
    (propertize (concat (make-string (/ eighths 8) ?█)
                        (string-trim (char-to-string (aref " ▏▎▍▌▋▊▉" (% eighths 8)))))
                'face (costline--face row))))

(defun costline--self (row)
  "Return the self cost of ROW."
  (plist-get row :selfText))

(defun costline--total (row)
  "Return the total of ROW, in the color of its heat."
  (when-let* ((text (plist-get row :totalText)))
    (if-let* ((face (costline--face row))) (propertize text 'face face) text)))

(defun costline--change (row part)
  "Return the change of PART of ROW in its color, nil if it may be noise.
PART is `:self' or `:total'."
  (let ((change (costline--get row :change part)))
    (when (and (plist-get change :text) (not (eq (plist-get change :mayBeNoise) t)))
      (propertize (plist-get change :text) 'face (if (> (plist-get change :change) 0) 'costline-slower 'costline-faster)))))

(defconst costline--places '(("Place" place costline--place) ("In" place costline--qualifier))
  "The columns that say where a function is.")

(defun costline--place (row)
  "Return the place of ROW."
  (when-let* ((text (plist-get row :placeText))) (propertize text 'face 'shadow)))

(defun costline--qualifier (row)
  "Return what precedes the short name of ROW: a type, a module."
  (when-let* ((text (plist-get row :qualifier))) (propertize text 'face 'shadow)))

(defun costline--name (row)
  "Return the name of ROW."
  (or (plist-get row :shortName) (plist-get row :title)))

(defun costline--pick (prompt values)
  "Show PROMPT, let the user select a title in VALUES, and return its value."
  (cdr (assoc (completing-read prompt values nil t) values)))

(provide 'costline-table)
;;; costline-table.el ends here
