/** The text of a script for a page: scripts/build.mjs puts it in. */
declare module "webview:*" {
  const text: string;
  export default text;
}
