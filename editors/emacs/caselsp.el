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
;; The mode line shows what needs you first: a question, a review, a server that has gone, then the work.

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
(declare-function lsp-request "ext:lsp-mode")
(declare-function lsp-stdio-connection "ext:lsp-mode")
(declare-function lsp-workspace-restart "ext:lsp-mode")
(declare-function lsp-workspaces "ext:lsp-mode")
(declare-function lsp--client-server-id "ext:lsp-mode")
(declare-function lsp--apply-workspace-edit "ext:lsp-mode")
(declare-function lsp--window-show-document "ext:lsp-mode")
(declare-function lsp--workspace-buffers "ext:lsp-mode")
(declare-function lsp--workspace-client "ext:lsp-mode")
(declare-function lsp--workspace-cmd-proc "ext:lsp-mode")
(declare-function lsp--workspace-root "ext:lsp-mode")
(declare-function lsp--workspace-server-capabilities "ext:lsp-mode")
(declare-function lsp--workspace-shutdown-action "ext:lsp-mode")
(declare-function make-lsp-client "ext:lsp-mode")
(defvar caselsp-global-mode)
(defvar flycheck-current-errors)
(defvar lsp--cur-workspace)
(defvar lsp-language-id-configuration)
(defvar execute-extended-command--binding-timer)

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

