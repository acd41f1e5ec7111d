;;; check.el --- Checks Emacs's screen  -*- lexical-binding: t; -*-

;; Run by `check', in a terminal of tmux.  Every wait has a deadline, and the first failed check ends Emacs.

(require 'cl-lib)
(require 'json)

(defvar check-client (getenv "CHECK_CLIENT"))
(defvar check-stage
  (with-temp-buffer
    (insert-file-contents (getenv "COSTLINE_STAGE"))
    (json-parse-buffer :object-type 'hash-table)))

(defun check-get (&rest keys)
  (let ((value check-stage))
    (dolist (key keys value) (setq value (and value (gethash key value))))))

;;;; Logging

(defun check-log (format &rest arguments)
  (write-region (format "%.1fs %s\n" (float-time (time-since before-init-time)) (apply #'format format arguments)) nil (getenv "CHECK_RESULT") t 'quiet))

(defun check-end (format &rest arguments)
  (apply #'check-log format arguments)
  (let ((kill-emacs-query-functions nil) (kill-buffer-query-functions nil)) (kill-emacs)))

(defun check-fail (format &rest arguments)
  (check-log "--- messages\n%s---" (with-current-buffer (messages-buffer) (buffer-string)))
  (check-log "--- screen\n%s\n---" (string-join (check-screen) "\n"))
  (apply #'check-end (concat "FAILED: " format) arguments))

(defun check (what holds)
  (unless holds (check-fail "%s" what)))

(defun check-until (what condition &optional difference)
  "Wait until CONDITION is true of WHAT; else fail, with DIFFERENCE."
  (let ((deadline (+ (float-time) 60)) (held nil))
    (while (not (or (setq held (funcall condition)) (> (float-time) deadline)))
      (sit-for 0.7)) ; longer than what waits for Emacs to be idle
    (unless held (check-fail "%s\n%s" what (if difference (funcall difference) "")))
    held))

;;;; Reading the screen

(defun check-tmux (&rest arguments)
  (with-temp-buffer
    (apply #'call-process "tmux" nil t nil "-u" "-S" (getenv "CHECK_TMUX") arguments)
    (buffer-string)))

(defun check-screen ()
  "The rows of the screen."
  (redisplay t)
  (split-string (check-tmux "capture-pane" "-p") "\n"))

(defun check-picture (name)
  (let ((folder (or (getenv "COSTLINE_PICTURES") (file-name-directory (getenv "COSTLINE_STAGE")))))
    (check-tmux "resize-window" "-x" "100" "-y" "48")
    (check-until "the frame follows the terminal" (lambda () (redisplay t) (= (frame-height) 48)))
    (sit-for 0.5)
    (with-temp-buffer
      (insert (check-tmux "capture-pane" "-p" "-e" "-N"))
      (call-process-region nil nil (getenv "TERMINAL_PICTURE") nil nil nil (expand-file-name name folder)))
    (check-tmux "resize-window" "-x" "110" "-y" "90")
    (check-until "the frame grows again" (lambda () (redisplay t) (= (frame-height) 90)))))

(defun check-shown-lines ()
  "The costs at the ends of the screen's rows, by line number."
  (let ((shown (make-hash-table :test #'equal)))
    (dolist (row (check-screen) shown)
      (when (string-match "^[ ▏▌█]*\\([0-9]+\\) .* ~?\\([0-9.]+%\\)\\(?: total\\)?$" row)
        (puthash (match-string 1 row) (match-string 2 row) shown)))))

(defun check-shown-functions ()
  "The costs in the lenses on the screen, by function: in the row above it, or at its end."
  (let ((above "") (shown (make-hash-table :test #'equal)))
    (dolist (row (check-screen) shown)
      (when (string-match " def \\([a-z_]+\\)" row)
        (let ((name (match-string 1 row)) (text (concat above row)))
          (when (string-match "self \\([0-9.]+%\\).* total \\([0-9.]+%\\)" text)
            (puthash name (cons (match-string 1 text) (match-string 2 text)) shown))))
      (setq above row))))

(defun check-equal (a b)
  "Whether the hash tables A and B are equal."
  (and (= (hash-table-count a) (hash-table-count b))
       (cl-loop for key being the hash-keys of a using (hash-values value)
                always (equal value (gethash key b)))))

(defun check-listed (table)
  (let (rows)
    (maphash (lambda (key value) (push (format "%s: %s" key value) rows)) table)
    (string-join (sort rows #'string<) ", ")))

(defun check-hints (expected)
  (check-until (format "the hints of main.py are those of the profile")
               (lambda () (check-equal (check-shown-lines) expected))
               (lambda () (format "expected %s\nshown    %s" (check-listed expected) (check-listed (check-shown-lines))))))

(defun check-lenses (expected)
  (let ((expected-functions (make-hash-table :test #'equal)))
    (maphash (lambda (name cost) (puthash name (cons (gethash "self" cost) (gethash "total" cost)) expected-functions)) expected)
    (cl-flet ((missing ()
                (let ((shown (check-shown-functions)) missing)
                  (maphash (lambda (name cost) (unless (equal cost (gethash name shown)) (push name missing))) expected-functions)
                  missing)))
      (check-until "the lenses of main.py are those of the profile"
                   (lambda () (null (missing)))
                   (lambda () (format "of %s: expected %s\nshown    %s" (missing) (check-listed expected-functions)
                                      (check-listed (check-shown-functions))))))))

(defun check-bars ()
  "The bars in the margin of the screen, by line number."
  (let ((bars (make-hash-table :test #'equal)))
    (dolist (row (check-screen) bars)
      (when (string-match "^\\([▏▌█]\\) *\\([0-9]+\\) " row)
        (puthash (match-string 2 row) (match-string 1 row) bars)))))

(defun check-heat (costs)
  "Check the bars beside the lines with COSTS: from 1%, from 5%, from 20%."
  (let ((expected (make-hash-table :test #'equal)))
    (maphash (lambda (line cost)
               (let ((percent (string-to-number cost)))
                 (when (>= percent 1)
                   (puthash line (cond ((>= percent 20) "█") ((>= percent 5) "▌") (t "▏")) expected))))
             costs)
    (check-until "the bars are those of the costs"
                 (lambda () (check-equal (check-bars) expected))
                 (lambda () (format "expected %s\nshown    %s" (check-listed expected) (check-listed (check-bars)))))))

(defun check-costs (when)
  (check-hints (check-get when "lines" "main.py"))
  (check-heat (check-get when "lines" "main.py"))
  (check-lenses (check-get when "functions" "main.py"))
  (check-log "%s: hints, heat and lenses on the screen as in the profile" when))

(defun check-contains (what buffer &rest texts)
  "Check that the screen contains each of TEXTS while BUFFER is shown."
  (check what (get-buffer buffer))
  (dolist (text texts)
    (check-until (format "%s: %s" what text)
                 (lambda () (seq-some (lambda (row) (string-search text row)) (check-screen)))))
  (check-log "%s" what))

;;;; Changing settings like a user

(defvar eglot-workspace-configuration)
(defun check-set (settings)
  (if (equal check-client "eglot")
      (progn (setq-default eglot-workspace-configuration (list :costline settings))
             (with-current-buffer "main.py" (eglot-signal-didChangeConfiguration (eglot-current-server))))
    (customize-set-variable 'costline-settings settings)))

;;;; The test

(defvar check-announced nil
  "The URIs that `costline/activeDocument' was sent with, the last one first.")

