/**
 * A pure function of a text with a memory of its last answers, for those that cost more than to look one up. It holds
 * at most `max` of them, and then begins anew.
 */
export const remembered = (max: number, answerOf: (text: string) => string, keyOf = (text: string) => text) => {
  const answers = new Map<string, string>()
  return (text: string): string => {
    const key = keyOf(text)
    const known = answers.get(key)
    if (known !== undefined) return known
    const answer = answerOf(text)
    if (answers.size >= max) answers.clear()
    answers.set(key, answer)
    return answer
  }
}
