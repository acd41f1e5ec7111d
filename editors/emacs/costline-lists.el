;;; costline-lists.el --- Lists of hot spots  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; The list of hot spots, and the way from hot line to hot line.

;;; Code:

(require 'cl-lib)
(require 'costline-server)
(require 'costline-table)
(require 'seq)
(require 'xref)

;;;; Hot spots

(defvar-local costline--by "function"
  "What the list of hot spots shows, such as \"function\".")

(defvar-local costline--order nil
  "The order, scope, filter and length of the list of hot spots, as a plist.")

(defvar-local costline--sorted nil
  "What the rows that are shown are sorted by.")

(defconst costline--sorted-columns '(("With libs" . "charged") ("Self" . "self") ("Total" . "total") ("Change" . "change") ("Calls" . "calls"))
  "The columns with numbers, and how the server is asked to sort by them.")

(defvar-keymap costline-hotspots-mode-map
  "t" #'costline-hotspots-toggle
  "b" #'costline-hotspots-by
  "s" #'costline-hotspots-sort
  "o" #'costline-hotspots-own
  "/" #'costline-hotspots-filter
  "+" #'costline-hotspots-more)

(define-derived-mode costline-hotspots-mode costline-table-mode "Hot spots"
  "The hottest functions, lines, files and more of the profile.
Own code comes first.  The echo area has all about the row at point.
\\{costline-hotspots-mode-map}"
  (setq tabulated-list-entries #'costline--hotspots))

(defun costline--hotspots-answer ()
  "Ask the server for hot spots, and return its answer.
A column with numbers that the list is sorted by decides which rows there are."
  (let ((sort (or (cdr (assoc (car tabulated-list-sort-key) costline--sorted-columns))
                  (plist-get costline--order :sort))))
    (condition-case problem
        (prog1 (costline--execute "costline.hotspots"
                                  (plist-put (append costline--order (list :by costline--by)) :sort sort))
          (setq costline--sorted sort))
      ;; The order that is shown may end, as that by change when there is no baseline anymore.
      (error (unless (and sort (equal sort costline--sorted)) (signal (car problem) (cdr problem)))
             (setq costline--order (plist-put costline--order :sort nil)
                   costline--sorted nil
                   tabulated-list-sort-key nil)
             (costline--hotspots-answer)))))

(defun costline--hotspots-columns ()
  "Return the columns of the list of hot spots."
  (let ((charges (seq-some (lambda (row) (not (member (plist-get row :chargedText) (list nil (plist-get row :selfText)))))
                           costline--rows)))
    `((,(capitalize costline--by) name costline--hotspot-name)
      ("" bar costline--share) ; of the number that rows are sorted by
      ,@(and charges '(("With libs" number costline--charged)))
      ("Self" number costline--self) ("Total" number costline--plain-total)
      ("Change" number costline--self-change)
      ,@(and (equal costline--sorted "calls") '(("Calls" number costline--call-count)))
      ,@(pcase costline--by
          ("file" nil)
          ("line" '(("File" place costline--file)))
          (_ costline--places)))))

(defun costline--hotspot-name (row)
  "Return the name of ROW, dimmed unless it is of own code."
  (if (and (plist-member row :own) (not (eq (plist-get row :own) t)))
      (propertize (costline--name row) 'face 'shadow)
    (costline--name row)))

(defun costline--plain-total (row)
  "Return the total of ROW, which its heat may not be about."
  (plist-get row :totalText))

(defun costline--charged (row)
  "Return the self cost of ROW with that of libraries below it."
  (plist-get row :chargedText))

(defun costline--self-change (row)
  "Return how the self cost of ROW changed."
  (costline--change row :self))

(defun costline--call-count (row)
  "Return how often ROW was called."
  (plist-get row :label))

(defun costline--file (row)
  "Return the file of ROW."
  (propertize (or (plist-get row :file) "") 'face 'shadow))

(defun costline--hotspots-of (answer)
  "Return the rows of ANSWER, a list of hot spots.
Whatever was listed, it is the only list beside the view's marks and groups."
  (cl-loop for (key value) on answer by #'cddr
           when (and (vectorp value) (not (memq key '(:marks :groups))))
           return (append value nil)))

(defun costline--hotspots ()
  "Return the rows of the list of hot spots, and set its columns."
  (unless costline--redrawing
    (let ((answer (costline--hotspots-answer)))
      (setq costline--rows (costline--hotspots-of answer)
            mode-line-process (costline--hotspots-state answer))))
  (let ((ranks (make-hash-table :test #'eq)))
    (seq-do-indexed (lambda (row rank) (puthash row rank ranks)) costline--rows)
    (prog1 (costline--table-entries (costline--hotspots-columns)
                                    (lambda (a b) (< (gethash (car a) ranks) (gethash (car b) ranks))))
      (unless (assoc (car tabulated-list-sort-key) (append tabulated-list-format nil))
        (setq tabulated-list-sort-key nil)
        (tabulated-list-init-header)))))

(defun costline--hotspots-state (answer)
  "Return what is listed, for the mode line.
ANSWER says what is not default about the view."
  (costline--marks (list costline--by costline--sorted (plist-get costline--order :scope) (plist-get costline--order :filter))
                   (seq-map (lambda (group) (plist-get group :text)) (plist-get answer :groups))
                   (plist-get answer :marks)))

;;;###autoload
(defun costline-hotspots (&optional lines)
  "List the hottest functions of the project.
With a prefix argument, the hottest LINES."
  (interactive "P")
  (let ((server (costline--need-server)))
    (pop-to-buffer "*Costline hot spots*")
    (costline-hotspots-mode)
    (setq costline--server server
          costline--by (if lines "line" "function"))
    (tabulated-list-print)))

(defun costline-hotspots-toggle ()
  "Switch between functions and lines."
  (interactive)
  (costline-hotspots-by (if (equal costline--by "line") "function" "line")))

(defun costline-hotspots-by (by)
  "List BY, one of the kinds of hot spots that the profile has."
  (interactive
   (let ((kinds (plist-get (costline--execute "costline.view") :hotSpots)))
     (list (costline--pick "List hottest: "
                           (cl-loop for kind in (costline--catalog :hotSpots)
                                    when (seq-contains-p kinds (plist-get kind :by))
                                    collect (cons (plist-get kind :title) (plist-get kind :by)))))))
  (setq costline--by by)
  (revert-buffer))

(defun costline--hotspots-set (key value)
  "Set KEY of the order of the list of hot spots to VALUE.
If the server refuses it, keep the old order."
  (let ((before costline--order)
        (column tabulated-list-sort-key))
    (setq costline--order (plist-put (copy-sequence before) key value))
    (when (eq key :sort) (setq tabulated-list-sort-key nil))
    (condition-case problem
        (revert-buffer)
      (error (setq costline--order before
                   tabulated-list-sort-key column)
             (signal (car problem) (cdr problem))))))

(defun costline-hotspots-sort (sort)
  "Sort the list by SORT, a number of the rows such as \"total\"."
  ;; The columns do not have costs per call.
  (interactive (list (costline--pick "Sort by: "
                                     (cl-loop for order in (costline--catalog :hotSpotsOrders)
                                              unless (eq (plist-get order :perCall) t)
                                              collect (cons (plist-get order :title) (plist-get order :sort))))))
  (costline--hotspots-set :sort sort))

(defun costline-hotspots-own ()
  "Switch between own code and all code."
  (interactive)
  (costline--hotspots-set :scope (if (equal (plist-get costline--order :scope) "own") nil "own")))

(defun costline-hotspots-filter (text)
  "List only rows with TEXT in their name or file; all if it is empty."
  (interactive (list (read-string "Part of the name or file: " (plist-get costline--order :filter))))
  (costline--hotspots-set :filter (unless (string-empty-p text) text)))

(defun costline-hotspots-more ()
  "List twice as many rows."
  (interactive)
  (costline--hotspots-set :limit (* 2 (max 50 (count-lines (point-min) (point-max))))))

;;;; From hot line to hot line

(defun costline--go-to-hot-line (previous)
  "Go to the hot line after that at point, or with PREVIOUS before it."
  (let* ((place (and buffer-file-name (costline--position)))
         (cursor (and place (list :uri (costline--get place :textDocument :uri)
                                  :line0 (costline--get place :position :line))))
         (step (costline--execute "costline.hotLine" (append cursor (list :previous (or previous :json-false))))))
    (xref-push-marker-stack)
    (find-file (costline--path (plist-get step :uri)))
    (costline--go-to-line (plist-get step :line0))
    (message "%s" (plist-get step :text))))

;;;###autoload
(defun costline-next-hot-line ()
  "Go to the next line in the order of heat, in any file of the project.
A hot line's self cost is at least the setting `hints.minPercent'.
From a line that is not hot, go to the hottest.
After the last comes the first."
  (interactive)
  (costline--go-to-hot-line nil))

;;;###autoload
(defun costline-previous-hot-line ()
  "Go to the previous line in the order of heat, in any file of the project.
From a line that is not hot, go to the hottest.
Before the first comes the last."
  (interactive)
  (costline--go-to-hot-line t))

(provide 'costline-lists)
;;; costline-lists.el ends here
