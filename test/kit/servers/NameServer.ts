/** A real DNS server on a socket of this machine: it answers what the test has written into it. */
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { Effect } from "effect"

/** `silent`: no answer to any question about the name. `broken`: SERVFAIL. */
export interface Records {
  readonly TXT?: ReadonlyArray<string>
  readonly A?: ReadonlyArray<string>
  readonly CNAME?: string
  readonly is?: "silent" | "broken"
}

export interface NameServer {
  /** As `127.0.0.1:5353`. */
  readonly address: string
  /** By name. A name without an entry does not exist. */
  readonly zone: Map<string, Records>
  /** The names that were asked for, in small letters. */
  readonly asked: Array<string>
}

const types: Readonly<Record<number, "A" | "CNAME" | "TXT">> = { 1: "A", 5: "CNAME", 16: "TXT" }
const servfail = 2
const nxdomain = 3

export const nameServer = Effect.gen(function* () {
  const zone = new Map<string, Records>()
  const asked: Array<string> = []
  const socket = createSocket("udp4")
  socket.on("message", (query, from) => {
    const { end, name, type } = questionOf(query)
    asked.push(name)
    const records = zone.get(name)
    if (records?.is === "silent") return
    const code = records === undefined ? nxdomain : records.is === "broken" ? servfail : 0
    const found = code === 0 ? answersOf(records!, types[type]) : []
    const head = Buffer.alloc(12)
    query.copy(head, 0, 0, 2)
    // An answer, recursive, with its code.
    head.writeUInt16BE(0x8180 | code, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(found.length, 6)
    const rows = found.map((data) => {
      const row = Buffer.alloc(12)
      // The name is that of the question.
      row.writeUInt16BE(0xc00c, 0)
      row.writeUInt16BE(type, 2)
      row.writeUInt16BE(1, 4)
      row.writeUInt16BE(data.length, 10)
      return Buffer.concat([row, data])
    })
    socket.send(Buffer.concat([head, query.subarray(12, end), ...rows]), from.port, from.address)
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => {
      socket.bind(0, "127.0.0.1")
      return once(socket, "listening")
    }),
    () => Effect.callback<void>((resume) => void socket.close(() => resume(Effect.void)))
  )
  const server: NameServer = { address: `127.0.0.1:${socket.address().port}`, zone, asked }
  return server
})

const questionOf = (query: Buffer) => {
  const labels: Array<string> = []
  let at = 12
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

const answersOf = ({ A = [], CNAME, TXT = [] }: Records, type: "A" | "CNAME" | "TXT" | undefined) => {
  switch (type) {
    case "A":
      return A.map((address) => Buffer.from(address.split(".").map(Number)))
    case "CNAME":
      return CNAME === undefined ? [] : [nameIn(CNAME)]
    case "TXT":
      return TXT.map((text) => Buffer.from([text.length, ...Buffer.from(text)]))
    case undefined:
      return []
  }
}

const nameIn = (name: string) =>
  Buffer.concat([
    ...name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0])
  ])
