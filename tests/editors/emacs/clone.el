;;; clone.el --- Installs the package as the book says  -*- lexical-binding: t; -*-

;; emacs -Q --batch -l clone.el PAGE CLONE: evaluates the example of PAGE that installs the package from the repository CLONE.

(require 'cl-lib)
(require 'use-package)

(setq package-check-signature nil) ; which would start an agent of GnuPG

(let ((page (pop command-line-args-left))
      (clone (pop command-line-args-left)))
  (with-temp-buffer
    (insert-file-contents page)
    (re-search-forward "^(use-package costline\n  :vc")
    (goto-char (match-beginning 0))
    (let ((form (read (current-buffer))))
      (eval (cl-subst clone "CLONE" form :test #'equal) t))))

(unless (and (featurep 'costline)
             global-costline-mode
             (string-prefix-p (expand-file-name package-user-dir) (locate-library "costline")))
  (error "The package was not installed"))
