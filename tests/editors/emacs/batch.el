;;; batch.el --- Tests that need no screen  -*- lexical-binding: t; -*-

;; emacs -Q --batch -L PACKAGE -l batch.el -f ert-run-tests-batch-and-exit

(require 'ert)
(require 'costline)

(defun batch-hints ()
  "The lines with hints in this buffer, also beyond a narrowing."
  (save-restriction
    (widen)
    (sort (mapcar (lambda (overlay) (line-number-at-pos (overlay-start overlay)))
                  (seq-filter (lambda (overlay) (eq (overlay-get overlay 'costline) 'hint))
                              (overlays-in (point-min) (point-max))))
          #'<)))

(ert-deftest batch-narrowed ()
  "A redraw in a narrowed buffer keeps the hints of the whole buffer."
  (cl-letf* ((lines '(1 5 10))
             ((symbol-function 'costline--send)
              (cl-function
               (lambda (_server _send _method params &key success-fn &allow-other-keys)
                 (let ((asked (costline--get params :range :end :line)))
                   (funcall success-fn (cl-loop for line in lines when (< (1- line) asked)
                                                collect `(:position (:line ,(1- line)) :label "1%"))))))))
    (with-temp-buffer
      (setq buffer-file-name "/batch.py")
      (setq-local costline-mode t costline-lens-mode t costline-lenses nil)
      (dotimes (_ 10) (insert "code\n"))
      (costline--redraw)
      (should (equal (batch-hints) lines))
      (goto-char (point-min))
      (forward-line 3)
      (narrow-to-region (point) (line-end-position 2))
      (costline--redraw)
      (should (equal (batch-hints) lines))
      (should (buffer-narrowed-p))
      (set-buffer-modified-p nil)
      (setq buffer-file-name nil))))

(defvar batch-server
  (with-temp-buffer
    (insert-file-contents (getenv "COSTLINE_STAGE"))
    (gethash "server" (json-parse-buffer)))
  "The program of the server.")

(defun batch-project (&rest files)
  "Create FILES in a folder that no version control knows, and return it."
  (let ((folder (file-name-as-directory (file-truename (make-temp-file "costline-batch-" t)))))
    (dolist (name files folder)
      (let ((file (expand-file-name name folder)))
        (make-directory (file-name-directory file) t)
        (with-temp-file file (insert "main (app.py:1) 1\n"))))))

(ert-deftest batch-folder ()
  "Without version control, the folder with profiles is the project."
  (let ((project (batch-project "app/src/main.py" "app/profiles/run.folded" "tool/.costline/run.folded"
                                "tool/profiles/profiles/main.py" "other/src/main.py")))
    (cl-flet ((folder-of (file)
                (with-temp-buffer
                  (setq default-directory (file-name-directory (expand-file-name file project)))
                  (file-relative-name (costline--own-folder) project))))
      (should (equal (folder-of "app/src/main.py") "app/"))
      (should (equal (folder-of "app/main.py") "app/"))
      (should (equal (folder-of "tool/profiles/profiles/main.py") "tool/"))
      (should (equal (folder-of "other/src/main.py") "other/src/"))
      ;; A server for all files below the home folder would be slow.
      (let ((process-environment (cons (concat "HOME=" (expand-file-name "app" project)) process-environment)))
        (should (equal (folder-of "app/src/main.py") "app/src/")))
      (let ((project-find-functions (list (lambda (folder) (cons 'transient folder)))))
        (should (equal (folder-of "app/src/main.py") "app/src/"))))
    (delete-directory project t)))

(defun batch-said (regexp)
  "How many messages match REGEXP."
  (with-current-buffer (messages-buffer) (count-matches regexp (point-min) (point-max))))

(ert-deftest batch-without-profile ()
  "A message says once that a project has no profile."
  (let ((project (batch-project "empty/app.py" "empty/more.py" "full/app.py" "full/profiles/run.folded"))
        (costline-command (list batch-server "lsp"))
        (costline--patience 3)
        (deadline (+ (float-time) 60))
        buffers)
    (dolist (file '("full/app.py" "empty/app.py" "empty/more.py"))
      (with-current-buffer (find-file-noselect (expand-file-name file project))
        (costline-mode)
        (should costline-mode)
        (push (current-buffer) buffers)))
    (while (and (= 0 (batch-said "^Costline: no profile was found in .*/empty/;")) (< (float-time) deadline))
      (accept-process-output nil 0.05))
    (sleep-for 0.5)
    (should (= 1 (batch-said "^Costline: no profile was found in .*/empty/;")))
    (should (= 1 (batch-said "Costline: no profile")))
    (mapc #'kill-buffer buffers)
    (mapc (lambda (server) (delete-process (jsonrpc--process server))) (hash-table-values costline--own))
    (delete-directory project t)))
