;;; costline-server.el --- Requests to the Costline server, for all clients  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; Finds the server of a buffer (of Eglot, of lsp-mode, or of `costline-mode'), sends requests to it, and runs the server of
;; `costline-mode'.  The lists and trees are in `costline-lists'.

;;; Code:

(require 'cl-lib)
(require 'costline-faces)
(require 'eldoc)
(require 'jsonrpc)
(require 'project)
(require 'seq)
(require 'subr-x)
(require 'url-parse)
(require 'url-util)

(defcustom costline-command '("costline" "lsp")
  "The program of the server and its arguments."
  :type '(repeat string)
  :group 'costline)

(defcustom costline-settings nil
  "The settings of the server, for `costline-mode' and lsp-mode.
A plist such as (:hints (:show \"both\")); false is :json-false.
For Eglot, use `eglot-workspace-configuration' instead.
After a change outside of `customize', run `costline-send-settings'."
  :type 'plist
  :group 'costline
  :set (lambda (name value)
         (set-default name value)
         (when (fboundp 'costline-send-settings) (costline-send-settings))))

(defun costline--set-drawn (name value)
  "Set the option NAME to VALUE, and draw all buffers again."
  (set-default name value)
  (when (fboundp 'costline--redraw-all) (costline--redraw-all)))

(defcustom costline-lenses t
  "Whether to draw lenses above functions, in Eglot and in `costline-mode'."
  :type 'boolean
  :group 'costline
  :set #'costline--set-drawn)

(defcustom costline-heat t
  "Whether to mark hot lines, with a bar in the margin and a background."
  :type 'boolean
  :group 'costline
  :set #'costline--set-drawn)

;;;; Servers of all clients

(defvar costline--own (make-hash-table :test #'equal)
  "The servers of `costline-mode', by root folder.")

(defvar costline-refresh-functions nil
  "Functions to call with a server whose costs or labels changed.")

(defvar-local costline--server nil
  "The server of this buffer, in `costline-mode', lists and trees.")

(declare-function costline-menu "costline-menu" ())
(declare-function costline-mode "costline" (&optional arg))
(defvar eglot--servers-by-project)
(defvar lsp--cur-workspace)
(declare-function eglot-current-server "eglot" ())
(declare-function eglot--capabilities "eglot" (server))
(declare-function eglot--project "eglot" (server))
(declare-function eglot--TextDocumentIdentifier "eglot" ())
(declare-function eglot--TextDocumentPositionParams "eglot" ())
(declare-function lsp--buffer-uri "ext:lsp-mode" ())
(declare-function lsp--set-configuration "ext:lsp-mode" (settings))
(declare-function lsp--text-document-position-params "ext:lsp-mode" (&optional identifier position))
(declare-function lsp--workspace-client "ext:lsp-mode" (workspace))
(declare-function lsp--workspace-root "ext:lsp-mode" (workspace))
(declare-function lsp--workspace-server-capabilities "ext:lsp-mode" (workspace))
(declare-function lsp--session-workspaces "ext:lsp-mode" (session))
(declare-function lsp-session "ext:lsp-mode" ())
(declare-function lsp--client-server-id "ext:lsp-mode" (client))
(declare-function lsp-find-workspace "ext:lsp-mode" (server-id &optional file-name))
(declare-function lsp-notify "ext:lsp-mode" (method params))
(declare-function lsp-request-async "ext:lsp-mode" (method params callback &rest plist))
(declare-function lsp-workspaces "ext:lsp-mode" ())

(defun costline--get (object &rest keys)
  "Return the value below KEYS in OBJECT, a plist of plists."
  (dolist (key keys object)
    (setq object (plist-get object key))))

(defun costline--eglot-p (server)
  "Return non-nil if Costline is Eglot's SERVER, or part of it."
  (and server
       (seq-contains-p (costline--get (eglot--capabilities server) :executeCommandProvider :commands) "costline.hotspots")))

(defun costline--eglot-runs-p (server)
  "Return non-nil if Eglot's SERVER is run by a command of Costline.
That is known before the capabilities of SERVER are."
  (let* ((process (jsonrpc--process server))
         (words (split-string (string-join (or (process-get process 'remote-command) (process-command process)) " ") "[ ;]+")))
    (seq-intersection (list "costline" (file-name-base (car costline-command))) (mapcar #'file-name-base words))))

(defun costline--lsp-p (workspace)
  "Return non-nil if Costline is the server of WORKSPACE of lsp-mode."
  (eq (lsp--client-server-id (lsp--workspace-client workspace)) 'costline))

(defun costline--successor (server)
  "Return SERVER, or its replacement if it ended, or nil."
  (cond ((null server) nil)
        ((not (cl-typep server 'jsonrpc-connection))
         (seq-find (lambda (workspace)
                     (and (costline--lsp-p workspace)
                          (equal (lsp--workspace-root workspace) (lsp--workspace-root server))))
                   (lsp--session-workspaces (lsp-session))))
        ((jsonrpc-running-p server) server)
        ((costline--own-root server) (gethash (costline--own-root server) costline--own))
        (t (seq-find #'costline--eglot-p (gethash (eglot--project server) eglot--servers-by-project)))))

(defun costline--buffer-server ()
  "Return the Costline server of this buffer, else nil."
  (or (costline--successor costline--server)
      (and (featurep 'eglot)
           (let ((current (and buffer-file-name (eglot-current-server))))
             (if (costline--eglot-p current) current)))
      (and (featurep 'lsp-mode)
           (seq-find #'costline--lsp-p (lsp-workspaces)))))

(defun costline--find-server ()
  "Return the Costline server of this buffer, else any other, else nil."
  (or (costline--buffer-server)
      (car (hash-table-values costline--own))
      (and (featurep 'eglot)
           (seq-find #'costline--eglot-p (apply #'append (hash-table-values eglot--servers-by-project))))
      (and (featurep 'lsp-mode) (lsp-find-workspace 'costline))))

(defun costline--need-server ()
  "Return the Costline server of this buffer, else any other.
If there is none, say how to start one."
  (or (costline--find-server)
      (user-error "No Costline server is running; M-x costline-mode starts one for this buffer")))

(defun costline--plain (value)
  "Convert VALUE of lsp-mode: its tables to plists, its lists to vectors."
  (cond ((hash-table-p value)
         (cl-loop for key being the hash-keys of value using (hash-values inner)
                  append (list (intern (concat ":" key)) (costline--plain inner))))
        ((or (vectorp value) (and (consp value) (not (keywordp (car value)))))
         (cl-map 'vector #'costline--plain value))
        (t value)))

(defun costline--request (method params)
  "Send the request METHOD with PARAMS to the server of this buffer.
Wait for the answer and return it."
  (let ((server (costline--need-server)))
    (if (cl-typep server 'jsonrpc-connection)
        (jsonrpc-request server method params)
      (costline--lsp-request server method params))))

(declare-function jsonrpc--sync-request-alist "jsonrpc" (connection))

(defun costline--when-free (server function &rest arguments)
  "Call FUNCTION with ARGUMENTS once no request to SERVER is waited for.
In timers: a request within another's wait confuses jsonrpc (Emacs 30.1)."
  (if (and (cl-typep server 'jsonrpc-connection)
           (fboundp 'jsonrpc--sync-request-alist)
           (jsonrpc--sync-request-alist server))
      (apply #'run-at-time 0.05 nil #'costline--when-free server function arguments)
    (apply function arguments)))

(defun costline--lsp-request (workspace method params)
  "Send the request METHOD with PARAMS to WORKSPACE of lsp-mode.
Wait for the answer and return it."
  ;; `lsp-request' leaves its loop while it reads, which loses messages that arrive together with the answer.
  (let ((lsp--cur-workspace workspace) (deadline (+ (float-time) 30)) answer problem)
    (lsp-request-async method params (lambda (result) (setq answer (list result)))
                       :error-handler (lambda (failure) (setq problem (costline--plain failure)))
                       :mode 'detached)
    (while (not (or answer problem (> (float-time) deadline)))
      (accept-process-output nil 0.05))
    (unless answer (error "Costline: %s" (or (plist-get problem :message) "no answer")))
    (costline--plain (car answer))))

(defun costline--execute (command &rest arguments)
  "Run COMMAND of the server with ARGUMENTS, and return its result."
  (costline--request "workspace/executeCommand" (list :command command :arguments (vconcat arguments))))

(defun costline--catalog (list)
  "Return LIST of those that the server of this buffer has for menus."
  (let* ((server (costline--find-server))
         (capabilities (cond ((null server) nil)
                             ((not (cl-typep server 'jsonrpc-connection))
                              (costline--plain (lsp--workspace-server-capabilities server)))
                             ((costline--own-root server)
                              (process-get (jsonrpc--process server) 'costline-capabilities))
                             (t (eglot--capabilities server)))))
    (append (costline--get capabilities :experimental :costline list) nil)))

(defun costline--position ()
  "Return the document and position of point, as the client of this buffer does."
  (cond ((null buffer-file-name) (user-error "This buffer visits no file"))
        ((bound-and-true-p costline-mode) (costline--own-position))
        ((bound-and-true-p eglot--managed-mode) (eglot--TextDocumentPositionParams))
        ((bound-and-true-p lsp-mode) (lsp--text-document-position-params))
        (t (costline--own-position))))

(defvar costline--front nil
  "The server and the URI of the document that was announced last.")

(defun costline--announce (&rest _)
  "Announce the document in the selected window to its server.
Lists and status are about its workspace folder."
  (with-current-buffer (window-buffer)
    (when-let* ((buffer-file-name)
                (server (costline--buffer-server))
                (uri (costline--document-uri)))
      (unless (and (eq (car costline--front) server) (equal (cdr costline--front) uri))
        (setq costline--front (cons server uri))
        (costline--notify server "costline/activeDocument" (list :uri uri))))))

(defun costline--document-uri ()
  "Return the URI of this buffer, as its client spells it."
  (cond ((bound-and-true-p costline-mode) (plist-get (costline--document) :uri))
        ((bound-and-true-p eglot--managed-mode) (plist-get (eglot--TextDocumentIdentifier) :uri))
        ((bound-and-true-p lsp-mode) (lsp--buffer-uri))))

(defun costline--send (server send &rest arguments)
  "Call SEND, a function of jsonrpc, with SERVER and ARGUMENTS.
Return nil if SERVER is nil, has ended, or ends before the message is sent."
  (when (and server (jsonrpc-running-p server))
    (condition-case problem
        (apply send server arguments)
      (error (when (jsonrpc-running-p server) (signal (car problem) (cdr problem)))))))

(defun costline--ask (server method params on-answer)
  "Send the request METHOD with PARAMS to SERVER, if that is alive.
Call ON-ANSWER with its answer."
  (if (or (null server) (cl-typep server 'jsonrpc-connection))
      (costline--send server #'jsonrpc-async-request method params :success-fn on-answer :error-fn #'ignore)
    (let ((lsp--cur-workspace server))
      ;; As jsonrpc does, leave the filter of the process first.
      (lsp-request-async method params (lambda (answer) (run-at-time 0 nil on-answer (costline--plain answer)))
                         :error-handler #'ignore :mode 'detached))))

(defun costline--notify (server method params)
  "Send the notification METHOD with PARAMS to SERVER, if that is alive."
  (if (cl-typep server 'jsonrpc-connection)
      (costline--send server #'jsonrpc-notify method params)
    (let ((lsp--cur-workspace server)) (lsp-notify method params))))

(add-hook 'window-buffer-change-functions #'costline--announce)
(add-hook 'window-selection-change-functions #'costline--announce)

(defvar costline--problems nil
  "The messages about problems that were shown.")

(defun costline--show-problems (shown)
  "Show the errors and warnings in SHOWN that were not shown before.
Wait a second, because many disappear when addresses are resolved."
  (run-with-timer
   1 nil
   (lambda ()
     (seq-doseq (entry (plist-get shown :health))
       (let ((message (plist-get entry :message)))
         (unless (or (equal (plist-get entry :severity) "info")
                     (eq (plist-get shown :loading) t)
                     (member message costline--problems))
           (push message costline--problems)
           (message "Costline: %s%s" message
                    (if (plist-get entry :fix) " (M-x costline-fix)" ""))))))))

(defun costline--worst (shown)
  "Return how bad the worst problem in SHOWN is, nil if there is none."
  (let ((severities (mapcar (lambda (entry) (plist-get entry :severity)) (plist-get shown :health))))
    (car (seq-intersection '("error" "warning") severities))))

(defvar costline--shown (make-hash-table :test #'eq :weakness 'key)
  "What each server shows: its last `costline/changed'.")

(defun costline--keep-shown (server shown)
  "Keep SHOWN, a `costline/changed' of SERVER, for the mode line."
  (puthash server shown costline--shown))

(defvar costline--patience 5
  "After this many seconds, a message says that a server found no profile.")

(defvar costline--without-profile nil
  "The folders whose profile was awaited: each gets one message.")

(defun costline--await-profile (server root)
  "Say once that SERVER found no profile in the folder ROOT, if so."
  (unless (member root costline--without-profile)
    (push root costline--without-profile)
    (run-with-timer costline--patience nil #'costline--miss-profile server root)))

(defun costline--miss-profile (server root)
  "Say that SERVER found no profile in the folder ROOT, if so.
A profile that is being read or cannot be read has a message of its own."
  (let ((shown (gethash server costline--shown))
        (has-ended (and (cl-typep server 'jsonrpc-connection) (not (jsonrpc-running-p server)))))
    (unless (or has-ended (plist-get shown :profile) (eq (plist-get shown :loading) t) (costline--worst shown))
      (message "Costline: no profile was found in %s; record one into its folder `profiles'" (abbreviate-file-name root)))))

(defvar-local costline--mode-line nil
  "What the mode line says about this buffer.")
(put 'costline--mode-line 'risky-local-variable t) ; to show its properties
(add-to-list 'minor-mode-alist '(costline--mode-line costline--mode-line))

(defvar-keymap costline--mode-line-map
  :doc "The keys of the text in the mode line."
  "<mode-line> <mouse-1>" #'costline-menu)

(defun costline--facts (shown)
  "Return texts for the mode line about SHOWN, nil if that is unknown.
They are the profile, its total or with a baseline how that changed, its
metric, what is not default about the view, and how bad the worst problem is."
  (seq-remove (lambda (fact) (member fact '(nil "")))
              (list (costline--get shown :profile :name) (plist-get shown :status) (costline--worst shown))))

(defun costline--show-state ()
  "Update the text in the mode line of this buffer."
  (let* ((server (costline--buffer-server))
         (shown (and server (gethash server costline--shown)))
         (facts (string-join (costline--facts shown) " · "))
         (messages (mapcar (lambda (entry) (plist-get entry :message)) (plist-get shown :health)))
         (text (and server
                    (concat " "
                            (propertize (if (string-empty-p facts) "Costline" (format "Costline[%s]" facts))
                                        'help-echo (string-join (append messages '("mouse-1: menu")) "\n")
                                        'mouse-face 'mode-line-highlight
                                        'local-map costline--mode-line-map)))))
    (unless (equal text costline--mode-line)
      (setq costline--mode-line text)
      (force-mode-line-update))))

(defun costline-send-settings ()
  "Send `costline-settings' to the servers of `costline-mode' and lsp-mode."
  (interactive)
  (let ((settings (list :costline (or costline-settings (make-hash-table)))))
    (dolist (server (hash-table-values costline--own))
      (costline--send server #'jsonrpc-notify "workspace/didChangeConfiguration" (list :settings settings)))
    (when-let* ((workspace (and (featurep 'lsp-mode) (lsp-find-workspace 'costline))))
      (let ((lsp--cur-workspace workspace)) (lsp--set-configuration settings)))))

;;;; Opening documents

(defun costline--open (uri line0)
  "Show line LINE0 (0-based) of the document URI in another window."
  (unless uri (user-error "This function has no source in the project"))
  (if (string-prefix-p "costline:" uri)
      (costline--open-document uri)
    (find-file-other-window (costline--path uri))
    (costline--go-to-line (or line0 0))))

(defun costline--go-to-line (line0)
  "Go to the text of line LINE0 (0-based), also beyond a narrowing."
  (let ((start (save-restriction
                 (widen)
                 (goto-char (point-min))
                 (forward-line line0)
                 (point))))
    (unless (<= (point-min) start (point-max)) (widen))
    (goto-char start)
    (back-to-indentation)))

(defun costline--open-document (uri)
  "Show the description of the function URI, which has no source."
  (let ((answer (costline--request "costline/textDocumentContent" (list :uri uri)))
        (server (costline--find-server)))
    (pop-to-buffer (format "*%s*" (url-unhex-string uri)))
    (let ((inhibit-read-only t))
      (erase-buffer)
      (insert (plist-get answer :text)))
    (special-mode)
    (setq costline--server server)
    (goto-char (point-min))))

(defun costline--path (uri)
  "Return the path of the file URI of the server of this buffer."
  (concat (costline--remote (costline--find-server))
          (decode-coding-string (url-unhex-string (url-filename (url-generic-parse-url uri))) 'utf-8)))

(defun costline--remote (server)
  "Return how TRAMP names the machine of SERVER, nil if it is this one."
  (and (cl-typep server 'jsonrpc-connection)
       (not (costline--own-root server))
       (file-remote-p (project-root (eglot--project server)))))

(defun costline--uri (path)
  "Return the URI of the file at PATH."
  (concat "file://" (url-hexify-string (encode-coding-string (expand-file-name path) 'utf-8) url-path-allowed-chars)))

;;;; The server of `costline-mode'

(defvar-local costline--version 0
  "The version of the document that the server has.")

(defvar-local costline--sent nil
  "The modification tick of the text that the server has.")

(defvar-local costline--opened nil
  "The URI of this buffer's document, while it is open in `costline-mode'.")

(defun costline--document ()
  "Return the identifier of the document of this buffer."
  (list :uri (or costline--opened (costline--uri (file-truename buffer-file-name)))))

(defun costline--own-position ()
  "Return the document and position of point, in characters."
  (list :textDocument (costline--document)
        :position (list :line (1- (line-number-at-pos nil t)) :character (- (point) (save-restriction (widen) (pos-bol))))))

(defun costline--text ()
  "Return the whole text of this buffer."
  (save-restriction
    (widen)
    (buffer-substring-no-properties (point-min) (point-max))))

(defun costline--own-opened ()
  "Notify the server that this buffer was opened."
  (setq costline--opened (plist-get (costline--document) :uri)
        costline--sent (buffer-chars-modified-tick))
  (jsonrpc-notify costline--server "textDocument/didOpen"
                  (list :textDocument
                        `(,@(costline--document)
                          :languageId ,(string-remove-suffix "-mode" (symbol-name major-mode))
                          :version ,(cl-incf costline--version) :text ,(costline--text))))
  (costline--announce))

(defun costline--hover (callback &rest _)
  "Ask the server about the function or line at point, for ElDoc.
Pass its text to CALLBACK; the echo area shows the first line."
  (when (jsonrpc-running-p costline--server)
    (costline--own-changed)
    (costline--send
     costline--server #'jsonrpc-async-request "textDocument/hover" (costline--own-position)
     :success-fn (lambda (answer)
                   (let ((text (string-trim (or (costline--get answer :contents :value) ""))))
                     (funcall callback text :echo (string-search "\n" text))))
     :error-fn #'ignore
     :timeout-fn #'ignore)
    t))

(defun costline--own-eldoc ()
  "Show costs at point by ElDoc, beside what other functions say."
  (add-hook 'eldoc-documentation-functions #'costline--hover t t)
  (when (eq eldoc-documentation-strategy #'eldoc-documentation-default)
    (setq-local eldoc-documentation-strategy #'eldoc-documentation-compose-eagerly))
  (when global-eldoc-mode (eldoc-mode 1)))

(defun costline--own-changed ()
  "Send the text of this buffer to the server, if it changed."
  (when (and costline--opened (/= costline--sent (buffer-chars-modified-tick)))
    (setq costline--sent (buffer-chars-modified-tick))
    (costline--send costline--server #'jsonrpc-notify "textDocument/didChange"
                    (list :textDocument `(,@(costline--document) :version ,(cl-incf costline--version))
                          :contentChanges (vector (list :text (costline--text)))))))

(defun costline--own-notify (method)
  "Send the notification METHOD about this buffer to the server."
  (when costline--opened
    (costline--send costline--server #'jsonrpc-notify method (list :textDocument (costline--document)))))

(defun costline--own-saved ()
  "Notify the server that this buffer was saved."
  (costline--own-changed)
  (costline--own-notify "textDocument/didSave"))

(defun costline--own-closed ()
  "Notify the server that this buffer was closed."
  (costline--own-notify "textDocument/didClose")
  (setq costline--opened nil))

(defun costline--show-now (params)
  "Show the document of PARAMS, those of `window/showDocument'."
  (let ((uri (plist-get params :uri)))
    (if (eq (plist-get params :external) t)
        (browse-url uri)
      (costline--open uri (costline--get params :selection :start :line)))))

(defun costline--show-document (server params)
  "Handle the request `window/showDocument' of SERVER with PARAMS."
  ;; Later, because opening a document may send a request to the server, which waits for this answer.
  (run-at-time 0 nil #'costline--when-free server #'costline--show-now params)
  '(:success t))

(defun costline--handle-request (server method params)
  "Answer the request METHOD with PARAMS of SERVER."
  (pcase method
    ((or 'workspace/inlayHint/refresh 'workspace/codeLens/refresh) (run-hook-with-args 'costline-refresh-functions server) nil)
    ('workspace/configuration (cl-map 'vector (lambda (_) costline-settings) (plist-get params :items)))
    ('window/showDocument (costline--show-document server params))))

(defun costline--handle-notification (server method params)
  "Handle the notification METHOD with PARAMS of SERVER."
  (pcase method
    ('costline/changed
     (costline--keep-shown server params)
     (costline--show-problems params)
     (run-hook-with-args 'costline-refresh-functions server))
    ('window/showMessage (message "Costline: %s" (plist-get params :message)))))

(defun costline--own-root (server)
  "Return the root folder of SERVER."
  (process-get (jsonrpc--process server) 'costline-root))

(defconst costline--profile-folders '(".costline" "profiles")
  "The names of the folders in which the server finds profiles of any name.")

(defun costline--too-large-p (folder)
  "Return non-nil if FOLDER is the home folder or the top one."
  (member (file-name-as-directory (file-truename folder)) (list "/" (file-name-as-directory (file-truename "~")))))

(defun costline--folder-with (name)
  "Return the nearest folder above this buffer's file that has a folder NAME."
  (locate-dominating-file
   default-directory
   (lambda (folder)
     (and (file-directory-p (expand-file-name name folder)) (not (costline--too-large-p folder))))))

(defun costline--own-folder ()
  "Return the folder of the server for this buffer.
It is the project, else one that has profiles, else that of the file."
  (let ((project (project-current)))
    (file-truename (cond (project (project-root project))
                         ((seq-some #'costline--folder-with costline--profile-folders))
                         (t default-directory)))))

(defun costline--unsuitable ()
  "Return why this buffer can have no costs, nil if it can."
  (cond ((null buffer-file-name) "This buffer visits no file")
        ((file-remote-p buffer-file-name) "This file is on another machine")
        ((costline--too-large-p (costline--own-folder))
         "This file is in no project: a server for all files below the home folder would be slow")))

(defun costline--say (format &rest arguments)
  "Show a message of FORMAT and ARGUMENTS soon.
The messages about the file that is being opened do not hide it then."
  (apply #'run-with-timer 0.5 nil #'message (concat "Costline: " format) arguments))

(defvar costline--missing nil
  "The program that was reported as missing.")

(defun costline--installed-p ()
  "Return non-nil if the program of the server is installed.
If it is not, say so once."
  (let ((program (car costline-command)))
    (cond ((executable-find program)
           (setq costline--missing nil)
           t)
          ((not (equal program costline--missing))
           (setq costline--missing program)
           (costline--say "the program `%s' was not found; build it with `cargo install --locked --path server' in a clone of Costline, or set `costline-command'"
                          program)
           nil))))

(defvar costline--failed nil
  "The folders whose server did not start.")

(defun costline--own-start (root)
  "Return the server for the folder ROOT, nil if it does not start.
The reason is said once."
  (when (and (not (member root costline--failed)) (costline--installed-p))
    (condition-case problem
        (costline--own-server root)
      ((error quit)
       (push root costline--failed)
       (costline--say "the server for %s did not start (%s); M-x costline-mode tries again"
                      root (string-join (split-string (error-message-string problem)) " "))
       nil))))

(defun costline--own-server (root)
  "Return the server for the folder ROOT, and start it if necessary."
  (or (gethash root costline--own)
      (let* ((name (format "costline %s" (file-name-nondirectory (directory-file-name root))))
             (make (lambda ()
                     (let* ((default-directory root)
                            (process (make-process :name name :command costline-command :connection-type 'pipe
                                                   :coding 'utf-8-emacs-unix :noquery t
                                                   :stderr (get-buffer-create (format "*%s stderr*" name)))))
                       (process-put process 'costline-root root)
                       process)))
             (server (make-instance 'jsonrpc-process-connection
                                    :name name :process make :request-dispatcher #'costline--handle-request
                                    :notification-dispatcher #'costline--handle-notification
                                    :on-shutdown #'costline--own-ended)))
        (condition-case problem
            (process-put (jsonrpc--process server) 'costline-capabilities
                         (plist-get (jsonrpc-request server "initialize" (costline--initialize root name)) :capabilities))
          ((error quit)
           (delete-process (jsonrpc--process server))
           (signal (car problem) (cdr problem))))
        (jsonrpc-notify server "initialized" (make-hash-table))
        (costline--await-profile server root)
        (puthash root server costline--own))))

(defun costline--initialize (root name)
  "Return the parameters of `initialize' for the folder ROOT, called NAME."
  (list :processId (emacs-pid) :rootUri (costline--uri root)
        :workspaceFolders (vector (list :uri (costline--uri root) :name name))
        :initializationOptions costline-settings
        :capabilities '( :general (:positionEncodings ["utf-32"])
                         :workspace ( :configuration t :workspaceFolders t
                                      :inlayHint (:refreshSupport t) :codeLens (:refreshSupport t))
                         :window (:showDocument (:support t))
                         :experimental (:costline (:changed t)))))

(defconst costline--max-crashes 5
  "After this many crashes within `costline--crash-period', a server stays ended.")

(defconst costline--crash-period 180
  "The time in which crashes are counted, in seconds.")

(defvar costline--crashes nil
  "The times at which servers crashed.")

(defun costline--own-ended (server)
  "Restart SERVER, which ended, if it was in use."
  (let ((root (costline--own-root server)))
    ;; A server that could not be started is not in the table.
    (when (eq (gethash root costline--own) server)
      (remhash root costline--own)
      (run-at-time 0 nil #'costline--own-restart server root))))

(defun costline--own-restart (server root)
  "Start another server for ROOT instead of SERVER, which crashed."
  (when-let* ((buffers (seq-filter (lambda (buffer)
                                     (and (buffer-local-value 'costline-mode buffer)
                                          (eq (buffer-local-value 'costline--server buffer) server)))
                                   (buffer-list))))
    (setq costline--crashes (cons (float-time)
                                  (seq-filter (lambda (time) (> time (- (float-time) costline--crash-period)))
                                              costline--crashes)))
    (if (>= (length costline--crashes) costline--max-crashes)
        (progn
          (costline--end-modes buffers)
          (message "Costline: the server keeps crashing and is not restarted; M-x costline-mode starts it again"))
      (message "Costline: the server crashed and was restarted")
      (if-let* ((next (costline--own-start root)))
          (progn
            (dolist (buffer (seq-filter #'buffer-live-p buffers))
              (with-current-buffer buffer
                (setq costline--server next)
                (costline--own-opened)))
            (run-hook-with-args 'costline-refresh-functions next))
        (costline--end-modes buffers)))))

(defun costline--end-modes (buffers)
  "Leave `costline-mode' in BUFFERS, whose server does not run."
  (dolist (buffer (seq-filter #'buffer-live-p buffers))
    (with-current-buffer buffer (costline-mode -1))))

(provide 'costline-server)
;;; costline-server.el ends here
