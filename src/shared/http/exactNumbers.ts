/**
 * Numbers of a JSON text that are integers only after they were read: `5.0`, `1e3`, `19.999999999999999999`. A parser
 * rounds them and says nothing, so an amount would be another than the caller has written. They are put in quotes here,
 * before anything parses them: as texts they are refused where a number is wanted, and ignored where a field is.
 */
export const exactNumbers = (json: string): string =>
  suspicious.test(json) ? json.replace(tokens, (token) => (isRounded(token) ? `"${token}"` : token)) : json

const suspicious = /\d(\.\d|e[+-]?\d)/i

/** Texts, which stay, and numbers. What looks like a number and is none in JSON stays, too, and does not parse. */
const tokens = /"[^"\\]*(?:\\[^][^"\\]*)*(?:"|\\?$)|(?<![\w.+-])-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/g

const isRounded = (token: string): boolean =>
  !token.startsWith('"') && /[.e]/i.test(token) && Number.isInteger(Number(token))