(defcustom caselsp-modes '(prog-mode text-mode conf-mode diff-mode caselsp-plain-mode)
  "The major modes, with those derived from them, in which the server is used.
`caselsp-plain-mode' is that of files for which Emacs has no mode."
  :type '(repeat symbol)
  :initialize #'custom-initialize-default
  :set (lambda (name value)
         (let ((on (bound-and-true-p caselsp-global-mode)))
           (when on (caselsp-global-mode -1))
           (set-default-toplevel-value name value)
           (when on (caselsp-global-mode 1)))))

(defcustom caselsp-limit 10
  "Seconds after which a request to the server has failed.  It answers at once."
  :type 'integer)

(defconst caselsp--documents "/caselsp/workspaces/[^/]+/documents/"
  "Matches the names of the documents that caselsp shows.")

(defconst caselsp--mode-of-documents (cons (concat caselsp--documents ".*\\.md\\'") 'text-mode)
  "The mode of documents: Emacs has none for Markdown.")

(defvar caselsp--roots nil
  "The projects of folders of documents, as an alist.")

(defconst caselsp--papers "/\\(task\\|answer\\|reason\\|ask\\|note\\)-[^/]*\\.md\\'"
  "Matches documents in which the user writes; others are only read.")

(defvar caselsp--known (make-hash-table :test #'equal)
  "What is known of each project, by its root: a plist.
Its :server has told of it: :tasks, an alist by id of those that are not
over, :mine, the ids of those that it has worked on, and :questions.")

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

(defconst caselsp--answering 5 "Seconds for which an answer to a command stays beside what waits.")
(defvar caselsp--answered nil "What answered a command of the user last, and when, as a cons.")

(defun caselsp--say (type text)
  "Show TEXT, a message of TYPE, which is an error where that is 1.
Errors and warnings stay until they can have been read, and so does what
names a command."
  (let* ((words (caselsp--in-words text))
         (said (concat "CASE: " (if (eql type 1) (propertize words 'face 'error) words)))
         (title (caselsp--quoted words)))
    (when title (caselsp--forget title)) ; what was said of this task before
    (unless (string-search "M-x caselsp-questions" words) (setq caselsp--answered (cons said (float-time))))
    (cond ((string-search "M-x caselsp-review" words) (caselsp--keep 'review said))
          ((string-search "M-x caselsp-send-notes" words) (caselsp--keep 'notes said))
          ((string-search "M-x caselsp-questions" words) (caselsp--keep 'question said))
          ((or (memql type '(1 2)) (string-search "M-x caselsp-" words)) (caselsp--keep (or title 'said) said))
          (t (caselsp--answer said)))))

(defun caselsp--quoted (words)
  "Return the title of a task that WORDS have; nil if there is none."
  (and (string-match "\"\\([^\"]+\\)\"" words) (match-string 1 words)))

(defconst caselsp--quoted-or-command "“[^”]*”\\|\"[^\"]*\"\\|\\_<caselsp\\.\\(?:note with send\\|[a-zA-Z]+\\)"
  "Matches what is quoted in a message, and else the id of a command of the server.")

(defconst caselsp--choices '("caselsp.approve" "caselsp.approveTask" "caselsp.approveAlways" "caselsp.deny" "caselsp.answer")
  "What the server has commands for, and `caselsp-questions' choices.")

(defun caselsp--in-words (text)
  "Return TEXT, a message of the server, with commands of Emacs for the server's.
What is quoted stays as it is."
  (replace-regexp-in-string caselsp--quoted-or-command
                            (lambda (found) (if (string-prefix-p "caselsp." found) (caselsp--command-for found) found))
                            text t t))

(defun caselsp--command-for (id)
  "Return how a user of Emacs does what the command ID of the server does."
  (let ((name (cond ((member id caselsp--choices) "caselsp-questions")
                    ((equal id "caselsp.note with send") "caselsp-send-notes")
                    (t (let ((case-fold-search nil))
                         (downcase (replace-regexp-in-string "[A-Z]" "-\\&" (string-replace "." "-" id) t)))))))
    (if (commandp (intern-soft name)) (concat "M-x " name) id)))

;;;; Messages that stay

(defconst caselsp--reading 3 "Seconds for which a message that needs an answer stays at least.")

(defvar caselsp--unread nil "The messages that stay, as an alist by what they are about.")
(defvar caselsp--shown nil "Since when they are shown; nil while they are not.")
(defvar caselsp--reminder nil "The timer that shows them again.")
(defvar caselsp--joined nil "The message that showed them last.")
(defvar caselsp--told nil "Since when each open question is on the screen, as an alist by `caselsp--about'.")

(defun caselsp--answer (text)
  "Show TEXT, which answers a command of the user.
What waits is shown below it, and does not take its place at once."
  (setq caselsp--answered (cons text (float-time)))
  (caselsp--log text)
  (caselsp--echo (list text)))

(defun caselsp--log (text)
  "Keep TEXT whole in *Messages*."
  (let ((inhibit-message t)) (message "%s" text)))

(defun caselsp--echo (texts)
  "Show as much of TEXTS as the echo area has room for."
  (let ((message-log-max nil)) (message "%s" (caselsp--fit texts))))

(defun caselsp--keep (about text)
  "Show TEXT, which is ABOUT something that the user is to know.
It stays beside other messages, and comes back after typing, until the
user goes on after it was on the screen for `caselsp--reading' seconds."
  (setf (alist-get about caselsp--unread nil nil #'equal) text)
  (setq caselsp--shown nil)
  (unless caselsp--reminder
    (setq caselsp--reminder (run-with-idle-timer 1 t #'caselsp--remind))
    (add-hook 'pre-command-hook #'caselsp--go-on))
  (caselsp--remind))

(defun caselsp--forget (about)
  "Take the message ABOUT something away; with t, all."
  (setq caselsp--unread (unless (eq about t) (cl-remove about caselsp--unread :key #'car :test #'equal)))
  (unless caselsp--unread
    (when caselsp--reminder (cancel-timer caselsp--reminder))
    (setq caselsp--reminder nil caselsp--shown nil)
    (remove-hook 'pre-command-hook #'caselsp--go-on)))

(defun caselsp--remind ()
  "Show the messages that stay, unless something is asked in the minibuffer."
  (unless (or (null caselsp--unread) (active-minibuffer-window))
    (let ((texts (mapcar #'cdr (reverse caselsp--unread))))
      (unless caselsp--shown (caselsp--log (string-join texts "\n")))
      (when (and caselsp--answered (< (- (float-time) (cdr caselsp--answered)) caselsp--answering))
        (setq texts (cl-adjoin (car caselsp--answered) texts :test #'equal)))
      (setq caselsp--joined (caselsp--fit texts))
      (caselsp--echo (list caselsp--joined)))
    (mapc #'caselsp--tell-of (mapcar #'car caselsp--unread))
    (unless (and caselsp--shown (current-message)) (setq caselsp--shown (float-time)))))

(defun caselsp--tell-of (about)
  "Keep in mind since when the question ABOUT, if it is one, is on the screen."
  (when (and (consp about) (not (assoc about caselsp--told))) (push (cons about (float-time)) caselsp--told)))

(defun caselsp--go-on ()
  "Take the messages away that the user has had the time to read."
  (if (and caselsp--shown (>= (- (float-time) caselsp--shown) caselsp--reading))
      (caselsp--forget t)
    (setq caselsp--shown nil)))

(defun caselsp--beside (text)
  "Return TEXT, a message, with those that stay below it; nil for TEXT alone."
  (let ((texts (cl-remove-if (lambda (kept) (string-search kept text)) (mapcar #'cdr (reverse caselsp--unread)))))
    (and texts (not (equal text caselsp--joined)) (not (active-minibuffer-window)) (caselsp--fit (cons text texts)))))

(defun caselsp--fit (texts)
  "Return TEXTS as one message, each cut so that the beginning of all is seen.
The echo area would show the end of a longer message only.  Where there
is no screen nothing is cut."
  (let ((left (if (floatp max-mini-window-height) (floor (* max-mini-window-height (frame-height))) max-mini-window-height)))
    (if noninteractive (string-join texts "\n")
      (cl-loop for (text . others) on texts
               for cut = (caselsp--cut text (max 1 (- left (length others))) (1- (frame-width)))
               do (cl-decf left (caselsp--lines cut (1- (frame-width))))
               collect cut into all
               finally return (string-join all "\n")))))

(defun caselsp--lines (text width)
  "Return how many lines of WIDTH columns TEXT takes."
  (cl-loop for line in (split-string text "\n") sum (max 1 (ceiling (string-width line) width))))

(defun caselsp--cut (text lines width)
  "Return TEXT, cut where it takes more than LINES of WIDTH columns."
  (if (<= (caselsp--lines text width) lines) text
    (cl-loop for line in (split-string text "\n")
             for rest = (- lines (caselsp--lines line width))
             while (> lines 0)
             collect (cond ((> rest 0) line)
                           (t (concat (truncate-string-to-width line (1- (* lines width))) "…")))
             into kept
             do (setq lines rest)
             finally return (string-join kept "\n"))))

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
       (focus (run-with-timer 0 nil #'caselsp--open-review server (match-string 1 file))))
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
          (set-window-point window (point)))))
    (when (and window (string-match-p "/thread-[^/]*\\.md\\'" file)) (caselsp--show-latest window))))

(defun caselsp--show-latest (window)
  "Show the latest message of the thread in WINDOW with its answer.
Where both do not fit, the answer is at the top."
  (with-current-buffer (window-buffer window)
    (save-excursion
      (goto-char (point-max))
      (when (re-search-backward "^## " nil t)
        (let ((asked (point)) (answered (and (re-search-forward "^> " nil t) (line-beginning-position))))
          (set-window-point window (or answered asked))
          (set-window-start window (if (and answered (> (count-screen-lines asked (point-max) nil window) (window-body-height window)))
                                       answered
                                     asked)))))))

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

(defmacro caselsp--writing (&rest body)
  "Do BODY, in which the server may change the documents that are only read."
  `(let ((documents (cl-remove-if-not #'caselsp--read-only-p (buffer-list))))
     (dolist (buffer documents) (with-current-buffer buffer (setq buffer-read-only nil)))
     (unwind-protect (progn ,@body)
       (dolist (buffer documents)
         (when (buffer-live-p buffer) (with-current-buffer buffer (setq buffer-read-only t)))))))

(cl-defmethod eglot-handle-request :around
  ((server caselsp-server) (_method (eql workspace/applyEdit)) &rest _)
  "Tell SERVER of the changed text at once.
What is told later looks like an edit that was declined.  That an edit was
applied is not said: the server says what it was for."
  (caselsp--end-undo (eglot--managed-buffers server))
  (unwind-protect
      (prog1 (cl-letf (((symbol-function 'eglot--message) #'ignore) (inhibit-message t))
               (caselsp--writing (cl-call-next-method)))
        (caselsp--tell-changes server))
    (caselsp--end-undo (eglot--managed-buffers server))))

(defun caselsp--read-only-p (buffer)
  "Whether BUFFER has a document that is only read, and cannot be changed."
  (and (buffer-local-value 'buffer-read-only buffer) (buffer-local-value 'caselsp-document-mode buffer)))

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
  (file-name-as-directory (expand-file-name (if (cl-typep server 'eglot-lsp-server)
                                                (project-root (eglot--project server))
                                              (lsp--workspace-root server)))))

(defun caselsp--live-p (server)
  "Whether SERVER is running."
  (cond ((null server) nil)
        ((cl-typep server 'eglot-lsp-server) (jsonrpc-running-p server))
        (t (process-live-p (lsp--workspace-cmd-proc server)))))

(defun caselsp--ended-p (server)
  "Whether SERVER was ended as the user, or Emacs, wanted."
  (if (cl-typep server 'eglot-lsp-server) (eglot--shutdown-requested server)
    (lsp--workspace-shutdown-action server)))

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
                thereis (cl-find-if (lambda (s) (and (cl-typep s 'caselsp-server) (equal (caselsp--root s) (expand-file-name root))))
                                    servers))))

(defvar-local caselsp--server nil "The server of a buffer that shows no file.")

(defun caselsp--server ()
  "Return the server of the current buffer, or signal what to do."
  (or (cl-find-if #'caselsp--live-p (list caselsp--server (caselsp--find)))
      (user-error "%s" (or (caselsp--why-not) "No caselsp here yet: wait until it has started, or start it by M-x caselsp-restart"))))

(defconst caselsp--plain-size 1000000 "Characters from which on a file without a mode is not served.")

(defun caselsp--why-not ()
  "Return why the server cannot be used in the current buffer, and what to do."
  (cond
   ((not caselsp-global-mode) "caselsp is off: M-x caselsp-global-mode turns it on")
   ((not (executable-find (car caselsp-command)))
    (format "There is no program %s: install it, or set `caselsp-command'" (car caselsp-command)))
   ((not (buffer-file-name)) "No caselsp here: visit a file of a project")
   ((file-remote-p default-directory) "caselsp does not serve files of other machines")
   ((not (project-current))
    "This file is in no project: \"git init\" in its folder makes one")
   ((not (or (caselsp--plain-p) (apply #'provided-mode-derived-p major-mode caselsp-modes)))
    (format "caselsp does not serve buffers in %s: add it to `caselsp-modes' (M-x customize-variable), then M-x caselsp-restart" major-mode))))

(defun caselsp--plain-p ()
  "Whether the current buffer is a file of text for which Emacs has no mode."
  (and (eq major-mode 'fundamental-mode) (memq 'caselsp-plain-mode caselsp-modes) (buffer-file-name)
       enable-multibyte-characters (not (memq (coding-system-base buffer-file-coding-system) '(no-conversion raw-text)))
       (< (buffer-size) caselsp--plain-size)))

(define-derived-mode caselsp-plain-mode nil "Plain"
  "The mode of files for which Emacs has none, which caselsp serves.
It is as `fundamental-mode', in which eglot has no server.")

(defun caselsp--arguments (arguments)
  "Return ARGUMENTS, a plist, as the protocol has them, without those that are nil."
  (let ((given (cl-loop for (name value) on arguments by #'cddr when value append (list name value))))
    (if given (vector given) [])))

(defun caselsp--send (server command arguments &optional done quiet)
  "Have SERVER carry out COMMAND with ARGUMENTS, then call DONE with its answer.
An error is shown unless QUIET."
  (caselsp--execute server (list :command command :arguments (caselsp--arguments arguments)) done quiet))

(defun caselsp--execute (server params done quiet)
  "Have SERVER execute the command in PARAMS, then call DONE with its answer.
An error is shown unless QUIET."
  (let* ((buffer (current-buffer))
         (answered (lambda (answer)
                     (when done
                       (with-current-buffer (if (buffer-live-p buffer) buffer (current-buffer))
                         (funcall done answer)))))
         (failed (lambda (err)
                   (unless quiet (caselsp--answer (concat "CASE: " (caselsp--in-words (or (caselsp--get err "message") "the command failed"))))))))
    (unless quiet (add-hook 'post-command-hook #'caselsp--end-hint))
    (when (and (cl-typep server 'eglot-lsp-server) (not quiet)) (caselsp--tell-changes server))
    (if (cl-typep server 'eglot-lsp-server)
        (jsonrpc-async-request server :workspace/executeCommand params
                               :success-fn answered
                               :error-fn (jsonrpc-lambda (&rest err) (funcall failed err))
                               :timeout caselsp-limit)
      (let ((lsp--cur-workspace server))
        (lsp-request-async "workspace/executeCommand" params answered :error-handler failed :mode 'detached)))))

(defun caselsp--end-hint ()
  "Have Emacs give no hint how to call a command of caselsp by fewer keys.
It would be shown in the place of what answers the command."
  (remove-hook 'post-command-hook #'caselsp--end-hint)
  (when (timerp (bound-and-true-p execute-extended-command--binding-timer))
    (cancel-timer execute-extended-command--binding-timer)))

(defun caselsp--ask (server command arguments)
  "Return the answer of SERVER to COMMAND with ARGUMENTS."
  (let (done answer)
    (caselsp--send server command arguments (lambda (a) (setq done t answer a)))
    (with-timeout (caselsp-limit nil)
      (while (not done) (accept-process-output nil 0.02)))
    (unless done (user-error "CASE did not answer: see *Messages*"))
    answer))

;;;; What has changed

(defun caselsp--connected (server)
  "Forget what another server has told of the project of SERVER, which has started."
  (when (or (not (cl-typep server 'eglot-lsp-server)) (cl-typep server 'caselsp-server))
    (caselsp--project-of server)
    (force-mode-line-update t)))

(defun caselsp--project-of (server)
  "Return what is known of the project of SERVER from it, and from no other."
  (let* ((root (caselsp--root server)) (known (gethash root caselsp--known)))
    (if (eq (plist-get known :server) server) known
      (dolist (q (plist-get known :questions)) (caselsp--forget (caselsp--about q)))
      (puthash root (list :server server) caselsp--known))))

(defun caselsp--changed (server news)
  "Ask SERVER for what NEWS is about."
  (dolist (change (append news nil))
    (let ((id (caselsp--get change "task")))
      (caselsp--send
       server "caselsp.status" (list :task id :format "data")
       (lambda (answer)
         (when-let* ((task (car (caselsp--list answer "tasks")))) (caselsp--learn server task)))
       t)
      (when (member "review" (caselsp--list change "kinds"))
        (caselsp--refresh-reviews server id))))
  (when (cl-some (lambda (c) (member "questions" (caselsp--list c "kinds"))) news)
    (caselsp--send server "caselsp.questions" '(:format "data")
                   (lambda (answer) (caselsp--announce server (caselsp--list answer "questions"))) t)))

(defun caselsp--learn (server task)
  "Keep in mind how TASK of SERVER stands."
  (let* ((known (caselsp--project-of server)) (id (caselsp--get task "id"))
         (before (assoc id (plist-get known :tasks)))
         (others (cl-remove id (plist-get known :tasks) :key #'car :test #'equal)))
    (when (caselsp--get task "here") (caselsp--know server :mine (cl-adjoin id (plist-get known :mine) :test #'equal)))
    (caselsp--know server :tasks
                   (if (member (caselsp--get task "state") '("succeeded" "rejected" "failed")) others
                     (cons (cons id task) others)))
    (cond ((not (cl-some #'caselsp--reviewable (plist-get (caselsp--project-of server) :tasks))) (caselsp--forget 'review))
          ((and (caselsp--reviewable (cons id task)) (not (caselsp--reviewable before)))
           (caselsp--keep 'review "CASE: a result waits for your review: M-x caselsp-review")))))

(defun caselsp--reviewable (entry)
  "Whether the result of the task of ENTRY, of :tasks, waits for a review."
  (equal (caselsp--get (cdr entry) "state") "review"))

(defun caselsp--know (server name value)
  "Keep in mind that NAME is VALUE in the project of SERVER."
  (puthash (caselsp--root server) (plist-put (caselsp--project-of server) name value) caselsp--known)
  (force-mode-line-update t))

(defun caselsp--announce (server questions)
  "Say that QUESTIONS are open in the project of SERVER.
Nothing takes the keyboard."
  (let ((before (mapcar #'caselsp--about (plist-get (caselsp--project-of server) :questions)))
        (now (mapcar #'caselsp--about questions)))
    (dolist (about before)
      (unless (member about now)
        (caselsp--forget about)
        (setq caselsp--told (assoc-delete-all about caselsp--told))))
    (dolist (q questions)
      (unless (member (caselsp--about q) before)
        (caselsp--forget 'question) ; it said of this one that it is there
        (caselsp--keep (caselsp--about q)
                       (concat (propertize "CASE asks (M-x caselsp-questions answers): " 'face 'warning)
                               (caselsp--in-words (caselsp--get q "text")))))))
  (caselsp--know server :questions questions))

(defun caselsp--about (question)
  "Return what names QUESTION among those of all tasks."
  (list (caselsp--get question "task") (caselsp--get question "id")))

(defvar-local caselsp--home 'unknown "The root of the project of a buffer; nil where there is none.")

(defun caselsp--home ()
  "Return the root of the current buffer's project, with a server or without."
  (let ((server (or caselsp--server (caselsp--managing))))
    (cond (server (setq caselsp--home (caselsp--root server)))
          ((not (eq caselsp--home 'unknown)) caselsp--home)
          ((and (buffer-file-name) (not (file-remote-p (buffer-file-name))))
           (setq caselsp--home (when-let* ((project (ignore-errors (project-current))))
                                 (file-name-as-directory (expand-file-name (project-root project)))))))))

(defun caselsp--managing ()
  "Return the server that has the current buffer, without looking for one."
  (if (eq caselsp-client 'lsp-mode)
      (and (fboundp 'lsp-workspaces)
           (cl-find 'caselsp (lsp-workspaces) :key (lambda (w) (lsp--client-server-id (lsp--workspace-client w)))))
    (let ((server (and (eglot-managed-p) (eglot-current-server))))
      (and (cl-typep server 'caselsp-server) server))))

(defconst caselsp--line-width 30 "Characters of what a task does in the mode line: 80 columns have room for them.")

(defun caselsp-mode-line ()
  "Return the part of the mode line about the current buffer's project.
What waits for the user comes first, since a narrow window cuts the end."
  (when-let* ((signs (caselsp--signs)))
    (concat signs (caselsp--work))))

(defun caselsp--signs ()
  "Return what waits for the user in the current buffer's project.
It is nil where nothing is known of the project."
  (when-let* ((known (gethash (caselsp--home) caselsp--known)) (server (plist-get known :server)))
    (let ((reviews (cl-count-if #'caselsp--reviewable (plist-get known :tasks))) (questions (length (plist-get known :questions))))
      (cond ((caselsp--live-p server)
             (concat (when (> questions 0) (caselsp--sign (format "CASE asks (%d)" questions) 'caselsp-questions))
                     (when (> reviews 0) (caselsp--sign (format "CASE review (%d)" reviews) 'caselsp-review))))
            ((caselsp--ended-p server) "")
            (t (caselsp--sign "CASE has gone" 'caselsp-restart))))))

(defun caselsp--work ()
  "Return what the task does that was worked on last."
  (when-let* ((known (gethash (caselsp--home) caselsp--known)) ((caselsp--live-p (plist-get known :server))) (line (caselsp--line known)))
    (propertize (concat " CASE: " (truncate-string-to-width line caselsp--line-width nil nil "…")) 'help-echo line)))

(defun caselsp--line (known)
  "Return the line of the latest task in KNOWN that was worked on here."
  (cl-loop for (id . task) in (plist-get known :tasks)
           when (and (member id (plist-get known :mine))
                     (not (member (caselsp--get task "state") '("review" "waiting" "open")))) ; a thread that is answered is open
           return (caselsp--get task "line")))

(defun caselsp--sign (text command)
  "Return TEXT for the mode line, on which a click is for COMMAND."
  (concat " " (propertize text 'face 'warning 'mouse-face 'mode-line-highlight
                          'help-echo (format "M-x %s" command)
                          'local-map (make-mode-line-mouse-map 'mouse-1 command))))

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

(defun caselsp--typed (prompt)
  "Read a text by PROMPT and return it in a list, as the argument of a command.
Where there is no server that is said before anything is typed."
  (caselsp--server)
  (list (read-string prompt)))

;;;###autoload
(defun caselsp-run (task)
  "Start TASK, a text; with an active region about its lines."
  (interactive (caselsp--typed "Task: "))
  (caselsp--send (caselsp--server) "caselsp.run"
                 (append (list :task task) (and (use-region-p) (caselsp--place)))))

;;;###autoload
(defun caselsp-ask (text)
  "Ask TEXT about the code, the current file or the region."
  (interactive (caselsp--typed "Question: "))
  (caselsp--send (caselsp--server) "caselsp.ask" (append (list :text text) (caselsp--place))))

(defun caselsp-follow (text)
  "Start a task, TEXT, as a continuation of the last one."
  (interactive (caselsp--typed "Task that goes on from the last: "))
  (caselsp--send (caselsp--server) "caselsp.follow" (list :text text)))

(defun caselsp-tell (text &optional task)
  "Say TEXT to TASK, which is under way; where several are, one is chosen."
  (interactive (let ((task (caselsp--one-task "caselsp.tell"))) (append (caselsp--typed "Tell the task: ") (list task))))
  (caselsp--send (caselsp--server) "caselsp.tell" (list :text text :task task)))

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

(defmacro caselsp--define (name command doc &optional one)
  "Define the command of a NAME, by which the server carries out COMMAND.
DOC is its documentation.  With a prefix argument, a task is chosen; if
ONE, also where several fit, of which the server would take none."
  `(defun ,(intern (format "caselsp-%s" name)) (&optional task)
     ,(concat doc "\nTASK is its id; with a prefix argument it is asked for.")
     (interactive (list (cond (current-prefix-arg (caselsp--read-task ,command))
                              ,@(and one `((t (caselsp--one-task ,command)))))))
     (caselsp--send (caselsp--server) ,command (list :task task))))

(caselsp--define stop "caselsp.stop" "Stop a task.  It can be resumed." t)
(caselsp--define resume "caselsp.resume" "Go on with a task that was stopped, paused or interrupted." t)
(caselsp--define report "caselsp.report" "Show the report of a task.")
(caselsp--define activity "caselsp.activity" "Show what a task has done so far, kept current.")

(defun caselsp--read-task (command)
  "Return the id of the task for COMMAND that is chosen, by its title."
  (let ((tasks (caselsp--list (caselsp--ask (caselsp--server) "caselsp.status" '(:format "data")) "tasks")))
    (unless tasks (user-error "There is no task yet"))
    (caselsp--pick-task command (or (caselsp--able command tasks) tasks))))

(defun caselsp--able (command tasks)
  "Return those of TASKS for which COMMAND has something to do."
  (cl-remove-if-not (lambda (task) (member command (caselsp--list task "can"))) tasks))

(defun caselsp--pick-task (command tasks)
  "Return the id of the one of TASKS for COMMAND that is chosen."
  (caselsp--pick (format "Which task to %s? (a number and RET%%s; RET alone: 1) " (string-remove-prefix "caselsp." command))
                 (if (length= tasks 1) "There is one task." (format "There are %d tasks." (length tasks)))
                 (mapcar (lambda (task) (caselsp--brief (caselsp--one-line task "title") (concat (caselsp--get task "state") ", " (caselsp--get task "id")))) tasks)
                 (lambda (at) (caselsp--get (nth at tasks) "id"))))

(defun caselsp--one-task (command)
  "Return the id of the task for COMMAND that is chosen where several fit.
Otherwise it is nil: the server knows which."
  (let* ((tasks (caselsp--list (caselsp--ask (caselsp--server) "caselsp.status" '(:format "data")) "tasks"))
         (able (caselsp--able command tasks))
         (first (cl-remove-if-not
                 (lambda (task)
                   (let ((state (caselsp--get task "state")))
                     (pcase command
                       ("caselsp.review" (equal state "review"))
                       ("caselsp.resume" (not (member state '("review" "succeeded" "rejected" "failed"))))
                       (_ (caselsp--get task "here")))))
                 able))
         (fit (or first (unless (equal command "caselsp.review") able))))
    (when (length> fit 1) (caselsp--pick-task command fit))))

(defmacro caselsp--define-page (name doc)
  "Define the command of a NAME, which has the server open a document.
DOC is its documentation."
  `(defun ,(intern (format "caselsp-%s" name)) ()
     ,doc
     (interactive)
     (caselsp--send (caselsp--server) ,(format "caselsp.%s" name) nil)))

(caselsp--define-page history "List the tasks of this project.")
(caselsp--define-page prune "List old tasks, to delete them.")
(caselsp--define-page metrics "Show the figures of this project's tasks.")
(caselsp--define-page memory "Show what is remembered of past tasks.")
(caselsp--define-page validators "Show the fix validators, to try, approve and remove them.")
(caselsp--define-page approvals "Show what is always allowed here, to revoke it.")
(caselsp--define-page settings "Show the settings that hold, to confirm those of the editor.")
(caselsp--define-page state "Show what is known of this project.")

(defun caselsp-doctor ()
  "Check settings, model, sandbox and store; without a server, too."
  (interactive)
  (if (caselsp--live-p (caselsp--find)) (caselsp--send (caselsp--server) "caselsp.doctor" nil)
    (let ((root (caselsp--root-here)))
      (unless (executable-find (car caselsp-command)) (user-error "%s" (caselsp--why-not)))
      (with-current-buffer (caselsp--program-buffer "*CASE doctor*" root)
        (let ((buffer (current-buffer)))
          (message "CASE: checking…")
          (make-process :name "caselsp doctor" :buffer buffer :noquery t :command (list (car caselsp-command) "doctor")
                        :sentinel #'ignore
                        :filter (lambda (_ text) (caselsp--program-said buffer text))))
        (display-buffer (current-buffer))))))

(defun caselsp--root-here ()
  "Return the root of the current buffer's project, with a server or without."
  (let ((server (cl-find-if #'caselsp--live-p (list caselsp--server (caselsp--find)))))
    (cond (server (caselsp--root server))
          ((project-current) (expand-file-name (project-root (project-current))))
          (t default-directory))))

(defun caselsp--program-buffer (name root)
  "Return an empty buffer of NAME for the output of the program in ROOT."
  (with-current-buffer (get-buffer-create name)
    (special-mode)
    (setq default-directory root)
    (let ((inhibit-read-only t)) (erase-buffer))
    (current-buffer)))

(defun caselsp--program-said (buffer text)
  "Add TEXT, of the program, to BUFFER."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (let ((inhibit-read-only t)) (save-excursion (goto-char (point-max)) (insert text))))))

(defun caselsp-thread (name)
  "Show the thread of questions NAME, or the list of them where that is empty."
  (interactive (caselsp--typed "Thread (empty lists them): "))
  (caselsp--send (caselsp--server) "caselsp.thread" (list :thread (unless (string-empty-p name) name))))

(defun caselsp-new ()
  "Write a task in a document; with an active region about its lines."
  (interactive)
  (caselsp--send (caselsp--server) "caselsp.new" (and (use-region-p) (caselsp--place))))

(defun caselsp-send ()
  "Send what is written in this document of caselsp."
  (interactive)
  (let* ((server (caselsp--server)) (start '(:line 0 :character 0))
         (params (list :textDocument (list :uri (caselsp--uri)) :range (list :start start :end start) :context '(:diagnostics [])))
         (eglot (cl-typep server 'eglot-lsp-server))
         (actions (when (and (buffer-file-name) (string-match-p caselsp--documents (buffer-file-name)))
                    (when eglot (caselsp--tell-changes server))
                    (if eglot (jsonrpc-request server :textDocument/codeAction params :timeout caselsp-limit)
                      (let ((lsp--cur-workspace server)) (lsp-request "textDocument/codeAction" params)))))
         (action (car (append actions nil))))
    (unless action (user-error "This is no document of caselsp that can be sent"))
    (let* ((whole (caselsp--get action "command")) (sent (if (stringp whole) action whole)))
      (caselsp--execute server (list :command (caselsp--get sent "command") :arguments (caselsp--get sent "arguments"))
                        (lambda (_) (quit-window)) nil))))

(defun caselsp-fix-all ()
  "Apply the certain fixes of this file."
  (interactive)
  (caselsp--send (caselsp--server) "caselsp.fixAll" (list :uri (caselsp--uri))))

(defun caselsp-test ()
  "Have CASE test this file; with an active region its lines."
  (interactive)
  (save-mark-and-excursion
    (unless (use-region-p) (set-mark (point-min)) (goto-char (point-max)) (activate-mark))
    (caselsp--send (caselsp--server) "caselsp.test" (caselsp--place))))

(defun caselsp-log ()
  "Show the end of the log of this project."
  (interactive)
  (with-current-buffer (caselsp--program-buffer "*CASE log*" (caselsp--root-here))
    (let ((inhibit-read-only t)) (call-process (car caselsp-command) nil t nil "logs" "--lines" "500"))
    (pop-to-buffer (current-buffer))))

(defun caselsp-restart ()
  "Start the server of this project anew, whether it has gone or not."
  (interactive)
  (let ((server (caselsp--find)) (lsp-mode (eq caselsp-client 'lsp-mode)) (why (caselsp--why-not)))
    (when (and why (not (caselsp--live-p server))) (user-error "%s" why))
    (caselsp--plain)
    (cond ((and (caselsp--live-p server) lsp-mode) (lsp-workspace-restart server))
          ((caselsp--live-p server) (eglot-reconnect server t))
          (lsp-mode (lsp))
          (t (apply #'eglot (eglot--guess-contact))))))

(defun caselsp-show (what)
  "Show WHAT caselsp has a document of."
  (interactive
   (minibuffer-with-setup-hook #'caselsp--show-choices
     (list (completing-read "Show: (history if empty) " '("activity" "history" "prune" "metrics" "memory" "validators" "approvals" "settings" "state" "doctor" "thread") nil t nil nil "history"))))
  (if (equal what "doctor") (caselsp-doctor) ; without a server, too
    (caselsp--send (caselsp--server) (concat "caselsp." what) nil)))

(defun caselsp--show-choices ()
  "Show what can be chosen in the minibuffer, unless something else does."
  (unless (or (not (eq completing-read-function #'completing-read-default))
              (cl-some (lambda (mode) (and (boundp mode) (symbol-value mode))) '(icomplete-mode fido-mode vertico-mode)))
    (minibuffer-completion-help)))

(defun caselsp-trust (&optional withdraw)
  "Trust the folder of this project; others can only be read.
With a prefix argument, WITHDRAW the trust."
  (interactive "P")
  (caselsp--send (caselsp--server) "caselsp.trust" (list :withdraw (and withdraw t))))

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
    (caselsp--forget t)
    (cond
     ((null list) (message "No question is open."))
     (t (caselsp--decide server (nth (caselsp--which-question server list) list))))))

(defun caselsp--which-question (server questions)
  "Return the position of the one of QUESTIONS of SERVER that is chosen.
There is nothing to choose where it is the only one."
  (if (length= questions 1) 0
    (caselsp--pick "Which question? (a number and RET%s; RET alone: 1) "
                   (format "%d questions are open." (length questions))
                   (mapcar (lambda (q)
                             (caselsp--brief (caselsp--title server q)
                                             (or (caselsp--one-line q "called") (caselsp--one-line q "what") (caselsp--one-line q "text"))))
                           questions)
                   #'identity)))

(defun caselsp--one-line (object name)
  "Return what OBJECT has by NAME on one line; nil for an empty text."
  (let ((text (string-trim (replace-regexp-in-string "[ \t\n]+" " " (or (caselsp--get object name) "")))))
    (unless (string-empty-p text) text)))

(defun caselsp--title (server question)
  "Return the title of the task of QUESTION, as SERVER has told it."
  (caselsp--one-line (alist-get (caselsp--get question "task") (plist-get (caselsp--project-of server) :tasks) nil nil #'equal) "title"))

(defun caselsp--brief (title text)
  "Return TEXT, which is about the task of TITLE, on a line of the frame."
  (let ((title (and title (truncate-string-to-width title 30 nil nil "…"))) (room (- (frame-width) 6)))
    (truncate-string-to-width (if title (concat title ": " text) text) room nil nil "…")))

(defconst caselsp--hasty "That came faster than the question can be read: nothing was decided"
  "What is said of a choice that does not count.")

(defun caselsp--decide (server question)
  "Ask QUESTION, which is shown whole, and send the choice to SERVER.
The first choice changes nothing.  One that allows something does not count
before the question can have been read, and is asked for again."
  (caselsp--tell-of (caselsp--about question))
  (let* ((choices (cons nil (caselsp--list question "choices"))) ; nil decides later
         (titles (cons caselsp--later (mapcar (lambda (c) (caselsp--get c "title")) (cdr choices))))
         (prompt "CASE asks (a number and RET%s): "))
    (while (caselsp--pick
            prompt (caselsp--get question "text") titles
            (lambda (at)
              (let ((choice (nth at choices)))
                (cond ((null choice) nil)
                      ((caselsp--unread-p question choice)
                       (caselsp--log (concat "CASE: " caselsp--hasty))
                       (setq prompt (concat caselsp--hasty "\nCASE asks (a number and RET%s): ")))
                      (t (caselsp--choose server question choice) nil))))))))

(defun caselsp--unread-p (question choice)
  "Whether CHOICE would allow something, and nobody can have read QUESTION yet.
A key that was meant for something else must not run a command."
  (and (caselsp--get choice "allows")
       (< (- (float-time) (alist-get (caselsp--about question) caselsp--told 0 nil #'equal))
          (/ (or (caselsp--get question "readMs") 0) 1000.0))))

(defun caselsp--pick (prompt text titles then)
  "Show TEXT and TITLES, which get numbers, ask for one by PROMPT, and call THEN.
THEN gets its position.  TEXT is shown until THEN returns, so that it is seen
while more is asked for.  PROMPT has a place for how to scroll."
  (let ((titles (cl-loop for title in titles for number from 1 collect (format "%d %s" number title)))
        (resize-mini-windows t)) ; what a longer message took is for the question
    (save-window-excursion
      (message nil)
      (redisplay)
      (let* ((long (caselsp--show-question text titles)) (prompt (format prompt (if long ", C-M-v scrolls" ""))))
        (minibuffer-with-setup-hook (lambda () (when long (setq minibuffer-scroll-window long)))
          (let* ((at (lambda (text) (caselsp--numbered text titles)))
                 (must (if (length> titles 9) at t)) ; 1 is unique among the first nine only
                 (chosen (completing-read prompt titles nil must nil nil (car titles))))
            (funcall then (or (funcall at chosen) 0))))))))

(defun caselsp--numbered (text titles)
  "Return the position of TEXT among TITLES; TEXT can be the number alone."
  (or (cl-position text titles :test #'equal)
      (and (string-match-p "\\`[0-9]+\\'" text)
           (cl-position (concat text " ") titles :test #'string-prefix-p))))

(defun caselsp--show-question (text titles)
  "Show TEXT, a question, and the TITLES of its choices.
The choices are below TEXT, and above it where both do not fit into the
frame, and below it once more: they are seen, and so is the beginning of
TEXT, a command.  Then return the window, which can be scrolled."
  (with-current-buffer (get-buffer-create "*CASE asks*")
    (special-mode)
    (visual-line-mode)
    (cl-flet ((fill (&rest parts)
                (let ((inhibit-read-only t)) (erase-buffer) (insert (string-join parts "\n\n")) (goto-char (point-min)))))
      (fill text (string-join titles "\n"))
      (let ((window (display-buffer (current-buffer) '((display-buffer-reuse-window display-buffer-at-bottom)
                                                       (window-height . caselsp--fit-question))))
            long)
        (caselsp--fit-question window)
        (setq long (> (count-screen-lines (point-min) (point-max) t window) (window-body-height window)))
        (when long (fill (string-join titles "\n") text (string-join titles "\n")))
        (set-window-start window (point-min))
        (set-window-point window (point-min))
        (and long window)))))

(defun caselsp--fit-question (window)
  "Give WINDOW the height of its text, up to most of the frame."
  (fit-window-to-buffer window (- (window-total-height (frame-root-window window)) window-min-height)))

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
    (caselsp--send server command arguments))) ; which says what it has done

;;;; Review

(defvar-local caselsp--task nil "The task whose result a buffer shows.")

(defvar-keymap caselsp-review-mode-map
  :doc "Keys of a review."
  :parent special-mode-map
  "n" #'caselsp-review-next
  "p" #'caselsp-review-previous
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
  "RET" #'caselsp-review-visit
  "?" #'caselsp-review-help)

(define-derived-mode caselsp-review-mode diff-mode "CASE review"
  "The result of a task, decided hunk by hunk.
\\{caselsp-review-mode-map}"
  (setq buffer-read-only t)
  (setq-local header-line-format
              ;; It fits into 80 columns; the rest is in `caselsp-review-help'.
              (substitute-command-keys "\\<caselsp-review-mode-map>\\[caselsp-review-accept] accept  \\[caselsp-review-reject] reject  \
\\[caselsp-review-next]/\\[caselsp-review-previous] hunk  \\[caselsp-review-accept-file]/\\[caselsp-review-reject-file] file  \
\\[caselsp-note] note  \\[caselsp-send-notes] send back  \\[caselsp-review-help] all keys")))

(transient-define-prefix caselsp-review-help ()
  "Keys of a review."
  [["Hunk"
    ("a" "accept" caselsp-review-accept)
    ("x" "reject" caselsp-review-reject)
    ("n" "next" caselsp-review-next)
    ("p" "previous" caselsp-review-previous)
    ("RET" "visit" caselsp-review-visit)]
   ["File"
    ("A" "accept" caselsp-review-accept-file)
    ("X" "reject" caselsp-review-reject-file)
    ("N" "next" diff-file-next)
    ("P" "previous" diff-file-prev)]
   ["Result"
    ("C-c C-a" "accept all" caselsp-review-accept-all)
    ("C-c C-k" "reject all" caselsp-review-reject-all)
    ("u" "take decisions back" caselsp-review-undo)
    ("g" "show it anew" caselsp-review-refresh)]
   ["Notes"
    ("c" "write a note" caselsp-note)
    ("C-c C-c" "send back" caselsp-send-notes)
    ("q" "close" quit-window)
    ("h" "help" describe-mode)]])

;;;###autoload
(defun caselsp-review (&optional task)
  "Decide about the result that waits, or that of TASK, hunk by hunk.
Where several wait, TASK is asked for, and with a prefix argument among
all that have a result."
  (interactive (list (if current-prefix-arg (caselsp--read-task "caselsp.review") (caselsp--one-task "caselsp.review"))))
  (caselsp--open-review (caselsp--server) task))

(defun caselsp--open-review (server task)
  "Show the result of TASK of SERVER."
  (let ((data (caselsp--ask server "caselsp.review" (list :task task :format "data"))))
    (unless data (user-error "No result waits for a review"))
    (caselsp--forget 'review)
    (pop-to-buffer (caselsp--draw server data))
    (unless (get-text-property (point) 'caselsp-hunk)
      (goto-char (point-min))
      (caselsp--to-open))))

(defun caselsp-review-next ()
  "Go to the next hunk, or file that is decided as a whole."
  (interactive nil caselsp-review-mode)
  (goto-char (or (cl-find-if (lambda (at) (> at (point))) (caselsp--stops)) (user-error "This is the last one")))
  (caselsp--see-hunk))

(defun caselsp-review-previous ()
  "Go to the previous hunk, or file that is decided as a whole."
  (interactive nil caselsp-review-mode)
  (goto-char (or (cl-find-if (lambda (at) (< at (point))) (nreverse (caselsp--stops))) (user-error "This is the first one")))
  (caselsp--see-hunk))

(defun caselsp--stops ()
  "Return the places of what can be decided by itself, from the top."
  (save-excursion
    (goto-char (point-min))
    (cl-loop while (text-property-search-forward 'caselsp-state) collect (line-beginning-position 0))))

(defun caselsp--to-open ()
  "Go to what is open next, behind point or else from the top; stay if nothing is."
  (let* ((open (cl-remove-if-not (lambda (at) (member (get-text-property at 'caselsp-state) '("pending" "conflict"))) (caselsp--stops)))
         (next (or (cl-find-if (lambda (at) (> at (point))) open) (car open))))
    (when next
      (goto-char next)
      (caselsp--see-hunk))))

(defun caselsp--see-hunk ()
  "Scroll so that the hunk at point is seen, if it fits, and else its beginning."
  (when-let* ((window (get-buffer-window)))
    (let ((end (or (cl-find-if (lambda (at) (> at (point))) (caselsp--stops)) (point-max))))
      (unless (pos-visible-in-window-p (1- end) window)
        (with-selected-window window (recenter (if (> (count-screen-lines (point) end) (- (window-body-height) 3)) 0 1)))))))

(defun caselsp--at-point (property)
  "Return the PROPERTY of the text at point, at the end that before it."
  (get-text-property (if (and (eobp) (not (bobp))) (1- (point)) (point)) property))

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
        (when-let* ((before (caselsp--list data "acceptedBefore")))
          (insert "Accepted before the task was tried again: " (string-join before ", ") "\n"))
        (dolist (line (caselsp--list data "untested")) (insert "Untested: " line "\n"))
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
    (unless (string-empty-p (or (caselsp--get file "unfit") "")) (insert (format "It does not fit now: %s\n" (caselsp--get file "unfit"))))
    (when (caselsp--whole-p file)
      (put-text-property (pos-bol 0) (point) 'caselsp-state (caselsp--get file "state")))
    (caselsp--insert-notes data (caselsp--get file "path") nil)
    (dolist (line (split-string (string-remove-suffix "\n" (or (caselsp--get file "diff") "")) "\n"))
      (let ((start (point)))
        (insert line)
        (when (and (string-prefix-p "@@ " line) (not (caselsp--get file "whole")))
          (setq hunk (pop hunks))
          (insert (format " hunk %s: %s" (caselsp--get hunk "hunk") (caselsp--get hunk "state"))))
        (insert "\n")
        (when (and hunk (string-prefix-p "@@ " line)) (put-text-property start (point) 'caselsp-state (caselsp--get hunk "state")))
        (when (and hunk (string-prefix-p "@@ " line))
          (caselsp--insert-notes data (caselsp--get file "path") (caselsp--get hunk "hunk")))
        (when hunk (put-text-property start (point) 'caselsp-hunk hunk))))
    (put-text-property begin (point) 'caselsp-file file)))

(defun caselsp--whole-p (file)
  "Whether FILE has no hunks that are decided one by one."
  (or (caselsp--get file "whole") (not (string-match-p "^@@ " (or (caselsp--get file "diff") "")))))

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
  "Send COMMAND about SCOPE: the hunk at point, its file, or all.
Then go to what is open next."
  (let ((file (caselsp--at-point 'caselsp-file)) (hunk (caselsp--at-point 'caselsp-hunk)))
    (unless (or file (eq scope 'all)) (user-error "Point is on no file: n goes to the next hunk"))
    (when (and (eq scope 'hunk) (not hunk) (not (caselsp--whole-p file)))
      (user-error "Point is on no hunk: n goes to the next, A and X decide about the file"))
    (caselsp--send (caselsp--server) command
                   (append (list :task caselsp--task)
                           (unless (eq scope 'all)
                             (list :file (caselsp--get file "path") :kept (caselsp--get file "kept")))
                           (when (and (eq scope 'hunk) hunk) (list :hunk (caselsp--get hunk "hunk")))))
    (when (eq scope 'file) (goto-char (or (next-single-property-change (point) 'caselsp-file) (point-max))))
    (unless (eq scope 'all) (caselsp--to-open))))

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
(caselsp--define-decision accept-all "caselsp.accept" all "Accept all that is undecided.")
(caselsp--define-decision reject-all "caselsp.reject" all "Reject all that is undecided.")

(defun caselsp-review-undo ()
  "Take all decisions back; where that is more than one, ask before.
The rejection of one hunk is taken back by accepting it."
  (interactive nil caselsp-review-mode)
  (caselsp-undo caselsp--task))

(defun caselsp-undo (&optional task)
  "Take back what was decided of a result, acceptances and rejections.
Where that is more than one decision, show which and ask before.  TASK is its
id, else it is the one decided last; with a prefix argument it is asked for."
  (interactive (list (when current-prefix-arg (caselsp--read-task "caselsp.undo"))))
  (let* ((server (caselsp--server))
         (data (if task (caselsp--result-of server task) (caselsp--decided-last server)))
         (earlier (and data (caselsp--list data "acceptedBefore")))
         (count (+ (length earlier) (caselsp--count-hunks data "accepted") (caselsp--count-hunks data "rejected")))
         (send (lambda () (caselsp--send server "caselsp.undo" (list :task (or task (caselsp--get data "task")))))))
    (if (< count 2) (funcall send)
      (caselsp--pick "Take them back? (a number and RET%s; RET alone: 1) "
                     (string-join (cons (format "The decisions about “%s”:" (caselsp--get data "title"))
                                        (append (delq nil (mapcar #'caselsp--decisions-line (caselsp--list data "files")))
                                                (mapcar (lambda (path) (concat path ": accepted before the correction")) earlier)))
                                  "\n")
                     (list "Keep them" (format "Take all %d decisions back" count))
                     (lambda (at) (when (eql at 1) (funcall send)))))))

(defun caselsp--result-of (server task)
  "Return the result of TASK of SERVER as data."
  (caselsp--ask server "caselsp.review" (list :task task :format "data")))

(defun caselsp--decided-last (server)
  "Return the result of SERVER that was decided last; nil where there is none.
One of which nothing was accepted counts only where there is no other."
  (let ((tasks (caselsp--able "caselsp.undo" (caselsp--list (caselsp--ask server "caselsp.status" '(:format "data")) "tasks")))
        accepted rejected)
    (setq tasks (sort tasks (lambda (a b) (string> (caselsp--get a "changed") (caselsp--get b "changed")))))
    (while (and tasks (not accepted))
      (let ((data (caselsp--result-of server (caselsp--get (pop tasks) "id"))))
        (cond ((or (caselsp--list data "acceptedBefore") (> (caselsp--count-hunks data "accepted") 0)) (setq accepted data))
              ((and (not rejected) (> (caselsp--count-hunks data "rejected") 0)) (setq rejected data)))))
    (or accepted rejected)))

(defun caselsp--count-hunks (data state)
  "Return how many hunks of DATA are in STATE."
  (cl-loop for file in (and data (caselsp--list data "files"))
           sum (cl-count state (caselsp--list file "hunks") :key (lambda (hunk) (caselsp--get hunk "state")) :test #'equal)))

(defun caselsp--decisions-line (file)
  "Return the decisions about FILE on a line; nil where there is none."
  (let* ((hunks (caselsp--list file "hunks"))
         (parts (cl-loop for state in '("accepted" "rejected")
                         for some = (cl-loop for hunk in hunks when (equal (caselsp--get hunk "state") state)
                                             collect (format "%s" (caselsp--get hunk "hunk")))
                         when some
                         collect (cond ((length= some (length hunks)) state)
                                       ((cdr some) (format "hunks %s %s" (string-join some ", ") state))
                                       (t (format "hunk %s %s" (car some) state))))))
    (when parts (format "%s: %s" (caselsp--get file "path") (string-join parts "; ")))))

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

(defmacro caselsp--define-here (name command)
  "Define the command of a NAME, which has the server carry out COMMAND.
It is about a hunk of the current buffer's file, or of a review."
  `(defun ,(intern (format "caselsp-%s" name)) (&optional all)
     ,(format "%s the open hunk at point; with a prefix argument ALL of the result.
In a review, it is the hunk at point there." (capitalize (symbol-name name)))
     (interactive "P")
     (if (derived-mode-p 'caselsp-review-mode) (caselsp--review-decide ,command (if all 'all 'hunk))
       (let* ((server (caselsp--server)) (data (caselsp--result server)))
         (pcase (if all '(nil nil) (caselsp--hunk-here data))
           (`(,file ,hunk) (caselsp--send server ,command (list :task (caselsp--get data "task") :file file :hunk hunk)))
           (_ (user-error "No open hunk is here: M-x caselsp-next goes to one, M-x caselsp-review shows the whole result")))))))

(caselsp--define-here accept "caselsp.accept")
(caselsp--define-here reject "caselsp.reject")

(defun caselsp--result (server)
  "Return the result of SERVER that waits, or that of the current buffer."
  (or (caselsp--ask server "caselsp.review" (list :task caselsp--task :format "data"))
      (user-error "No result waits for a review")))

(defun caselsp-next ()
  "Go to the next open hunk of this file, around the end."
  (interactive)
  (caselsp--go #'>))

(defun caselsp-previous ()
  "Go to the previous open hunk of this file, around the beginning."
  (interactive)
  (caselsp--go #'<))

(defun caselsp--go (behind)
  "Go to the nearest open hunk of this file that is BEHIND the current line."
  (let* ((here (1- (line-number-at-pos nil t))) (uri (caselsp--uri))
         (places (cl-loop for file in (caselsp--list (caselsp--result (caselsp--server)) "files")
                          when (member uri (list (caselsp--get file "uri") (caselsp--get file "fromUri")))
                          append (cl-loop for hunk in (caselsp--list file "hunks") for number from 0
                                          for line = (caselsp--get hunk "range" "start" "line")
                                          when (and line (caselsp--covers hunk line)) collect (list line file number))))
         (sorted (sort places (lambda (one other) (funcall behind (car other) (car one)))))
         (place (or (cl-find-if (lambda (place) (funcall behind (car place) here)) sorted) (car sorted))))
    (unless place (user-error "No hunk of this file is undecided: M-x caselsp-review shows the whole result"))
    (push-mark)
    (goto-char (point-min))
    (forward-line (car place))
    (caselsp--forget 'review) ; they are at it
    (let ((text (apply #'caselsp--changed-lines (cdr place))))
      (setq caselsp--answered (cons text (float-time)))
      (caselsp--echo (list text)))))

(defun caselsp--changed-lines (file number)
  "Return the lines that the hunk NUMBER of FILE, from 0, would change."
  (let ((hunk (nth (1+ number) (split-string (caselsp--get file "diff") "^@@ "))))
    (cl-loop for line in (cdr (split-string hunk "\n"))
             for face = (cond ((string-prefix-p "+" line) 'diff-added) ((string-prefix-p "-" line) 'diff-removed))
             when face collect (propertize line 'face face) into lines
             finally return (string-join lines "\n"))))

(defun caselsp-note ()
  "Write a note on the hunk at point: what should be different.
In a review it is about the hunk or file at point, above them about the
whole result; in a file of the project about the open hunk there.  An
empty note withdraws the one that is there.  \\[caselsp-send-notes]
sends the result back."
  (interactive)
  (let* ((server (caselsp--server))
         (data (caselsp--result server)))
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
  (let* ((server (caselsp--server)) (task (caselsp--get (caselsp--result server) "task")))
    (caselsp--send server "caselsp.note" (list :task task :send t)
                   (lambda (_)
                     (caselsp--forget 'notes)
                     (caselsp--went-back task)
                     (caselsp--answer "CASE: The result went back with your notes: the next review shows what came of them")))))

(defun caselsp--went-back (task)
  "Say in the buffer of the result of TASK that it went back with the notes."
  (when-let* ((buffer (get-buffer (format "*CASE review %s*" task))))
    (with-current-buffer buffer
      (let ((inhibit-read-only t))
        (goto-char (point-min))
        (forward-line)
        (delete-region (point) (point-max))
        (insert "\nThe result went back with your notes.  The next one is shown here.\n")))))

(defun caselsp-review-refresh ()
  "Show the result as it is now."
  (interactive nil caselsp-review-mode)
  (caselsp--refresh-reviews (caselsp--server) caselsp--task))

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
    ("f" "fix diagnostic" caselsp-fix)
    ("F" "certain fixes" caselsp-fix-all)
    ("t" "do this TODO" caselsp-todo)
    ("T" "write tests" caselsp-test)
    ("e" "task as document" caselsp-new)
    ("o" "go on from last" caselsp-follow)]
   ["Under way"
    ("q" "questions" caselsp-questions)
    ("m" "tell it" caselsp-tell)
    ("s" "stop" caselsp-stop)
    ("c" "resume" caselsp-resume)
    ("w" "where is it" caselsp-status)
    ("a" "activity" caselsp-activity)]
   ["Result"
    ("v" "review" caselsp-review)
    ("." "next open hunk" caselsp-next)
    ("," "previous hunk" caselsp-previous)
    ("+" "accept this hunk" caselsp-accept)
    ("-" "reject this hunk" caselsp-reject)
    ("n" "note on this hunk" caselsp-note)
    ("b" "send notes back" caselsp-send-notes)
    ("u" "undo" caselsp-undo)
    ("p" "report" caselsp-report)]
   ["Other"
    ("h" "history, more" caselsp-show)
    ("l" "log" caselsp-log)
    ("z" "restart server" caselsp-restart)
    ("y" "trust folder" caselsp-trust)
    ("x" "store a secret" caselsp-secret)]])

(defun caselsp--project (dir)
  "Return the project of DIR, a folder of documents of caselsp; nil for others."
  (when-let* ((root (caselsp--owner dir)))
    (or (project-current nil root) (cons 'transient root))))

(defvar-keymap caselsp-document-mode-map
  :doc "Keys of a document that is only read."
  "q" #'quit-window)

(define-minor-mode caselsp-document-mode
  "A document of caselsp that is only read: \\[quit-window] closes it."
  :lighter nil
  (setq buffer-read-only caselsp-document-mode))

(defvar-keymap caselsp-paper-mode-map
  :doc "Keys of a document in which the user writes."
  "C-c C-c" #'caselsp-send)

(define-minor-mode caselsp-paper-mode
  "A document of caselsp in which you write: \\[caselsp-send] sends it."
  :lighter nil
  (setq header-line-format (and caselsp-paper-mode (substitute-command-keys "\\<caselsp-paper-mode-map>\\[caselsp-send] sends what you write below"))))

(defun caselsp--plain ()
  "Give a file of a project for which Emacs has no mode one that can be served."
  (when (and (caselsp--plain-p) (not (file-remote-p default-directory)) (project-current))
    (caselsp-plain-mode)))

(defun caselsp--visit ()
  "Never ask whether to save a document of caselsp.
The user writes in some: lsp-mode takes them for those of a library.
The others are only read."
  (when (and (buffer-file-name) (string-match-p caselsp--documents (buffer-file-name)))
    (setq-local buffer-save-without-query t)
    (if (string-match-p caselsp--papers (buffer-file-name)) (caselsp-paper-mode) (caselsp-document-mode))
    (caselsp--no-view)
    (add-hook 'view-mode-hook #'caselsp--no-view nil t)))

(defun caselsp--no-view ()
  "End `view-mode': what is read-only stays so."
  (when (bound-and-true-p view-mode) (view-mode -1))
  (setq buffer-read-only caselsp-document-mode))

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

(defun caselsp--renew (_workspace)
  "Show in mode lines that a server has gone."
  (force-mode-line-update t))

(defconst caselsp--mode-line-signs '(:eval (caselsp--signs-before-name)) "What waits for the user, in the mode line.")

(defun caselsp--signs-before-name ()
  "Return what waits for the user, before the name of the buffer."
  (let ((signs (string-trim-left (or (caselsp--signs) ""))))
    (if (string-empty-p signs) "" (concat signs "  "))))

(defconst caselsp--mode-line-work '(:eval (string-trim-left (or (caselsp--work) ""))) "What the task does, in the mode line.")

(defconst caselsp--mode-line '(:eval (caselsp--mode-line-rest)) "What has no place of its own in a mode line of the user's.")
(put 'caselsp--mode-line 'risky-local-variable t)

(defun caselsp--mode-line-rest ()
  "Return what the mode line does not show further to the left."
  (cond ((not (member caselsp--mode-line-signs mode-line-format)) (caselsp-mode-line))
        ((not (member caselsp--mode-line-work mode-line-format)) (caselsp--work))))

(defun caselsp--put-signs (on)
  "Have mode lines show what waits before the buffer's name if ON.
It is seen there however narrow the window is.  What the task does is shown
behind the position, before the modes.  A mode line of the user's own,
without the usual parts, shows it at the end."
  (let ((format (default-value 'mode-line-format)))
    (when (listp format)
      (setq-default mode-line-format
                    (cl-loop for part in (remove caselsp--mode-line-work (remove caselsp--mode-line-signs format))
                             when (and on (eq part 'mode-line-buffer-identification)) collect caselsp--mode-line-signs
                             collect part
                             when (and on (eq part 'mode-line-position)) collect caselsp--mode-line-work)))))

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
                         (caselsp--writing (lsp--apply-workspace-edit (caselsp--get params "edit") 'server-requested) t)
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
    :initialized-fn #'caselsp--connected
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
          (add-hook 'find-file-hook #'caselsp--plain)
          (add-hook 'find-file-hook #'caselsp--visit)
          (add-hook 'eglot-connect-hook #'caselsp--connected)
          (add-hook 'eglot-managed-mode-hook #'force-mode-line-update)
          (add-hook 'lsp-after-uninitialized-functions #'caselsp--renew)
          (add-hook 'set-message-functions #'caselsp--beside)
          (caselsp--put-signs t)
          (add-to-list 'mode-line-misc-info caselsp--mode-line))
      (setq auto-mode-alist (delete caselsp--mode-of-documents auto-mode-alist))
      (remove-hook 'project-find-functions #'caselsp--project)
      (remove-hook 'find-file-hook #'caselsp--plain)
      (remove-hook 'find-file-hook #'caselsp--visit)
      (remove-hook 'eglot-connect-hook #'caselsp--connected)
      (remove-hook 'eglot-managed-mode-hook #'force-mode-line-update)
      (remove-hook 'lsp-after-uninitialized-functions #'caselsp--renew)
      (remove-hook 'set-message-functions #'caselsp--beside)
      (caselsp--forget t)
      (caselsp--put-signs nil)
      (setq mode-line-misc-info (delete caselsp--mode-line mode-line-misc-info)))
    (dolist (mode caselsp-modes)
      (let ((hook (intern (format "%s-hook" mode))))
        (if caselsp-global-mode (add-hook hook #'caselsp--ensure) (remove-hook hook #'caselsp--ensure))))))

(provide 'caselsp)
;;; caselsp.el ends here
