/** The text of a style sheet, inserted by scripts/build.mjs. */
declare module "*.css" {
  const text: string;
  export default text;
}
