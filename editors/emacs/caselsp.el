;;; caselsp.el --- An autonomous coding agent as a language server -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "29.1"))
;; Keywords: tools, languages
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; caselsp carries out tasks in a project: it plans, edits a staged copy, runs tests in a sandbox, and
;; changes your files only when you accept its result, hunk by hunk.
;;
;; The program `caselsp' must be on the PATH.  Then, in the init file:
;;
;;     (require 'caselsp)
;;     (caselsp-global-mode)
;;
;; and in a file of a project M-x caselsp, which is a menu, or M-x caselsp-run.  It works with eglot
;; and with lsp-mode (`caselsp-client').  eglot runs one server in a buffer, lsp-mode runs caselsp
;; beside the server of the language.
;;
;; Questions never take the keyboard.  The mode line says that one waits; M-x caselsp-questions asks.

;;; Code:

(require 'cl-lib)
(require 'diff-mode)
(require 'project)
(require 'subr-x)

(require 'eglot)
(require 'transient)

(declare-function flycheck-error-column "ext:flycheck")
(declare-function flycheck-error-end-column "ext:flycheck")
(declare-function flycheck-error-end-line "ext:flycheck")
(declare-function flycheck-error-line "ext:flycheck")
(declare-function flycheck-error-message "ext:flycheck")
(declare-function flycheck-error-id "ext:flycheck")
(declare-function lsp "ext:lsp-mode")
(declare-function lsp-deferred "ext:lsp-mode")
(declare-function lsp-find-workspace "ext:lsp-mode")
(declare-function lsp-register-client "ext:lsp-mode")
(declare-function lsp-request-async "ext:lsp-mode")
(declare-function lsp-stdio-connection "ext:lsp-mode")
(declare-function lsp-workspaces "ext:lsp-mode")
(declare-function lsp--client-server-id "ext:lsp-mode")
(declare-function lsp--apply-workspace-edit "ext:lsp-mode")
(declare-function lsp--window-show-document "ext:lsp-mode")
(declare-function lsp--workspace-buffers "ext:lsp-mode")
(declare-function lsp--workspace-client "ext:lsp-mode")
(declare-function lsp--workspace-root "ext:lsp-mode")
(declare-function lsp--workspace-server-capabilities "ext:lsp-mode")
(declare-function make-lsp-client "ext:lsp-mode")
(defvar caselsp-global-mode)
(defvar flycheck-current-errors)
(defvar lsp--cur-workspace)
(defvar lsp-language-id-configuration)

(defgroup caselsp nil
  "An autonomous coding agent as a language server."
  :group 'tools
  :prefix "caselsp-")

(defcustom caselsp-command '("caselsp" "serve")
  "The program and its arguments."
  :type '(repeat string))

(defcustom caselsp-client 'eglot
  "The client that connects Emacs with the server."
  :type '(choice (const :tag "eglot" eglot) (const :tag "lsp-mode" lsp-mode)))

(defcustom caselsp-modes '(prog-mode text-mode conf-mode diff-mode)
  "The major modes, with those derived from them, in which the server is used."
  :type '(repeat symbol))

(defcustom caselsp-limit 10
  "Seconds after which a request to the server has failed.  It answers at once."
  :type 'integer)

(defconst caselsp--documents "/caselsp/workspaces/[^/]+/documents/"
  "Matches the names of the documents that caselsp shows.")

(defconst caselsp--mode-of-documents (cons (concat caselsp--documents ".*\\.md\\'") 'text-mode)
  "The mode of documents: Emacs has none for Markdown.")

(defvar caselsp--roots nil
  "The projects of folders of documents, as an alist.")

(defvar caselsp--known (make-hash-table :test #'equal)
  "What is known of each project, by its root: a plist of :line and :questions.")

;;;; What the server says

(defun caselsp--get (object &rest path)
  "Return the value in OBJECT at PATH, a list of names.
OBJECT is a plist of eglot or a hash table of lsp-mode."
  (dolist (name path object)
    (let ((value (if (hash-table-p object)
                     (gethash name object)
                   (plist-get object (intern (concat ":" name))))))
      (setq object (unless (memq value '(:json-false :null)) value)))))

(defun caselsp--list (object &rest path)
  "Return the list in OBJECT at PATH."
  (append (apply #'caselsp--get object path) nil))

(defclass caselsp-server (eglot-lsp-server) ()
  :documentation "The server in eglot.")

(defconst caselsp--abilities '(:caselsp (:events t :documents "beside"))
  "What this package tells the server of itself.")

(cl-defmethod eglot-client-capabilities :around ((_server caselsp-server))
  "Declare that the server may tell of events and show documents beside the text."
  (plist-put (copy-sequence (cl-call-next-method)) :experimental caselsp--abilities))

(cl-defmethod eglot-handle-notification
  ((server caselsp-server) (_method (eql caselsp/changed)) &key changes &allow-other-keys)
  "Take in the news of SERVER.
They are in CHANGES."
  (caselsp--changed server changes))

(cl-defmethod eglot-handle-notification
  ((_server caselsp-server) (_method (eql window/showMessage)) &key type message &allow-other-keys)
  "Show MESSAGE of TYPE."
  (caselsp--say type message))

(defun caselsp--say (type text)
  "Show TEXT, which is an error where TYPE is 1."
  (message "CASE: %s" (if (eql type 1) (propertize text 'face 'error) text)))

(cl-defmethod eglot-handle-request :around
  ((server caselsp-server) (_method (eql window/showDocument)) &rest params)
  "Show a document of SERVER; PARAMS are those of the request."
  (if (caselsp--show-document server params) '(:success t) (cl-call-next-method)))

(defun caselsp--show-document (server params)
  "Show the document in PARAMS, as SERVER asks, and return non-nil.
Return nil if caselsp has not written it.  A result is shown as a review."
  (let ((file (caselsp--path (caselsp--get params "uri"))) (focus (eq (caselsp--get params "takeFocus") t)))
    (when (string-match-p caselsp--documents file)
      (caselsp--own file (caselsp--root server))
      ;; Not now: what is shown may ask the server, which waits for this answer.
      (cond
       ((not (string-match "/review-\\([^/]+\\)\\.diff\\'" file))
        (run-with-timer 0 nil #'caselsp--show file focus (caselsp--get params "selection" "start" "line")))
       (focus (run-with-timer 0 nil #'caselsp--open-review server (match-string 1 file)))
       (t (message "CASE: a result waits for your review: M-x caselsp-review")))
      t)))

(defun caselsp--visiting (file)
  "Return a buffer that visits the document FILE as it is on disk now.
What the user has written there stays."
  (let ((buffer (find-file-noselect file t)))
    (with-current-buffer buffer
      (unless (or (buffer-modified-p) (verify-visited-file-modtime)) (revert-buffer t t t)))
    buffer))

(defun caselsp--show (file focus line)
  "Show FILE at LINE, from 0, in the selected window if FOCUS.
Otherwise the selected window, its buffer and point stay as they are."
  (let* ((buffer (caselsp--visiting file))
         (window (if focus (progn (pop-to-buffer buffer) (selected-window))
                   (display-buffer buffer '((display-buffer-reuse-window display-buffer-use-some-window display-buffer-pop-up-window)
                                            (inhibit-same-window . t))))))
    (when (and line window)
      (with-current-buffer buffer
        (save-excursion
          (goto-char (point-min))
          (forward-line line)
          (set-window-point window (point)))))))

(defun caselsp--path (uri)
  "Return the file name of URI."
  (if (fboundp 'eglot-uri-to-path) (eglot-uri-to-path uri)
    (url-unhex-string (string-remove-prefix "file://" uri))))

(defun caselsp--own (file root)
  "Keep in mind that the document FILE belongs to the project at ROOT."
  (setf (alist-get (file-name-directory file) caselsp--roots nil nil #'equal) root))

(defun caselsp--owner (dir)
  "Return the root of the project of DIR, a folder of documents; nil for others."
  (let ((dir (expand-file-name dir)))
    (and (string-match-p caselsp--documents dir) (alist-get dir caselsp--roots nil nil #'equal))))

(cl-defmethod eglot-handle-request :around
  ((server caselsp-server) (_method (eql workspace/applyEdit)) &rest _)
  "Tell SERVER of the changed text at once.
What is told later looks like an edit that was declined."
  (caselsp--end-undo (eglot--managed-buffers server))
  (unwind-protect
      (prog1 (cl-call-next-method) (caselsp--tell-changes server))
    (caselsp--end-undo (eglot--managed-buffers server))))

(defun caselsp--end-undo (buffers)
  "Begin another undo in BUFFERS.
An edit of the server is one of its own, also where it comes between two
characters that are typed."
  (dolist (buffer buffers)
    (when (buffer-live-p buffer)
      (with-current-buffer buffer
        (undo-boundary)
        (setq undo-auto--last-boundary-cause 'caselsp)))))

(defun caselsp--tell-changes (server)
  "Tell SERVER of what was typed, which eglot does when Emacs is idle."
  (dolist (buffer (eglot--managed-buffers server))
    (when (buffer-live-p buffer)
      (with-current-buffer buffer (eglot--signal-textDocument/didChange)))))

;;;; The server of a buffer

(defun caselsp--root (server)
  "Return the root of the project of SERVER."
  (if (cl-typep server 'eglot-lsp-server)
      (project-root (eglot--project server))
    (file-name-as-directory (lsp--workspace-root server))))

(defun caselsp--find ()
  "Return the server of the current buffer; nil if there is none."
  (if (eq caselsp-client 'lsp-mode) (caselsp--find-workspace)
    (let ((server (eglot-current-server)))
      (or (and (cl-typep server 'caselsp-server) server)
          (caselsp--find-in (ignore-errors (project-root (project-current))))))))

(defun caselsp--find-workspace ()
  "Return the server of lsp-mode for the current buffer; nil if there is none.
Without a file it is that of the project, and never that of another one."
  (when (fboundp 'lsp-find-workspace)
    (or (cl-find 'caselsp (lsp-workspaces) :key (lambda (w) (lsp--client-server-id (lsp--workspace-client w))))
        (when-let* ((place (or (caselsp--owner default-directory) (buffer-file-name) default-directory)))
          (lsp-find-workspace 'caselsp (expand-file-name place))))))

(defun caselsp--find-in (root)
  "Return the server of eglot for the project at ROOT, in whatever mode."
  (and root
       (cl-loop for servers being the hash-values of eglot--servers-by-project
                thereis (cl-find-if (lambda (s) (and (cl-typep s 'caselsp-server) (equal (caselsp--root s) root)))
                                    servers))))

(defvar-local caselsp--server nil "The server of a buffer that shows no file.")

(defun caselsp--server ()
  "Return the server of the current buffer, or signal what to do."
  (or caselsp--server (caselsp--find)
      (user-error "No caselsp here: visit a file of a project and wait, or start it by M-x %s"
                  (if (eq caselsp-client 'lsp-mode) "lsp" "eglot"))))

(defun caselsp--arguments (arguments)
  "Return ARGUMENTS, a plist, as the protocol has them, without those that are nil."
  (let ((given (cl-loop for (name value) on arguments by #'cddr when value append (list name value))))
    (if given (vector given) [])))

(defun caselsp--send (server command arguments &optional done quiet)
  "Have SERVER carry out COMMAND with ARGUMENTS, then call DONE with its answer.
An error is shown unless QUIET."
  (let* ((params (list :command command :arguments (caselsp--arguments arguments)))
         (buffer (current-buffer))
         (answered (lambda (answer)
                     (when done
                       (with-current-buffer (if (buffer-live-p buffer) buffer (current-buffer))
                         (funcall done answer)))))
         (failed (lambda (err)
                   (unless quiet (message "CASE: %s" (caselsp--get err "message"))))))
    (when (and (cl-typep server 'eglot-lsp-server) (not quiet)) (caselsp--tell-changes server))
    (if (cl-typep server 'eglot-lsp-server)
        (jsonrpc-async-request server :workspace/executeCommand params
                               :success-fn answered
                               :error-fn (jsonrpc-lambda (&rest err) (funcall failed err))
                               :timeout caselsp-limit)
      (let ((lsp--cur-workspace server))
        (lsp-request-async "workspace/executeCommand" params answered :error-handler failed :mode 'detached)))))

(defun caselsp--confirm (format &rest arguments)
  "Return what confirms a command in the echo area by FORMAT with ARGUMENTS.
An answer of nil says nothing: the server has said why it did nothing."
  (lambda (answer) (when answer (message "CASE: %s" (apply #'format format arguments)))))

(defun caselsp--ask (server command arguments)
  "Return the answer of SERVER to COMMAND with ARGUMENTS."
  (let (done answer)
    (caselsp--send server command arguments (lambda (a) (setq done t answer a)))
    (with-timeout (caselsp-limit nil)
      (while (not done) (accept-process-output nil 0.02)))
    (unless done (user-error "CASE did not answer: see *Messages*"))
    answer))

;;;; What has changed

(defun caselsp--changed (server news)
  "Ask SERVER for what NEWS is about."
  (let ((root (caselsp--root server)))
    (dolist (change (append news nil))
      (caselsp--send
       server "caselsp.status" (list :task (caselsp--get change "task") :format "data")
       (lambda (answer)
         (when-let* ((task (car (caselsp--list answer "tasks"))))
           (caselsp--know root :line (and (not (member (caselsp--get task "state") '("succeeded" "rejected" "failed")))
                                          (caselsp--get task "line")))))
       t)
      (when (member "review" (caselsp--list change "kinds"))
        (caselsp--refresh-reviews server (caselsp--get change "task"))))
    (when (cl-some (lambda (c) (member "questions" (caselsp--list c "kinds"))) news)
      (caselsp--send server "caselsp.questions" '(:format "data")
                     (lambda (answer) (caselsp--announce root (caselsp--list answer "questions"))) t))))

(defun caselsp--know (root name value)
  "Keep in mind that NAME is VALUE in the project at ROOT."
  (puthash root (plist-put (gethash root caselsp--known) name value) caselsp--known)
  (force-mode-line-update t))

(defun caselsp--announce (root questions)
  "Say that QUESTIONS are open in the project at ROOT.  Nothing takes the keyboard."
  (let ((before (mapcar (lambda (q) (caselsp--get q "id")) (plist-get (gethash root caselsp--known) :questions))))
    (dolist (q questions)
      (unless (or (member (caselsp--get q "id") before) (active-minibuffer-window))
        (message "%s (M-x caselsp-questions)" (caselsp--get q "text")))))
  (caselsp--know root :questions questions))

(defun caselsp-mode-line ()
  "Return the part of the mode line about the current buffer's project."
  (when-let* ((server (or caselsp--server (and (buffer-file-name) (caselsp--find))))
              (known (gethash (caselsp--root server) caselsp--known)))
    (let ((questions (length (plist-get known :questions))) (line (plist-get known :line)))
      (concat (when (> questions 0)
                (propertize (format " CASE asks (%d)" questions) 'face 'warning 'help-echo "M-x caselsp-questions"))
              (when line
                (propertize (concat " CASE: " (truncate-string-to-width line 50 nil nil "…")) 'help-echo line))))))

;;;; Commands

(defun caselsp--place ()
  "Return the file and, where there is one, the region, as arguments."
  (append
   (when (buffer-file-name) (list :uri (caselsp--uri)))
   (when (use-region-p)
     (list :range (list :start (list :line (1- (line-number-at-pos (region-beginning) t)) :character 0)
                        :end (list :line (line-number-at-pos (max (point-min) (1- (region-end))) t) :character 0))))))

(defun caselsp--uri ()
  "Return the URI of the current buffer's file."
  (concat "file://" (url-hexify-string (file-truename (buffer-file-name)) url-path-allowed-chars)))

;;;###autoload
(defun caselsp-run (task)
  "Start TASK, a text; with an active region about its lines."
  (interactive "sTask: ")
  (caselsp--send (caselsp--server) "caselsp.run"
                 (append (list :task task) (and (use-region-p) (caselsp--place)))))

;;;###autoload
(defun caselsp-ask (text)
  "Ask TEXT about the code, the current file or the region."
  (interactive "sQuestion: ")
  (caselsp--send (caselsp--server) "caselsp.ask" (append (list :text text) (caselsp--place))))

(defun caselsp-follow (text)
  "Start a task, TEXT, as a continuation of the last one."
  (interactive "sTask that goes on from the last: ")
  (caselsp--send (caselsp--server) "caselsp.follow" (list :text text)))

(defun caselsp-tell (text)
  "Say TEXT to the task that is under way."
  (interactive "sTell the task: ")
  (caselsp--send (caselsp--server) "caselsp.tell" (list :text text) (caselsp--confirm "told: %s" text)))

(defun caselsp-todo ()
  "Carry out the TODO or case: comment at point."
  (interactive)
  (let ((line (1- (line-number-at-pos nil t))))
    (caselsp--send (caselsp--server) "caselsp.todo"
                   (list :uri (caselsp--uri)
                         :range (list :start (list :line line :character 0) :end (list :line (1+ line) :character 0))))))

(defun caselsp-fix ()
  "Fix the diagnostic at point, or else on its line, whoever has reported it."
  (interactive)
  (let ((server (caselsp--server)))
    (pcase (or (car (sort (append (caselsp--flycheck) (caselsp--flymake)) #'caselsp--nearer))
               (user-error "There is no diagnostic on this line"))
      (`(,begin ,end ,message ,code)
       (caselsp--send
        server "caselsp.fix"
        (list :uri (caselsp--uri)
              :diagnostic (append (list :range (list :start (caselsp--position server begin)
                                                     :end (caselsp--position server end))
                                        :message message)
                                  (and code (list :code code)))))))))

(defun caselsp--nearer (one other)
  "Whether the diagnostic ONE is at point, and OTHER is not."
  (cl-flet ((covers (diagnostic) (<= (car diagnostic) (point) (max (car diagnostic) (1- (cadr diagnostic))))))
    (and (covers one) (not (covers other)))))

(defun caselsp--flymake ()
  "Return the diagnostics of flymake on the current line.
Each is a list: where it begins and ends, its message and its code."
  (cl-loop for d in (flymake-diagnostics (line-beginning-position) (line-end-position))
           collect (list (flymake-diagnostic-beg d) (flymake-diagnostic-end d) (flymake-diagnostic-text d) nil)))

(defun caselsp--flycheck ()
  "Return those of flycheck on the current line, in the form of `caselsp--flymake'."
  (when (bound-and-true-p flycheck-mode)
    (save-restriction
      (widen)
      (cl-loop with here = (line-number-at-pos)
               for e in flycheck-current-errors
               for line = (flycheck-error-line e)
               when (and line (<= line here (or (flycheck-error-end-line e) line)))
               collect (let ((begin (caselsp--at line (or (flycheck-error-column e) 1))))
                         (list begin
                               (if-let* ((column (flycheck-error-end-column e)))
                                   (caselsp--at (or (flycheck-error-end-line e) line) column)
                                 (save-excursion (goto-char begin) (line-end-position)))
                               (flycheck-error-message e)
                               (and (flycheck-error-id e) (format "%s" (flycheck-error-id e)))))))))

(defun caselsp--at (line column)
  "Return the place at LINE and COLUMN, both from 1."
  (save-excursion
    (goto-char (point-min))
    (forward-line (1- line))
    (min (+ (point) (1- column)) (line-end-position))))

(defun caselsp--position (server at)
  "Return the place AT as the protocol has it, in the encoding of SERVER."
  (save-excursion
    (save-restriction
      (widen)
      (goto-char at)
      (let ((before (buffer-substring-no-properties (line-beginning-position) at)))
        (list :line (1- (line-number-at-pos))
              :character (pcase (caselsp--get (caselsp--capabilities server) "positionEncoding")
                           ("utf-32" (length before))
                           ("utf-8" (length (encode-coding-string before 'utf-8)))
                           (_ (/ (length (encode-coding-string before 'utf-16le)) 2))))))))

(defun caselsp--capabilities (server)
  "Return what SERVER has said that it can do."
  (if (cl-typep server 'eglot-lsp-server) (eglot--capabilities server)
    (lsp--workspace-server-capabilities server)))

(defmacro caselsp--define (name command doc)
  "Define the command of a NAME, by which the server carries out COMMAND.
DOC is its documentation.  With a prefix argument, a task is chosen."
  `(defun ,(intern (format "caselsp-%s" name)) (&optional task)
     ,(concat doc "\nTASK is its id; with a prefix argument it is asked for.")
     (interactive (list (and current-prefix-arg (caselsp--read-task ,command))))
     (caselsp--send (caselsp--server) ,command (list :task task))))

(caselsp--define stop "caselsp.stop" "Stop a task.  It can be resumed.")
(caselsp--define resume "caselsp.resume" "Go on with a task that was stopped, paused or interrupted.")
(caselsp--define undo "caselsp.undo" "Take back what was accepted of a task.")
(caselsp--define report "caselsp.report" "Show the report of a task.")

(defun caselsp--read-task (command)
  "Read the id of a task for COMMAND."
  (let ((tasks (caselsp--list (caselsp--ask (caselsp--server) "caselsp.status" '(:format "data")) "tasks")))
    (completing-read "Task: "
                     (cl-loop for task in tasks when (member command (caselsp--list task "can"))
                              collect (caselsp--get task "id"))
                     nil t)))

(defun caselsp-show (what)
  "Show WHAT caselsp has a document of."
  (interactive (list (completing-read "Show: " '("activity" "history" "metrics" "memory" "validators" "approvals" "settings" "state" "doctor" "thread") nil t)))
  (caselsp--send (caselsp--server) (concat "caselsp." what) nil))

(defun caselsp-trust ()
  "Trust the folder of this project; others can only be read."
  (interactive)
  (caselsp--send (caselsp--server) "caselsp.trust" nil))

(defun caselsp-status ()
  "Say where the tasks are."
  (interactive)
  (let ((tasks (caselsp--list (caselsp--ask (caselsp--server) "caselsp.status" '(:format "data")) "tasks")))
    (message "%s" (if tasks
                      (mapconcat (lambda (task) (format "%s  %s" (caselsp--get task "id") (caselsp--get task "line"))) tasks "\n")
                    "No task yet."))))

(defun caselsp-secret (name)
  "Put the secret NAME into the keyring.
What is typed is not shown and passes no server."
  (interactive "sName of the secret: ")
  (let ((value (read-passwd (format "Value of %s: " name))))
    (with-temp-buffer
      (insert value)
      (let ((code (call-process-region nil nil (car caselsp-command) t t nil "secret" "set" name)))
        (message "%s" (string-trim (buffer-string)))
        (eq code 0)))))

;;;; Questions

(defconst caselsp--later "Decide later" "The first choice of every question: it changes nothing.")

;;;###autoload
(defun caselsp-questions ()
  "Answer the open question of this project, or the one that you choose."
  (interactive)
  (let* ((server (caselsp--server))
         (list (caselsp--list (caselsp--ask server "caselsp.questions" '(:format "data")) "questions")))
    (cond
     ((null list) (message "No question is open."))
     ((cdr list)
      (let* ((texts (mapcar (lambda (q) (caselsp--get q "text")) list))
             (chosen (completing-read "Which question? " texts nil t)))
        (caselsp--decide server (nth (or (cl-position chosen texts :test #'equal) 0) list))))
     (t (caselsp--decide server (car list))))))

(defun caselsp--decide (server question)
  "Ask QUESTION, which is shown whole, and send the choice to SERVER."
  (let* ((choices (caselsp--list question "choices"))
         (titles (cons caselsp--later (mapcar (lambda (c) (caselsp--get c "title")) choices)))
         (buffer (get-buffer-create "*CASE asks*"))
         (chosen (save-window-excursion
                   (with-current-buffer buffer
                     (let ((inhibit-read-only t))
                       (erase-buffer)
                       (insert (caselsp--get question "text") "\n"))
                     (visual-line-mode)
                     (special-mode))
                   (display-buffer buffer)
                   (completing-read "CASE asks: " titles nil t nil nil caselsp--later)))
         (choice (cl-find chosen choices :key (lambda (c) (caselsp--get c "title")) :test #'equal)))
    (when choice
      (caselsp--choose server question choice))))

(defun caselsp--choose (server question choice)
  "Send CHOICE of QUESTION to SERVER, with the text that it needs."
  (let* ((command (caselsp--get choice "command"))
         (arguments (list :task (caselsp--get question "task") :question (caselsp--get question "id")))
         (secret (caselsp--get question "secret")))
    (cond
     ((equal command "caselsp.trust") (setq arguments nil))
     ((caselsp--get choice "opens")
      (let ((text (read-string (if (equal command "caselsp.deny") "Why not? The model is told: " "Answer: "))))
        (when (string-blank-p text) (user-error "Nothing was decided"))
        (setq arguments (append arguments (list (if (equal command "caselsp.deny") :reason :text) text)))))
     ((caselsp--get (elt (caselsp--get choice "arguments") 0) "text")
      (setq arguments (append arguments (list :text (caselsp--get (elt (caselsp--get choice "arguments") 0) "text")))))
     ((and secret (caselsp--get choice "allows"))
      (unless (or (y-or-n-p (format "Is %s in the keyring already? " secret)) (caselsp-secret secret))
        (user-error "Nothing was decided"))))
    (caselsp--send server command arguments (caselsp--confirm "%s: %s" (caselsp--get choice "title") (caselsp--get question "text")))))

;;;; Review

(defvar-local caselsp--task nil "The task whose result a buffer shows.")

(defvar-keymap caselsp-review-mode-map
  :doc "Keys of a review."
  :parent special-mode-map
  "n" #'diff-hunk-next
  "p" #'diff-hunk-prev
  "N" #'diff-file-next
  "P" #'diff-file-prev
  "a" #'caselsp-review-accept
  "x" #'caselsp-review-reject
  "A" #'caselsp-review-accept-file
  "X" #'caselsp-review-reject-file
  "C-c C-a" #'caselsp-review-accept-all
  "C-c C-k" #'caselsp-review-reject-all
  "u" #'caselsp-review-undo
  "c" #'caselsp-note
  "C-c C-c" #'caselsp-send-notes
  "g" #'caselsp-review-refresh
  "RET" #'caselsp-review-visit)

(define-derived-mode caselsp-review-mode diff-mode "CASE review"
  "The result of a task, decided hunk by hunk.
\\{caselsp-review-mode-map}"
  (setq buffer-read-only t)
  (setq-local header-line-format
              (substitute-command-keys "\\<caselsp-review-mode-map>\\[caselsp-review-accept] accept  \\[caselsp-review-reject] reject  \
\\[caselsp-review-accept-file]/\\[caselsp-review-reject-file] file  \\[caselsp-review-accept-all]/\\[caselsp-review-reject-all] all  \
\\[caselsp-review-undo] undo  \\[caselsp-note] note  \\[caselsp-send-notes] send back  \\[caselsp-review-visit] visit  \\[quit-window] close")))

;;;###autoload
(defun caselsp-review (&optional task)
  "Decide about the result that waits, or that of TASK, hunk by hunk.
With a prefix argument TASK is asked for."
  (interactive (list (and current-prefix-arg (caselsp--read-task "caselsp.review"))))
  (caselsp--open-review (caselsp--server) task))

(defun caselsp--open-review (server task)
  "Show the result of TASK of SERVER."
  (let ((data (caselsp--ask server "caselsp.review" (list :task task :format "data"))))
    (unless data (user-error "No result waits for a review"))
    (pop-to-buffer (caselsp--draw server data))
    (unless (get-text-property (point) 'caselsp-hunk)
      (goto-char (point-min))
      (ignore-errors (diff-hunk-next)))))

(defun caselsp--draw (server data)
  "Show DATA, a result of SERVER, and return the buffer."
  (let ((task (caselsp--get data "task")))
    (with-current-buffer (get-buffer-create (format "*CASE review %s*" task))
      (unless (derived-mode-p 'caselsp-review-mode) (caselsp-review-mode))
      (setq caselsp--server server caselsp--task task default-directory (caselsp--root server))
      (let ((inhibit-read-only t) (line (line-number-at-pos)))
        (erase-buffer)
        (insert (caselsp--get data "title")
                (format "\n%s, %s to decide\n" (caselsp--get data "state") (or (caselsp--get data "open") 0)))
        (caselsp--insert-notes data nil nil)
        (dolist (file (caselsp--list data "files")) (caselsp--insert-file file data))
        (goto-char (point-min))
        (forward-line (1- line)))
      (current-buffer))))

(defun caselsp--insert-notes (data file hunk)
  "Insert the notes of DATA on HUNK of FILE."
  (dolist (text (caselsp--notes-on data file hunk))
    (insert (propertize (format "\\ note: %s\n" (string-replace "\n" " " text)) 'face 'italic))))

(defun caselsp--insert-file (file data)
  "Insert the diff of FILE of DATA, with the state of each hunk and the notes."
  (let ((begin (point)) (hunks (caselsp--list file "hunks")) hunk)
    (insert (format "\n%s: %s, %s%s%s\n" (caselsp--get file "path") (caselsp--get file "kind") (caselsp--get file "state")
                    (if-let* ((kept (caselsp--get file "kept"))) (format ", kept work of %s, not verified" kept) "")
                    (if (string-empty-p (or (caselsp--get file "obeyed" "by") "")) ""
                      (format ", obeyed by %s: accept it by its name" (caselsp--get file "obeyed" "by")))))
    (caselsp--insert-notes data (caselsp--get file "path") nil)
    (dolist (line (split-string (string-remove-suffix "\n" (or (caselsp--get file "diff") "")) "\n"))
      (let ((start (point)))
        (insert line)
        (when (and (string-prefix-p "@@ " line) (not (caselsp--get file "whole")))
          (setq hunk (pop hunks))
          (insert (format " hunk %s: %s" (caselsp--get hunk "hunk") (caselsp--get hunk "state"))))
        (insert "\n")
        (when (and hunk (string-prefix-p "@@ " line))
          (caselsp--insert-notes data (caselsp--get file "path") (caselsp--get hunk "hunk")))
        (when hunk (put-text-property start (point) 'caselsp-hunk hunk))))
    (put-text-property begin (point) 'caselsp-file file)))

(defun caselsp--refresh-reviews (server task)
  "Bring the buffer of the result of TASK of SERVER up to date."
  (when-let* ((buffer (get-buffer (format "*CASE review %s*" task))))
    (caselsp--send server "caselsp.review" (list :task task :format "data")
                   (lambda (data)
                     (when (and data (buffer-live-p buffer))
                       (let ((window (get-buffer-window buffer t)))
                         (if window (with-selected-window window (caselsp--draw server data))
                           (caselsp--draw server data)))))
                   t)))

(defun caselsp--review-decide (command scope)
  "Send COMMAND about SCOPE: the hunk at point, its file, or all."
  (let ((file (get-text-property (point) 'caselsp-file)) (hunk (get-text-property (point) 'caselsp-hunk)))
    (unless (or file (eq scope 'all)) (user-error "Point is on no file"))
    (when (and (eq scope 'hunk) (not hunk) (not (caselsp--get file "whole"))) (user-error "Point is on no hunk"))
    (caselsp--send caselsp--server command
                   (append (list :task caselsp--task)
                           (unless (eq scope 'all)
                             (list :file (caselsp--get file "path") :kept (caselsp--get file "kept")))
                           (when (and (eq scope 'hunk) hunk) (list :hunk (caselsp--get hunk "hunk"))))
                   (caselsp--confirm "%s of %s" (if (equal command "caselsp.accept") "acceptance" "rejection")
                                     (cond ((eq scope 'all) "all that is open")
                                           ((and (eq scope 'hunk) hunk)
                                            (format "hunk %s of %s" (caselsp--get hunk "hunk") (caselsp--get file "path")))
                                           (t (caselsp--get file "path")))))))

(defmacro caselsp--define-decision (name command scope doc)
  "Define the command of a NAME in reviews: COMMAND about SCOPE.
DOC is its documentation."
  `(defun ,(intern (format "caselsp-review-%s" name)) ()
     ,doc
     (interactive nil caselsp-review-mode)
     (caselsp--review-decide ,command ',scope)))

(caselsp--define-decision accept "caselsp.accept" hunk "Accept the hunk at point.")
(caselsp--define-decision reject "caselsp.reject" hunk "Reject the hunk at point.")
(caselsp--define-decision accept-file "caselsp.accept" file "Accept the file at point.")
(caselsp--define-decision reject-file "caselsp.reject" file "Reject the file at point.")
(caselsp--define-decision accept-all "caselsp.accept" all "Accept all that is open.")
(caselsp--define-decision reject-all "caselsp.reject" all "Reject all that is open.")

(defun caselsp-review-undo ()
  "Take all decisions back."
  (interactive nil caselsp-review-mode)
  (caselsp--send caselsp--server "caselsp.undo" (list :task caselsp--task)))

(defun caselsp--notes-on (data file hunk)
  "Return the texts of the notes of DATA on HUNK of FILE.
Without HUNK on the file, without FILE on the whole result."
  (cl-loop for note in (caselsp--list data "notes")
           when (and (equal (or (caselsp--get note "file") "") (or file ""))
                     (eql (or (caselsp--get note "hunk") 0) (or hunk 0)))
           collect (caselsp--get note "text")))

(defun caselsp--keep-note (server data file hunk)
  "Ask for a note on HUNK of FILE of DATA, and have SERVER keep it.
An empty one withdraws what is there."
  (let* ((old (car (caselsp--notes-on data file hunk)))
         (text (string-trim (read-string (format "What should be different in %s? "
                                                 (cond (hunk (format "hunk %s of %s" hunk file)) (file) (t "the whole result")))
                                         old)))
         (place (list :task (caselsp--get data "task") :file file :hunk hunk)))
    (cond ((not (string-empty-p text)) (caselsp--send server "caselsp.note" (append place (list :text text))))
          (old (caselsp--send server "caselsp.note" (append place (list :withdraw t)))))))

(defun caselsp--hunk-here (data)
  "Return the file and number of the open hunk of DATA at point.
The current buffer shows a file of the user's."
  (let ((uri (caselsp--uri)) (line (1- (line-number-at-pos nil t))))
    (cl-dolist (file (caselsp--list data "files"))
      (when (member uri (list (caselsp--get file "uri") (caselsp--get file "fromUri")))
        (when-let* ((hunk (cl-find-if (lambda (hunk) (caselsp--covers hunk line)) (caselsp--list file "hunks"))))
          (cl-return (list (caselsp--get file "path") (caselsp--get hunk "hunk"))))))))

(defun caselsp--covers (hunk line)
  "Whether HUNK is open and would replace LINE, from 0."
  (let ((from (or (caselsp--get hunk "range" "start" "line") -1)) (to (or (caselsp--get hunk "range" "end" "line") -1)))
    (and (member (caselsp--get hunk "state") '("pending" "conflict")) (<= from line) (< line (max to (1+ from))))))

(defun caselsp-note ()
  "Write a note on the hunk at point: what should be different.
In a review it is about the hunk or file at point, above them about the
whole result; in a file of the project about the open hunk there.  An
empty note withdraws the one that is there.  \\[caselsp-send-notes]
sends the result back."
  (interactive)
  (let* ((server (caselsp--server))
         (data (or (caselsp--ask server "caselsp.review" (list :task caselsp--task :format "data"))
                   (user-error "No result waits for a review"))))
    (if (derived-mode-p 'caselsp-review-mode)
        (let ((file (get-text-property (point) 'caselsp-file)) (hunk (get-text-property (point) 'caselsp-hunk)))
          (when (caselsp--get file "kept") (user-error "Kept work is no part of the result and takes no note"))
          (caselsp--keep-note server data (caselsp--get file "path") (caselsp--get hunk "hunk")))
      (pcase (caselsp--hunk-here data)
        (`(,file ,hunk) (caselsp--keep-note server data file hunk))
        (_ (user-error "No open hunk is here: M-x caselsp-review shows the whole result"))))))

(defun caselsp-send-notes ()
  "Send the result back with all notes.
CASE does what they say, as one correction of the same task."
  (interactive)
  (caselsp--send (caselsp--server) "caselsp.note" (list :task caselsp--task :send t)
                 (lambda (_) (message "CASE: the result went back with your notes: the next review shows what came of them"))))

(defun caselsp-review-refresh ()
  "Show the result as it is now."
  (interactive nil caselsp-review-mode)
  (caselsp--refresh-reviews caselsp--server caselsp--task))

(defun caselsp-review-visit ()
  "Visit the place of the hunk at point."
  (interactive nil caselsp-review-mode)
  (let ((file (get-text-property (point) 'caselsp-file)) (hunk (get-text-property (point) 'caselsp-hunk)))
    (unless file (user-error "Point is on no file"))
    (find-file-other-window (caselsp--path (or (caselsp--get file "fromUri") (caselsp--get file "uri"))))
    (goto-char (point-min))
    (forward-line (or (and hunk (caselsp--get hunk "range" "start" "line")) 0))))

;;;; The menu and the mode

;;;###autoload (autoload 'caselsp "caselsp" nil t)
(transient-define-prefix caselsp ()
  "Tasks, questions and reviews of caselsp."
  [["Task"
    ("r" "run" caselsp-run)
    ("k" "ask" caselsp-ask)
    ("f" "fix this diagnostic" caselsp-fix)
    ("t" "carry out this TODO" caselsp-todo)
    ("o" "go on from the last" caselsp-follow)]
   ["Under way"
    ("q" "answer questions" caselsp-questions)
    ("m" "tell it" caselsp-tell)
    ("s" "stop" caselsp-stop)
    ("c" "resume" caselsp-resume)
    ("w" "where is it" caselsp-status)]
   ["Result"
    ("v" "review" caselsp-review)
    ("n" "note on this hunk" caselsp-note)
    ("b" "send back with notes" caselsp-send-notes)
    ("u" "undo" caselsp-undo)
    ("p" "report" caselsp-report)]
   ["Other"
    ("h" "show history, memory ..." caselsp-show)
    ("y" "trust this folder" caselsp-trust)
    ("x" "put a secret into the keyring" caselsp-secret)]])

(defun caselsp--project (dir)
  "Return the project of DIR, a folder of documents of caselsp; nil for others."
  (when-let* ((root (caselsp--owner dir)))
    (or (project-current nil root) (cons 'transient root))))

(defun caselsp--visit ()
  "Never ask whether to save a document of caselsp.
The user writes in some: lsp-mode takes them for those of a library."
  (when (and (buffer-file-name) (string-match-p caselsp--documents (buffer-file-name)))
    (setq-local buffer-save-without-query t)
    (caselsp--no-view)
    (add-hook 'view-mode-hook #'caselsp--no-view nil t)))

(defun caselsp--no-view ()
  "End `view-mode'."
  (when (bound-and-true-p view-mode) (view-mode -1)))

(defun caselsp--folders (workspace)
  "Return the folders of documents of WORKSPACE of lsp-mode."
  (cl-loop with root = (caselsp--root workspace)
           for (folder . owner) in caselsp--roots when (equal owner root) collect folder))

(defun caselsp--ensure ()
  "Start the server for the current buffer."
  (when (and caselsp-global-mode (buffer-file-name) (not (file-remote-p default-directory))
             (executable-find (car caselsp-command)) (project-current))
    (cond
     ((not (eq caselsp-client 'lsp-mode)) (eglot-ensure))
     ((caselsp--owner default-directory) (lsp)) ; its server runs, and may write into it before it is seen
     (t (lsp-deferred)))))

(defconst caselsp--mode-line '(:eval (caselsp-mode-line)) "The part of the mode line.")
(put 'caselsp--mode-line 'risky-local-variable t)

(defun caselsp--table (&rest handlers)
  "Return HANDLERS, names and functions, as lsp-mode has them."
  (let ((table (make-hash-table :test #'equal)))
    (cl-loop for (name handler) on handlers by #'cddr do (puthash name handler table))
    table))

(defun caselsp--on-show-document (workspace params)
  "Show a document of WORKSPACE of lsp-mode; PARAMS are those of the request."
  (list :success (if (or (caselsp--show-document workspace params) (lsp--window-show-document params)) t :json-false)))

(defun caselsp--on-apply-edit (workspace params)
  "Apply an edit of WORKSPACE of lsp-mode; PARAMS are those of the request."
  (caselsp--end-undo (lsp--workspace-buffers workspace))
  (unwind-protect
      (list :applied (condition-case err
                         (progn (lsp--apply-workspace-edit (caselsp--get params "edit") 'server-requested) t)
                       (error (message "CASE: an edit was not applied: %s" (error-message-string err)) :json-false)))
    (caselsp--end-undo (lsp--workspace-buffers workspace))))

(with-eval-after-load 'lsp-mode
  (dolist (mode caselsp-modes)
    (add-to-list 'lsp-language-id-configuration (cons mode (string-remove-suffix "-mode" (symbol-name mode))) t))
  (lsp-register-client
   (make-lsp-client
    :new-connection (lsp-stdio-connection (lambda () caselsp-command))
    :activation-fn (lambda (_file _mode) caselsp-global-mode)
    :add-on? t
    :priority -2
    :server-id 'caselsp
    :custom-capabilities (list (cons 'experimental caselsp--abilities))
    :library-folders-fn #'caselsp--folders
    :request-handlers (caselsp--table "window/showDocument" #'caselsp--on-show-document "workspace/applyEdit" #'caselsp--on-apply-edit)
    :notification-handlers
    (caselsp--table "caselsp/changed" (lambda (workspace params) (caselsp--changed workspace (caselsp--get params "changes")))
                    "window/showMessage" (lambda (_workspace params)
                                           (caselsp--say (caselsp--get params "type") (caselsp--get params "message")))))))

;;;###autoload
(define-minor-mode caselsp-global-mode
  "Use caselsp in all projects, in buffers of `caselsp-modes'."
  :global t
  (let ((program (cons caselsp-modes (cons 'caselsp-server caselsp-command))))
    (setq eglot-server-programs (cl-remove-if (lambda (entry) (eq (car-safe (cdr entry)) 'caselsp-server)) eglot-server-programs))
    (if caselsp-global-mode
        (progn
          (push program eglot-server-programs)
          (add-to-list 'auto-mode-alist caselsp--mode-of-documents)
          (add-hook 'project-find-functions #'caselsp--project)
          (add-hook 'find-file-hook #'caselsp--visit)
          (add-to-list 'mode-line-misc-info caselsp--mode-line t))
      (setq auto-mode-alist (delete caselsp--mode-of-documents auto-mode-alist))
      (remove-hook 'project-find-functions #'caselsp--project)
      (remove-hook 'find-file-hook #'caselsp--visit)
      (setq mode-line-misc-info (delete caselsp--mode-line mode-line-misc-info)))
    (dolist (mode caselsp-modes)
      (let ((hook (intern (format "%s-hook" mode))))
        (if caselsp-global-mode (add-hook hook #'caselsp--ensure) (remove-hook hook #'caselsp--ensure))))))

(provide 'caselsp)
;;; caselsp.el ends here
