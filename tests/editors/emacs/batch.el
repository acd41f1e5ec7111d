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
      (setq-local costline-mode t costline-draw-mode t costline-lenses nil)
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

(defun batch-heat ()
  "The lines with heat in this buffer, with their bars and faces."
  (sort (mapcar (lambda (overlay)
                  (let ((bar (cadr (get-text-property 0 'display (overlay-get overlay 'before-string)))))
                    (list (line-number-at-pos (overlay-start overlay)) (substring-no-properties bar)
                          (get-text-property 0 'face bar) (overlay-get overlay 'face))))
                (seq-filter (lambda (overlay) (eq (overlay-get overlay 'costline) 'heat))
                            (overlays-in (point-min) (point-max))))
        (lambda (a b) (< (car a) (car b)))))

(ert-deftest batch-heat ()
  "Bars and faces follow the tier or, with a baseline, the tier of the change."
  (with-temp-buffer
    (setq-local costline-mode t)
    (dotimes (_ 10) (insert "code\n"))
    (cl-flet ((draw (key &rest tiers)
                (costline--draw-hints (seq-map-indexed (lambda (tier line0)
                                                         `( :position (:line ,line0) :label "1%"
                                                            :data (:tier 3 ,key ,tier)))
                                                       tiers))))
      (costline--draw-hints '[(:position (:line 2) :label "2%" :data (:tier 1)) (:position (:line 3) :label "9%" :data (:tier 2))
                              (:position (:line 4) :label "0.1%" :data (:tier 0)) (:position (:line 5) :label "50%" :data (:tier 3))])
      (should (equal (batch-heat) '((3 "▏" costline-heat-1 nil) (4 "▌" costline-heat-2 costline-heat-line-2)
                                    (6 "█" costline-heat-3 costline-heat-line-3))))
      (should (= left-margin-width 1))
      (draw :changeTier 0 1 -2 nil 3)
      (should (equal (batch-heat) '((2 "▏" costline-slower nil) (3 "▌" costline-faster costline-faster-line)
                                    (5 "█" costline-slower costline-slower-line))))
      (draw :changeTier 0 nil)
      (should-not (batch-heat))
      (should (= left-margin-width 0))
      (should (equal (batch-hints) '(1 2)))
      (let ((costline-heat nil)) (draw :changeTier 3))
      (should-not (batch-heat)))))

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

(defun batch-leave (project)
  "Kill the buffers and servers of PROJECT, and delete its files."
  (dolist (buffer (buffer-list))
    (when (string-prefix-p project (or (buffer-file-name buffer) ""))
      (with-current-buffer buffer (set-buffer-modified-p nil))
      (kill-buffer buffer)))
  (dolist (server (hash-table-values costline--own)) (delete-process (jsonrpc--process server)))
  (clrhash costline--own)
  (delete-directory project t))

(defvar batch-sent nil
  "The notifications about documents, as (METHOD NAME), the last one first.")

(defun batch-record (_ method params)
  "Record METHOD, which was sent with PARAMS."
  (when-let* ((uri (costline--get params :textDocument :uri)))
    (push (list method (file-name-nondirectory uri)) batch-sent)))
(advice-add 'jsonrpc-notify :before #'batch-record)

(defmacro batch-in (project-of-files &rest body)
  "Evaluate BODY, which can start servers, in a new project.
PROJECT-OF-FILES is a variable for its folder and the names of its files."
  (declare (indent 1))
  `(let ((,(car project-of-files) (batch-project ,@(cdr project-of-files)))
         (costline-command (list batch-server "lsp")))
     (setq batch-sent nil)
     (unwind-protect (progn ,@body) (batch-leave ,(car project-of-files)))))

(defun batch-visit (name project)
  "Visit the file NAME of PROJECT with `costline-mode', and return its buffer."
  (with-current-buffer (find-file-noselect (expand-file-name name project))
    (costline-mode)
    (should costline-mode)
    (current-buffer)))

(defun batch-until (condition)
  "Wait until CONDITION is true, at most a minute."
  (let ((deadline (+ (float-time) 60)))
    (while (not (or (funcall condition) (> (float-time) deadline)))
      (accept-process-output nil 0.05)))
  (should (funcall condition)))

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
  (batch-in (project "empty/app.py" "empty/more.py" "full/app.py" "full/profiles/run.folded")
    (let ((costline--patience 3))
      (dolist (file '("full/app.py" "empty/app.py" "empty/more.py"))
        (batch-visit file project))
      (batch-until (lambda () (/= 0 (batch-said "^Costline: no profile was found in .*/empty/;"))))
      (sleep-for 0.5)
      (should (= 1 (batch-said "^Costline: no profile was found in .*/empty/;")))
      (should (= 1 (batch-said "Costline: no profile"))))))

(ert-deftest batch-indirect ()
  "An indirect clone leaves the modes: both buffers can be killed, and the document stays open."
  (batch-in (project "app.py" "profiles/run.folded")
    (let* ((base (batch-visit "app.py" project))
           (clone (with-current-buffer base (clone-indirect-buffer nil nil))))
      (batch-until (lambda () (with-current-buffer base (batch-hints))))
      (with-current-buffer clone
        (should-not costline-mode)
        (should-not costline-draw-mode)
        (should-not costline--server)
        (should-not (memq #'costline--hover eldoc-documentation-functions))
        (insert "x")
        (should-not (memq #'costline--later after-change-functions)))
      (should (buffer-local-value 'costline-mode base))
      (kill-buffer clone)
      (should-not (buffer-live-p clone))
      (should (equal batch-sent '(("textDocument/didOpen" "app.py"))))
      (let ((clones (with-current-buffer base (list (clone-indirect-buffer nil nil) (clone-indirect-buffer nil nil)))))
        (with-current-buffer base (set-buffer-modified-p nil))
        (kill-buffer base)
        (should-not (seq-some #'buffer-live-p (cons base clones))))
      (should (equal (car batch-sent) '("textDocument/didClose" "app.py")))
      (should (= 2 (length batch-sent))))))

(ert-deftest batch-indirect-clone-with-lenses ()
  "An indirect clone of a buffer with lenses, as Eglot has them, has none."
  (with-temp-buffer
    (cl-letf (((symbol-function 'costline--redraw) #'ignore))
      (setq-local costline-draw-mode t)
      (add-hook 'after-change-functions #'costline--later nil t)
      (let ((clone (make-indirect-buffer (current-buffer) (generate-new-buffer-name "clone") t)))
        (should-not (buffer-local-value 'costline-draw-mode clone))
        (should-not (memq #'costline--later (buffer-local-value 'after-change-functions clone)))
        (should costline-draw-mode)
        (kill-buffer clone)))))

(defvar batch-view nil
  "The answer to each command of the server in `batch-select'.")

(defun batch-select (command choose)
  "Run COMMAND, let CHOOSE select from the lists of labels and notes, and return the requests to the server."
  (let (requests)
    (cl-letf ((completing-read-function
               (lambda (_prompt table &rest _)
                 (let ((affix (completion-metadata-get (completion-metadata "" table nil) 'affixation-function)))
                   (funcall choose (funcall affix (all-completions "" table))))))
              ((symbol-function 'costline--execute) (lambda (&rest request) (push request requests) batch-view)))
      (funcall command))
    requests))

(ert-deftest batch-equal-labels ()
  "Options with equal labels can be told apart, and that which was selected is chosen."
  (let ((choice '( :key "profile" :title "Profile"
                   :options [(:value "/p/a/run.folded" :label "run.folded" :description "1 min ago" :detail "a" :active :json-false)
                             (:value "/p/b/run.folded" :label "run.folded" :description "1 min ago" :detail "b" :active :json-false)
                             (:value "/p/c/new.folded" :label "new.folded" :description "1 min ago" :detail "c" :active t)])))
    (dolist (path '("/p/a/run.folded" "/p/b/run.folded" "/p/c/new.folded"))
      (should (equal (batch-select (lambda () (costline--choose choice))
                                   (lambda (offered)
                                     (should (equal offered
                                                    `(("run.folded  /p/a/run.folded" "  " ,(propertize "  1 min ago · a" 'face 'shadow))
                                                      ("run.folded  /p/b/run.folded" "  " ,(propertize "  1 min ago · b" 'face 'shadow))
                                                      ("new.folded" "* " ,(propertize "  1 min ago · c" 'face 'shadow)))))
                                     (car (nth (seq-position (plist-get choice :options) path (lambda (option path) (equal (plist-get option :value) path)))
                                               offered))))
                     `(("costline.setView" (:profile ,path))))))))

(ert-deftest batch-equal-fixes ()
  "Fixes with equal titles can be told apart, and that which was selected is run."
  (let ((batch-view '(:health [(:message "a is old" :fix (:title "Reload" :command "fix.a"))
                               (:message "b is old" :fix (:title "Reload" :command "fix.b"))])))
    (dolist (at '(0 1))
      (should (equal (batch-select #'costline-fix (lambda (offered) (car (nth at offered))))
                     `((,(nth at '("fix.a" "fix.b"))) ("costline.view")))))))

(ert-deftest batch-several-threads ()
  "Of several threads that are selected, each is chosen."
  (let ((choice '( :key "threads" :title "Threads" :multiple t
                   :options [(:value "main" :label "main" :active t) (:value "7" :label "worker" :active :json-false)
                             (:value "8" :label "worker" :active :json-false)]))
        requests)
    (cl-letf (((symbol-function 'costline--execute) (lambda (&rest request) (push request requests)))
              ((symbol-function 'batch-choose) (lambda () (interactive) (costline--choose choice))))
      (execute-kbd-macro (vconcat [?\M-x] "batch-choose\r" "m\t,w\t8\r")))
    (should (equal requests '(("costline.setView" (:threads ["main" "8"])))))))

(ert-deftest batch-commas ()
  "Threads whose names contain commas are chosen one by one."
  (let ((choice '( :key "threads" :title "Threads" :multiple t
                   :options [(:value "1" :label "io, net" :active t) (:value "2" :label "io, disk" :active :json-false)
                             (:value "3" :label "main" :active :json-false)]))
        requests)
    (cl-letf (((symbol-function 'costline--execute) (lambda (&rest request) (push request requests)))
              ((symbol-function 'batch-choose) (lambda () (interactive) (costline--choose choice))))
      (execute-kbd-macro (vconcat [?\M-x] "batch-choose\r" "io, disk;main\r")))
    (should (equal requests '(("costline.setView" (:threads ["2" "3"])))))
    (should (equal (mapcar #'costline--separator '(("a" "b") ("a, b") ("a, b" "c; d"))) '("," ";" "|")))))

(ert-deftest batch-kinds ()
  "What is listed comes from the server, and rows of any kind are shown."
  (cl-letf* ((answers '(("costline.view" :hotSpots ["function" "clique"])
                        ("costline.hotspots" :marks ["own code"] :cliques [(:title "even, odd" :selfText "46.2%")])))
             ((symbol-function 'costline--execute) (lambda (command &rest _) (cdr (assoc command answers))))
             ((symbol-function 'costline--find-server) #'ignore)
             ((symbol-function 'costline--catalog)
              (lambda (_) '((:by "function" :title "Functions") (:by "clique" :title "Cliques") (:by "field" :title "Fields"))))
             (offered nil)
             (completing-read-function
              (lambda (_ candidates &rest _)
                (setq offered candidates)
                "Cliques")))
    (costline-hotspots)
    (unwind-protect
        (progn
          (call-interactively #'costline-hotspots-by)
          (should (equal offered '(("Functions" . "function") ("Cliques" . "clique"))))
          (should (string-search "46.2%" (buffer-string)))
          (should (string-search "even, odd" (buffer-string))))
      (kill-buffer "*Costline hot spots*"))))

(defun batch-shown ()
  "The lines of this buffer without spaces at their ends."
  (mapcar #'string-trim-right (split-string (buffer-substring-no-properties (point-min) (point-max)) "\n" t)))

(defun batch-press (keys)
  "Press KEYS in this buffer."
  (call-interactively (key-binding (kbd keys)))
  (run-hooks 'post-command-hook))

(defun batch-line (text)
  "Go to the end of the line with TEXT."
  (goto-char (point-min))
  (search-forward text)
  (end-of-line))

(defun batch-write (file &rest lines)
  "Write LINES to FILE at once, as profilers do."
  (make-directory (file-name-directory file) t)
  (let ((new (concat file ".new")))
    (with-temp-file new (insert (string-join lines "\n") "\n"))
    (rename-file new file t)))

(defun batch-revision (buffer)
  "The revision of the costs that the server of BUFFER shows, nil while it reads a profile."
  (let ((shown (gethash (buffer-local-value 'costline--server buffer) costline--shown)))
    (unless (eq (plist-get shown :loading) t) (and (plist-get shown :profile) (plist-get shown :revision)))))

(defconst batch-stacks '("main (app.py:1);work (app.py:2);inner (app.py:3) 60" "main (app.py:1);work (app.py:2) 20" "main (app.py:1);other (app.py:4) 20")
  "A profile.")

(ert-deftest batch-tree ()
  "The call tree has columns.  Rows open and close, lead to their sources, and stay open when the profile is rewritten."
  (batch-in (project "app.py")
    (let ((profile (expand-file-name "profiles/run.folded" project)) source)
      (apply #'batch-write profile batch-stacks)
      (batch-write (expand-file-name "app.py" project) "def main(): pass" "def work(): pass" "def inner(): pass" "def other(): pass" "def fresh(): pass")
      (setq source (batch-visit "app.py" project))
      (batch-until (lambda () (batch-revision source)))
      (set-buffer source)
      (costline-call-tree)
      (should (equal (mapcar #'car (append tabulated-list-format nil)) '("" "Self" "Total" "Function" "Place")))
      (should (equal (batch-shown) '(" ████████  0.0% 100.0% ▾ main    app.py:1"
                                     " ██████▍  20.0%  80.0%   ▸ work  app.py:2"
                                     " █▋       20.0%  20.0%     other app.py:4")))
      (batch-line "work")
      (batch-press "TAB")
      (should (equal (nth 2 (batch-shown)) " ████▊    60.0%  60.0%       inner app.py:3"))
      (beginning-of-line)
      (should (looking-at-p ".*work"))
      (let ((shown (buffer-string)) (revision (batch-revision source)))
        (batch-press "g")
        (should (equal-including-properties (buffer-string) shown))
        (apply #'batch-write profile batch-stacks)
        (batch-until (lambda () (not (memq (batch-revision source) (list nil revision)))))
        (costline--refresh-now (buffer-local-value 'costline--server source))
        (should (equal-including-properties (buffer-string) shown))
        (setq revision (batch-revision source))
        (batch-write profile "main (app.py:1);work (app.py:2);inner (app.py:3) 30" "main (app.py:1);fresh (app.py:5) 10")
        (batch-until (lambda () (not (memq (batch-revision source) (list nil revision)))))
        (costline--refresh-now (buffer-local-value 'costline--server source))
        (should (equal (batch-shown) '(" ████████  0.0% 100.0% ▾ main      app.py:1"
                                       " ██████    0.0%  75.0%   ▾ work    app.py:2"
                                       " ██████   75.0%  75.0%       inner app.py:3"
                                       " ██       25.0%  25.0%     fresh   app.py:5"))))
      (batch-line "inner")
      (batch-press "^")
      (should (looking-at-p ".*work"))
      (batch-press "TAB")
      (should-not (string-search "inner" (buffer-string)))
      (batch-press "x")
      (should (looking-at-p ".*inner"))
      (batch-press "<backtab>")
      (should (= 1 (length (batch-shown))))
      (batch-press "x")
      (batch-press "i")
      (should (equal (batch-shown) '(" ██████   75.0% 75.0% ▸ inner  app.py:3" " ██       25.0% 25.0% ▸ fresh  app.py:5")))
      (batch-line "fresh")
      (batch-press "c")
      (should (equal (buffer-name) "*Costline callers*"))
      (should (equal (batch-shown) '(" ██       25.0% 25.0% ▾ fresh  app.py:5" " ██       25.0% 25.0%     main app.py:1")))
      (batch-line "main")
      (batch-press "RET")
      (should (eq (current-buffer) source))
      (mapc #'kill-buffer '("*Costline callers*" "*Costline call tree*")))))

(ert-deftest batch-flame-graph ()
  "The flame graph has a row for each depth, and frames as wide as their cost, which lead to their sources."
  (batch-in (project "app.py")
    (let ((profile (expand-file-name "profiles/run.folded" project)) source)
      (apply #'batch-write profile batch-stacks)
      (batch-write (expand-file-name "app.py" project) "def main(): pass" "def work(): pass" "def inner(): pass" "def other(): pass")
      (setq source (batch-visit "app.py" project))
      (batch-until (lambda () (batch-revision source)))
      (cl-letf (((symbol-function 'costline--window-width) (lambda () 40)))
        (set-buffer source)
        (costline-flamegraph)
        (should (equal (batch-shown) (list "▏main" (concat "▏work" (make-string 27 ?\s) "▏other") "▏inner")))
        (should (equal (mapcar #'string-width (split-string (buffer-string) "\n" t)) '(40 40 24)))
        (should (equal header-line-format " main  100.0%%  app.py:1"))
        (batch-press "TAB")
        (should (equal header-line-format " work  80.0%% · self 20.0%%  app.py:2"))
        (batch-press "z")
        (should (equal (mapcar #'string-width (split-string (buffer-string) "\n" t)) '(40 40 30)))
        (should (looking-at-p "▏work"))
        (batch-press "TAB")
        (batch-write profile "main (app.py:1);work (app.py:2);inner (app.py:3) 10" "main (app.py:1);work (app.py:2);other (app.py:4) 30")
        (let ((revision (batch-revision source)))
          (batch-until (lambda () (not (memq (batch-revision source) (list nil revision))))))
        (costline--refresh-now (buffer-local-value 'costline--server source))
        (should (equal (nth 2 (batch-shown)) (concat "▏other" (make-string 24 ?\s) "▏inner")))
        (should (looking-at-p "▏inner"))
        (batch-press "Z")
        (should (looking-at-p "▏work"))
        (should-error (batch-press "Z") :type 'user-error)
        (batch-press "<backtab>")
        (should (looking-at-p "▏main"))
        (batch-press "i")
        (should (equal (car (batch-shown)) (concat "▏other" (make-string 24 ?\s) "▏inner")))
        (batch-press "TAB")
        (batch-press "RET")
        (should (and (eq (current-buffer) source) (looking-at-p "def inner")))
        (kill-buffer "*Costline flame graph*")))))

(ert-deftest batch-more ()
  "The call tree says how many calls it leaves out, and shows them."
  (cl-letf (((symbol-function 'costline--execute)
             (lambda (_ question)
               (let* ((skip (plist-get question :skip))
                      (end (min 120 (+ skip (plist-get question :limit)))))
                 (list :more (- 120 end)
                       :nodes (vconcat (cl-loop for at from skip below end
                                                collect (list :key at :name (format "f%d" at) :hasChildren t :path (vector at))))))))
            ((symbol-function 'costline--find-server) #'ignore))
    (costline-call-tree)
    (unwind-protect
        (progn
          (batch-line "f49")
          (batch-line "… 70 more")
          (batch-press "RET")
          (batch-line "… 20 more")
          (should (= (line-number-at-pos) 101))
          (batch-press "TAB")
          (batch-line "f119")
          (should-not (string-search "more" (buffer-string)))
          (batch-line "f0")
          (batch-press "TAB")
          (batch-line "… 70 more")
          (should (= (line-number-at-pos) 52)))
      (kill-buffer "*Costline call tree*"))))

(ert-deftest batch-names-before-places ()
  "In a narrow window, places are cut, and names only if there is no room for them."
  (cl-letf (((symbol-function 'costline--find-server) #'ignore)
            ((symbol-function 'costline--window-width) (lambda () 60))
            ((symbol-function 'costline--execute)
             (lambda (&rest _)
               (list :functions (vconcat (mapcar (lambda (size)
                                                   (list :title (make-string size ?n) :selfText "12.3%" :totalText "45.6%"
                                                         :placeText "a/long/path/to/some/file.py:12" :text "self 12.3%"))
                                                 '(40 10)))))))
    (costline-hotspots)
    (should (equal (mapcar #'car (append tabulated-list-format nil)) '("Function" "Self" "Total" "Place")))
    (should (string-search (concat " " (make-string 40 ?n) " 12.3% 45.6% a/long/path") (buffer-string)))
    (should-not (string-search "self" (buffer-string)))
    (cl-letf (((symbol-function 'costline--window-width) (lambda () 44)))
      (revert-buffer)
      (should (equal (mapcar #'cadr (append tabulated-list-format nil)) '(30 5 5 30)))
      (should (equal (get-text-property 31 'display) "…")))
    (kill-buffer "*Costline hot spots*")))

(ert-deftest batch-one-at-a-time ()
  "What a timer asks the server waits for the answer to a request of a command."
  (batch-in (project "app.py" "profiles/run.folded")
    (let* ((source (batch-visit "app.py" project))
           (server (buffer-local-value 'costline--server source))
           waiting answers)
      (batch-until (lambda () (batch-revision source)))
      (with-current-buffer source
        (run-at-time 0 nil #'costline--when-free server
                     (lambda ()
                       (setq waiting (jsonrpc--sync-request-alist server))
                       (push (costline--execute "costline.view") answers)))
        (costline--execute "costline.hotspots")
        (should-not answers)
        (batch-until (lambda () answers))
        (should-not waiting)))))

(ert-deftest batch-restarted ()
  "Lists, trees and descriptions go on with the server that is started after a crash."
  (batch-in (project "app.py" "profiles/run.folded")
    (let ((source (batch-visit "app.py" project))
          (costline--crashes nil))
      (cl-flet ((server () (buffer-local-value 'costline--server source)))
        (batch-until (lambda () (plist-get (gethash (server) costline--shown) :profile)))
        (with-current-buffer source
          (costline-call-tree)
          (costline-hotspots))
        (let ((first (server)))
          (kill-process (jsonrpc--process first))
          (batch-until (lambda () (and (not (eq (server) first)) (plist-get (gethash (server) costline--shown) :profile)))))
        (with-current-buffer "*Costline hot spots*"
          (should (eq (costline--buffer-server) (server)))
          (let ((inhibit-read-only t)) (erase-buffer))
          (revert-buffer)
          (should (string-search "main" (buffer-string)))
          (let ((inhibit-read-only t)) (erase-buffer))
          (costline--refresh-now (server))
          (should (string-search "main" (buffer-string)))
          (search-forward "main")
          (costline-table-callees))
        (with-current-buffer "*Costline callees*"
          (should (string-search "main" (buffer-string))))
        (with-current-buffer "*Costline call tree*"
          (batch-press "g")
          (should (string-search "main" (buffer-string))))
        (mapc #'kill-buffer '("*Costline callees*" "*Costline call tree*"))
        (kill-buffer "*Costline hot spots*")))))

(ert-deftest batch-renamed ()
  "A file that is renamed keeps its costs, and its old document is closed."
  (batch-in (project "app.py" "other/more.py" "profiles/run.folded")
    (let ((buffer (batch-visit "app.py" project)))
      (with-current-buffer buffer
        (batch-until #'batch-hints)
        (rename-visited-file (expand-file-name "other/new.py" project))
        (should costline-mode)
        (goto-char (point-max))
        (insert "x\n")
        (write-file (expand-file-name "again.py" project))
        (rename-visited-file (expand-file-name "app.py" project))
        (batch-until #'batch-hints)
        (should (equal (reverse batch-sent)
                       '(("textDocument/didOpen" "app.py")
                         ("textDocument/didClose" "app.py") ("textDocument/didOpen" "new.py")
                         ("textDocument/didClose" "new.py") ("textDocument/didOpen" "again.py") ("textDocument/didSave" "again.py")
                         ("textDocument/didClose" "again.py") ("textDocument/didOpen" "app.py"))))
        (setq batch-sent nil)
        (let ((prog-mode-hook '(costline-mode)))
          (write-file (expand-file-name "app.c" project))
          (should (derived-mode-p 'c-mode))
          (should costline-mode)
          (write-file (expand-file-name "app.txt" project)))
        (should-not costline-mode)
        (should (equal (reverse batch-sent)
                       '(("textDocument/didClose" "app.py") ("textDocument/didOpen" "app.c") ("textDocument/didSave" "app.c")
                         ("textDocument/didClose" "app.c"))))
        (setq batch-sent nil)
        (costline-mode)
        (set-visited-file-name nil)
        (should-not costline-mode)
        (should (equal (reverse batch-sent) '(("textDocument/didOpen" "app.txt") ("textDocument/didClose" "app.txt"))))
        (set-buffer-modified-p nil)
        (kill-buffer)))))

(ert-deftest batch-position ()
  "A position is that of the whole line, also in a buffer that is narrowed to a part of it."
  (with-temp-buffer
    (insert "one\nabcdef\n")
    (setq buffer-file-name "/batch.py")
    (narrow-to-region 7 10)
    (goto-char 8)
    (unwind-protect
        (should (equal (plist-get (costline--own-position) :position) '(:line 1 :character 3)))
      (set-buffer-modified-p nil)
      (setq buffer-file-name nil))))

(ert-deftest batch-list-in-windows ()
  "A list that is refreshed stays at its row in each window."
  (let (names (cost 1))
    (cl-letf (((symbol-function 'costline--find-server) (lambda () 'server))
              ((symbol-function 'costline--buffer-server) (lambda () 'server))
              ((symbol-function 'costline--lsp-redraw) #'ignore)
              ((symbol-function 'costline--execute)
               (lambda (&rest _)
                 (list :functions (vconcat (mapcar (lambda (name) (list :title name :name name :selfText (format "%d%%" cost))) names))))))
      (setq names (mapcar (lambda (at) (format "f%03d" at)) (number-sequence 1 200)))
      (costline-hotspots)
      (delete-other-windows)
      (let ((upper (selected-window))
            (lower (split-window)))
        (cl-labels ((go-to (window line)
                      (with-selected-window window
                        (goto-char (point-min))
                        (forward-line (1- line))
                        (recenter 2)))
                    (name (window)
                      (with-current-buffer (window-buffer window)
                        (plist-get (tabulated-list-get-id (window-point window)) :name)))
                    (top (window)
                      (with-current-buffer (window-buffer window) (line-number-at-pos (window-start window)))))
          (set-window-buffer lower (window-buffer upper))
          (go-to upper 20)
          (go-to lower 150)
          (setq names (cons "f000" names)
                cost 2)
          (costline--refresh-now 'server)
          (should (equal (mapcar #'name (list upper lower)) '("f020" "f150")))
          (should (equal (mapcar #'top (list upper lower)) '(19 149)))
          (select-window lower)
          (switch-to-buffer "*scratch*")
          (setq names (delete "f020" names))
          (costline--refresh-now 'server)
          (should (equal (name upper) "f021"))
          (kill-buffer "*Costline hot spots*"))))))

(ert-deftest batch-remote ()
  "With Eglot, the files of another machine have lenses, and rows of the list lead to them."
  (require 'eglot)
  (require 'tramp)
  (batch-in (project "app.py" "profiles/run.folded")
    (let* ((tramp-methods (cons '("batch" (tramp-login-program "sh") (tramp-login-args (("-i"))) (tramp-remote-shell "/bin/sh")
                                  (tramp-remote-shell-args ("-c")))
                                tramp-methods))
           (project-vc-extra-root-markers '("profiles"))
           (eglot-sync-connect t)
           (eglot-server-programs `((python-mode . (,batch-server "lsp"))))
           (file (concat "/batch:localhost:" (expand-file-name "app.py" project)))
           (source (find-file-noselect file)))
      (unwind-protect
          (with-current-buffer source
            (apply #'eglot--connect (eglot--guess-contact))
            (let ((server (eglot-current-server)))
              (batch-until (lambda () (plist-get (gethash server costline--shown) :profile)))
              (costline--redraw)
              (batch-until (lambda () (seq-some (lambda (overlay) (eq (overlay-get overlay 'costline) 'lens))
                                                (overlays-in (point-min) (point-max)))))
              (costline-hotspots)
              (goto-char (point-min))
              (search-forward "main")
              (costline-table-visit)
              (should (eq (current-buffer) source))
              (kill-buffer "*Costline hot spots*")
              (eglot-shutdown server)))
        (kill-buffer source)
        (tramp-cleanup-all-connections)))))

(ert-deftest batch-killed-while-restarting ()
  "A buffer that is killed while its server is restarted does not keep others from going on."
  (batch-in (project "app.py" "more.py" "profiles/run.folded")
    (let* ((kept (batch-visit "app.py" project))
           (killed (batch-visit "more.py" project))
           (costline--crashes nil)
           (start (symbol-function 'costline--own-start))
           (first (buffer-local-value 'costline--server kept)))
      (dolist (starts '(t nil))
        (cl-letf (((symbol-function 'costline--own-start)
                   (lambda (root)
                     (kill-buffer killed)
                     (and starts (funcall start root)))))
          (costline--own-restart first project))
        (should (eq (buffer-local-value 'costline-mode kept) starts))
        (when starts
          (setq killed (batch-visit "more.py" project)
                first (buffer-local-value 'costline--server kept)))))))
