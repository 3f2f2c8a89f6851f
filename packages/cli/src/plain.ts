/** Escapes untrusted text for printing, so that it cannot control the terminal. */

/** Characters that control a terminal or reorder text: control characters, line separators, and bidirectional marks. */
export const obeyed =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Control characters and bidirectional marks as escapes: a terminal would obey them. */
export const plain = (text: string): string =>
  text.replace(obeyed, (letter) => {
    const code = letter.charCodeAt(0).toString(16)
    return code.length > 2 ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`
  })
