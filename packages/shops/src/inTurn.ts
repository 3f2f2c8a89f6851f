/** Acts on one order run one after the other in this process, so that an older answer never overwrites a newer one. */

const turns = new Map<string, Promise<unknown>>()

export const inTurn = async <A>(key: string, act: () => Promise<A>): Promise<A> => {
  const before = turns.get(key) ?? Promise.resolve()
  const turn = before.then(act, act)
  const ended = turn.catch(() => undefined)
  turns.set(key, ended)
  await ended
  if (turns.get(key) === ended) turns.delete(key)
  return turn
}
