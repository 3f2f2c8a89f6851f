/** The acts that need two operators (docs/architecture.md, section 7). None by default. */
export interface TwoOperators {
  /** To approve a payout that makes more than this within a day, with those that one operator approved alone. */
  readonly payoutsAbove?: number
  /**
   * To reset a live key, to make or roll one with scopes, to change from where one is taken, or to give a role at a
   * merchant that could make one or change live objects.
   */
  readonly liveKeys?: true
  /** To change a merchant's fees. */
  readonly fees?: true
  /** To set the channel that takes a merchant's payments. */
  readonly channels?: true
  /** To approve a merchant for live. */
  readonly approvals?: true
}

/** Whether any act does. Then making an operator does, too: otherwise one could make the second. */
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
