/**
 * Finds credentials by their form: API keys, also acquirers', operators' tokens, webhook secrets, tokens of checkout
 * pages, names of uploaded files (spec: API log; silences: A3, O11). Pure, and linear in the text's length.
 */

/**
 * `text` with each replaced by `replacement`. Its kind stays readable: `svc_test_[redacted]`, `/checkout/[redacted]`.
 */
export const cutSecretValues = (text: string, replacement: string): string =>
  text.length >= lengthMin && mayHold.test(text)
    ? text.replace(values, (_found, key: string = "", whsec: string = "") => key + whsec + replacement)
    : text

/** The shortest prefix, and the shortest part of a secret's 43 or 44 characters that is redacted. */
const lengthMin = "sk_live_".length + 8

/** Most texts need no further checks. */
const mayHold = /svc_|opt_|whsec_|[sr]k_|TRD_|\.(?:pdf|png|jpg)/

/** The trade number and the end time after it are not secret; the signature after both is. */
const values = new RegExp(
  [
    "(svc_(?:test|live)_(?=[\\w-]{16})|[sr]k_(?:test|live)_(?=\\w{8})|opt_(?=[\\w-]{43}))[\\w-]+",
    // Standard base64, once base64url; in an address its signs are escaped, and a slash may be in JSON.
    "(whsec_)(?:[\\w+/=-]|\\\\/|%2[BFbf]|%3[Dd]){16,}",
    "TRD_(?:SB_)?[0-9A-HJKMNP-TV-Z]{26}\\.\\d+\\.[\\w-]+",
    "(?:(?<![\\w-])|(?<=%2[Ff]))[\\w-]{43}\\.(?:pdf|png|jpg)"
  ].join("|"),
  "g"
)
