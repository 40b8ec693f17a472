;;; words.el --- The user of the scenarios in Emacs -*- lexical-binding: t; -*-

;; Nothing here waits for a time: each step waits for what must become true, with a ceiling that only a
;; fault reaches.

(setq native-comp-jit-compilation nil native-comp-enable-subr-trampolines nil
      make-backup-files nil create-lockfiles nil auto-save-default nil last-nonmenu-event ?a)
(require 'cl-lib)
(require 'caselsp)

(setq caselsp-client (intern (getenv "SCENARIO_CLIENT"))
      eglot-send-changes-idle-time 0 eglot-sync-connect 10 eglot-confirm-server-edits nil)
(when (eq caselsp-client 'lsp-mode)
  (setq lsp-session-file (expand-file-name "lsp-session" (getenv "HOME")) lsp-auto-guess-root t lsp-restart 'ignore
        lsp-enable-file-watchers nil lsp-diagnostics-provider :flymake lsp-warn-no-matched-clients nil
        lsp-headerline-breadcrumb-enable nil lsp-modeline-code-actions-enable nil lsp-idle-delay 0.05
        lsp-lens-enable nil lsp-auto-execute-action nil lsp-enable-snippet nil)
  (dolist (part '(lsp-mode lsp-diagnostics lsp-modeline lsp-headerline lsp-lens lsp-completion lsp-semantic-tokens)) (require part)))
(caselsp-global-mode)

(defconst user-ceiling 120 "Seconds.")
(defvar user-choices nil "What is chosen next, as regular expressions.")
(defvar user-asked nil "The prompts, newest first.")
(defvar user-texts nil "What is written next where a text is asked for.")

(defun user-see (what condition)
  "Wait until CONDITION, called WHAT, returns something."
  (let ((end (+ (float-time) user-ceiling)) found)
    (while (and (not (setq found (funcall condition))) (< (float-time) end))
      (accept-process-output nil 0.02))
    (or found (error "Never seen: %s" what))))

(defvar user-last nil "What was chosen last.")

(setq completing-read-function
      (lambda (prompt collection &rest _)
        (let ((all (all-completions "" collection))
              (wanted (if (string-search "faster than the question can be read" prompt) (progn (accept-process-output nil 0.02) user-last)
                        (pop user-choices))))
          (setq user-last wanted)
          (unless (equal (cons prompt all) (car user-asked))
            (push (cons prompt all) user-asked)
            (message "prompt: %s %S -> %s" prompt all wanted))
          (unless wanted (error "A prompt that nobody asked for: %s %S" prompt all))
          (or (cl-find-if (lambda (c) (string-match-p wanted c)) all) (error "%s is not among %S" wanted all)))))
(advice-add 'read-string :override (lambda (prompt &rest _) (message "text: %s" prompt) (or (pop user-texts) (error "No text for %s" prompt))))
(dolist (f '(y-or-n-p yes-or-no-p)) (advice-add f :override (lambda (prompt) (error "Asked: %s" prompt))))

(defun user-open (file)
  "Visit FILE and wait for its server."
  (find-file file)
  (if (eq caselsp-client 'lsp-mode) (lsp) (apply #'eglot (eglot--guess-contact)))
  (user-see "a server" (lambda () (when-let* ((s (caselsp--find)))
                                    (or (not (eq caselsp-client 'lsp-mode)) (eq (lsp--workspace-status s) 'initialized))))))

(defun user-line ()
  "Return the mode line's part."
  (or (caselsp-mode-line) ""))

(defun user-decide (part &rest choice)
  "Wait for a question with PART and take CHOICE."
  (user-see (concat "a question with " part)
            (lambda () (cl-some (lambda (q) (string-match-p part (caselsp--get q "text")))
                                (plist-get (gethash (caselsp--root (caselsp--server)) caselsp--known) :questions))))
  (setq user-choices choice)
  (caselsp-questions) ; a choice that is too fast is asked for again, and chosen again
  (unless (equal (cadr (car user-asked)) "1 Decide later") (error "The first choice: %S" (car user-asked))))

(defun user-row (part)
  "Wait for a line with PART in the current buffer and go there."
  (user-see (concat "a line with " part)
            (lambda () (goto-char (point-min)) (when (search-forward part nil t) (beginning-of-line) t))))

(defun user-key (key)
  "Do what KEY does in the current buffer."
  (call-interactively (or (key-binding (kbd key)) (error "%s does nothing" key))))

(defun user-type (text)
  "Type TEXT at point, as one command, of which the server hears when Emacs is idle."
  (undo-boundary)
  (insert text)
  (undo-boundary)
  (unless (eq caselsp-client 'lsp-mode) (eglot--signal-textDocument/didChange)))

(defun user-undo ()
  "Undo once, as the first of its kind."
  (setq last-command nil this-command 'undo)
  (undo-boundary)
  (undo)
  (unless (eq caselsp-client 'lsp-mode) (eglot--signal-textDocument/didChange)))

(defun user-has (&rest parts)
  "Wait until the current buffer has all PARTS."
  (dolist (part parts)
    (user-see (format "%S in %s" part (buffer-name)) (lambda () (string-search part (buffer-string))))))

(defun user-action (title)
  "Choose the code action TITLE at point."
  (setq user-choices (list title))
  (if (eq caselsp-client 'lsp-mode)
      (progn (declare-function lsp-execute-code-action "lsp-mode") (call-interactively #'lsp-execute-code-action))
    (call-interactively #'eglot-code-actions)))

(defun user-same (what got want)
  "Signal that GOT, called WHAT, is not WANT."
  (unless (equal got want) (error "%s: got %S, want %S" what got want)))

(defun user-said (part)
  "Wait until PART stands in the echo area's log."
  (with-current-buffer "*Messages*" (user-has part)))

(defun user-disk (file)
  "Return what FILE holds on disk."
  (with-temp-buffer (insert-file-contents file) (buffer-string)))

(condition-case why
    (let ((default-directory (file-name-as-directory default-directory)))
      (load (getenv "SCENARIO") nil t t)
      (when user-choices (error "Not asked: %S" user-choices))
      (dolist (b (buffer-list)) (with-current-buffer b (set-buffer-modified-p nil)))
      (ignore-errors (if (eq caselsp-client 'lsp-mode) (mapc #'lsp-workspace-shutdown (lsp-workspaces)) (eglot-shutdown-all)))
      (kill-emacs 0))
  (error (message "FAILED: %S" why)
         (message "%s" (with-current-buffer "*Messages*" (buffer-string)))
         (dolist (b (buffer-list)) (with-current-buffer b (set-buffer-modified-p nil)))
         (kill-emacs 1)))
;;; words.el ends here
