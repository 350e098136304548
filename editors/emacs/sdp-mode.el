;;; sdp-mode.el --- Schemas of SDP  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT OR Apache-2.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages

;;; Commentary:

;; Colours, comments, indentation and an index of schemas.  M-x eglot starts
;; the language server, `sdp lsp', which knows the rest.

;;; Code:

(require 'imenu)

(defgroup sdp nil
  "Schemas of SDP."
  :group 'languages)

(defcustom sdp-program "sdp"
  "The program whose language server Eglot starts."
  :type 'string
  :safe nil)

(defcustom sdp-indent-offset 4
  "How far what is in brackets is indented."
  :type 'integer
  :safe #'integerp)

(defvar sdp-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?_ "w" table)
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?\\ "\\" table)
    (modify-syntax-entry ?@ "." table)
    (modify-syntax-entry ?- "." table)
    table)
  "Syntax of schemas: words have underscores, comments are those of C++.")

(defconst sdp--types
  (regexp-opt '("bool" "u8" "u16" "u32" "u64" "i8" "i16" "i32" "i64" "f32" "f64"
                "timestamp" "duration" "uuid" "str" "string" "bytes" "Option" "Box" "map")
              'words)
  "Types that nobody declares.")

(defconst sdp--declaration
  (concat "^[ \t]*\\(?:@[A-Za-z_.]+\\(?:([^)\n]*)\\)?[ \t]*\\)*"
          (regexp-opt '("const" "type" "enum" "struct" "message" "union" "service") 'words)
          "[ \t]+\\([A-Za-z_]\\w*\\)")
  "The word and the name of a declaration.")

;; An earlier rule wins where two match, so that words which are names stay names.
(defvar sdp-font-lock-keywords
  `(("@[ \t]*[A-Za-z_][A-Za-z0-9_.]*" . font-lock-preprocessor-face)
    (,sdp--declaration (1 font-lock-keyword-face) (2 font-lock-type-face))
    ("\\<\\(call\\|stream\\|event\\)[ \t]+\\([A-Za-z_]\\w*\\)[ \t]*("
     (1 font-lock-keyword-face) (2 font-lock-function-name-face))
    ("\\<stream\\>\\(?:[ \t]+[A-Za-z_]\\)" 0 font-lock-keyword-face)
    ("^[ \t]*\\(package\\)[ \t]+\\([A-Za-z_][A-Za-z0-9_.]*\\)"
     (1 font-lock-keyword-face) (2 font-lock-constant-face))
    ("^[ \t]*\\(import\\)\\>" 1 font-lock-keyword-face)
    ("\"[ \t]+\\(as\\)[ \t]+\\([A-Za-z_]\\w*\\)[ \t]*;"
     (1 font-lock-keyword-face) (2 font-lock-constant-face))
    ("\\<\\(reserved\\)[ \t]+[-\"A-Za-z0-9_]" 1 font-lock-keyword-face)
    ("\\<\\([A-Za-z_]\\w*\\)[ \t]*:" 1 font-lock-variable-name-face)
    ("\\(?:^\\|[{,][ \t]*\\)[ \t]*\\([A-Za-z_]\\w*\\)[ \t]*\\(?:=\\|[({]\\)" 1 font-lock-constant-face)
    (,sdp--types . font-lock-builtin-face)
    ("\\<\\(?:true\\|false\\)\\>" . font-lock-constant-face)
    ("\\<\\([a-z_]\\w*\\)\\." 1 font-lock-constant-face)
    ("\\<[A-Z]\\w*\\>" . font-lock-type-face))
  "Colours of schemas.")

(defun sdp-indent-line ()
  "Indent a line by the brackets that are open before it."
  (let* ((state (save-excursion (syntax-ppss (line-beginning-position))))
         (first (save-excursion (back-to-indentation) (char-after)))
         (closes (and first (memq first '(?} ?\) ?\]))))
         (depth (- (nth 0 state) (if closes 1 0)))
         (rest (- (point-max) (point))))
    ;; A comment of several lines and a string are left alone.
    (unless (nth 8 state)
      (indent-line-to (max 0 (* sdp-indent-offset depth)))
      (when (> (- (point-max) rest) (point))
        (goto-char (- (point-max) rest))))))

;;;###autoload
(define-derived-mode sdp-mode prog-mode "SDP"
  "Major mode for schemas of SDP."
  (setq-local comment-start "// ")
  (setq-local comment-end "")
  (setq-local comment-start-skip "\\(?://[/!]?\\|/\\*\\)[ \t]*")
  (setq-local indent-tabs-mode nil)
  (setq-local indent-line-function #'sdp-indent-line)
  (setq-local electric-indent-chars (append "})]" electric-indent-chars))
  (setq-local font-lock-defaults '(sdp-font-lock-keywords))
  (setq-local imenu-generic-expression (list (list nil sdp--declaration 2))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.sdp\\'" . sdp-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               `(sdp-mode . ,(lambda (&rest _) (list sdp-program "lsp")))))

(provide 'sdp-mode)
;;; sdp-mode.el ends here
