/** Runs a due job, if it still applies: decisions made meanwhile stay. */
import type { Book } from "../state/Book.ts"
import type { Task } from "../state/kinds.ts"
import type { World } from "../state/World.ts"
import { decideDispute, lapse } from "./disputes.ts"
import { escalate } from "./escalate.ts"
import { finish, bookCharge } from "./pay.ts"
import { failRefund, completeRefund } from "./refunds.ts"
import { cancelIntent, expireSession } from "./sessionEnds.ts"

/** All jobs except deliveries, which take time. */
export type Act = Exclude<Task, { readonly do: "deliver" }>

export const perform = (world: World, book: Book, task: Act): void => {
  switch (task.do) {
    case "expireSession": {
      const session = book.get("checkout.session", task.session)!
      const intent = book.get("payment_intent", String(session.payment_intent))
      if (session.status !== "open") return
      // A processing payment is decided first.
      if (intent?.status === "processing") world.schedule(book, world.clock.millis() + 60_000, task)
      else expireSession(world, book, session)
      return
    }
    case "finishPayment": {
      const intent = book.get("payment_intent", task.intent)!
      if (intent.status === "processing") finish(world, book, intent)
      return
    }
    case "bookCharge":
      return bookCharge(world, book, task.charge)
    case "expireCharge": {
      const intent = book.get("payment_intent", book.get("charge", task.charge)!.payment_intent as string)!
      if (intent.status === "requires_capture") cancelIntent(world, book, intent, "automatic", "charge.expired")
      return
    }
    case "completeRefund":
      return void completeRefund(world, book, book.get("refund", task.refund)!)
    case "failRefund":
      return void failRefund(world, book, book.get("refund", task.refund)!, task.reason)
    case "decideDispute": {
      const dispute = book.get("dispute", task.dispute)!
      // Another stage may have begun meanwhile, with another submission.
      if (dispute.evidence_details.submission_count !== task.submission) return
      if (!dispute.status.endsWith("under_review")) return
      if (task.verdict === "escalated") escalate(world, book, dispute)
      else decideDispute(world, book, dispute, task.verdict)
      return
    }
    case "lapseDispute":
      return lapse(world, book, book.get("dispute", task.dispute)!)
  }
}
