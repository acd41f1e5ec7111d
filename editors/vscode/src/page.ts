// The pages of webviews: each has one script, and loads nothing.

import { randomBytes } from "node:crypto";

/** A page whose policy forbids all scripts and styles but its own. `body` is HTML, the rest is text. */
export function page(title: string, style: string, script: string, body: string): string {
  const nonce = randomBytes(16).toString("base64");
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${title}</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<main>
${body}
</main>
<script nonce="${nonce}">${
  // `</script` within the script would end its element.
  script.replaceAll("</", "<\\/")}</script>
</body>
</html>`;
}

/** For what only screen readers need. */
export const FOR_SCREEN_READERS = "position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%);";
