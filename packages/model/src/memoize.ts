/**
 * Caches the results of a pure function that costs more than a look-up. `keyOf` makes the key of a result. At `max`
 * results all are dropped.
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
