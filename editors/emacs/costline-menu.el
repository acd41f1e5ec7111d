;;; costline-menu.el --- What Costline shows, and its commands  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; The choices and actions that the server offers, the commands beside the lists, and two ways to run all commands:
;; `costline-menu' and `costline-command-map'.

;;; Code:

(require 'browse-url)
(require 'cl-lib)
(require 'costline-annotate)
(require 'costline-flame)
(require 'costline-lists)
(require 'costline-server)
(require 'costline-tree)
(require 'crm)
(require 'seq)
(require 'transient)

;;;; The view

(defun costline--distinct (candidates)
  "Return CANDIDATES with labels that differ.
A repeated label gets its value if that is text, else its note."
  (let ((labels (mapcar #'car candidates)))
    (mapcar (pcase-lambda (`(,label ,note . ,value))
              (cl-list* (if (cdr (seq-filter (apply-partially #'equal label) labels))
                            (format "%s  %s" label (if (stringp value) value note))
                          label)
                        note value))
            candidates)))

(defun costline--completions (candidates &optional active)
  "Return a table for completion of CANDIDATES, with their notes.
ACTIVE are the labels to be marked."
  (let ((affix (lambda (label)
                 (let ((note (cadr (assoc label candidates))))
                   (list label
                         (cond ((null active) "") ((member label active) "* ") (t "  "))
                         (if note (concat "  " (propertize note 'face 'shadow)) ""))))))
    (lambda (string predicate action)
      (if (eq action 'metadata)
          `(metadata (affixation-function . ,(apply-partially #'mapcar affix)) (display-sort-function . identity))
        (complete-with-action action candidates string predicate)))))

(defun costline--complete (prompt candidates)
  "Show PROMPT, let the user select one of CANDIDATES, and return its VALUE.
Each candidate is (LABEL NOTE . VALUE)."
  (cddr (assoc (completing-read prompt (costline--completions candidates) nil t) candidates)))

(defun costline--option (option)
  "Return OPTION of a choice as a candidate of `costline--complete'."
  (cl-list* (plist-get option :label)
            (string-join (delq nil (list (plist-get option :description) (plist-get option :detail))) " · ")
            (plist-get option :value)))

(defun costline--separator (labels)
  "Return a text to separate LABELS, which is in none of them."
  (or (seq-find (lambda (separator) (not (seq-some (apply-partially #'string-search separator) labels)))
                '("," ";" "|" "&"))
      ","))

(defun costline--choose (choice)
  "Let the user select a value for CHOICE."
  (let* ((options (plist-get choice :options))
         (candidates (costline--distinct (mapcar #'costline--option options)))
         (active (cl-loop for option across options for (label) in candidates
                          when (eq (plist-get option :active) t) collect label))
         (table (costline--completions candidates active))
         (separator (costline--separator (mapcar #'car candidates)))
         (crm-separator (format "[ \t]*%s[ \t]*" (regexp-quote separator)))
         (prompt (format (if (equal separator ",") "%s: " "%s (separated by `%s'): ") (plist-get choice :title) separator))
         (value-of (lambda (label) (cddr (assoc label candidates))))
         (value (if (eq (plist-get choice :multiple) t)
                    (vconcat (mapcar value-of (completing-read-multiple prompt table nil t)))
                  (funcall value-of (completing-read prompt table nil t)))))
    (costline--execute "costline.setView" (list (intern (concat ":" (plist-get choice :key))) value))))

(defun costline--choice-entries (view)
  "Return the choices of VIEW as candidates of `costline--complete'."
  (mapcar (lambda (choice)
            (let ((active (seq-filter (lambda (option) (eq (plist-get option :active) t)) (plist-get choice :options))))
              (cl-list* (plist-get choice :title)
                        (mapconcat (lambda (option) (plist-get option :label)) active ", ")
                        (lambda () (costline--choose choice)))))
          (plist-get view :choices)))

;;;###autoload
(defun costline-choose ()
  "Choose what is shown: profile, metric, threads and so on."
  (interactive)
  (funcall (costline--complete "Choose: " (costline--choice-entries (costline--execute "costline.view")))))

;;;###autoload
(defun costline ()
  "Show a menu of all choices, actions, lists and trees."
  (interactive)
  (let* ((view (costline--execute "costline.view"))
         (shown (format "%s, %s" (or (costline--get view :profile :name) "no profile") (plist-get view :summary))))
    (call-interactively
     (let ((run (costline--complete
                 (format "Costline (%s): " shown)
                 (append
                  '(("Show hot spots" nil . costline-hotspots)
                    ("Show callers" "of the function at point" . costline-callers)
                    ("Show callees" "of the function at point" . costline-callees)
                    ("Show call tree" nil . costline-call-tree)
                    ("Show flame graph" nil . costline-flamegraph)
                    ("Show source with costs" "of the function at point" . costline-annotate)
                    ("Explain this line" nil . costline-explain)
                    ("Fix a problem" nil . costline-fix)
                    ("Focus on a function" nil . costline-focus))
                  (costline--choice-entries view)
                  (mapcar (lambda (action)
                            (cl-list* (plist-get action :title) nil
                                      (lambda ()
                                        (apply #'costline--execute (plist-get action :command)
                                               (append (plist-get action :arguments) nil)))))
                          (plist-get view :actions))))))
       (if (symbolp run) run (lambda () (interactive) (funcall run)))))))

;;;###autoload
(defun costline-focus (function)
  "Show only the samples that contain FUNCTION.
To remove this transform, run `costline'."
  (interactive (list (read-string "Function: " (thing-at-point 'symbol t))))
  (costline--execute "costline.pushTransform" (list :type "focus-function" :function function)))

;;;###autoload
(defun costline-reload ()
  "Reload the profile."
  (interactive)
  (costline--execute "costline.reload"))

;;;###autoload
(defun costline-fix ()
  "Fix a problem with what is shown."
  (interactive)
  (let* ((entries (seq-filter (lambda (entry) (plist-get entry :fix))
                              (plist-get (costline--execute "costline.view") :health)))
         (candidates (mapcar (lambda (entry)
                               (cl-list* (costline--get entry :fix :title) (plist-get entry :message) (plist-get entry :fix)))
                             entries)))
    (unless candidates (user-error "There is nothing to fix"))
    (let ((fix (costline--complete "Fix: " (costline--distinct candidates))))
      (apply #'costline--execute (plist-get fix :command) (append (plist-get fix :arguments) nil)))))

;;;###autoload
(defun costline-explain ()
  "Explain the costs of the line at point, or why there are none."
  (interactive)
  (let ((place (costline--position)))
    (message "%s" (plist-get (costline--execute "costline.explain"
                                                (list :uri (costline--get place :textDocument :uri)
                                                      :line (costline--get place :position :line)))
                             :message))))

;; Emacs would open the SVG file in a buffer, but its scripts need a browser.
(add-to-list 'browse-url-handlers '("\\`file:.*-flamegraph\\.svg\\'" . costline--browse))

(defun costline--browse (url &rest _)
  "Open URL in the browser."
  (let ((browse-url-handlers nil) (browse-url-default-handlers nil))
    (browse-url url)))

;;;; All commands

(defconst costline--commands
  '(("Lists"
     ("h" "Hot spots" costline-hotspots)
     ("t" "Call tree" costline-call-tree)
     ("F" "Flame graph" costline-flamegraph))
    ("At point"
     ("c" "Callers" costline-callers)
     ("e" "Callees" costline-callees)
     ("s" "Source with costs" costline-annotate)
     ("x" "Explain this line" costline-explain)
     ("o" "Focus on a function" costline-focus))
    ("Hot lines"
     ("n" "Next" costline-next-hot-line :transient t)
     ("p" "Previous" costline-previous-hot-line :transient t))
    ("Profile"
     ("v" "Choose what is shown" costline-choose)
     ("a" "All choices and actions" costline)
     ("f" "Fix a problem" costline-fix)
     ("g" "Read it again" costline-reload)))
  "The commands of `costline-menu' and `costline-command-map', in groups.")

;;;###autoload (autoload 'costline-command-map "costline-menu" nil nil 'keymap)
(defvar costline-command-map
  (let ((map (make-sparse-keymap)))
    (dolist (group costline--commands map)
      (pcase-dolist (`(,key ,_ ,command . ,_) (cdr group))
        (keymap-set map key command))))
  "All commands of Costline, to be bound to a prefix key.")
(fset 'costline-command-map costline-command-map)
(keymap-set costline-command-map "m" #'costline-menu)

(defvar-keymap costline-hot-line-repeat-map
  :doc "The keys that repeat the way to the next hot line, in `repeat-mode'."
  :repeat t
  "n" #'costline-next-hot-line
  "p" #'costline-previous-hot-line)

(defvar costline--menu-view nil
  "The view that `costline-menu' shows.")

(defun costline--menu-title ()
  "Return what is shown, as the heading of `costline-menu'."
  (concat (propertize (string-join (cons "Costline" (costline--facts costline--menu-view)) " · ")
                      'face 'transient-heading)
          "\n"))

(defun costline--menu-commands (&rest _)
  "Return the groups of `costline-menu' with commands."
  (transient-parse-suffixes 'costline-menu (mapcar #'vconcat costline--commands)))

(defun costline--menu-choices (&rest _)
  "Return the suffixes of `costline-menu' for the choices of the view.
The keys are the digits from 1, in the order of the server."
  (transient-parse-suffixes
   'costline-menu
   (seq-map-indexed
    (pcase-lambda (`(,title ,active . ,choose) index)
      (let ((command (intern (format "costline--choice-%d" (1+ index)))))
        (defalias command (lambda () (interactive) (funcall choose)) "Choose what is shown.")
        (list (number-to-string (1+ index))
              (if (string-empty-p active) title (format "%s (%s)" title (propertize active 'face 'transient-value)))
              command)))
    (seq-take (costline--choice-entries costline--menu-view) 9))))

;;;###autoload (autoload 'costline-menu "costline-menu" nil t)
(transient-define-prefix costline-menu ()
  "Show a menu of all commands, and of what can be shown."
  [:class transient-columns :description costline--menu-title :setup-children costline--menu-commands]
  ["What is shown" :class transient-column :setup-children costline--menu-choices]
  (interactive)
  (setq costline--menu-view (costline--execute "costline.view"))
  (transient-setup 'costline-menu))

(provide 'costline-menu)
;;; costline-menu.el ends here
