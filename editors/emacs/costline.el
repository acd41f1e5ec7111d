;;; costline.el --- Show costs from profiles in the code  -*- lexical-binding: t; -*-

;; Author: the Costline authors
;; Maintainer: the Costline authors
;; Version: 0.1.0
;; Package-Requires: ((emacs "29.1"))
;; Keywords: tools, languages

;;; Commentary:

;; Costline is a language server that reads the files of profilers and shows in the code what each line and function costs.
;; There are three ways to run it:
;;
;; - `costline-mode' starts a separate server and draws its hints and lenses, next to any other client;
;; - Eglot can have Costline as its server (`eglot-server-programs'); this package then draws lenses and refreshes hints;
;; - lsp-mode runs Costline as an add-on server, next to that of the language.
;;
;; The commands are the same in all three: `costline' (a menu of all choices and commands), `costline-hotspots', `costline-callers',
;; `costline-callees', `costline-call-tree', `costline-explain', `costline-fix', `costline-choose', `costline-reload', `costline-flamegraph'.

;;; Code:

(require 'browse-url)
(require 'cl-lib)
(require 'costline-server)
(require 'seq)
(require 'tabulated-list)
(require 'tree-widget)

(defface costline-hint '((t :inherit shadow :height 0.9))
  "Face of hints: costs at the ends of lines in `costline-mode'.")

(defface costline-lens '((t :inherit shadow :height 0.9))
  "Face of lenses: costs above functions.")

(declare-function eglot--managed-buffers "eglot" (server))
(declare-function eglot--project "eglot" (server))
(declare-function eglot-current-server "eglot" ())
(declare-function lsp--update-inlay-hints "ext:lsp-mode" ())
(declare-function lsp--workspace-buffers "ext:lsp-mode" (workspace))
(declare-function lsp--workspace-root "ext:lsp-mode" (workspace))
(declare-function lsp-lens-refresh "ext:lsp-lens" (buffer-modified? &optional buffer))
(declare-function lsp-register-client "ext:lsp-mode" (client))
(declare-function lsp-register-custom-settings "ext:lsp-mode" (props))
(declare-function lsp-workspace-root "ext:lsp-mode" (&optional path))
(declare-function lsp-stdio-connection "ext:lsp-mode" (command &optional test-command))
(declare-function make-lsp-client "ext:lsp-mode" (&rest slots))
(defvar costline-mode)
(defvar costline-lens-mode)

;;;; Hot spots

(defvar-local costline--by "function"
  "What the list of hot spots shows: a value of `costline--lists'.")

(defvar-local costline--order nil
  "The order, scope and filter of the list of hot spots, as a plist.")

(defconst costline--lists '("function" "line" "file" "module" "package" "library" "thread")
  "What the list of hot spots can show.")

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
    map))

(define-derived-mode costline-hotspots-mode tabulated-list-mode "Hot spots"
  "The hottest functions, lines, files and more of the profile.
\\{costline-hotspots-mode-map}"
  (setq tabulated-list-entries #'costline--hotspots
        tabulated-list-format [("Cost" 52 nil) ("Function" 28 t) ("Place" 0 t)])
  (tabulated-list-init-header))

