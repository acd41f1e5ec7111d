;;; costline-tree.el --- The call tree, callers and callees  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; Tables whose rows can be opened: the call tree, and trees of the callers or callees of a function.

;;; Code:

(require 'cl-lib)
(require 'costline-server)
(require 'costline-table)
(require 'seq)

(defconst costline--page 50
  "How many rows below another are shown at first, and how many more at a time.")

(defconst costline--max-indent 8
  "How many levels are indented.  Deeper ones have their number.")

(defvar-local costline--tree nil
  "What this tree shows, as a plist.
The call tree has `:inverted', whether it is bottom-up.  Callers and callees
have `:command', which asks for them, and `:items', the functions at the top.")

(defvar-local costline--open-rows nil
  "How many rows below a row are shown, by the id of the row, if it is open.")

(defvar-local costline--below nil
  "What is below a row, by its id: the rows, and the number of others.")

(defvar-local costline--transforms nil
  "The transforms under which the paths of the rows were found.")

(defvar-keymap costline-tree-mode-map
  "TAB" #'costline-tree-toggle
  "<backtab>" #'costline-tree-close-all
  "RET" #'costline-tree-visit
  "^" #'costline-tree-go-up
  "x" #'costline-tree-hot-path
  "i" #'costline-tree-invert
  "t" #'costline-transform-node)

(define-derived-mode costline-tree-mode costline-table-mode "Costline tree"
  "A tree of functions and their costs.
The costs of a row are those of the path that leads to it.
\\{costline-tree-mode-map}"
  (setq tabulated-list-entries #'costline--tree-entries
        costline--open-rows (make-hash-table :test #'equal)
        costline--below (make-hash-table :test #'equal)))

(defun costline--tree-entries ()
  "Return the rows of the tree as entries of its table."
  (unless costline--redrawing
    (clrhash costline--below)
    (costline--tree-list))
  (costline--table-entries `(("" bar costline--share) ("Self" number costline--self) ("Total" number costline--total) ("Change" number costline--total-change)
                             ("Function" name costline--tree-name) ,@costline--places)))

;;;; Rows

(defun costline--tree-list ()
  "List the rows of the tree, those below an open row after it."
  (let ((pending (costline--rows-below nil)) rows row)
    (while pending
      (setq row (pop pending))
      (push row rows)
      (when (costline--open-p row) (setq pending (append (costline--rows-below row) pending))))
    (setq costline--rows (nreverse rows))))

(defun costline--open-p (row)
  "Return non-nil if the rows below ROW are shown."
  (and (costline--can-open-p row) (gethash (plist-get row :row-id) costline--open-rows)))

(defun costline--more-p (row)
  "Return non-nil if ROW stands for rows that are not shown."
  (eq (car (plist-get row :row-id)) 'more))

(defun costline--can-open-p (row)
  "Return non-nil if there are rows below ROW."
  (cond ((costline--more-p row) nil)
        ((plist-member row :hasChildren) (eq (plist-get row :hasChildren) t))
        (t (not (eq (plist-get row :leaf) t)))))

(defun costline--rows-below (row)
  "Return the rows below ROW, at the top if it is nil."
  (let* ((id (plist-get row :row-id))
         (level (if row (1+ (plist-get row :level)) 0))
         (count (gethash id costline--open-rows costline--page))
         (found (or (gethash id costline--below)
                    (puthash id (costline--ask-below row count) costline--below)))
         (more (cdr found)))
    (append (mapcar (lambda (below) `(:row-id ,(cons (costline--row-name below) id) :level ,level ,@below)) (car found))
            (and (> more 0) (list (list :row-id (cons 'more id) :level level :title (format "… %d more" more)))))))

(defun costline--row-name (row)
  "Return a name for ROW that no other row below the same one has."
  (or (plist-get row :key)
      (list (costline--get row :item :data :path) (plist-get row :name) (plist-get row :recursive))))

(defun costline--ask-below (row count)
  "Ask the server for up to COUNT rows below ROW, and for the number of others."
  (cond ((plist-get costline--tree :command) (cons (if row (costline--calls-below row) (costline--functions)) 0))
        (t (costline--nodes-below row count))))

(defun costline--nodes-below (row count)
  "Return up to COUNT nodes of the call tree below ROW, and the number of others."
  (let ((more 1) nodes answer)
    (while (and (> more 0) (< (length nodes) count))
      (setq answer (costline--ask-tree row :skip (length nodes) :limit (- count (length nodes)))
            nodes (append nodes (plist-get answer :nodes) nil)
            more (if (seq-empty-p (plist-get answer :nodes)) 0 (plist-get answer :more))
            costline--transforms (plist-get answer :transforms)
            mode-line-process (costline--marks (and (plist-get costline--tree :inverted) '("bottom-up"))
                                               (plist-get answer :marks))))
    (cons nodes more)))

(defun costline--ask-tree (row &rest options)
  "Ask the server for the call tree below ROW, with OPTIONS."
  (costline--execute "costline.callTree"
                     `( :inverted ,(or (plist-get costline--tree :inverted) :json-false)
                        ,@(and row (list :path (plist-get row :path) :transforms costline--transforms))
                        ,@options)))

(defun costline--calls (item)
  "Return the callers or callees of ITEM."
  (costline--execute (plist-get costline--tree :command) item '(:message :json-false)))

(defun costline--calls-below (row)
  "Return the callers or callees of ROW."
  (mapcar (lambda (entry) (append entry (costline--get entry :item :data)))
          (plist-get (costline--calls (plist-get row :item)) :entries)))

(defun costline--functions ()
  "Return the functions at the top that are still in the profile."
  (cl-loop for item in (plist-get costline--tree :items)
           for now = (plist-get (costline--calls item) :item)
           when now collect `(:item ,now ,@(plist-get now :data) :text ,(plist-get now :name))))

;;;; Cells

(defvar-keymap costline--marker-map
  :doc "The keys of the markers of rows that can be opened."
  "<mouse-1>" #'costline-tree-click)

(defun costline--total-change (row)
  "Return how the total of ROW changed."
  (costline--change row :total))

(defun costline--tree-name (row)
  "Return the name of ROW, with its level, and whether it is open."
  (let ((level (plist-get row :level)))
    (concat (make-string (* 2 (min level costline--max-indent)) ?\s)
            (if (> level costline--max-indent) (format "%d " level) "")
            (cond ((not (costline--can-open-p row)) "  ")
                  ((costline--open-p row) (propertize "▾ " 'keymap costline--marker-map))
                  (t (propertize "▸ " 'keymap costline--marker-map)))
            (costline--name row)
            (if (eq (plist-get row :recursive) t) " ↻" ""))))

;;;; Opening and closing

(defun costline--tree-redraw ()
  "Draw the tree with the rows that are open now."
  (costline--tree-list)
  (let ((costline--redrawing t)) (revert-buffer)))

(defun costline-tree-toggle ()
  "Open or close the row at point, or show more rows."
  (interactive)
  (let* ((row (costline--current-row))
         (id (plist-get row :row-id))
         (above (cdr id)))
    (cond ((costline--more-p row)
           (puthash above (+ costline--page (gethash above costline--open-rows costline--page)) costline--open-rows)
           (remhash above costline--below))
          ((costline--open-p row) (remhash id costline--open-rows))
          ((costline--can-open-p row) (puthash id costline--page costline--open-rows))
          (t (user-error "There is nothing below this function")))
    (costline--tree-redraw)))

(defun costline-tree-click (event)
  "Open or close the row at the position of EVENT, a click."
  (interactive "e")
  (mouse-set-point event)
  (costline-tree-toggle))

(defun costline-tree-visit ()
  "Go to the source of the function at point, or show more rows."
  (interactive)
  (if (costline--more-p (costline--current-row)) (costline-tree-toggle) (costline-table-visit)))

(defun costline-tree-close-all ()
  "Close all rows."
  (interactive)
  (clrhash costline--open-rows)
  (costline--tree-redraw))

(defun costline-tree-go-up ()
  "Go to the row above the level of the row at point."
  (interactive)
  (let ((above (cdr (plist-get (costline--current-row) :row-id))))
    (unless above (user-error "This row is at the top"))
    (costline--go-to-row above)))

(defun costline-tree-hot-path ()
  "Open the hottest path below the row at point, and go to its end."
  (interactive)
  (when (plist-get costline--tree :command) (user-error "Only the call tree has a hot path"))
  (let* ((row (costline--row))
         (id (plist-get row :row-id)))
    (seq-doseq (step (plist-get (costline--ask-tree row :limit 0 :hotPath t) :hotPath))
      (puthash id (max (gethash id costline--open-rows costline--page) (1+ (plist-get step :rank))) costline--open-rows)
      (setq id (cons (costline--row-name step) id)))
    (costline--tree-redraw)
    (costline--go-to-row id)))

;;;; Callers, callees, call tree

(defun costline--show-tree (name tree)
  "Show TREE, a value of `costline--tree', in the buffer NAME.
Rows that are open there stay so.  Otherwise, open a single row."
  (let ((server (costline--need-server)))
    (pop-to-buffer name)
    (unless (and (eq (costline--buffer-server) server) (equal costline--tree tree))
      (costline-tree-mode)
      (setq costline--server server
            costline--tree tree))
    (costline--tree-list)
    (when (and costline--rows (null (cdr costline--rows)) (costline--can-open-p (car costline--rows)))
      (puthash (plist-get (car costline--rows) :row-id) costline--page costline--open-rows))
    (tabulated-list-print t)))

(defun costline--show-calls (command &rest items)
  "Show ITEMS and, below them, their callers or callees, according to COMMAND."
  (costline--show-tree (if (equal command "costline.showCallers") "*Costline callers*" "*Costline callees*")
                       (list :command command :items items)))

(defun costline--items-at-point ()
  "Return the functions at point that have costs."
  (or (append (costline--request "textDocument/prepareCallHierarchy" (costline--position)) nil)
      (user-error "There is no function with a cost at point")))

;;;###autoload
(defun costline-callers ()
  "Show the callers of the function at point as a tree."
  (interactive)
  (apply #'costline--show-calls "costline.showCallers" (costline--items-at-point)))

;;;###autoload
(defun costline-callees ()
  "Show the callees of the function at point as a tree."
  (interactive)
  (apply #'costline--show-calls "costline.showCallees" (costline--items-at-point)))

(defun costline--row-item ()
  "Return the function of the row at point."
  (or (plist-get (costline--current-row) :item) (user-error "This row is not a function")))

(defun costline-table-callers ()
  "Show the callers of the function of the row at point."
  (interactive)
  (costline--show-calls "costline.showCallers" (costline--row-item)))

(defun costline-table-callees ()
  "Show the callees of the function of the row at point."
  (interactive)
  (costline--show-calls "costline.showCallees" (costline--row-item)))

(defun costline--run-lens (command)
  "Run COMMAND of a lens: show its callers or callees as a tree."
  (costline--show-calls (plist-get command :command) (elt (plist-get command :arguments) 0)))

;;;###autoload
(defun costline-call-tree (&optional inverted)
  "Show the call tree.
With a prefix argument INVERTED, show it bottom-up."
  (interactive "P")
  (costline--show-tree "*Costline call tree*" (list :inverted (and inverted t))))

(defun costline-tree-invert ()
  "Show the call tree bottom-up, or top-down again."
  (interactive)
  (when (plist-get costline--tree :command) (user-error "Only the call tree can be inverted"))
  (costline-call-tree (not (plist-get costline--tree :inverted))))

(defun costline--transform-node (path inverted)
  "Let the user select one of the server's actions for the node at PATH.
INVERTED says whether it is a node of the bottom-up tree."
  (let ((kind (costline--pick "Node: "
                              (cl-loop for action in (costline--catalog :nodeActions)
                                       when (eq (eq (plist-get action :bottomUp) t) inverted)
                                       collect (cons (plist-get action :title) (plist-get action :type))))))
    (if kind
        (costline--execute "costline.pushTransform" (list :type kind :path path))
      (costline--execute "costline.setView" (list :node path)))
    (revert-buffer)))

(defun costline-transform-node ()
  "Show, merge or hide the node at point of the call tree.
To undo that, run `costline'."
  (interactive)
  (let ((path (plist-get (costline--current-row) :path)))
    (unless path (user-error "There is no node of the call tree at point"))
    (costline--transform-node path (plist-get costline--tree :inverted))))

(provide 'costline-tree)
;;; costline-tree.el ends here
