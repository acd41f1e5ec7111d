;;; costline-annotate.el --- Source with costs in columns  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; A read-only copy of a function or file, with columns of costs left of the code.

;;; Code:

(require 'cl-lib)
(require 'costline-faces)
(require 'costline-server)
(require 'costline-table)
(require 'seq)
(require 'thingatpt)

(defvar-local costline--source nil
  "The markers at the start and the end of the code that is shown.")

(defvar-local costline--selection nil
  "The answer of the server about the lines that are shown.")

(defvar-keymap costline-annotate-mode-map
  "RET" #'costline-table-visit
  "<mouse-2>" #'costline-table-click
  "<double-mouse-1>" #'costline-table-click)

(define-derived-mode costline-annotate-mode special-mode "Costs of lines"
  "Code with the costs of its lines.
The echo area has the whole cost of the line at point.
\\{costline-annotate-mode-map}"
  (setq truncate-lines t)
  (setq-local revert-buffer-function #'costline--annotate-revert
              costline--row-function (lambda () (get-text-property (pos-bol) 'costline-row)))
  (add-hook 'eldoc-documentation-functions #'costline--row-text nil t)
  (eldoc-mode 1)
  (header-line-indent-mode 1)
  (costline--follow))

(defun costline--annotate-revert (&rest _)
  "Show the code again as it is now, with its present costs."
  (unless (buffer-live-p (marker-buffer (car costline--source))) (user-error "The buffer of this code was killed"))
  (let ((row (line-number-at-pos)))
    (pcase-let ((`(,uri ,line0 ,lines) (costline--source-lines (car costline--source) (cdr costline--source))))
      (unless costline--redrawing
        (setq costline--selection (costline--execute "costline.selection"
                                                     (list :uri uri :firstLine0 line0 :lastLine0 (+ line0 (length lines) -1)))))
      (costline--draw-source uri line0 lines))
    (goto-char (point-min))
    (forward-line (1- row))))

(defun costline--source-lines (start end)
  "Return the code from START to END, two markers.
That is its document, its first line (0-based) and the texts of its lines."
  (with-current-buffer (marker-buffer start)
    (when (bound-and-true-p costline-mode) (costline--own-changed))
    (save-restriction
      (widen)
      (font-lock-ensure start end)
      (let ((text (buffer-substring start end)) (width tab-width))
        (list (costline--document-uri)
              (1- (line-number-at-pos start))
              (with-temp-buffer
                (setq tab-width width)
                (insert text)
                (untabify (point-min) (point-max))
                (split-string (string-trim-right (buffer-string) "\n+") "\n")))))))

(defun costline--draw-source (uri line0 lines)
  "Draw LINES, the first of which is LINE0 of the document URI."
  (let* ((inhibit-read-only t)
         (costs (make-hash-table))
         (columns (list (list "Self" #'costline--line-self) (list "Total" #'costline--total) (list "Change" #'costline--line-change)))
         texts)
    (seq-doseq (cost (plist-get costline--selection :lines)) (puthash (plist-get cost :line0) cost costs))
    (pcase-dolist (`(,heading ,text-of) columns)
      (let* ((cells (cl-loop for at from line0 repeat (length lines)
                             collect (or (funcall text-of (gethash at costs)) "")))
             (width (apply #'max 0 (mapcar #'string-width cells))))
        (when (or (> width 0) (not (equal heading "Change")))
          (push (costline--padded (cons heading cells) (max width 5)) texts))))
    (push (costline--padded (cons "Line" (cl-loop for at from (1+ line0) repeat (length lines) collect (number-to-string at))) 5) texts)
    (setq texts (nreverse texts)
          header-line-format (list "" 'header-line-indent
                                   (string-replace "%" "%%" (concat (string-join (mapcar #'car texts) " ") "  "
                                                                    (or (plist-get costline--selection :text)
                                                                        "none of these lines has a cost")))))
    (erase-buffer)
    (cl-loop for line in lines for at from line0
             for columns in (apply #'cl-mapcar #'list (mapcar #'cdr texts))
             do (costline--draw-source-line (string-join columns " ") line `(:uri ,uri :line0 ,at ,@(gethash at costs))))
    (set-buffer-modified-p nil)))

(defun costline--padded (texts width)
  "Return TEXTS with spaces before them, up to WIDTH columns."
  (mapcar (lambda (text) (concat (make-string (max 0 (- width (string-width text))) ?\s) text)) texts))

(defun costline--draw-source-line (columns line row)
  "Draw LINE of the code after COLUMNS, with the properties of ROW."
  (let ((start (point)))
    (insert columns "  " line "\n")
    (put-text-property start (point) 'costline-row row)
    (when-let* ((face (costline--line-face row))) (add-face-text-property start (point) face t))))

(defun costline--line-self (row)
  "Return the self cost of ROW, a line, unless it is zero."
  (unless (eql (plist-get row :self) 0) (plist-get row :selfText)))

(defun costline--line-change (row)
  "Return how the cost of ROW, a line, changed."
  (or (costline--change row :total) (costline--change row :self)))

(defun costline--code-at-point ()
  "Return the bounds of the region or of the function at point, else nil."
  (if (use-region-p)
      (car (region-bounds))
    (or (costline--function-bounds) (bounds-of-thing-at-point 'defun))))

(defun costline--function-bounds ()
  "Return the bounds of the function around point, nil if it has no cost."
  (let* ((at-point (costline--position))
         (at-start (list :textDocument (plist-get at-point :textDocument)
                         :position (list :line (costline--get at-point :position :line) :character 0)))
         (line0 (1- (line-number-at-pos nil t))))
    ;; On a call, the functions at point are defined elsewhere.
    (cl-loop for place in (list at-point at-start)
             thereis (cl-loop for item across (vconcat (costline--request "textDocument/prepareCallHierarchy" place))
                              for (first0 last0) = (costline--item-lines item)
                              when (and (equal (plist-get item :uri) (costline--document-uri)) (<= first0 line0 last0))
                              return (cons (costline--line-position first0) (costline--line-position (1+ last0)))))))

(defun costline--item-lines (item)
  "Return the first and the last line (0-based) of the function ITEM."
  (let ((range (plist-get item :range)))
    (list (costline--get range :start :line)
          (- (costline--get range :end :line) (if (zerop (costline--get range :end :character)) 1 0)))))

(defun costline--line-position (line0)
  "Return the start of line LINE0 (0-based), also beyond a narrowing."
  (save-excursion
    (save-restriction
      (widen)
      (goto-char (point-min))
      (forward-line line0)
      (point))))

;;;###autoload
(defun costline-annotate (&optional whole)
  "Show the function at point, or the region, with its costs left of the code.
With a prefix argument WHOLE, or outside of functions, show the file."
  (interactive "P")
  (costline--position) ; signals if there is no file
  (let* ((server (costline--need-server))
         (line (line-number-at-pos nil t))
         (code (or (and (not whole) (costline--code-at-point)) (cons 1 (1+ (buffer-size)))))
         (source (save-restriction
                   (widen)
                   (cons (copy-marker (save-excursion (goto-char (car code)) (pos-bol))) (copy-marker (cdr code)))))
         (first (line-number-at-pos (car source) t)))
    (pop-to-buffer "*Costline source*")
    (costline-annotate-mode)
    (setq costline--server server
          costline--source source)
    (revert-buffer)
    (goto-char (point-min))
    (forward-line (- line first))))

(provide 'costline-annotate)
;;; costline-annotate.el ends here