(defun costline--hotspots ()
  "Return the rows of the list of hot spots."
  (let ((answer (costline--execute "costline.hotspots" (append (list :by costline--by) costline--order))))
    (mapcar (lambda (row)
              (let* ((file (plist-get row :file))
                     (line (plist-get row :line))
                     (place (cond (line (format "%s:%s" file line)) (file file) (t ""))))
                (list row (vector (plist-get row :text) (or (plist-get row :name) "") place))))
            (seq-some (lambda (list) (plist-get answer list))
                      '(:functions :lines :files :modules :packages :libraries :threads)))))

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
  (setq costline--by (if (equal costline--by "line") "function" "line"))
  (revert-buffer))

(defun costline-hotspots-by (by)
  "List BY, one of `costline--lists'."
  (interactive (list (completing-read "List hottest: " costline--lists nil t)))
  (setq costline--by by)
  (revert-buffer))

(defun costline--hotspots-set (key value)
  "Set KEY of the order of the list of hot spots to VALUE.
If the server refuses it, keep the old order."
  (let ((before costline--order))
    (setq costline--order (plist-put (copy-sequence before) key value))
    (condition-case problem
        (revert-buffer)
      (error (setq costline--order before)
             (signal (car problem) (cdr problem))))))

(defun costline-hotspots-sort (sort)
  "Sort the list by SORT, a number of the rows such as \"total\"."
  (interactive (list (completing-read "Sort by: " '("self" "total" "calls" "change") nil t)))
  (costline--hotspots-set :sort sort))

(defun costline-hotspots-own ()
  "Switch between own code and all code."
  (interactive)
  (costline--hotspots-set :scope (if (equal (plist-get costline--order :scope) "own") "all" "own")))

(defun costline-hotspots-filter (text)
  "List only rows with TEXT in their name or file; all if it is empty."
  (interactive (list (read-string "Part of the name or file: " (plist-get costline--order :filter))))
  (costline--hotspots-set :filter text))

(defun costline-hotspots-open ()
  "Go to the function or line of this row."
  (interactive)
  (let ((row (tabulated-list-get-id)))
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

;;;; Callers, callees, call tree

(defvar costline-tree-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map (make-composed-keymap widget-keymap special-mode-map))
    (define-key map "t" #'costline-transform-node)
    map))

(define-derived-mode costline-tree-mode special-mode "Costline tree"
  "A tree of functions and their costs.
A button opens or closes a level, and a name goes to the source of its function.
\\{costline-tree-mode-map}"
  (setq truncate-lines t))

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
                  (let ((answer (costline--execute "costline.callTree" (list :path path :inverted inverted))))
                    (mapcar #'node (plist-get answer :nodes))))
                (node (node)
                  (costline--tree-node (format "%s  %s" (plist-get node :text) (plist-get node :name))
                                       (plist-get node :uri) (plist-get node :line0)
                                       (and (eq (plist-get node :hasChildren) t)
                                            (lambda () (nodes (plist-get node :path))))
                                       (cons (plist-get node :path) (eq inverted t)))))
      (costline--show-tree (if (eq inverted t) "Call tree, bottom-up" "Call tree") (nodes [])))))

(defun costline--transform-node (path inverted)
  "Let the user show, merge or hide the node at PATH of the call tree.
INVERTED says whether it is a node of the bottom-up tree."
  (let ((kinds (list (cons "Focus on this node and its callers" "focus-subtree-inverted"))))
    (unless inverted
      (setq kinds '(("Show the costs of this node" . nil)
                    ("Merge into caller" . "merge-node")
                    ("Merge subtree into caller" . "merge-subtree")
                    ("Hide" . "drop-node"))))
    (let ((kind (cdr (assoc (completing-read "Node: " kinds nil t) kinds))))
      (if kind
          (costline--execute "costline.pushTransform" (list :type kind :path path))
        (costline--execute "costline.setView" (list :node path)))
      (costline-call-tree inverted))))

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

;;;; The view

(defun costline--complete (prompt candidates)
  "Show PROMPT, let the user select one of CANDIDATES, and return its VALUE.
Each candidate is (LABEL NOTE . VALUE)."
  (let* ((annotate (lambda (label)
                     (if-let* ((note (cadr (assoc label candidates)))) (concat "  " (propertize note 'face 'shadow)))))
         (table (lambda (string predicate action)
                  (if (eq action 'metadata)
                      `(metadata (annotation-function . ,annotate) (display-sort-function . identity))
                    (complete-with-action action candidates string predicate)))))
    (cddr (assoc (completing-read prompt table nil t) candidates))))

(defun costline--options (choice)
  "Return the options of CHOICE as candidates of `costline--complete'."
  (mapcar (lambda (option)
            (cl-list* (concat (if (eq (plist-get option :active) t) "* " "  ") (plist-get option :label))
                      (or (plist-get option :description) (plist-get option :detail))
                      (list (plist-get option :value))))
          (plist-get choice :options)))

(defun costline--choose (choice)
  "Let the user select a value for CHOICE."
  (let* ((options (costline--options choice))
         (prompt (format "%s: " (plist-get choice :title)))
         (value (if (eq (plist-get choice :multiple) t)
                    (vconcat (mapcar (lambda (label) (caddr (assoc label options)))
                                     (completing-read-multiple prompt options nil t)))
                  (car (costline--complete prompt options)))))
    (costline--execute "costline.setView" (list (intern (concat ":" (plist-get choice :key))) value))))

(defun costline--choice-entries (view)
  "Return the choices of VIEW as candidates of `costline--complete'."
  (mapcar (lambda (choice)
            (let ((active (seq-filter (lambda (option) (eq (plist-get option :active) t)) (plist-get choice :options))))
              (cl-list* (plist-get choice :title)
                        (mapconcat (lambda (option) (plist-get option :label)) active ", ")
                        (lambda () (costline--choose choice)))))
          (plist-get view :choices)))

;;;###autoload
(defun costline-choose ()
  "Choose what is shown: profile, metric, threads and so on."
  (interactive)
  (funcall (costline--complete "Choose: " (costline--choice-entries (costline--execute "costline.view")))))

;;;###autoload
(defun costline ()
  "Show a menu of all choices, actions, lists and trees."
  (interactive)
  (let* ((view (costline--execute "costline.view"))
         (shown (format "%s, %s" (or (costline--get view :profile :name) "no profile") (plist-get view :summary))))
    (call-interactively
     (let ((run (costline--complete
                 (format "Costline (%s): " shown)
                 (append
                  '(("Show hot spots" nil . costline-hotspots)
                    ("Show callers" "of the function at point" . costline-callers)
                    ("Show callees" "of the function at point" . costline-callees)
                    ("Show call tree" nil . costline-call-tree)
                    ("Explain this line" nil . costline-explain)
                    ("Fix a problem" nil . costline-fix)
                    ("Focus on a function" nil . costline-focus))
                  (costline--choice-entries view)
                  (mapcar (lambda (action)
                            (cl-list* (plist-get action :title) nil
                                      (lambda ()
                                        (apply #'costline--execute (plist-get action :command)
                                               (append (plist-get action :arguments) nil)))))
                          (plist-get view :actions))))))
       (if (symbolp run) run (lambda () (interactive) (funcall run)))))))

(defun costline-focus (function)
  "Show only the samples that contain FUNCTION.
To remove this transform, run `costline'."
  (interactive (list (read-string "Function: " (thing-at-point 'symbol t))))
  (costline--execute "costline.pushTransform" (list :type "focus-function" :function function)))

;;;###autoload
(defun costline-reload ()
  "Read the profile again."
  (interactive)
  (costline--execute "costline.reload"))

;;;###autoload
(defun costline-fix ()
  "Fix a problem of what is shown."
  (interactive)
  (let* ((entries (seq-filter (lambda (entry) (plist-get entry :fix))
                              (plist-get (costline--execute "costline.view") :health)))
         (candidates (mapcar (lambda (entry)
                               (list (costline--get entry :fix :title) (plist-get entry :message) (plist-get entry :fix)))
                             entries)))
    (unless candidates (user-error "There is nothing to fix"))
    (let ((fix (car (costline--complete "Fix: " candidates))))
      (apply #'costline--execute (plist-get fix :command) (append (plist-get fix :arguments) nil)))))

;;;###autoload
(defun costline-explain ()
  "Explain the costs of the line at point, or why there are none."
  (interactive)
  (let ((place (costline--position)))
    (message "%s" (plist-get (costline--execute "costline.explain"
                                                (list :uri (costline--get place :textDocument :uri)
                                                      :line (costline--get place :position :line)))
                             :message))))

;;;###autoload
(defun costline-flamegraph ()
  "Draw a flame graph and open it in the browser."
  (interactive)
  (message "Flame graph: %s" (plist-get (costline--execute "costline.flamegraph") :path)))

;; Emacs would open the SVG file in a buffer, but its scripts need a browser.
(add-to-list 'browse-url-handlers '("\\`file:.*-flamegraph\\.svg\\'" . costline--browse))

(defun costline--browse (url &rest _)
  "Open URL in the browser."
  (let ((browse-url-handlers nil) (browse-url-default-handlers nil))
    (browse-url url)))

;;;; Drawing: hints and lenses of `costline-mode', lenses for Eglot

(defvar-local costline--timer nil
  "The timer of the next redraw.")

(defun costline--remove (kind)
  "Remove the overlays of KIND, `hint' or `lens'."
  (remove-overlays (point-min) (point-max) 'costline kind))

(defun costline--line-start (line0)
  "Go to the start of line LINE0 (0-based), and return its position."
  (goto-char (point-min))
  (forward-line line0)
  (point))

(defun costline--draw-hint (hint)
  "Draw HINT at the end of its line."
  (costline--line-start (costline--get hint :position :line))
  (let ((overlay (make-overlay (line-end-position) (line-end-position))))
    (overlay-put overlay 'costline 'hint)
    (overlay-put overlay 'after-string (propertize (concat " " (plist-get hint :label)) 'face 'costline-hint 'cursor t))))

(defun costline--draw-lens (lens)
  "Draw LENS above its line."
  (let* ((start (costline--line-start (costline--get lens :range :start :line)))
         (overlay (make-overlay start start))
         (command (plist-get lens :command))
         (run (lambda () (interactive) (costline--run-lens command))))
    (back-to-indentation)
    (overlay-put overlay 'costline 'lens)
    (overlay-put overlay 'before-string
                 (concat (make-string (current-column) ?\s)
                         (propertize (plist-get command :title) 'face 'costline-lens 'mouse-face 'highlight
                                     'keymap (let ((map (make-sparse-keymap))) (define-key map [mouse-1] run) map))
                         "\n"))))

(defvar-local costline--requests nil
  "The number of requests of each kind, a plist.")

(defun costline--draw (kind method params draw)
  "Request METHOD with PARAMS, and DRAW each element of the answer as KIND."
  (let ((buffer (current-buffer))
        (tick (buffer-chars-modified-tick))
        (number (1+ (or (plist-get costline--requests kind) 0))))
    (setq costline--requests (plist-put costline--requests kind number))
    (jsonrpc-async-request
     (costline--find-server) method (append (list :textDocument (costline--document)) params)
     :success-fn (lambda (answer)
                   (when (buffer-live-p buffer)
                     (with-current-buffer buffer
                       ;; Answers may arrive out of order.  One about an older text has the wrong lines; another
                       ;; request follows then.
                       (when (and costline-lens-mode
                                  (= number (plist-get costline--requests kind))
                                  (= tick (buffer-chars-modified-tick)))
                         (save-excursion
                           (save-restriction
                             (widen)
                             (costline--remove kind)
                             (mapc draw answer)))))))
     :error-fn #'ignore)))

(defvar-local costline--buffer-marks nil
  "What is not default about the view of this buffer, for the mode line.")

(defun costline--show-marks ()
  "Show in the mode line what is not default about the view."
  (let ((marks (gethash (costline--find-server) costline--marks)))
    (unless (equal marks costline--buffer-marks)
      (setq costline--buffer-marks marks)
      (force-mode-line-update))))

(defun costline--redraw ()
  "Request the costs of this buffer, and draw them."
  (costline--show-marks)
  (when costline-lens-mode
    (when costline-lenses
      (costline--draw 'lens "textDocument/codeLens" nil #'costline--draw-lens))
    (when costline-mode
      (costline--draw 'hint "textDocument/inlayHint"
                      (list :range (list :start '(:line 0 :character 0)
                                         :end (list :line (line-number-at-pos (point-max) t) :character 0)))
                      #'costline--draw-hint))))

(defun costline--later (&rest _)
  "Send edits to the server and redraw, once Emacs is idle."
  (when (timerp costline--timer) (cancel-timer costline--timer))
  (setq costline--timer
        (run-with-idle-timer 0.3 nil (lambda (buffer)
                                       (when (buffer-live-p buffer)
                                         (with-current-buffer buffer
                                           (costline--own-changed)
                                           (costline--redraw))))
                             (current-buffer))))

(define-minor-mode costline-lens-mode
  "Draw lenses above the functions of this buffer, which Eglot does not do.
The mode line has what is not default about the view."
  :lighter costline--buffer-marks
  (if costline-lens-mode
      (progn (add-hook 'after-change-functions #'costline--later nil t)
             (add-hook 'after-save-hook #'costline--later nil t)
             (costline--redraw))
    (remove-hook 'after-change-functions #'costline--later t)
    (remove-hook 'after-save-hook #'costline--later t)
    (save-restriction
      (widen)
      (costline--remove 'hint)
      (costline--remove 'lens))))

(defun costline--buffers (server)
  "Return the buffers in which this package draws the costs of SERVER."
  (seq-filter (lambda (buffer)
                (with-current-buffer buffer
                  (and costline-lens-mode (eq (costline--find-server) server))))
              (buffer-list)))

(add-hook 'costline-refresh-functions #'costline--refresh)

(defvar costline--stale nil
  "The servers whose costs will be redrawn.")

(defun costline--refresh (server)
  "Redraw everything of SERVER soon.
Servers request this several times in a row."
  (unless (memq server costline--stale)
    (push server costline--stale)
    (run-at-time 0.1 nil #'costline--refresh-now server)))

(defun costline--refresh-now (server)
  "Redraw everything of SERVER."
  (setq costline--stale (delq server costline--stale))
  (dolist (buffer (costline--buffers server))
    (with-current-buffer buffer (costline--redraw)))
  (unless (cl-typep server 'jsonrpc-connection)
    (costline--lsp-redraw server))
  (when-let* ((list (get-buffer "*Costline hot spots*")))
    (with-current-buffer list
      (when (and (eq costline--server server) (get-buffer-window list t))
        (revert-buffer)))))

;;;###autoload
(define-minor-mode costline-mode
  "Show costs from a profile in the code.
The server is separate from other clients of the buffer, such as Eglot."
  :lighter " Costline"
  (cond
   ((not costline-mode)
    (let ((costline-mode t)) (when costline--server (costline--own-closed)))
    (costline-lens-mode -1)
    (kill-local-variable 'costline--server)
    (remove-hook 'after-save-hook #'costline--own-saved t)
    (remove-hook 'kill-buffer-hook #'costline--own-closed t))
   ((null buffer-file-name)
    (setq costline-mode nil)
    (user-error "This buffer visits no file"))
   (t
    (setq costline--crashes nil)
    (let ((project (project-current)))
      (setq costline--server
            (costline--own-server (file-truename (if project (project-root project) default-directory)))))
    (costline--own-opened)
    (add-hook 'after-save-hook #'costline--own-saved nil t)
    (add-hook 'kill-buffer-hook #'costline--own-closed nil t)
    (costline-lens-mode 1))))

;;;; Eglot

(with-eval-after-load 'eglot
  (defvar eglot-inlay-hints-mode)
  (declare-function eglot--update-hints-1 "eglot" (from to))

  ;; Eglot does not declare that it can refresh hints.
  (cl-defmethod eglot-client-capabilities :around ((_server eglot-lsp-server))
    "Add what this package does for Eglot: refreshing, and `costline/changed'."
    (let ((capabilities (cl-call-next-method)))
      (dolist (refreshed '(:inlayHint :codeLens))
        (setf (plist-get (plist-get capabilities :workspace) refreshed) '(:refreshSupport t)))
      (setf (plist-get capabilities :experimental) '(:costline (:changed t)))
      capabilities))

  (cl-defmethod eglot-handle-request :before (server (_method (eql workspace/inlayHint/refresh)) &rest _)
    "Redraw the hints of the buffers of SERVER."
    (dolist (buffer (eglot--managed-buffers server))
      (when (buffer-live-p buffer)
        (with-current-buffer buffer
          (when (and eglot-inlay-hints-mode (fboundp 'eglot--update-hints-1))
            (save-restriction
              (widen)
              (eglot--update-hints-1 (point-min) (point-max))))))))

  (cl-defmethod eglot-handle-request :before (server (_method (eql workspace/codeLens/refresh)) &rest _)
    "Redraw the lenses of the buffers of SERVER."
    (costline--refresh server))

  (cl-defmethod eglot-initialization-options :around (server)
    "Add what was chosen earlier to the options of SERVER."
    (costline--initialization-options (costline--eglot-key server) (cl-call-next-method)))

  (cl-defmethod eglot-handle-notification (server (_method (eql costline/changed)) &rest shown)
    "Keep the state in SHOWN, and refresh the lists of SERVER."
    (costline--keep-state (costline--eglot-key server) shown)
    (costline--keep-marks server shown)
    (costline--show-problems shown)
    (costline--refresh server))

  (add-hook 'eglot-managed-mode-hook #'costline--eglot-managed))

(defun costline--eglot-key (server)
  "Return the key of SERVER in `costline--states'."
  (list 'eglot (project-root (eglot--project server)) (process-command (jsonrpc--process server))))

(defun costline--eglot-managed ()
  "Draw lenses if the server of Eglot is Costline."
  (unless (bound-and-true-p costline-mode)
    (costline-lens-mode (if (and (bound-and-true-p eglot--managed-mode) (costline--eglot-p (eglot-current-server))) 1 -1)))
  (costline--announce))

;;;; lsp-mode

(defun costline--table (&rest pairs)
  "Return a hash table of PAIRS, the form of the handlers of lsp-mode."
  (let ((table (make-hash-table :test #'equal)))
    (cl-loop for (key value) on pairs by #'cddr do (puthash key value table))
    table))

(defun costline--lsp-redraw (workspace)
  "Redraw the hints and lenses of the buffers of WORKSPACE.
lsp-mode itself redraws only lenses."
  (dolist (buffer (lsp--workspace-buffers workspace))
    (when (buffer-live-p buffer)
      (with-current-buffer buffer
        (when (bound-and-true-p lsp-lens-mode) (lsp-lens-refresh t))
        (when-let* (((bound-and-true-p lsp-inlay-hints-mode)) (window (get-buffer-window buffer t)))
          (with-selected-window window (lsp--update-inlay-hints)))))))

(defun costline--lsp-refresh (workspace &rest _)
  "Redraw everything of WORKSPACE soon."
  (costline--refresh workspace)
  nil)

(defun costline--lsp-changed (workspace shown)
  "Keep the state in SHOWN, and redraw everything of WORKSPACE soon."
  (costline--keep-state (list 'lsp-mode (lsp--workspace-root workspace)) (costline--plain shown))
  (costline--show-problems (costline--plain shown))
  (costline--lsp-refresh workspace))

(with-eval-after-load 'lsp-mode
  (add-hook 'lsp-after-open-hook #'costline--announce)
  (lsp-register-custom-settings '(("costline" costline-settings)))
  (lsp-register-client
   (make-lsp-client
    :new-connection (lsp-stdio-connection (lambda () costline-command))
    :activation-fn (lambda (file _mode) (and file (not (string-match-p "/\\.git/" file))))
    :add-on? t
    :priority -1
    :server-id 'costline
    :initialization-options (lambda () (costline--initialization-options (list 'lsp-mode (lsp-workspace-root)) costline-settings))
    :custom-capabilities '((experimental . ((costline . ((changed . t))))))
    :request-handlers
    (costline--table "workspace/codeLens/refresh" #'costline--lsp-refresh
                     "window/showDocument" (lambda (_ params) (costline--show-document (costline--plain params))))
    :notification-handlers (costline--table "costline/changed" #'costline--lsp-changed)
    :action-handlers
    (let ((show (lambda (command) (costline--run-lens (costline--plain command)))))
      (costline--table "costline.showCallers" show "costline.showCallees" show)))))

(provide 'costline)
;;; costline.el ends here
