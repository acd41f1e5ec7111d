;;; costline-server.el --- Servers of Costline, whichever client has them  -*- lexical-binding: t; -*-

;;; Commentary:

;; Which server a buffer has, how it is asked, and a server of Emacs's own.  What is shown is in `costline'.

;;; Code:

(require 'cl-lib)
(require 'jsonrpc)
(require 'project)
(require 'seq)
(require 'subr-x)
(require 'url-parse)
(require 'url-util)

(defgroup costline nil
  "Profile costs beside the code."
  :group 'tools)

(defcustom costline-command '("costline" "lsp")
  "Program and arguments of the server."
  :type '(repeat string))

(defcustom costline-settings nil
  "Settings for `costline-mode' and lsp-mode.
A plist such as (:hints (:show \"both\")); false is :json-false.
Eglot has `eglot-workspace-configuration' instead.
After a change outside of `customize', run `costline-send-settings'."
  :type 'plist
  :set (lambda (name value)
         (set-default name value)
         (when (fboundp 'costline-send-settings) (costline-send-settings))))

(defcustom costline-lenses t
  "Whether to draw lenses above functions, in Eglot and in `costline-mode'."
  :type 'boolean)

;;;; Servers, whichever client has them

(defvar costline--own (make-hash-table :test #'equal)
  "The servers of `costline-mode', by root folder.")

(defvar costline-refresh-functions nil
  "Called with a server that says that what it gave is old.")

(defvar-local costline--server nil
  "The server of this buffer.
In `costline-mode' its own, in lists and trees the one they were asked of.")


(defvar eglot--servers-by-project)
(defvar lsp--cur-workspace)
(declare-function eglot-current-server "eglot" ())
(declare-function eglot--capabilities "eglot" (server))
(declare-function eglot--TextDocumentPositionParams "eglot" ())
(declare-function lsp--set-configuration "ext:lsp-mode" (settings))
(declare-function lsp--text-document-position-params "ext:lsp-mode" (&optional identifier position))
(declare-function lsp--workspace-client "ext:lsp-mode" (workspace))
(declare-function lsp--client-server-id "ext:lsp-mode" (client))
(declare-function lsp-find-workspace "ext:lsp-mode" (server-id &optional file-name))
(declare-function lsp-request-async "ext:lsp-mode" (method params callback &rest plist))
(declare-function lsp-workspaces "ext:lsp-mode" ())

(defun costline--get (object &rest keys)
  "What lies below KEYS in OBJECT, a plist of plists."
  (dolist (key keys object)
    (setq object (plist-get object key))))

(defun costline--eglot-p (server)
  "Non-nil if Costline is Eglot's SERVER, or part of it."
  (and server
       (seq-contains-p (costline--get (eglot--capabilities server) :executeCommandProvider :commands) "costline.hotspots")))

(defun costline--find-server ()
  "The Costline server of this buffer, else any other, else nil."
  (or costline--server
      (and (featurep 'eglot)
           (let ((current (and buffer-file-name (eglot-current-server))))
             (if (costline--eglot-p current) current)))
      (and (featurep 'lsp-mode)
           (seq-find (lambda (workspace) (eq (lsp--client-server-id (lsp--workspace-client workspace)) 'costline))
                     (lsp-workspaces)))
      (car (hash-table-values costline--own))
      (and (featurep 'eglot)
           (seq-find #'costline--eglot-p (apply #'append (hash-table-values eglot--servers-by-project))))
      (and (featurep 'lsp-mode) (lsp-find-workspace 'costline))))

(defun costline--plain (value)
  "VALUE, from lsp-mode, with plists and vectors for its tables and lists."
  (cond ((hash-table-p value)
         (cl-loop for key being the hash-keys of value using (hash-values inner)
                  append (list (intern (concat ":" key)) (costline--plain inner))))
        ((or (vectorp value) (and (consp value) (not (keywordp (car value)))))
         (cl-map 'vector #'costline--plain value))
        (t value)))

(defun costline--request (method params)
  "Ask the server of this buffer for METHOD with PARAMS, and wait."
  (let ((server (costline--find-server)))
    (cond ((null server) (user-error "No Costline server runs: M-x costline-mode starts one for this buffer"))
          ((cl-typep server 'jsonrpc-connection) (jsonrpc-request server method params))
          (t (costline--lsp-request server method params)))))

(defun costline--lsp-request (workspace method params)
  "Ask WORKSPACE of lsp-mode for METHOD with PARAMS, and wait for the answer."
  ;; Not by `lsp-request': it leaves its loop from within the reading, and what came together with the answer is lost.
  (let ((lsp--cur-workspace workspace) (deadline (+ (float-time) 30)) answer problem)
    (lsp-request-async method params (lambda (result) (setq answer (list result)))
                       :error-handler (lambda (told) (setq problem (costline--plain told)))
                       :mode 'detached)
    (while (not (or answer problem (> (float-time) deadline)))
      (accept-process-output nil 0.05))
    (unless answer (error "Costline: %s" (or (plist-get problem :message) "no answer")))
    (costline--plain (car answer))))

(defun costline--execute (command &rest arguments)
  "Run the server's COMMAND with ARGUMENTS."
  (costline--request "workspace/executeCommand" (list :command command :arguments (vconcat arguments))))

(defun costline--position ()
  "The document and place of point, as the client of this buffer words it."
  (cond ((null buffer-file-name) (user-error "This buffer visits no file"))
        ((bound-and-true-p costline-mode) (costline--own-position))
        ((bound-and-true-p eglot--managed-mode) (eglot--TextDocumentPositionParams))
        ((bound-and-true-p lsp-mode) (lsp--text-document-position-params))
        (t (costline--own-position))))

(defun costline-send-settings ()
  "Tell the servers of `costline-mode' and lsp-mode of `costline-settings'."
  (interactive)
  (let ((settings (list :costline (or costline-settings (make-hash-table)))))
    (dolist (server (hash-table-values costline--own))
      (jsonrpc-notify server "workspace/didChangeConfiguration" (list :settings settings)))
    (when-let* ((workspace (and (featurep 'lsp-mode) (lsp-find-workspace 'costline))))
      (let ((lsp--cur-workspace workspace)) (lsp--set-configuration settings)))))

;;;; Going to places

(defun costline--open (uri line0)
  "Show line LINE0, counted from 0, of the document URI in another window."
  (unless uri (user-error "The profile names no source in this project"))
  (if (string-prefix-p "costline:" uri)
      (costline--open-document uri)
    (find-file-other-window (costline--path uri))
    (goto-char (point-min))
    (forward-line (or line0 0))
    (back-to-indentation)))

(defun costline--open-document (uri)
  "Show what the server knows of the function URI that has no source."
  (let ((text (costline--request "costline/textDocumentContent" (list :uri uri)))
        (server (costline--find-server)))
    (pop-to-buffer (format "*%s*" (url-unhex-string uri)))
    (let ((inhibit-read-only t))
      (erase-buffer)
      (insert (if (stringp text) text (or (plist-get text :text) ""))))
    (special-mode)
    (setq costline--server server)
    (goto-char (point-min))))

(defun costline--path (uri)
  "The file that URI names."
  (decode-coding-string (url-unhex-string (url-filename (url-generic-parse-url uri))) 'utf-8))

(defun costline--uri (path)
  "The URI of the file at PATH."
  (concat "file://" (url-hexify-string (encode-coding-string (expand-file-name path) 'utf-8) url-path-allowed-chars)))

;;;; A server of our own

(defvar-local costline--version 0)
(defvar-local costline--told nil
  "The text that the server was last told, as a modification tick.")

(defun costline--document ()
  "This buffer, as servers name it."
  (list :uri (costline--uri (file-truename buffer-file-name))))

(defun costline--own-position ()
  "The document and place of point, in characters."
  (list :textDocument (costline--document)
        :position (list :line (1- (line-number-at-pos nil t)) :character (- (point) (line-beginning-position)))))

(defun costline--text ()
  "The whole text of this buffer."
  (save-restriction
    (widen)
    (buffer-substring-no-properties (point-min) (point-max))))

(defun costline--own-opened ()
  "Tell the server of this buffer."
  (setq costline--told (buffer-chars-modified-tick))
  (jsonrpc-notify costline--server "textDocument/didOpen"
                  (list :textDocument
                        `(,@(costline--document)
                          :languageId ,(string-remove-suffix "-mode" (symbol-name major-mode))
                          :version ,(cl-incf costline--version) :text ,(costline--text)))))

(defun costline--own-changed ()
  "Tell the server the text of this buffer, if it changed."
  (when (and (bound-and-true-p costline-mode) (/= costline--told (buffer-chars-modified-tick)))
    (setq costline--told (buffer-chars-modified-tick))
    (jsonrpc-notify costline--server "textDocument/didChange"
                    (list :textDocument `(,@(costline--document) :version ,(cl-incf costline--version))
                          :contentChanges (vector (list :text (costline--text)))))))

(defun costline--own-tell (method)
  "Tell the server that METHOD happened to this buffer."
  (when (and (bound-and-true-p costline-mode) (jsonrpc-running-p costline--server))
    (jsonrpc-notify costline--server method (list :textDocument (costline--document)))))

(defun costline--own-saved ()
  "Tell the server that this buffer was saved."
  (costline--own-changed)
  (costline--own-tell "textDocument/didSave"))

(defun costline--own-closed ()
  "Tell the server that this buffer is gone."
  (costline--own-tell "textDocument/didClose"))

(defun costline--show-document (params)
  "Do what a `window/showDocument' with PARAMS asks for."
  ;; Not from within the server's message: showing may ask it a question.
  (run-at-time 0 nil (lambda ()
                       (let ((uri (plist-get params :uri)))
                         (if (eq (plist-get params :external) t)
                             (browse-url uri)
                           (costline--open uri (costline--get params :selection :start :line))))))
  '(:success t))

(defun costline--answer (server method params)
  "Answer SERVER's request METHOD with PARAMS."
  (pcase method
    ((or 'workspace/inlayHint/refresh 'workspace/codeLens/refresh) (run-hook-with-args 'costline-refresh-functions server) nil)
    ('workspace/configuration (cl-map 'vector (lambda (_) costline-settings) (plist-get params :items)))
    ('window/showDocument (costline--show-document params))))

(defun costline--notice (server method params)
  "Take SERVER's notification METHOD with PARAMS."
  (pcase method
    ('costline/changed (run-hook-with-args 'costline-refresh-functions server))
    ('window/showMessage (message "Costline: %s" (plist-get params :message)))))

(defun costline--own-server (root)
  "The server for the folder ROOT, started if need be."
  (or (gethash root costline--own)
      (let* ((name (format "costline %s" (file-name-nondirectory (directory-file-name root))))
             (make (lambda ()
                     (let ((default-directory root))
                       (make-process :name name :command costline-command :connection-type 'pipe :coding 'utf-8-emacs-unix
                                     :noquery t :stderr (get-buffer-create (format "*%s stderr*" name))))))
             (server (make-instance 'jsonrpc-process-connection
                                    :name name :process make :request-dispatcher #'costline--answer
                                    :notification-dispatcher #'costline--notice
                                    :on-shutdown (lambda (_) (remhash root costline--own)))))
        (jsonrpc-request
         server "initialize"
         (list :processId (emacs-pid) :rootUri (costline--uri root)
               :workspaceFolders (vector (list :uri (costline--uri root) :name name))
               :initializationOptions costline-settings
               :capabilities '( :general (:positionEncodings ["utf-32"])
                                :workspace ( :configuration t :workspaceFolders t
                                             :inlayHint (:refreshSupport t) :codeLens (:refreshSupport t))
                                :window (:showDocument (:support t))
                                :experimental (:costline (:changed t)))))
        (jsonrpc-notify server "initialized" (make-hash-table))
        (puthash root server costline--own))))

(provide 'costline-server)
;;; costline-server.el ends here
