/** The codes of the merchants' API, as docs/errors.md has them. */
export const errorCodes = (page: string): ReadonlyArray<string> =>
  [...page.split("\n## Codes of the operator's API")[0]!.matchAll(/^## ([a-z_]+)$/gm)].map(([, code]) => code!)