(defun check-page (heading)
  "Evaluate the first example of the book's page, and the one below HEADING."
  (with-temp-buffer
    (insert-file-contents (expand-file-name "../../docs/editors/emacs.md" (getenv "COSTLINE_PACKAGE")))
    (dolist (before (list "^# Emacs$" (format "^## %s$" (regexp-quote heading))))
      (re-search-forward before)
      (re-search-forward "^```elisp$")
      (let ((start (point)))
        (re-search-forward "^```$")
        (let ((example (buffer-substring start (match-beginning 0))))
          (with-temp-buffer
            (insert (string-replace "~/src/costline/editors/emacs" (getenv "COSTLINE_PACKAGE") example))
            (eval-buffer)))))))

(defun check-said (regexp)
  "How many messages match REGEXP."
  (with-current-buffer (messages-buffer) (count-matches regexp (point-min) (point-max))))

(defun check-opens (what file &optional mode)
  "Check that FILE is opened completely, with `costline-mode' if MODE."
  (find-file file)
  (check (format "%s: %s opens" what file)
         (and (equal (expand-file-name file) buffer-file-name) (derived-mode-p 'python-mode)
              (= (buffer-size) (file-attribute-size (file-attributes file)))))
  (check (format "%s: %s %s costline-mode" what file (if mode "has" "has no")) (eq (and mode t) costline-mode)))

(defun check-hook ()
  "Check that the hook never stops a file from opening, and says why there are no costs once."
  (let ((main (expand-file-name "main.py" (check-get "root")))
        (maze (expand-file-name "grid/maze.py" (check-get "root")))
        (home (expand-file-name "script.py" "~")))
    (dolist (broken '(("no-such-costline" "lsp") ("false")))
      (let ((costline-command broken))
        (check-opens "without a server" main)
        (check-opens "without a server" maze)
        (mapc #'kill-buffer '("main.py" "maze.py"))))
    (check-until "the missing program and the broken server are each said once"
                 (lambda () (and (= 1 (check-said "Costline: the program .no-such-costline. was not found"))
                                 (= 1 (check-said "Costline: the server for .*gridworld/ did not start (.*); M-x costline-mode tries again")))))
    (let ((costline-command '("false")))
      (find-file main)
      (call-interactively #'costline-mode)
      (check-until "by hand it is tried again" (lambda () (= 2 (check-said "Costline: the server for .* did not start"))))
      (kill-buffer))
    (with-temp-buffer
      (python-mode)
      (check "a buffer without a file has no server" (not costline-mode))
      (check "by hand it says why"
             (equal (condition-case problem (call-interactively #'costline-mode) (user-error (cadr problem)))
                    "This buffer visits no file")))
    (with-temp-file home (insert "print(1)\n"))
    (check-opens "the home folder is no project" home)
    (kill-buffer)
    (setq costline--failed nil)
    (check-opens "with a server" main t)
    (python-mode)
    (check "another major mode keeps the costs" (and costline-mode (jsonrpc-running-p costline--server)))
    (kill-buffer)
    (with-current-buffer (messages-buffer) (let ((inhibit-read-only t)) (erase-buffer)))
    (check-log "the hook lets files open")))

(defun check-start ()
  (setq inhibit-startup-screen t
        native-comp-jit-compilation nil
        python-indent-guess-indent-offset-verbose nil
        make-backup-files nil
        project-vc-extra-root-markers '("profiles"))
  (push (file-name-directory (check-get "server")) exec-path)
  (advice-add (if (equal check-client "lsp-mode") 'lsp-notify 'jsonrpc-notify) :before #'check-record)
  (menu-bar-mode -1)
  (global-display-line-numbers-mode)
  (pcase check-client
    ("eglot" (check-page "Eglot alone"))
    ("lsp-mode"
     (require 'lsp-mode)
     (load "lsp-mode-autoloads" nil t)
     (setq lsp-client-packages nil ; a hundred, each to be loaded
           lsp-enable-snippet nil
           lsp-auto-guess-root t
           lsp-headerline-breadcrumb-enable nil
           lsp-session-file (expand-file-name "lsp-session" (getenv "HOME")))
     (check-page "lsp-mode"))
    ("costline-mode"
     (check-page "With Eglot, or without any client: `costline-mode`")
     (check-hook)))
  (find-file (expand-file-name "main.py" (check-get "root")))
  (run-hooks 'post-command-hook)) ; where Eglot waits for the end of the command

(defun check-back ()
  (switch-to-buffer "main.py")
  (delete-other-windows)
  (goto-char (point-min)))

(defun check-column (name)
  "The texts of the column NAME of the list."
  (let ((at (or (seq-position (mapcar #'car tabulated-list-format) name) (check-fail "there is no column %s" name))) texts)
    (save-excursion
      (goto-char (point-min))
      (while (not (eobp))
        (push (aref (tabulated-list-get-entry) at) texts)
        (forward-line)))
    (nreverse texts)))

(defun check-sorted (name relation)
  "Whether there are numbers of one and of two digits in the column NAME, and they are sorted by RELATION."
  (let ((numbers (mapcar #'string-to-number (check-column name))))
    (and (seq-some (lambda (number) (< 1 number 10)) numbers) (seq-some (lambda (number) (> number 10)) numbers)
         (apply relation numbers))))

(defun check-sort-column (name)
  "Sort by the column NAME, as a click on its heading does."
  (tabulated-list-sort (seq-position (mapcar #'car tabulated-list-format) name)))

(defun check-change ()
  "Check the column of changes."
  (check "there is no column of changes without a baseline" (not (assoc "Change" (append tabulated-list-format nil))))
  (costline--execute "costline.setBaseline" (check-get "next"))
  (check-until "the list has a column of changes"
               (lambda () (with-current-buffer "*Costline hot spots*" (assoc "Change" (append tabulated-list-format nil)))))
  (check-sort-column "Change")
  (check "the function that was four times faster changed most, as the screen says"
         (and (string-match-p "carve\\|build" (car (check-column "Function"))) (string-prefix-p "▲" (car (check-column "Change")))))
  (check-contains "changes are on the screen" "*Costline hot spots*" "Change" "▲")
  (costline--execute "costline.clearBaseline")
  (check-until "the column is gone with the baseline"
               (lambda () (with-current-buffer "*Costline hot spots*" (not (assoc "Change" (append tabulated-list-format nil))))))
  (check "the rows are still there" (member "solve_all" (check-column "Function")))
  (check-log "changes are listed"))

(defun check-hot-lines ()
  "Check the way from hot line to hot line."
  (let (lines)
    (goto-char (point-max))
    (costline-next-hot-line)
    (check-until "a message has the cost of the hottest line"
                 (lambda () (string-match-p "Hot line 1 of [0-9]+: .*self [0-9.]+%" (or (current-message) ""))))
    (let ((first (cons (buffer-name) (line-number-at-pos))))
      (push first lines)
      (costline-next-hot-line)
      (while (and (not (equal first (cons (buffer-name) (line-number-at-pos)))) (< (length lines) 200))
        (push (cons (buffer-name) (line-number-at-pos)) lines)
        (costline-next-hot-line))
      (check "after the last comes the first" (equal first (cons (buffer-name) (line-number-at-pos))))
      (check "several files were visited, each line once"
             (and (seq-some (lambda (line) (equal (car line) "main.py")) lines)
                  (seq-some (lambda (line) (equal (car line) "maze.py")) lines)
                  (equal lines (seq-uniq lines))))
      (costline-previous-hot-line)
      (check "before the first comes the last" (equal (car lines) (cons (buffer-name) (line-number-at-pos)))))
    (check-log "%d hot lines are visited" (length lines))))

(defun check-commands ()
  (let ((self (check-get "before" "functions" "main.py" "solve_all" "self"))
        (total (check-get "before" "functions" "main.py" "solve_all" "total")))
    (costline-hotspots)
    (check-contains "hot functions are listed" "*Costline hot spots*" "Function" "Self" "Total" "Place" "solve_all" self total)
    (check-click " solve_all  " 1 'double-mouse-1)
    (check "a hot function leads to its source" (and (equal (buffer-name) "main.py") (looking-at "def solve_all")))
    (check-back)
    (costline-hotspots)
    (goto-char (point-min))
    (search-forward "shuffle")
    (costline-table-visit)
    (check "a function without source opens its description"
           (and (string-prefix-p "*costline:" (buffer-name)) (string-search "Random.shuffle" (buffer-string))))
    (check-back)
    (costline-hotspots t)
    (check-contains "hot lines are listed" "*Costline hot spots*" "maze.py:" "grid/maze.py")
    (costline-hotspots-by "file")
    (check-contains "hot files are listed" "*Costline hot spots*" "grid/maze.py" "random.py")
    (costline-hotspots-filter "maze")
    (check "a filter limits the list" (not (string-search "random.py" (buffer-string))))
    (costline-hotspots-filter "")
    (costline-hotspots-by "function")
    (costline-hotspots-own)
    (check "only own code is listed"
           (and (string-search " solve_all" (buffer-string)) (not (string-search "shuffle" (buffer-string)))))
    (check "the hottest lines of the list are at the top, by number" (check-sorted "With libs" #'>=))
    (check-pick #'costline-hotspots-sort "Total")
    (check "the list is sorted by total" (check-sorted "Total" #'>=))
    (check-sort-column "Self")
    (check "a column sorts by its numbers" (check-sorted "Self" #'>=))
    (check-sort-column "Self")
    (check "once more, the other way round" (check-sorted "Self" #'<=))
    (check-sort-column "Total")
    (check "another column sorts by its numbers" (check-sorted "Total" #'>=))
    (check-sort-column "Function")
    (check "names are sorted as text" (let ((names (check-column "Function"))) (equal names (sort (copy-sequence names) #'string<))))
    (costline-hotspots-own)
    (check-log "the list is sorted by its columns")
    (check-change)
    (check-back)
    (search-forward "def solve_all")
    (costline-callers)
    (check-contains "callers are shown" "*Costline callers*" "Total" "▾ solve_all" total "▸ main")
    (goto-char (point-min))
    (search-forward " main")
    (execute-kbd-macro (kbd "RET"))
    (check "a caller leads to its source" (equal (buffer-name) "main.py"))
    (check-back)
    (search-forward "def solve_all")
    (costline-callees)
    (check-contains "callees are shown" "*Costline callees*" "build" "solve")
    (check-back)
    (search-forward "def solve_all")
    (costline-annotate)
    (check-contains "the source of a function is shown" "*Costline source*" " Self Total  Line  lines 16 to 26: self"
                    (concat (check-get "before" "lines" "main.py" "19") "    19          cells = maze.build(size, size, seed)"))
    (check-back)
    (goto-char (point-min))
    (forward-line 18)
    (costline-explain)
    (check "a line is explained" (string-search (check-get "before" "lines" "main.py" "19") (or (current-message) "")))
    (check-back)
    (costline-reload)
    (check-costs "before")))

(defun check-pick (command &rest labels)
  "Run COMMAND and answer its questions with LABELS, each the end of what is offered."
  (cl-letf (((symbol-function 'completing-read)
             (lambda (_prompt table &rest _)
               (let ((label (pop labels)))
                 (or (seq-find (lambda (offered) (string-suffix-p label offered)) (all-completions "" table))
                     (check-fail "%s is not offered among %S" label (all-completions "" table)))))))
    (call-interactively command)))

(defun check-click (text offset &optional kind)
  "Click the first TEXT on the screen with the mouse, OFFSET columns from its start.
KIND is another event than `mouse-1'."
  (let* ((rows (check-screen))
         (row (or (cl-position-if (lambda (row) (string-search text row)) rows) (check-fail "%s is not on the screen" text))))
    (execute-kbd-macro
     (vector (list (or kind 'mouse-1) (posn-at-x-y (+ offset (string-search text (nth row rows))) row (selected-frame)) 2)))))

(defun check-windows ()
  "Take a picture of the call tree above the flame graph, both drawn for the size of the picture."
  (costline-call-tree)
  (delete-other-windows)
  (dolist (name '("▸ main" "▸ solve_all" "▸ build"))
    (goto-char (point-min))
    (search-forward name)
    (costline-tree-toggle))
  (select-window (split-window-below))
  (switch-to-buffer "*Costline flame graph*")
  (check-picture "emacs-windows.png"))

(defvar check-opened nil)

(defun check-view ()
  "What the server offers can be chosen."
  (check-back)
  (check-pick #'costline-choose "Unit" "Absolute")
  (check-contains "another unit is shown" "main.py" "maze.build(size, size, seed) 518")
  (check-pick #'costline "Reset to the settings")
  (check-costs "before")
  (costline-call-tree)
  (check-contains "the call tree is shown" "*Costline call tree*" "Total" "▸ <module>")
  (check-click "▸ <module>" 0)
  (check-contains "a call is opened" "*Costline call tree*" "▾ <module>" "▸ main")
  (search-forward " main")
  (check-pick #'costline-transform-node "Show the costs of this node")
  (check-until "the tree begins at the node"
               (lambda () (with-current-buffer "*Costline call tree*"
                            (save-excursion
                              (goto-char (point-min))
                              (and (search-forward " main" nil t) (not (search-forward "<module>" nil t))))))
               #'buffer-string)
  (check-log "the costs of a call node are shown")
  (check-back)
  (check-pick #'costline "Show the costs of all nodes again")
  (check-costs "before")
  (setq browse-url-browser-function (lambda (url &rest _) (setq check-opened url)))
  (costline-flamegraph)
  (check-contains "a flame graph is shown" "*Costline flame graph*" "▏<module>" "▏crunch")
  (check-click "▏crunch" 2)
  (check "a click leads to the source" (and (equal (buffer-name) "main.py") (looking-at-p "def crunch")))
  (when (equal check-client "costline-mode") (check-windows))
  (check-back)
  (costline-flamegraph-in-browser)
  (check-until "a flame graph opens in the browser" (lambda () (and check-opened (string-suffix-p ".svg" check-opened))))
  (check-log "a flame graph opens in the browser")
  (costline-focus "crunch")
  (check-until "only samples with crunch are shown" (lambda () (equal (gethash "31" (check-shown-lines)) "100.0%"))
               (lambda () (check-listed (check-shown-lines))))
  (check-log "samples are focused on a function")
  (check-pick #'costline "Remove all transforms")
  (check-costs "before"))

(defun check-mode-line (what expected)
  "Check that the mode line has EXPECTED.  The end of the line may be outside of the screen."
  (check-until (format "%s: the mode line has %s" what expected)
               (lambda () (string-search expected (format-mode-line mode-line-format)))
               (lambda () (format-mode-line mode-line-format)))
  (check-log "%s: the mode line has %s" what expected))

(defun check-menu ()
  "Check the menu of keys and the map of commands."
  (check-back)
  (check-mode-line "the profile" "Costline[gridworld.folded · 1395 samples]")
  (check-contains "the mode line is on the screen" "main.py" "Costline[gridworld.folded · 1395 samples]")
  (costline-focus "crunch")
  (check-mode-line "a transform" "Costline[gridworld.folded · 316 samples · focus: crunch]")
  (check-pick #'costline "Remove all transforms")
  (check-costs "before")
  (costline-menu)
  (dolist (text '("Costline · gridworld.folded · 1395 samples" "Hot spots" "Explain this line" "What is shown" "Unit (Percent"))
    (check-until (format "the menu has %s" text)
                 (lambda () (seq-some (lambda (row) (string-search text row)) (check-screen)))))
  (check-log "the menu is shown")
  (execute-kbd-macro (kbd "h"))
  (check "a key of the menu lists hot spots" (equal (buffer-name) "*Costline hot spots*"))
  (check-back)
  (keymap-global-set "C-c $" 'costline-command-map)
  (execute-kbd-macro (kbd "C-c $ h"))
  (check "the same key below a prefix lists hot spots" (equal (buffer-name) "*Costline hot spots*"))
  (check-back)
  (costline-menu)
  (let ((unit (seq-position (append (plist-get costline--menu-view :choices) nil) "unit"
                            (lambda (choice key) (equal (plist-get choice :key) key)))))
    (check-pick (lambda () (interactive) (execute-kbd-macro (number-to-string (1+ unit)))) "Absolute"))
  (check-contains "a choice of the menu is applied" "main.py" "maze.build(size, size, seed) 518")
  (check-pick #'costline "Reset to the settings")
  (check-costs "before"))

(defun check-hover ()
  "Check that ElDoc shows what a function costs, without Markdown."
  (check-back)
  (search-forward "def ma")
  (let* ((cost (check-get "before" "functions" "main.py" "main"))
         (expected (format "main · self %s (1 sample) · total %s" (gethash "self" cost) (gethash "total" cost))))
    (check-until (format "the echo area says %s" expected)
                 (lambda ()
                   (let ((this-command nil) (last-command 'next-line)) ; as ElDoc's timer finds them
                     (eldoc-print-current-symbol-info)
                     (sit-for 0.7))
                   (seq-some (lambda (row) (string-prefix-p expected row)) (check-screen))))
    (unless (equal check-client "lsp-mode") ; it shows only the first line
      (with-current-buffer eldoc--doc-buffer
        (check "the callers are in ElDoc's buffer, without escapes"
               (and (string-match-p "callers: .* <module>$" (buffer-string)) (not (string-search "\\" (buffer-string)))))))
    (check-log "ElDoc shows costs")
    (unless (equal check-client "lsp-mode")
      (switch-to-buffer "main.py")
      (execute-kbd-macro (kbd "C-h ."))
      (check-contains "C-h . shows callers" "main.py" "callers: ")))
  (check-back))

(defun check-unit ()
  "The unit that the server shows; nil while there is no server."
  (when-let* ((view (ignore-errors (costline--execute "costline.view"))))
    (plist-get (seq-find (lambda (choice) (equal (plist-get choice :key) "unit")) (plist-get view :choices)) :value)))

(defun check-send-to-killed (server)
  "Send a notification to SERVER, which is killed just before."
  (let ((process (jsonrpc--process server)))
    (kill-process process)
    (while (process-live-p process) (sleep-for 0.01)))
  (jsonrpc-notify server "$/late" nil))

(defun check-restart ()
  "Check that the next server shows what was chosen."
  (check-back)
  (check-pick #'costline-choose "Unit" "Absolute")
  (check-until "another unit is chosen" (lambda () (equal (check-unit) "absolute")))
  (check-contains "another unit is shown" "main.py" "maze.build(size, size, seed) 518")
  (let ((before (costline--find-server)))
    (pcase check-client
      ("costline-mode" (costline--send before #'check-send-to-killed))
      ("eglot" (eglot-reconnect before))
      ("lsp-mode" (lsp-workspace-restart before)))
    (check-until "there is another server"
                 (lambda () (not (memq (with-current-buffer "main.py" (costline--find-server)) (list nil before))))))
  (switch-to-buffer "main.py")
  (check-until "the next server shows what was chosen" (lambda () (equal (check-unit) "absolute")))
  (check-log "the next server shows what was chosen")
  (with-current-buffer "*Costline hot spots*"
    (check-until "the list goes on with the next server"
                 (lambda () (revert-buffer) (goto-char (point-min)) (search-forward " solve_all" nil t)))
    (costline-table-callers))
  (check-contains "callers of a row of the list are shown" "*Costline callers*" "▸ main")
  (check-back)
  (check-pick #'costline "Reset to the settings")
  (check-costs "before"))

(defun check-record (&rest arguments)
  (when-let* ((rest (member "costline/activeDocument" arguments)))
    (push (plist-get (cadr rest) :uri) check-announced)))

(defun check-front ()
  "Check that the server gets each document that comes to the front, once."
  (cl-flet ((announced (names)
              (check-until (format "%s came to the front" names)
                           (lambda () (equal (mapcar #'file-name-nondirectory check-announced) names))
                           (lambda () (format "%S" check-announced)))))
    (announced '("main.py"))
    (find-file (expand-file-name "grid/maze.py" (check-get "root")))
    (run-hooks 'post-command-hook)
    (announced '("maze.py" "main.py"))
    (switch-to-buffer (messages-buffer))
    (sit-for 1)
    (check-back)
    (announced '("main.py" "maze.py" "main.py"))
    (check-log "documents in front are announced")))

(defun check-lens-click ()
  "Click the lens above solve_all, with the mouse."
  (check-back)
  (let* ((total (check-get "before" "functions" "main.py" "solve_all" "total"))
         (rows (check-screen))
         (row (cl-position-if (lambda (row) (string-search " def solve_all" row)) rows))
         ;; The lens is in the row above, or after the code.
         (row (if (string-search "self " (nth row rows)) row (1- row)))
         (column (+ 2 (string-search "self " (nth row rows)))))
    (execute-kbd-macro (vector `(mouse-1 ,(posn-at-x-y column row))))
    (check-contains "a click on a lens opens the callers" "*Costline callers*" total "▸ main")
    (check-back)))

(defun check-rewrite ()
  (rename-file (check-get "next") (check-get "profile") t)
  (check-costs "after"))

(defun check-switches ()
  (check-set '(:hints (:enable :json-false)))
  (check-hints (make-hash-table))
  (check-heat (make-hash-table))
  (check-log "hints and heat are disabled by settings")
  (check-set '(:hints (:enable t)))
  (check-costs "after")
  (customize-set-variable 'costline-heat nil)
  (check-heat (make-hash-table))
  (check "the column of the margin is gone" (not costline--has-margin))
  (check-hints (check-get "after" "lines" "main.py"))
  (customize-set-variable 'costline-lenses nil)
  (unless (equal check-client "lsp-mode")
    (check-until "lenses are gone" (lambda () (zerop (hash-table-count (check-shown-functions))))))
  (customize-set-variable 'costline-lenses t)
  (customize-set-variable 'costline-heat t)
  (check-costs "after")
  (check-log "heat and lenses are disabled by options"))

(defun check-quiet ()
  "Check that there are no unexpected messages."
  (when (get-buffer "*Warnings*")
    (with-current-buffer "*Warnings*"
      ;; jsonrpc waits a tenth of a second for a process to end.
      (let ((inhibit-read-only t)) (flush-lines "Sentinel for .* still hasn't run" (point-min) (point-max)))
      (when (string-blank-p (buffer-string)) (kill-buffer))))
  (dolist (name '("*Warnings*" "*Backtrace*" "*Compile-Log*"))
    (when (get-buffer name) (check-fail "%s: %s" name (with-current-buffer name (buffer-string)))))
  (let ((messages (with-current-buffer (messages-buffer) (buffer-string))) (case-fold-search t))
    (check "no errors in the messages" (not (string-match-p "error\\|warning\\|wrong\\|void-\\|invalid" messages)))))

(defun check-problem ()
  "Check that a profile that cannot be read is a message and in the mode line."
  (let ((broken (expand-file-name "broken.cpuprofile" (check-get "root"))))
    (with-temp-file broken (insert "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"f\","))
    (check-until "a message names the broken profile"
                 (lambda ()
                   (with-current-buffer (messages-buffer)
                     (string-match-p "Costline: .*broken\\.cpuprofile.*(M-x costline-fix)" (buffer-string)))))
    (check-until "the mode line has the warning"
                 (lambda () (string-match-p "\\[.*warning\\]" (format-mode-line mode-line-format))))
    (delete-file broken)
    (check-log "a broken profile is reported")))

(defun check-colors-of (line)
  "The escape sequences of the bar beside LINE, and of the whole row."
  (let ((row (seq-find (lambda (row) (string-match-p (format "█.* %s " line) row))
                       (split-string (check-tmux "capture-pane" "-p" "-e") "\n"))))
    (unless (and row (string-match "\\(\\(?:\e\\[[0-9;]*m\\)+\\)█" row)) (check-fail "line %s has no colored bar: %S" line row))
    (list (match-string 1 row) row)))

(defun check-colors ()
  "Check heat in a terminal with few colors and 80 columns."
  (check-start)
  (forward-line 18)
  (recenter)
  (check-until "there is a bar" (lambda () (equal (gethash "19" (check-bars)) "█")))
  (pcase-let ((`(,dark ,row) (check-colors-of 19)))
    (check "only terminals with many colors have a background" (eq (and (string-match-p "\e\\[48;5;" row) t) (> (display-color-cells) 88)))
    (setq frame-background-mode 'light)
    (frame-set-background-mode nil)
    (check "the bar has another color on a light background" (not (equal dark (car (progn (redisplay t) (check-colors-of 19)))))))
  (check-log "heat in %d colors" (display-color-cells))
  (check-end "all fine"))

(defun check-run ()
  (interactive)
  (condition-case problem
      (progn
        (when (getenv "CHECK_TERM") (check-colors))
        (check-log "Emacs %s, %s" emacs-version check-client)
        (check-start)
        (check-costs "before")
        (check-front)
        (check-picture (if (equal check-client "costline-mode") "emacs.png" (format "emacs-%s.png" check-client)))
        (check-commands)
        (check-hot-lines)
        (check-back)
        (check-lens-click)
        (check-view)
        (check-menu)
        (check-hover)
        (check-restart)
        (check-rewrite)
        (check-switches)
        (check-quiet)
        (check-problem)
        (check-end "all fine"))
    (error (check-fail "%S" problem))))

;; As a command, so that Emacs is idle while it waits.
(global-set-key [f5] #'check-run)
(setq unread-command-events (list 'f5))
