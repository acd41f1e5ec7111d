/** The text of a bundled script, inserted by scripts/build.mjs. */
declare module "webview:*" {
  const text: string;
  export default text;
}
