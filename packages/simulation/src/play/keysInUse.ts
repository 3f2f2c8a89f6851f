/** The law of a key: once all of its requests are answered, no retry is told for long that one is still running. */

/** The end of a request may be written late: its commit is retried each second. A claim lasts thirty. */
const patienceMillis = 15_000

export class KeysInUse {
  /** Keys of which every request was answered; with a number, since when retries are told that one is running. */
  private readonly answered = new Map<string, number | undefined>()

  /** `isAlone`: no other request with this key is under way. Returns what is broken. */
  hear(
    key: string,
    { status, text }: { readonly status: number; readonly text: string },
    now: number,
    isAlone: boolean
  ) {
    // Nobody knows whether such a request runs on.
    if (status === 0 || status >= 500 || !isAlone) return void this.answered.delete(key)
    if (!text.includes("idempotency_in_progress")) return void this.answered.set(key, undefined)
    if (!this.answered.has(key)) return undefined
    const since = this.answered.get(key) ?? now
    this.answered.set(key, since)
    if (now - since < patienceMillis) return undefined
    this.answered.delete(key)
    return `${key} has no request that is not answered, and is in use`
  }
}
