/** The minimum strength of a secret, so that it cannot be guessed. */

/** Characters of the operator's token. */
export const tokenLengthMin = 32
/** Distinct characters of a token, or bytes of a key. 32 random ones have more. */
export const varietyMin = 10

export const isVaried = (parts: Iterable<unknown>): boolean => new Set(parts).size >= varietyMin
