/** Waiting mails, their budgets, and their worker. */
import { Layer } from "effect"
import { jobs } from "../../platform/jobs/Opening.ts"
import * as ConfirmedAddresses from "./ConfirmedAddresses.ts"
import * as MailBudget from "./MailBudget.ts"
import * as Mailer from "./Mailer.ts"
import * as MailJobs from "./MailJobs.ts"
import * as MailStore from "./MailStore.ts"
import * as Outbox from "./Outbox.ts"

export const layer = jobs(MailJobs.layer).pipe(
  Layer.provideMerge(Layer.merge(Outbox.layer, ConfirmedAddresses.layer)),
  Layer.provideMerge(MailBudget.layer),
  Layer.provideMerge(Layer.merge(Mailer.layer, MailStore.layer))
)
