;;; sdp-mode-test.el --- Emacs shows, indents and checks schemas  -*- lexical-binding: t; -*-

;;; Code:

(require 'ert)
(require 'eglot)
(require 'flymake)
(require 'sdp-mode)

(defconst sdp-test-root
  (expand-file-name "../../.." (file-name-directory (or load-file-name buffer-file-name))))

(defun sdp-test-schema (name)
  "Visit the schema NAME of the repository, in colours."
  (let ((buffer (find-file-noselect (expand-file-name name sdp-test-root))))
    (with-current-buffer buffer
      (font-lock-ensure))
    buffer))

(defun sdp-test-face (text &optional piece)
  "The face of PIECE, else all, of TEXT where it stands first."
  (setq-local case-fold-search nil)
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0))
  (search-forward (or piece text))
  (get-text-property (match-beginning 0) 'face))

(ert-deftest sdp-schemas-have-their-mode-and-colours ()
  (with-current-buffer (sdp-test-schema "compiler/testdata/valid/host.sdp")
    (should (eq major-mode 'sdp-mode))
    (pcase-dolist (`(,text ,piece ,face)
                   '(("//! A host" "A host" font-lock-comment-face)
                     ("@x.generator" nil font-lock-preprocessor-face)
                     ("package audio" "package" font-lock-keyword-face)
                     ("as registry" "as" font-lock-keyword-face)
                     ("\"common.sdp\"" nil font-lock-string-face)
                     ("enum Kind" "enum" font-lock-keyword-face)
                     ("enum Kind" "Kind" font-lock-type-face)
                     ("enum Kind: u8" "u8" font-lock-builtin-face)
                     ("Effect = 0" "Effect" font-lock-constant-face)
                     ("reserved 4" "reserved" font-lock-keyword-face)
                     ("address: u64" "address" font-lock-variable-name-face)
                     ("kind: Kind" "Kind" font-lock-type-face)
                     ("raw: bytes" "bytes" font-lock-builtin-face)
                     ("stream meters" "stream" font-lock-keyword-face)
                     ("stream meters" "meters" font-lock-function-name-face)
                     ("ENABLED: bool = true" "true" font-lock-constant-face)))
      (should (equal (list text (sdp-test-face text piece)) (list text face))))))

(ert-deftest sdp-words-that-are-names-are-names ()
  (with-current-buffer (sdp-test-schema "compiler/testdata/valid/names.sdp")
    (should (eq (sdp-test-face "reserved: bool" "reserved") 'font-lock-variable-name-face))
    (should (eq (sdp-test-face "enum = 0" "enum") 'font-lock-constant-face))))

(ert-deftest sdp-what-is-formatted-stays-indented ()
  (let ((seen 0))
    (dolist (file (directory-files (expand-file-name "conformance/schemas" sdp-test-root) t "\\.sdp\\'"))
      (with-current-buffer (find-file-noselect file)
        (let ((before (buffer-string)))
          (indent-region (point-min) (point-max))
          (should (equal (cons file (buffer-string)) (cons file before))))
        (setq seen (1+ seen))))
    (should (> seen 10))))

(ert-deftest sdp-lines-are-indented-anew ()
  (with-temp-buffer
    (insert "union A {\nB {\nc: u8,\n} = 1,\n}\n")
    (sdp-mode)
    (indent-region (point-min) (point-max))
    (should (equal (buffer-string) "union A {\n    B {\n        c: u8,\n    } = 1,\n}\n"))
    (goto-char (point-min))
    (comment-region (line-beginning-position) (line-end-position))
    (should (looking-at-p "// union A {"))))

(ert-deftest sdp-declarations-are-in-the-index ()
  (with-current-buffer (sdp-test-schema "compiler/testdata/valid/host.sdp")
    (let ((names (mapcar #'car (imenu--make-index-alist t))))
      (dolist (name '("Kind" "Parameter" "PluginRegistry" "HostEvent" "PluginHost" "MASK"))
        (should (member name names))))))

(ert-deftest sdp-the-language-server-says-what-is-wrong ()
  (let* ((folder (file-name-as-directory (make-temp-file "sdp-emacs" t)))
         (file (expand-file-name "mine.sdp" folder))
         (sdp-program (getenv "SDP_PROGRAM"))
         (eglot-sync-connect 30))
    (unwind-protect
        (progn
          (write-region "package mine;\n\nstruct Mine { a: Missing }\n" nil file nil 'quiet)
          (with-current-buffer (find-file-noselect file)
            (apply #'eglot--connect (eglot--guess-contact))
            (eglot--maybe-activate-editing-mode)
            (let ((until (+ (float-time) 30)) found)
              (while (and (not found) (< (float-time) until))
                (accept-process-output nil 0.2)
                (flymake-start)
                (setq found (flymake-diagnostics)))
              (should found)
              (should (= 3 (line-number-at-pos (flymake-diagnostic-beg (car found))))))
            (eglot-shutdown (eglot-current-server))))
      (delete-directory folder t))))

;;; sdp-mode-test.el ends here
