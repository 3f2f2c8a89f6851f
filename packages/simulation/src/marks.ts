/** States that a campaign has to reach: otherwise it no longer tests them. */

/** This many worlds reach them all. */
export const worldsMin = 200

const ofStatements = [
  "a statement was lost",
  "an answer was lost",
  "a statement was slow on its way",
  "a statement outlived its connection",
  "a dead runner's statement came late",
  "a commit was late",
  "a late commit was cancelled",
  "a session waited for a lock",
  "several sessions waited for locks",
  "a session waited for a changed table",
  "a lock queue behind a changed table",
  "another program held rows of wallets",
  "another program held rows of orders",
  "a table was changed",
  "an old runner on a newer schema",
  "Postgres ended a session that was idle",
  "a runner was notified",
  "Postgres said 57014",
  "Postgres said 55P03",
  "Postgres said 23505",
  ...["28P01", "42501", "53100", "53300", "58030", "XX001"].map((code) => `Postgres refused with ${code}`)
]

const ofRunners = [
  ...["1", "2", "3"].map((count) => `${count} runners were there`),
  "a runner was killed",
  ...["a creation", "a payment", "a refund"].map((what) => `a runner was killed in the middle of ${what}`),
  "a runner was paused",
  "a runner was paused for longer than its locks live",
  ...["a creation", "a payment"].map((what) => `a runner was paused in the middle of ${what}`),
  "a runner was killed in the middle of a post",
  "a runner was replaced in good order",
  "a runner heard of no changes",
  "a start failed",
  "clocks were apart",
  "a clock was wrong",
  "a message between runners was late",
  "a message between runners was lost",
  "a message between runners arrived, and its answer was lost",
  "counted: coffer_commands_asked_total kind=orders owner=elsewhere",
  ...["answered", "otherwise"].map((outcome) => `counted: coffer_direct_calls_total outcome=${outcome}`)
]

const ofWrites = [
  "counted: coffer_batches_lost_total",
  "counted: coffer_change_sets_resolved_total found=written",
  // A fence refused, another writer came first, a horizon was overtaken, and what else may become of a write.
  ...["stale", "taken", "overtaken", "overloaded", "unknown"].map(
    (outcome) => `counted: coffer_change_sets_total outcome=${outcome}`
  ),
  ...["idempotency_keys", "orders"].map((table) => `counted: coffer_stale_versions_total table=${table}`),
  "logged: a batch of n change sets was lost: its commit was not answered",
  "logged: change sets wait for a lock held by another program",
  "logged: n API logs were dropped"
]

const ofCallers = [
  "an answer was given again",
  "a caller got no answer",
  "a caller got 503",
  "a caller gave up",
  "a key was in use",
  "a request was refused while its runner was ready",
  "a runner that does nothing right is not ready",
  ...["accepted", "won", "lost", "closed", "appealed"].map((end) => `a dispute was ${end}`),
  ...["has succeeded", "has failed", "has been rejected"].map((end) => `a payout ${end}`),
  ...["succeeded", "failed"].map((outcome) => `a refund that took its time has ${outcome}`),
  "a buyer paid at the page",
  "a card was declined",
  "a buyer pressed the button twice",
  "a link led to an order",
  "a link was used up",
  "an erasure has ended",
  "a link's button was pressed twice",
  "an order was closed while it was paid",
  "what was held was captured",
  "what was held was released",
  "an order lapsed that had been paid",
  "some of three got the balance",
  "several annotated a refund at once",
  "a key was revoked",
  "a list was followed",
  "a runner was asked for what had changed",
  "an event came again",
  "an event came before the answer",
  ...["refuses", "hangs up", "is silent"].map((habit) => `a receiver ${habit}`)
]

export const expectedMarks: ReadonlyArray<string> = [...ofStatements, ...ofRunners, ...ofWrites, ...ofCallers]
