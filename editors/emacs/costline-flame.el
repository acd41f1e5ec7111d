;;; costline-flame.el --- A flame graph in a buffer  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; A flame graph of text: a row for each depth, callees below their callers, and frames as wide as their cost.

;;; Code:

(require 'cl-lib)
(require 'costline-faces)
(require 'costline-server)
(require 'costline-table)
(require 'costline-tree)
(require 'seq)

(defconst costline--max-frames 5000
  "The most frames that the server sends.")

(defvar-local costline--zooms nil
  "What was drawn before, at the head what is drawn: (INVERTED . PATH).
PATH leads from the top of the call tree to the node that is drawn.")

(defvar-local costline--flame nil
  "The answer of the server that is drawn.")

(defvar-keymap costline-flame-mode-map
  "RET" #'costline-table-visit
  "<mouse-1>" #'costline-table-click
  "<mouse-2>" #'costline-table-click
  "<mouse-3>" #'costline-flame-click-in
  "z" #'costline-flame-zoom-in
  "DEL" #'costline-flame-zoom-out
  "Z" #'costline-flame-zoom-out
  "TAB" #'costline-flame-next
  "<backtab>" #'costline-flame-previous
  "i" #'costline-flame-invert
  "b" #'costline-flamegraph-in-browser
  "t" #'costline-flame-transform)

(define-derived-mode costline-flame-mode special-mode "Flame graph"
  "A flame graph: each row calls the next, and frames are as wide as their cost.
The header line has the whole cost of the frame at point.
\\{costline-flame-mode-map}"
  (setq truncate-lines t
        cursor-type 'box)
  (setq-local revert-buffer-function #'costline--flame-revert
              costline--row-function #'costline--frame-at-point)
  (add-hook 'post-command-hook #'costline--describe-frame nil t)
  (costline--follow))

;;;; Drawing

(defun costline--frame-at-point ()
  "Return the frame at point, nil if there is none."
  (get-text-property (point) 'costline-frame))

(defun costline--flame-revert (&rest _)
  "Draw the flame graph again, and stay at the frame at point."
  (let ((path (costline--frame-path (costline--frame-at-point))))
    (unless costline--redrawing (costline--flame-load))
    (costline--draw-flame)
    (costline--go-to-frame path)))

(defun costline--flame-load ()
  "Ask the server for what is to be drawn."
  (pcase-let ((`(,inverted . ,path) (car costline--zooms)))
    (setq costline--flame (costline--execute "costline.flamegraph"
                                             (list :inline t :limit costline--max-frames :node path
                                                   :inverted (or inverted :json-false)))
          mode-line-process (costline--marks (and inverted '("bottom-up")) (plist-get costline--flame :marks)))))

(defun costline--draw-flame ()
  "Draw the frames that are at least half a column wide."
  (let ((width (costline--window-width))
        (rows (make-hash-table))
        (inhibit-read-only t))
    (seq-doseq (frame (plist-get costline--flame :frames))
      (let* ((left (round (* width (plist-get frame :left))))
             (right (round (* width (+ (plist-get frame :left) (plist-get frame :width))))))
        (when (> right left) (push (list left right frame) (gethash (plist-get frame :depth) rows)))))
    (erase-buffer)
    (dotimes (depth (hash-table-count rows))
      (costline--draw-frames (sort (gethash depth rows) (lambda (a b) (< (car a) (car b))))))
    (when (zerop (hash-table-count rows)) (insert costline--nothing "\n"))
    (set-buffer-modified-p nil)))

(defun costline--draw-frames (frames)
  "Draw FRAMES, a row of (LEFT RIGHT FRAME)."
  (pcase-dolist (`(,left ,right ,frame) frames)
    (insert (make-string (max 0 (- left (current-column))) ?\s)
            (propertize (concat "▏" (costline--fit frame (- right left 1)))
                        'face (costline--flame-face frame) 'mouse-face 'highlight 'costline-frame frame
                        'help-echo (costline--whole-text frame))))
  (insert "\n"))

(defun costline--fit (frame width)
  "Return the longest name of FRAME that fits WIDTH columns, else a part."
  (let ((names (cons (plist-get frame :name) (append (plist-get frame :shorterNames) nil))))
    (truncate-string-to-width (or (seq-find (lambda (name) (<= (string-width name) width)) names) (car (last names)))
                              width nil ?\s (and (> width 3) "…"))))

(defvar-local costline--frame-overlay nil
  "What marks the frame at point.")

(defun costline--describe-frame ()
  "Mark the frame at point, and show it in the header line."
  (let ((frame (costline--frame-at-point)))
    (unless costline--frame-overlay
      (setq costline--frame-overlay (make-overlay 1 1))
      (overlay-put costline--frame-overlay 'face 'costline-flame-point))
    (move-overlay costline--frame-overlay
                  (if frame (previous-single-property-change (1+ (point)) 'costline-frame nil (point-min)) (point))
                  (if frame (next-single-property-change (point) 'costline-frame nil (point-max)) (point)))
    (setq header-line-format
          (string-replace "%" "%%" (if frame
                                       (concat " " (costline--whole-text frame))
                                     (format " %s · RET: source · z: zoom in · Z: zoom out · q: leave"
                                             (plist-get costline--flame :totalText)))))))

;;;; Moving

(defun costline--frame-path (frame)
  "Return the path from the top of the call tree to FRAME."
  (let (path)
    (while frame
      (push (plist-get frame :key) path)
      (setq frame (and (plist-get frame :parent) (elt (plist-get costline--flame :frames) (plist-get frame :parent)))))
    (vconcat path)))

(defun costline--go-to-frame (path)
  "Go to the frame at PATH if it is drawn, else to the first one."
  (let ((at (point-min)))
    (while (and at (not (equal path (costline--frame-path (get-text-property at 'costline-frame)))))
      (setq at (next-single-property-change at 'costline-frame)))
    (goto-char (if (or (null at) (seq-empty-p path)) (point-min) at))
    (dolist (window (get-buffer-window-list nil nil t)) (set-window-point window (point))))
  (costline--describe-frame))

(defun costline-flame-next ()
  "Go to the next frame."
  (interactive)
  (when-let* ((next (text-property-search-forward 'costline-frame nil nil t)))
    (goto-char (prop-match-beginning next))))

(defun costline-flame-previous ()
  "Go to the previous frame."
  (interactive)
  (when-let* ((previous (text-property-search-backward 'costline-frame nil nil t)))
    (goto-char (prop-match-beginning previous))))

;;;; Zooming

(defun costline--zoom (inverted path)
  "Draw the node at PATH, bottom-up if INVERTED."
  (push (cons inverted path) costline--zooms)
  (revert-buffer)
  (costline--go-to-frame path))

(defun costline-flame-zoom-in ()
  "Draw the frame at point as wide as the window."
  (interactive)
  (costline--zoom (caar costline--zooms) (costline--frame-path (costline--current-row))))

(defun costline-flame-click-in (event)
  "Draw the frame at the position of EVENT, a click, as wide as the window."
  (interactive "e")
  (mouse-set-point event)
  (costline-flame-zoom-in))

(defun costline-flame-zoom-out ()
  "Draw what was drawn before."
  (interactive)
  (unless (cdr costline--zooms) (user-error "The whole profile is drawn"))
  (let ((path (cdr (pop costline--zooms))))
    (revert-buffer)
    (costline--go-to-frame path)))

(defun costline-flame-invert ()
  "Draw the flame graph bottom-up, or top-down again."
  (interactive)
  (costline--zoom (not (caar costline--zooms)) []))

(defun costline-flame-transform ()
  "Show, merge or hide the node of the frame at point.
To undo that, run `costline'."
  (interactive)
  (costline--transform-node (costline--frame-path (costline--current-row)) (caar costline--zooms)))

;;;###autoload
(defun costline-flamegraph ()
  "Show a flame graph of the profile."
  (interactive)
  (let ((server (costline--need-server)))
    (pop-to-buffer "*Costline flame graph*")
    (unless (and (derived-mode-p 'costline-flame-mode) (eq (costline--buffer-server) server))
      (costline-flame-mode)
      (setq costline--server server
            costline--zooms '((nil . []))))
    (revert-buffer)))

;;;###autoload
(defun costline-flamegraph-in-browser ()
  "Write a flame graph (SVG) and open it in the browser."
  (interactive)
  (message "Flame graph: %s" (plist-get (costline--execute "costline.flamegraph") :path)))

(provide 'costline-flame)
;;; costline-flame.el ends here
