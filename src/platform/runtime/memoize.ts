/**
 * A pure function with a memory of its last answers, for those that cost more than to look one up. It holds at most
 * `max` of them, by what `keyOf` makes of the question, and then begins anew.
 */
export const memoize = <Question, Key, Answer extends {}>(
  max: number,
  keyOf: (question: Question) => Key,
  answerOf: (question: Question) => Answer
) => {
  const answers = new Map<Key, Answer>()
  return (question: Question): Answer => {
    const key = keyOf(question)
    const known = answers.get(key)
    if (known !== undefined) return known
    const answer = answerOf(question)
    if (answers.size >= max) answers.clear()
    answers.set(key, answer)
    return answer
  }
}
