;;; costline-faces.el --- Colors of costs  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; The faces of costs, and which one a cost has.  Tiers of heat also differ in the width of their bars, so that they can be told
;; apart without colors.  With a baseline, colors show the direction of the change instead: red for slower, blue for faster.

;;; Code:

(defgroup costline nil
  "Show costs from profiles."
  :group 'tools)

(defface costline-hint '((t :inherit shadow :height 0.9))
  "Face of hints: costs at the ends of lines in `costline-mode'.")

(defface costline-lens '((t :inherit shadow :height 0.9))
  "Face of lenses: costs above functions.")

(defface costline-heat-1 '((((class color) (min-colors 88) (background dark)) :foreground "#8a7a45")
                           (((class color) (min-colors 88)) :foreground "#b08a3c")
                           (((class color)) :foreground "yellow"))
  "Face of costs from 1%.")

(defface costline-heat-2 '((((class color) (min-colors 88) (background dark)) :foreground "#d9a520")
                           (((class color) (min-colors 88)) :foreground "#a6611a")
                           (((class color) (background dark)) :foreground "brightyellow")
                           (((class color)) :foreground "yellow" :weight bold))
  "Face of costs from 5%.")

(defface costline-heat-3 '((((class color) (min-colors 88) (background dark)) :foreground "#ffd75f" :weight bold)
                           (((class color) (min-colors 88)) :foreground "#543005" :weight bold)
                           (((class color) (background dark)) :foreground "brightyellow" :weight bold)
                           (((class color)) :foreground "red" :weight bold)
                           (t :weight bold))
  "Face of costs from 20%.")

(defface costline-slower '((((class color) (min-colors 88) (background dark)) :foreground "#ff5f56")
                           (((class color) (min-colors 88)) :foreground "#b3261e")
                           (((class color)) :foreground "red"))
  "Face of costs that rose since the baseline.")

(defface costline-faster '((((class color) (min-colors 88) (background dark)) :foreground "#5aa9ff")
                           (((class color) (min-colors 88)) :foreground "#0b57d0")
                           (((class color) (background dark)) :foreground "brightblue")
                           (((class color)) :foreground "blue"))
  "Face of costs that fell since the baseline.")

;; With few colors there is none beside the text's own that keeps it readable.
(defface costline-heat-line-2 '((((class color) (min-colors 88) (background dark)) :background "#2e2813" :extend t)
                                (((class color) (min-colors 88)) :background "#f6ecd2" :extend t))
  "Face of lines that cost 5% or more.")

(defface costline-heat-line-3 '((((class color) (min-colors 88) (background dark)) :background "#4a3c0c" :extend t)
                                (((class color) (min-colors 88)) :background "#ecd49a" :extend t))
  "Face of lines that cost 20% or more.")

(defface costline-slower-line '((((class color) (min-colors 88) (background dark)) :background "#3d1a18" :extend t)
                                (((class color) (min-colors 88)) :background "#f9dedc" :extend t))
  "Face of lines whose cost rose by 5% or more.")

(defface costline-faster-line '((((class color) (min-colors 88) (background dark)) :background "#14283f" :extend t)
                                (((class color) (min-colors 88)) :background "#d9e7fd" :extend t))
  "Face of lines whose cost fell by 5% or more.")

(defface costline-flame-0 '((((class color) (min-colors 88) (background dark)) :foreground "#1c1c1c" :background "#b3a47a")
                            (((class color) (min-colors 88)) :foreground "#1c1c1c" :background "#ece5cc")
                            (((class color)) :foreground "black" :background "white")
                            (t :inverse-video t))
  "Face of frames of a flame graph that cost less than 1%.")

(defface costline-flame-1 '((((class color) (min-colors 88) (background dark)) :foreground "#1c1c1c" :background "#e3c565")
                            (((class color) (min-colors 88)) :foreground "#1c1c1c" :background "#f5dd90")
                            (((class color)) :foreground "black" :background "yellow")
                            (t :inverse-video t))
  "Face of frames of a flame graph that cost 1% or more.")

