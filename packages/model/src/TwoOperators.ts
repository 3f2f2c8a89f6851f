/** The acts that need two operators (docs/architecture.md, section 7). None by default. */
export interface TwoOperators {
  /** To approve a payout that exceeds this sum within a day, together with those that the operator approved alone. */
  readonly payoutsAbove?: number
  /**
   * To reset a live key, to create or roll one with scopes, to change its IP allowlist, or to give a merchant role that
   * could create one or change live objects.
   */
  readonly liveKeys?: true
  /** To change a merchant's fees. */
  readonly fees?: true
  /** To set the channel that takes a merchant's payments. */
  readonly channels?: true
  /** To approve a merchant for live. */
  readonly approvals?: true
}

/** Whether any act needs two operators. Then creating an operator does, too: otherwise one could create the second. */
export const needsTwo = (settings: TwoOperators): boolean => Object.values(settings).some((each) => each !== undefined)

/** `payouts:100000,live_keys,fees,channels,approvals`: each at most once. Undefined for anything else. */
export const readTwoOperators = (text: string): TwoOperators | undefined => {
  const words = text.split(",").map((word) => word.trim())
  if (text.trim() === "") return {}
  if (new Set(words.map((word) => word.replace(/:.*/, ""))).size < words.length) return undefined
  let read: TwoOperators = {}
  for (const word of words) {
    const [, amount] = /^payouts:(\d{1,12})$/.exec(word) ?? []
    if (amount !== undefined) read = { ...read, payoutsAbove: Number(amount) }
    else if (word === "live_keys") read = { ...read, liveKeys: true }
    else if (word === "fees" || word === "channels" || word === "approvals") read = { ...read, [word]: true }
    else return undefined
  }
  return read
}
