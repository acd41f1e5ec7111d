;;; lint.el --- Lints the package  -*- lexical-binding: t; -*-

;; emacs -Q --batch -l lint.el PACKAGE OUTPUT: compiles into the folder OUTPUT; fails on any warning.

(require 'bytecomp)
(require 'checkdoc)

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
  (kill-emacs (if failed 1 0)))
