;;; lint.el --- Lints the package  -*- lexical-binding: t; -*-

;; emacs -Q --batch -l lint.el PACKAGE OUTPUT: compiles into the folder OUTPUT; fails on any warning.  Also checks what package
;; archives need: the headers, and commands that can be run before the package is loaded.

(require 'bytecomp)
(require 'checkdoc)
(require 'lisp-mnt)
(require 'package)

(let* ((package (expand-file-name (pop command-line-args-left)))
       (output (expand-file-name (pop command-line-args-left)))
       (load-path (cons package load-path))
       (byte-compile-dest-file-function
        (lambda (file) (expand-file-name (concat (file-name-nondirectory file) "c") output)))
       (byte-compile-error-on-warn t)
       (failed nil))
  (make-directory output t)
  (dolist (file (directory-files package t "\\.el\\'"))
    (unless (byte-compile-file file) (setq failed t))
    (let ((checkdoc-create-error-function
           (lambda (text start _end &optional _unfixable)
             (setq failed t)
             (message "%s:%s: %s" file (and start (line-number-at-pos start)) text)
             nil)))
      (with-current-buffer (find-file-noselect file)
        (checkdoc-current-buffer t))))
  (with-temp-buffer
    (insert-file-contents (expand-file-name "costline.el" package))
    (let ((described (package-buffer-info)))
      (unless (and (equal (package-desc-reqs described) '((emacs (29 1)))) (lm-keywords-list) (lm-header-multiline "author"))
        (setq failed t)
        (message "costline.el: headers are missing: %S" described))))
  (dolist (file (directory-files package t "\\.el\\'"))
    (unless (and (equal (lm-with-file file (lm-header "SPDX-License-Identifier")) "MIT OR Apache-2.0")
                 (with-temp-buffer
                   (insert-file-contents file)
                   (search-forward "-*- lexical-binding: t; -*-" (pos-eol) t)))
      (setq failed t)
      (message "%s: the license or lexical-binding is missing" file)))
  ;; The compiler sees one file at a time.
  (let (defined)
    (dolist (file (directory-files package t "\\.el\\'"))
      (with-temp-buffer
        (insert-file-contents file)
        (while (re-search-forward "^(def\\(?:un\\|const\\|var\\(?:-keymap\\|-local\\)?\\) \\(costline[^ \n]*\\)[ \n]" nil t)
          (let ((name (match-string 1)))
            (when (member name defined)
              (setq failed t)
              (message "%s: %s is defined twice" file name))
            (push name defined))))))
  (let ((autoloads (expand-file-name "costline-autoloads.el" output)))
    (let ((inhibit-message t)) (loaddefs-generate package autoloads nil nil nil t))
    (dolist (command '(costline-mode global-costline-mode costline costline-menu costline-hotspots costline-next-hot-line costline-previous-hot-line costline-callers costline-callees costline-call-tree
                       costline-explain costline-fix costline-choose costline-reload costline-annotate costline-flamegraph costline-flamegraph-in-browser costline-focus))
      (fmakunbound command) ; compiling may have loaded it
      (load autoloads nil t)
      (unless (and (autoloadp (symbol-function command)) (commandp command))
        (setq failed t)
        (message "%s is not autoloaded" command))))
  (kill-emacs (if failed 1 0)))
