/** The machine's own client, for the gate and the laws: trusted, one simple query at a time, in text format. */
import type { Duplex } from "node:stream"
import { real } from "../machine.ts"
import { columnsOf, errorOf, Frames, letterOf, query, startup } from "./wire.ts"

export type Row = ReadonlyArray<string | null>

interface Waiting {
  readonly resolve: (rows: ReadonlyArray<Row>) => void
  readonly reject: (error: Error) => void
}

export class Client {
  private readonly socket: Duplex
  private readonly frames = new Frames()
  private readonly waiting: Array<Waiting> = []
  private rows: Array<Row> = []
  private error: Error | undefined
  /** Why the connection is gone, which nothing will say to a later query. */
  private ended: Error | undefined

  private constructor(socket: Duplex, user: string, database: string) {
    this.socket = socket
    socket.once("connect", () =>
      socket.write(
        startup([
          ["user", user],
          ["database", database],
          ["application_name", "gate"]
        ])
      )
    )
    socket.on("data", (bytes: Buffer) => this.read(bytes))
    const fail = (error: Error) => {
      this.ended ??= error
      for (const { reject } of this.waiting.splice(0)) reject(error)
    }
    socket.on("error", fail)
    socket.on("close", () => fail(new Error("the connection has ended")))
  }

  static async open(socket: string, user: string, database: string) {
    return Client.over(real.connect({ path: socket }), user, database)
  }

  /** On a connection that is about to be open, such as one in a world. */
  static async over(socket: Duplex, user: string, database: string) {
    const client = new Client(socket, user, database)
    await client.answered()
    return client
  }

  query(text: string) {
    if (this.ended !== undefined) return Promise.reject(this.ended)
    this.socket.write(query(text))
    return this.answered()
  }

  /** The first column of the first row. */
  async value(text: string) {
    const [row] = await this.query(text)
    return row?.[0] ?? undefined
  }

  end() {
    this.socket.end()
  }

  private answered() {
    return new Promise<ReadonlyArray<Row>>((resolve, reject) => this.waiting.push({ resolve, reject }))
  }

  private read(bytes: Buffer) {
    this.frames.add(bytes)
    for (let frame = this.frames.take(1); frame !== undefined; frame = this.frames.take(1)) {
      const letter = letterOf(frame)
      if (letter === "D") this.rows.push(columnsOf(frame))
      if (letter === "E") this.error = new Error(errorOf(frame).message)
      if (letter === "Z" || (letter === "E" && this.waiting.length === 0)) this.finish()
    }
  }

  private finish() {
    const { error, rows } = this
    this.rows = []
    this.error = undefined
    const next = this.waiting.shift()
    if (error === undefined) next?.resolve(rows)
    else next?.reject(error)
  }
}