(defface costline-flame-2 '((((class color) (min-colors 88) (background dark)) :foreground "#1c1c1c" :background "#f0a13c")
                            (((class color) (min-colors 88)) :foreground "#1c1c1c" :background "#f5b567")
                            (((class color)) :foreground "black" :background "yellow")
                            (t :inverse-video t))
  "Face of frames of a flame graph that cost 5% or more.")

(defface costline-flame-3 '((((class color) (min-colors 88) (background dark)) :foreground "#1c1c1c" :background "#f47a4a")
                            (((class color) (min-colors 88)) :foreground "#1c1c1c" :background "#ee8a5c")
                            (((class color)) :foreground "black" :background "red")
                            (t :inverse-video t))
  "Face of frames of a flame graph that cost 20% or more.")

(defface costline-flame-slower '((((class color) (min-colors 88) (background dark)) :foreground "#1c1c1c" :background "#f08078")
                                 (((class color) (min-colors 88)) :foreground "#1c1c1c" :background "#f2a29b")
                                 (((class color)) :foreground "black" :background "red")
                                 (t :inverse-video t))
  "Face of frames of a flame graph whose cost rose since the baseline.")

(defface costline-flame-faster '((((class color) (min-colors 88) (background dark)) :foreground "#1c1c1c" :background "#7db7f5")
                                 (((class color) (min-colors 88)) :foreground "#1c1c1c" :background "#9cc4f7")
                                 (((class color)) :foreground "black" :background "cyan")
                                 (t :inverse-video t))
  "Face of frames of a flame graph whose cost fell since the baseline.")

(defface costline-flame-other '((((class color) (min-colors 88) (background dark)) :foreground "#d0d0d0" :background "#444444")
                                (((class color) (min-colors 88)) :foreground "#303030" :background "#c6c6c6")
                                (((class color)) :foreground "black" :background "white")
                                (t :inverse-video t))
  "Face of frames of a flame graph that are not in the project or did not change.")

(defface costline-flame-point '((((background dark)) :foreground "black" :background "white" :weight bold)
                                (t :foreground "white" :background "black" :weight bold))
  "Face of the frame of a flame graph at point.")

(defun costline--shade (cost)
  "Return what colors show of COST, and how strong it is, from 0 to 3.
That is (heat . STRENGTH) or, with a baseline, (slower . STRENGTH) or
\(faster . STRENGTH)."
  (if (plist-member cost :changeTier)
      (let ((tier (or (plist-get cost :changeTier) 0)))
        (cons (if (< tier 0) 'faster 'slower) (abs tier)))
    (cons 'heat (or (plist-get cost :tier) 0))))

(defun costline--face (cost)
  "Return the face of COST as text, nil if it has no color."
  (pcase (costline--shade cost)
    (`(,_ . 0) nil)
    (`(heat . ,strength) (aref [nil costline-heat-1 costline-heat-2 costline-heat-3] strength))
    (`(slower . ,_) 'costline-slower)
    (_ 'costline-faster)))

(defun costline--line-face (cost)
  "Return the face of a line with COST, nil if it has no color."
  (pcase (costline--shade cost)
    ((and `(,_ . ,strength) (guard (< strength 2))) nil)
    (`(heat . ,strength) (if (= strength 2) 'costline-heat-line-2 'costline-heat-line-3))
    (`(slower . ,_) 'costline-slower-line)
    (_ 'costline-faster-line)))

(defun costline--flame-face (frame)
  "Return the face of FRAME of a flame graph."
  (pcase (costline--shade frame)
    (`(heat . ,strength) (if (plist-get frame :uri)
                             (aref [costline-flame-0 costline-flame-1 costline-flame-2 costline-flame-3] strength)
                           'costline-flame-other))
    (`(,_ . 0) 'costline-flame-other)
    (`(slower . ,_) 'costline-flame-slower)
    (_ 'costline-flame-faster)))

(provide 'costline-faces)
;;; costline-faces.el ends here
