;;; costline.el --- Show costs from profiles in the code  -*- lexical-binding: t; -*-

;; Author: the Costline authors
;; Maintainer: the Costline authors
;; Version: 0.1.0
;; Package-Requires: ((emacs "29.1"))
;; Keywords: tools, languages
;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; Costline is a language server that reads profiles and shows what each line and function costs in the code.
;; There are three ways to run it:
;;
;; - `costline-mode' starts a separate server and draws its hints and lenses, next to any other client;
;; - Eglot can have Costline as its server (`eglot-server-programs'); this package then draws lenses and refreshes hints;
;; - lsp-mode runs Costline as an add-on server, next to that of the language.
;;
;; The commands are the same in all three: those of `costline-command-map', which `costline-menu' shows.

;;; Code:

(require 'cl-lib)
(require 'costline-annotate)
(require 'costline-faces)
(require 'costline-flame)
(require 'costline-lists)
(require 'costline-menu)
(require 'costline-server)
(require 'costline-table)
(require 'costline-tree)
(require 'seq)

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
(defvar costline-draw-mode)

;;;; Drawing: hints and lenses of `costline-mode', lenses for Eglot, heat beside any client

(defvar-local costline--timer nil
  "The timer of the next redraw.")

(defun costline--remove (&rest kinds)
  "Remove the overlays of KINDS: `hint', `heat' or `lens'."
  (save-restriction
    (widen)
    (dolist (kind kinds) (remove-overlays (point-min) (point-max) 'costline kind))))

(defun costline--line-start (line0)
  "Go to the start of line LINE0 (0-based), and return its position."
  (goto-char (point-min))
  (forward-line line0)
  (point))

(defun costline--end ()
  "Return the end of this buffer for the server, also beyond a narrowing."
  (save-restriction
    (widen)
    (list :line (line-number-at-pos (point-max)) :character 0)))

(defun costline--draw-hints (hints)
  "Draw HINTS in `costline-mode', and their heat beside any client."
  (costline--remove 'hint 'heat)
  (seq-doseq (hint hints)
    (costline--line-start (costline--get hint :position :line))
    (when costline-mode (costline--draw-hint hint))
    (when costline-heat (costline--draw-heat (plist-get hint :data))))
  (costline--show-margin (and costline-heat (seq-some (lambda (hint) (costline--bar (plist-get hint :data))) hints) t)))

(defun costline--draw-hint (hint)
  "Draw HINT at the end of the line at point."
  (let* ((overlay (make-overlay (line-end-position) (line-end-position)))
         (cost (plist-get hint :data))
         (faces (list (costline--face cost) 'costline-hint (and costline-heat (costline--line-face cost)))))
    (overlay-put overlay 'costline 'hint)
    (overlay-put overlay 'after-string
                 (propertize (concat " " (plist-get hint :label)) 'face (delq nil faces) 'cursor t))))

(defun costline--bar (cost)
  "Return the bar beside a line with COST, nil if that has no color."
  (aref [nil "▏" "▌" "█"] (cdr (costline--shade cost))))

(defun costline--draw-heat (cost)
  "Draw a bar for COST beside the line at point, and color the line."
  (when-let* ((bar (costline--bar cost))
              (overlay (make-overlay (point) (line-beginning-position 2))))
    (overlay-put overlay 'costline 'heat)
    (overlay-put overlay 'priority -60) ; the current line is more important
    (overlay-put overlay 'face (costline--line-face cost))
    (overlay-put overlay 'before-string
                 (propertize " " 'display `((margin left-margin) ,(propertize bar 'face (costline--face cost)))))))

(defvar-local costline--has-margin nil
  "Whether the margin of this buffer has a column for bars.")

(defun costline--show-margin (wanted)
  "Give the margin of this buffer a column for bars if WANTED, else take it away."
  (unless (eq wanted costline--has-margin)
    (setq costline--has-margin wanted
          left-margin-width (max 0 (+ left-margin-width (if wanted 1 -1))))
    (dolist (window (get-buffer-window-list nil nil t))
      (set-window-margins window left-margin-width (cdr (window-margins window))))))

(defun costline--draw-lenses (lenses)
  "Draw LENSES above their lines."
  (costline--remove 'lens)
  (seq-doseq (lens lenses) (costline--draw-lens lens)))

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
  "The number of requests by the functions that draw their answers, a plist.")

(defun costline--draw (draw method params)
  "Request METHOD with PARAMS, and call DRAW with the answer."
  (let ((buffer (current-buffer))
        (tick (buffer-chars-modified-tick))
        (number (1+ (or (plist-get costline--requests draw) 0))))
    (setq costline--requests (plist-put costline--requests draw number))
    (costline--ask
     (costline--find-server) method (append (list :textDocument (list :uri (costline--document-uri))) params)
     (lambda (answer)
       (when (buffer-live-p buffer)
         (with-current-buffer buffer
           ;; Answers may arrive out of order.  One about an older text has the wrong lines; another
           ;; request follows then.
           (when (and costline-draw-mode
                      (= number (plist-get costline--requests draw))
                      (= tick (buffer-chars-modified-tick)))
             (save-excursion
               (save-restriction
                 (widen)
                 (funcall draw answer))))))))))

(defun costline--redraw ()
  "Request the costs of this buffer, and draw them."
  (costline--show-state)
  (when costline-draw-mode
    (if (and costline-lenses (not (bound-and-true-p lsp-managed-mode))) ; lsp-mode draws its own
        (costline--draw #'costline--draw-lenses "textDocument/codeLens" nil)
      (costline--draw-lenses nil))
    (if (or costline-mode costline-heat)
        (costline--draw #'costline--draw-hints "textDocument/inlayHint"
                        (list :range (list :start '(:line 0 :character 0) :end (costline--end))))
      (costline--draw-hints nil))))

(defun costline--redraw-all ()
  "Draw the costs of all buffers again."
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer (costline--redraw))))

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

(define-minor-mode costline-draw-mode
  "Draw the costs that the client of this buffer does not draw."
  :lighter nil ; see `costline--mode-line'
  (if costline-draw-mode
      (progn (add-hook 'after-change-functions #'costline--later nil t)
             (add-hook 'after-save-hook #'costline--later nil t)
             (costline--redraw))
    (remove-hook 'after-change-functions #'costline--later t)
    (remove-hook 'after-save-hook #'costline--later t)
    (costline--draw-hints nil)
    (costline--draw-lenses nil)
    (setq costline--mode-line nil)))

(defun costline--buffers (server)
  "Return the buffers in which this package draws the costs of SERVER."
  (seq-filter (lambda (buffer)
                (with-current-buffer buffer
                  (and costline-draw-mode (eq (costline--find-server) server))))
              (buffer-list)))

(add-hook 'costline-refresh-functions #'costline--refresh)

(defvar costline--stale nil
  "The servers whose costs will be redrawn.")

(defun costline--refresh (server)
  "Redraw everything of SERVER soon.
Servers request this several times in a row."
  (unless (memq server costline--stale)
    (push server costline--stale)
    (run-at-time 0.1 nil #'costline--when-free server #'costline--refresh-now server)))

(defun costline--refresh-now (server)
  "Redraw everything of SERVER, unless it ended since."
  (setq costline--stale (delq server costline--stale))
  (let ((is-jsonrpc (cl-typep server 'jsonrpc-connection)))
    (when (or (not is-jsonrpc) (jsonrpc-running-p server))
      (dolist (buffer (costline--buffers server))
        (with-current-buffer buffer (costline--redraw)))
      (unless is-jsonrpc (costline--lsp-redraw server))
      (costline--update-buffers server))))

(defvar-keymap costline-mode-map
  :doc "The keys of `costline-mode'."
  "<remap> <display-local-help>" #'eldoc-doc-buffer)

;;;###autoload
(define-minor-mode costline-mode
  "Show costs from a profile in the code.
The server is separate from other clients of the buffer, such as Eglot."
  :lighter nil ; see `costline--mode-line'
  (let ((by-hand (called-interactively-p 'any)))
    (cond
     ((not costline-mode)
      (costline--own-closed)
      (costline-draw-mode -1)
      (kill-local-variable 'costline--server)
      (remove-hook 'eldoc-documentation-functions #'costline--hover t)
      (remove-hook 'after-save-hook #'costline--own-saved t)
      (remove-hook 'kill-buffer-hook #'costline--own-closed t)
      (remove-hook 'after-set-visited-file-name-hook #'costline--renamed t)
      (remove-hook 'change-major-mode-hook #'costline--leave t))
     ((costline--unsuitable)
      (setq costline-mode nil)
      ;; In a hook, an error would stop files from opening.
      (when by-hand (user-error "%s" (costline--unsuitable))))
     ((null costline--server)
      (when by-hand
        (setq costline--crashes nil
              costline--failed nil
              costline--missing nil))
      (setq costline--server (costline--own-start (costline--own-folder)))
      (if (null costline--server)
          (setq costline-mode nil)
        (costline--own-opened)
        (add-hook 'after-save-hook #'costline--own-saved nil t)
        (add-hook 'kill-buffer-hook #'costline--own-closed nil t)
        (add-hook 'after-set-visited-file-name-hook #'costline--renamed nil t)
        (add-hook 'change-major-mode-hook #'costline--leave nil t)
        (costline--own-eldoc)
        (costline-draw-mode 1))))))

;;;###autoload
(define-globalized-minor-mode global-costline-mode costline-mode costline-mode
  :predicate '(prog-mode)
  :group 'costline)

(defun costline--leave ()
  "Leave `costline-mode', because the buffer gets another major mode."
  (costline-mode -1))

(defun costline--renamed ()
  "Enter `costline-mode' again, because the buffer visits another file.
That may be one of another project, or one without a server."
  (unless (equal costline--opened (and buffer-file-name (costline--uri (file-truename buffer-file-name))))
    (costline-mode -1)
    (costline-mode)))

(defun costline--leave-clone ()
  "Leave the modes in this indirect clone, which visits no file.
The document stays open for the base buffer."
  (setq costline--opened nil)
  (cond (costline-mode (costline-mode -1))
        (costline-draw-mode (costline-draw-mode -1))))

(add-hook 'clone-indirect-buffer-hook #'costline--leave-clone)

;;;; Eglot

(with-eval-after-load 'eglot
  (defvar eglot-inlay-hints-mode)
  (declare-function eglot--update-hints-1 "eglot" (from to))

  ;; Eglot does not declare that it can refresh hints.
  (cl-defmethod eglot-client-capabilities :around ((server eglot-lsp-server))
    "Add what this package does for SERVER, if that is Costline."
    (let ((capabilities (cl-call-next-method)))
      (when (costline--eglot-runs-p server)
        (dolist (refreshed '(:inlayHint :codeLens))
          (setf (plist-get (plist-get capabilities :workspace) refreshed) '(:refreshSupport t)))
        (let ((others (plist-get capabilities :experimental)))
          (setf (plist-get capabilities :experimental) (plist-put (and (listp others) others) :costline '(:changed t)))))
      capabilities))

  (cl-defmethod eglot-handle-request :before (server (_method (eql workspace/inlayHint/refresh)) &rest _)
    "Redraw the hints of the buffers of SERVER."
    (dolist (buffer (and (costline--eglot-p server) (eglot--managed-buffers server)))
      (when (buffer-live-p buffer)
        (with-current-buffer buffer
          (when (and eglot-inlay-hints-mode (fboundp 'eglot--update-hints-1))
            (save-restriction
              (widen)
              (eglot--update-hints-1 (point-min) (point-max))))))))

  (cl-defmethod eglot-handle-request :before (server (_method (eql workspace/codeLens/refresh)) &rest _)
    "Redraw the lenses of the buffers of SERVER."
    (costline--refresh server))

  (cl-defmethod eglot-handle-notification (server (_method (eql costline/changed)) &rest shown)
    "Keep SHOWN, and refresh the lists of SERVER."
    (costline--keep-shown server shown)
    (costline--show-problems shown)
    (costline--refresh server))

  (add-hook 'eglot-managed-mode-hook #'costline--eglot-managed))

(defun costline--eglot-managed ()
  "Draw lenses if the server of Eglot is Costline."
  (let ((server (and (bound-and-true-p eglot--managed-mode) (eglot-current-server))))
    (unless (bound-and-true-p costline-mode)
      (costline-draw-mode (if (costline--eglot-p server) 1 -1)))
    (when (costline--eglot-p server)
      (costline--await-profile server (project-root (eglot--project server)))))
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
        (costline--show-state)
        (when (bound-and-true-p lsp-lens-mode) (lsp-lens-refresh t))
        (when-let* (((bound-and-true-p lsp-inlay-hints-mode)) (window (get-buffer-window buffer t)))
          (with-selected-window window (lsp--update-inlay-hints)))))))

(defun costline--lsp-refresh (workspace &rest _)
  "Redraw everything of WORKSPACE soon."
  (costline--refresh workspace)
  nil)

(defun costline--lsp-changed (workspace shown)
  "Keep SHOWN, and redraw everything of WORKSPACE soon."
  (let ((shown (costline--plain shown)))
    (costline--keep-shown workspace shown)
    (costline--show-problems shown))
  (costline--lsp-refresh workspace))

(defvar lsp-managed-mode)

(defun costline--lsp-opened ()
  "Handle that lsp-mode opened this buffer."
  (costline--announce)
  (unless (bound-and-true-p costline-mode) (costline-draw-mode (if (costline--buffer-server) 1 -1)))
  (when-let* ((server (costline--buffer-server))
              ((not (cl-typep server 'jsonrpc-connection))))
    (costline--await-profile server (lsp--workspace-root server))))

(defun costline--lsp-managed ()
  "Stop drawing once lsp-mode is off in this buffer."
  (unless (or lsp-managed-mode (bound-and-true-p costline-mode)) (costline-draw-mode -1)))

(with-eval-after-load 'lsp-mode
  (add-hook 'lsp-managed-mode-hook #'costline--lsp-managed)
  (add-hook 'lsp-after-open-hook #'costline--lsp-opened)
  (lsp-register-custom-settings '(("costline" costline-settings)))
  (lsp-register-client
   (make-lsp-client
    :new-connection (lsp-stdio-connection (lambda () costline-command))
    :activation-fn (lambda (file _mode) (and file (not (string-match-p "/\\.git/" file)) (costline--installed-p)))
    :add-on? t
    :priority -1
    :server-id 'costline
    :initialization-options (lambda () costline-settings)
    :custom-capabilities '((experimental . ((costline . ((changed . t))))))
    :request-handlers
    (costline--table "workspace/codeLens/refresh" #'costline--lsp-refresh
                     "window/showDocument" (lambda (workspace params) (costline--show-document workspace (costline--plain params))))
    :notification-handlers (costline--table "costline/changed" #'costline--lsp-changed)
    :action-handlers
    (let ((show (lambda (command) (costline--run-lens (costline--plain command)))))
      (costline--table "costline.showCallers" show "costline.showCallees" show)))))

(provide 'costline)
;;; costline.el ends here
