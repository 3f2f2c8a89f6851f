/** Mostly read-only objects: charges, the balance, events, files, and the account. */
import { Result } from "effect"
import type Stripe from "stripe"
import { asOf, newAccount, newBalance } from "../objects/balance.ts"
import { emit } from "../acts/events.ts"
import { type Outcome, refuse } from "../wire/failure.ts"
import type { Upload } from "../wire/form.ts"
import type { Call, Operations } from "./Call.ts"
import { changedMetadata, find } from "./common.ts"
import { list } from "./list.ts"

/** A file of evidence may have 5 MB. */
const sizeMax = 5_000_000
const typesAllowed: Readonly<Record<string, string>> = {
  pdf: "application/pdf",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  png: "image/png"
}

export const others: Operations<
  | "GET /v1/account"
  | "GET /v1/balance"
  | "GET /v1/balance_transactions"
  | "GET /v1/balance_transactions/:id"
  | "GET /v1/charges"
  | "GET /v1/charges/:id"
  | "POST /v1/charges/:id"
  | "GET /v1/events"
  | "GET /v1/events/:id"
  | "GET /v1/files"
  | "POST /v1/files"
  | "GET /v1/files/:id"
> = {
  "GET /v1/account": {
    simulates: ["expand"],
    run: ({ book, world }) => Result.succeed(newAccount(book.account, world.accountOf(book).currency))
  },
  "GET /v1/balance": {
    simulates: ["expand"],
    run: ({ book, world }) => {
      const transactions = book.newest("balance_transaction")
      return Result.succeed(newBalance(transactions, world.seconds(), book.livemode))
    }
  },
  "GET /v1/balance_transactions": {
    simulates: ["created", "currency", "ending_before", "expand", "limit", "source", "starting_after", "type"],
    run: (call, params) =>
      Result.map(
        list(call, "balance_transaction", params, {
          parent: params.source,
          where: ({ currency, type }) =>
            (params.currency === undefined || currency === params.currency) &&
            (params.type === undefined || type === params.type)
        }),
        (page) => ({
          ...page,
          data: (page as Stripe.ApiList<Stripe.BalanceTransaction>).data.map((each) => asOf(each, call.world.seconds()))
        })
      )
  },
  "GET /v1/balance_transactions/:id": {
    simulates: ["expand"],
    run: (call) => Result.map(find(call, "balance_transaction"), (each) => asOf(each, call.world.seconds()))
  },
  "GET /v1/charges": {
    simulates: ["created", "ending_before", "expand", "limit", "payment_intent", "starting_after"],
    run: (call, params) => list(call, "charge", params, { parent: params.payment_intent })
  },
  "GET /v1/charges/:id": { simulates: ["expand"], run: (call) => find(call, "charge") },
  "POST /v1/charges/:id": {
    simulates: ["description", "expand", "metadata"],
    run: (call, params) =>
      Result.gen(function* () {
        const charge = yield* find(call, "charge")
        const metadata = yield* changedMetadata(charge.metadata, params.metadata)
        const changed = call.book.put("charge", {
          ...charge,
          metadata,
          description: params.description ?? charge.description
        })
        emit(call.world, call.book, "charge.updated", changed)
        return changed
      })
  },
  "GET /v1/events": {
    simulates: ["created", "delivery_success", "ending_before", "expand", "limit", "starting_after", "type", "types"],
    run: (call, params) => list(call, "event", params, { where: (event) => isWanted(event, params) })
  },
  "GET /v1/events/:id": { simulates: ["expand"], run: (call) => find(call, "event") },
  "GET /v1/files": {
    simulates: ["created", "ending_before", "expand", "limit", "purpose", "starting_after"],
    run: (call, params) =>
      list(call, "file", params, { where: ({ purpose }) => params.purpose === undefined || purpose === params.purpose })
  },
  "POST /v1/files": { simulates: ["expand", "file", "purpose"], run: (call, params) => upload(call, params) },
  "GET /v1/files/:id": { simulates: ["expand"], run: (call) => find(call, "file") }
}

const isWanted = (event: Stripe.Event, { delivery_success, type, types }: Stripe.EventListParams): boolean =>
  (type === undefined || matches(event.type, type)) &&
  (types === undefined || types.includes(event.type)) &&
  (delivery_success === undefined || (event.pending_webhooks === 0) === delivery_success)

/** `charge.*` matches every type with this prefix. */
export const matches = (type: string, wanted: string): boolean =>
  wanted === "*" || (wanted.endsWith("*") ? type.startsWith(wanted.slice(0, -1)) : type === wanted)

/** The parts as read by the server: the bytes and the file name. */
const upload = ({ book, world }: Call, params: Stripe.FileCreateParams): Outcome<object> => {
  const { data, name } = params.file as unknown as Upload
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ""
  if (data.length === 0) return refuse("The file is empty.", { param: "file" })
  if (params.purpose === "dispute_evidence") {
    if (typesAllowed[extension] === undefined) return refuse("The file must be a PDF, JPEG or PNG.", { param: "file" })
    if (data.length > sizeMax) return refuse(`The file can have at most ${sizeMax} bytes.`, { param: "file" })
  }
  const id = world.newId("file")
  book.put("x.content", { id, base64: Buffer.from(data).toString("base64") })
  const file: Stripe.File = {
    id,
    object: "file",
    created: world.seconds(),
    expires_at: null,
    filename: name,
    links: { object: "list", data: [], has_more: false, url: `/v1/file_links?file=${id}` },
    purpose: params.purpose as Stripe.File.Purpose,
    size: data.length,
    title: null,
    type: extension === "" ? null : extension,
    url: `${world.settings.url}/v1/files/${id}/contents`
  }
  return Result.succeed(book.put("file", file))
}
