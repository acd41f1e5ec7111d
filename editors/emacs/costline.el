;;; costline.el --- Costline through Eglot or lsp-mode  -*- lexical-binding: t; -*-

;; Eglot has one server per buffer: this one stands in for the language's own.
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '((rust-mode rust-ts-mode) . ("costline" "lsp"))))

;; lsp-mode takes it beside the language's server, in every mode where lsp-mode is on.
(with-eval-after-load 'lsp-mode
  (setq lsp-inlay-hint-enable t
        lsp-lens-enable t)
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection '("costline" "lsp"))
                    :activation-fn (lambda (&rest _) t)
                    :add-on? t
                    :priority -1
                    :server-id 'costline)))

;;; costline.el ends here
