/** The mail to a merchant about its own host, in English: its proof is gone, or it is no longer used. Pure. */
import { isoText } from "@coffer/model/isoText"
import { goesBackAt } from "@coffer/rules/shop/domain"
import type { Message } from "../../shared/mail/Mailer.ts"
import { plainMail } from "../../shared/mail/plainMail.ts"
import type { Merchant } from "../merchants/Merchants.ts"
import { messageOf } from "../merchants/MerchantView.ts"
import type { DueMail } from "./DomainStore.ts"

interface About {
  readonly merchant: Merchant
  readonly pointTo: ReadonlyArray<string>
  readonly to: string
}

export const domainMail = (row: DueMail, { merchant, pointTo, to }: About): Message => {
  const { host, mail, mail_of, problem } = row
  const until = goesBackAt(row)
  const why = problem === null ? [] : [messageOf[problem](host, pointTo.join(" or "))]
  return plainMail({
    // The same at every attempt, so that mail programs show it once.
    id: `host_${mail}_${merchant.merchant_id}_${isoText(mail_of).replaceAll(/\D/g, "")}`,
    to,
    subject: `${mail === "lost" ? `${host} is no longer used` : `${host} has lost its proof`}: ${merchant.name}`,
    paragraphs:
      mail === "lost"
        ? [
            `New links of ${merchant.name} no longer use ${host}. They use this service's own domain again.`,
            ...why,
            "Links that were already sent work as long as the domain points to this service and has a certificate.",
            "The console shows the record to set under Settings, where you can check it right away."
          ]
        : [
            `DNS no longer confirms that ${host} belongs to ${merchant.name}.`,
            ...why,
            ...(until === null
              ? []
              : [`It stays in use until ${isoText(until)}. After that, new links use this service's own domain.`]),
            "The console shows the record to set under Settings, where you can check it right away."
          ]
  })
}
