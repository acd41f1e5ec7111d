;;; costline-lists.el --- Lists and trees of costs  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; The list of hot spots, the way from hot line to hot line, and the trees of callers, callees and calls.

;;; Code:

(require 'cl-lib)
(require 'costline-server)
(require 'seq)
(require 'tabulated-list)
(require 'tree-widget)
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

(defvar costline-hotspots-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'costline-hotspots-open)
    (define-key map "c" #'costline-hotspots-callers)
    (define-key map "e" #'costline-hotspots-callees)
    (define-key map "t" #'costline-hotspots-toggle)
    (define-key map "b" #'costline-hotspots-by)
    (define-key map "s" #'costline-hotspots-sort)
    (define-key map "o" #'costline-hotspots-own)
    (define-key map "/" #'costline-hotspots-filter)
    (define-key map "+" #'costline-hotspots-more)
    map))

(define-derived-mode costline-hotspots-mode tabulated-list-mode "Hot spots"
  "The hottest functions, lines, files and more of the profile.
Own code comes first.  The echo area has the whole cost of the row at point.
\\{costline-hotspots-mode-map}"
  (setq tabulated-list-entries #'costline--hotspots
        tabulated-list-format []
        tabulated-list-padding 1
        truncate-lines t)
  (setq-local revert-buffer-function #'costline--hotspots-revert)
  (add-hook 'eldoc-documentation-functions #'costline--row-text nil t)
  (eldoc-mode 1))

(defun costline--hotspots-revert (&rest _)
  "Request the rows again.  Each window stays at its row, else at its line."
  (let ((places (mapcar (lambda (window)
                          (save-excursion
                            (goto-char (window-point window))
                            (list window (costline--row-key) (line-number-at-pos) (current-column)
                                  (count-lines (window-start window) (pos-bol)))))
                        (get-buffer-window-list nil nil t))))
    (tabulated-list-revert)
    (pcase-dolist (`(,window ,key ,line ,column ,above) places)
      (let ((position (save-excursion
                        (goto-char (point-min))
                        (while (not (or (eobp) (equal (costline--row-key) key))) (forward-line))
                        (when (eobp)
                          (goto-char (point-min))
                          (forward-line (1- line)))
                        (move-to-column column)
                        (point))))
        (set-window-point window position)
        (set-window-start window (save-excursion (goto-char position) (pos-bol (- 1 above))) t)))))

(defun costline--row-key ()
  "Return what remains of the row at point when costs change."
  (mapcar (apply-partially #'plist-get (tabulated-list-get-id)) '(:title :file :line)))

(defun costline--row-text (&rest _)
  "Return the whole cost of the row at point."
  (plist-get (tabulated-list-get-id) :text))

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

(defun costline--cells (row)
  "Return the texts of ROW by the names of their columns."
  (let ((file (plist-get row :file))
        (line (plist-get row :line)))
    `(("With libs" . ,(plist-get row :chargedText))
      ("Self" . ,(plist-get row :selfText))
      ("Total" . ,(plist-get row :totalText))
      ("Change" . ,(unless (eq (costline--get row :change :self :mayBeNoise) t) (costline--get row :change :self :text)))
      ("Calls" . ,(and (equal costline--sorted "calls") (plist-get row :label)))
      ("Name" . ,(unless (member costline--by '("file" "line")) (or (plist-get row :title) (plist-get row :name))))
      ("Place" . ,(cond (line (format "%s:%s" file line))
                        ((equal costline--by "file") (plist-get row :title))
                        (t (or file (plist-get row :placeText))))))))

(defun costline--rows (answer)
  "Return the rows of ANSWER, a list of hot spots.
Whatever was listed, it is the only list beside the view's marks and groups."
  (cl-loop for (key value) on answer by #'cddr
           when (and (vectorp value) (not (memq key '(:marks :groups))))
           return (append value nil)))

(defun costline--hotspots ()
  "Return the rows of the list of hot spots, and set its columns.
Columns without any text are left out."
  (let* ((answer (costline--hotspots-answer))
         (rows (costline--rows answer))
         (cells (mapcar #'costline--cells rows))
         (ranks (make-hash-table :test #'eq))
         (by-rank (lambda (a b) (< (gethash (car a) ranks) (gethash (car b) ranks))))
         (charges (seq-some (lambda (row) (not (member (plist-get row :chargedText) (list nil (plist-get row :selfText))))) rows))
         columns)
    (seq-do-indexed (lambda (row rank) (puthash row rank ranks)) rows)
    (dolist (name `(,@(and charges '("With libs")) "Self" "Total" "Change" "Calls" "Name" "Place"))
      (let ((width (apply #'max 0 (mapcar (lambda (row) (string-width (or (cdr (assoc name row)) ""))) cells)))
            (is-number (assoc name costline--sorted-columns)))
        (when (> width 0)
          (push `(,name ,(max width (+ 2 (length name))) ,(if is-number by-rank t) ,@(and is-number '(:right-align t)))
                columns))))
    (setq columns (nreverse columns)
          tabulated-list-format (vconcat columns)
          mode-line-process (costline--hotspots-state answer))
    (unless (assoc (car tabulated-list-sort-key) columns) (setq tabulated-list-sort-key nil))
    (tabulated-list-init-header)
    (cl-mapcar (lambda (row texts)
                 (list row
                       (vconcat (mapcar (lambda (column)
                                          (let ((text (or (cdr (assoc (car column) texts)) "")))
                                            (if (costline--foreign-p row) (propertize text 'face 'shadow) text)))
                                        columns))))
               rows cells)))

(defun costline--foreign-p (row)
  "Return non-nil if ROW is not of own code."
  (and (plist-member row :own) (not (eq (plist-get row :own) t))))

(defun costline--hotspots-state (answer)
  "Return what is listed, for the mode line.
ANSWER says what is not default about the view."
  (format ": %s" (string-join (append (list costline--by)
                                      (seq-filter #'stringp (list costline--sorted
                                                                  (plist-get costline--order :scope)
                                                                  (plist-get costline--order :filter)))
                                      (seq-map (lambda (group) (plist-get group :text)) (plist-get answer :groups))
                                      (plist-get answer :marks)
                                      nil)
                              " · ")))

;;;###autoload
(defun costline-hotspots (&optional lines)
  "List the hottest functions of the project.
With a prefix argument, the hottest LINES."
  (interactive "P")
  (let ((server (costline--find-server)))
    (pop-to-buffer "*Costline hot spots*")
    (costline-hotspots-mode)
    (setq costline--server server
          costline--by (if lines "line" "function"))
    (tabulated-list-print)))

(defun costline-hotspots-toggle ()
  "Switch between functions and lines."
  (interactive)
  (costline-hotspots-by (if (equal costline--by "line") "function" "line")))

(defun costline--pick (prompt values)
  "Show PROMPT, let the user select a title in VALUES, and return its value."
  (cdr (assoc (completing-read prompt values nil t) values)))

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

(defun costline-hotspots-open ()
  "Go to the function or line of this row."
  (interactive)
  (let ((row (tabulated-list-get-id)))
    (unless row (user-error "There is no row at point"))
    (costline--open (or (plist-get row :uri) (costline--get row :item :uri)) (plist-get row :line0))))

(defun costline--row-item ()
  "Return the function of this row."
  (or (plist-get (tabulated-list-get-id) :item) (user-error "This row is not a function")))

(defun costline-hotspots-callers ()
  "Show the callers of this row's function."
  (interactive)
  (costline--show-step "costline.showCallers" (costline--row-item)))

(defun costline-hotspots-callees ()
  "Show the callees of this row's function."
  (interactive)
  (costline--show-step "costline.showCallees" (costline--row-item)))

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

;;;; Callers, callees, call tree

(defvar costline-tree-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map (make-composed-keymap widget-keymap special-mode-map))
    (define-key map (kbd "RET") #'costline-tree-press)
    (define-key map "t" #'costline-transform-node)
    map))

(define-derived-mode costline-tree-mode special-mode "Costline tree"
  "A tree of functions and their costs.
A button opens or closes a level, and a name goes to the source of its function.
RET beside them opens or closes the level, else goes to the source.
\\{costline-tree-mode-map}"
  (setq truncate-lines t))

(defun costline-tree-press ()
  "Press the button or name at point, else the first one of this row."
  (interactive)
  (let ((place (point)))
    (unless (get-char-property place 'button)
      (setq place (pos-bol))
      (while (not (or (get-char-property place 'button) (>= place (pos-eol)))) (cl-incf place))
      (when (= place (pos-eol)) (user-error "There is no function on this line")))
    (widget-button-press place)))

(defun costline--tree-node (text uri line0 children &optional node)
  "Return a widget named TEXT, a link to LINE0 of URI.
CHILDREN is a function that returns the widgets below it, or nil.
NODE is the argument of `costline--transform-node'."
  (let ((link `(link :costline-node ,node :tag ,text :button-prefix "" :button-suffix "" :format "%[%t%]\n"
                     :action ,(lambda (&rest _) (costline--open uri line0)))))
    (if children `(tree-widget :node ,link :expander ,(lambda (_) (funcall children))) link)))

(defun costline--show-tree (title nodes)
  "Show NODES, a list of widgets, below TITLE.  Open a single node."
  (let ((server (costline--find-server))
        (inhibit-read-only t))
    (pop-to-buffer "*Costline tree*")
    (costline-tree-mode)
    (erase-buffer)
    (setq costline--server server)
    (insert title "\n\n")
    (let ((trees (mapcar #'widget-create nodes)))
      (widget-setup)
      (goto-char (point-min))
      (forward-line 2)
      (when (and trees (null (cdr trees)) (eq (widget-type (car trees)) 'tree-widget))
        (widget-apply-action (car trees))))))

(defun costline--item-node (command item text)
  "Return a node with TEXT for ITEM.
Below it are its callers or callees, according to COMMAND."
  (costline--tree-node
   text (plist-get item :uri) (costline--get item :selectionRange :start :line)
   (unless (eq (costline--get item :data :leaf) t)
     (lambda ()
       (mapcar (lambda (entry) (costline--item-node command (plist-get entry :item) (plist-get entry :text)))
               (plist-get (costline--execute command item '(:message :json-false)) :entries))))))

(defun costline--show-step (command &rest items)
  "Show ITEMS and, below them, their callers or callees, according to COMMAND."
  (costline--show-tree (if (equal command "costline.showCallers") "Callers" "Callees")
                       (mapcar (lambda (item) (costline--item-node command item (plist-get item :name))) items)))

(defun costline--items-at-point ()
  "Return the functions at point that have costs."
  (or (append (costline--request "textDocument/prepareCallHierarchy" (costline--position)) nil)
      (user-error "There is no function with a cost at point")))

;;;###autoload
(defun costline-callers ()
  "Show the callers of the function at point as a tree."
  (interactive)
  (apply #'costline--show-step "costline.showCallers" (costline--items-at-point)))

;;;###autoload
(defun costline-callees ()
  "Show the callees of the function at point as a tree."
  (interactive)
  (apply #'costline--show-step "costline.showCallees" (costline--items-at-point)))

;;;###autoload
(defun costline-call-tree (&optional inverted)
  "Show the call tree.
With a prefix argument INVERTED, show it bottom-up."
  (interactive "P")
  (let* ((inverted (if inverted t :json-false)))
    (cl-labels ((nodes (path)
                  (let* ((answer (costline--execute "costline.callTree" (list :path path :inverted inverted)))
                         (more (or (plist-get answer :more) 0)))
                    (append (mapcar #'node (plist-get answer :nodes))
                            (and (> more 0) `((item :tag ,(format "… %d more" more) :format "%t\n"))))))
                (node (node)
                  (costline--tree-node (format "%s  %s" (plist-get node :text) (plist-get node :name))
                                       (plist-get node :uri) (plist-get node :line0)
                                       (and (eq (plist-get node :hasChildren) t)
                                            (lambda () (nodes (plist-get node :path))))
                                       (cons (plist-get node :path) (eq inverted t)))))
      (costline--show-tree (if (eq inverted t) "Call tree, bottom-up" "Call tree") (nodes [])))))

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
    (costline-call-tree inverted)))

(defun costline-transform-node ()
  "Show, merge or hide the node at point of the call tree.
To undo that, run `costline'."
  (interactive)
  (save-excursion
    (end-of-line)
    (let ((node (when-let* ((widget (widget-at (1- (point))))) (widget-get widget :costline-node))))
      (unless node (user-error "There is no node of the call tree at point"))
      (costline--transform-node (car node) (cdr node)))))

(defun costline--run-lens (command)
  "Show the callers or callees that COMMAND of a lens asks for, as a tree."
  (costline--show-step (plist-get command :command) (elt (plist-get command :arguments) 0)))

(provide 'costline-lists)
;;; costline-lists.el ends here
