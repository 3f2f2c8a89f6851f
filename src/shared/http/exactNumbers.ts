/**
 * Numbers of a JSON text that become integers only by parsing: `5.0`, `1e3`, `19.999999999999999999`. A parser rounds
 * them silently, so an amount would differ from what the caller has written. They are quoted here, before the text is
 * parsed: as strings they are refused where a number is expected, and ignored where the field is.
 */
export const exactNumbers = (json: string): string =>
  suspicious.test(json) ? json.replace(tokens, (token) => (isRounded(token) ? `"${token}"` : token)) : json

const suspicious = /\d(\.\d|e[+-]?\d)/i

/** Strings, which stay, and numbers. An invalid number stays, too, and does not parse. */
const tokens = /"[^"\\]*(?:\\[^][^"\\]*)*(?:"|\\?$)|(?<![\w.+-])-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/g

const isRounded = (token: string): boolean =>
  !token.startsWith('"') && /[.e]/i.test(token) && Number.isInteger(Number(token))
