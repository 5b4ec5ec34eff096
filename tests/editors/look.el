;; Waits until Emacs shows a finding of the file named in SOURCE, and prints it and the title of its code lens.
(setq eglot-sync-connect 60)
(find-file (getenv "SOURCE"))
(run-hooks 'post-command-hook)
(let ((end (+ (float-time) 60)))
  (while (and (< (float-time) end) (null (flymake-diagnostics)))
    (accept-process-output nil 0.1)))
(dolist (each (flymake-diagnostics))
  (princ (format "%d %s\n" (line-number-at-pos (flymake-diagnostic-beg each)) (flymake-diagnostic-text each))))
(let ((lenses (jsonrpc-request (eglot-current-server) :textDocument/codeLens
                               (list :textDocument (eglot--TextDocumentIdentifier)))))
  (princ (format "lens %s\n" (plist-get (plist-get (aref lenses 0) :command) :title))))
(eglot-shutdown (eglot-current-server))
