/** States that a campaign has to reach: otherwise it no longer tests them. */

/** This many worlds reach them all. */
export const worldsMin = 200

export const expectedMarks: ReadonlyArray<string> = [
  "a statement was lost",
  "an answer was lost",
  "a statement was slow on its way",
  "a statement outlived its connection",
  "a dead runner's statement came late",
  "a commit was late",
  "a late commit was cancelled",
  "a session waited for a lock",
  "a runner was killed",
  "a runner stopped in good order",
  "a start failed",
  "an answer was given again",
  "a caller got no answer",
  "a caller got 503",
  "a runner that does nothing right is not ready",
  "Postgres said 57014",
  "Postgres said 55P03",
  "Postgres said 23505",
  ...["28P01", "42501", "53100", "53300", "58030", "XX001"].map((code) => `Postgres refused with ${code}`),
  "logged: a batch of n change sets was lost: its commit was not answered",
  "logged: n API logs were dropped"
]
