/** Mails that wait, and who sends them. */
import { Layer } from "effect"
import * as Mailer from "./Mailer.ts"
import * as MailStore from "./MailStore.ts"

export const layer = Layer.merge(Mailer.layer, MailStore.layer)
