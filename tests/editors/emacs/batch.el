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
