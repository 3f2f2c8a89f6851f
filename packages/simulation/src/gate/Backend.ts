/** A real session of Postgres behind one of the world. It runs one unit at a time, and detects waits for locks. */
import type { Socket } from "node:net"
import { real } from "../machine.ts"
import type { Client } from "./Client.ts"
import { errorOf, Frames, letterOf } from "./wire.ts"

export interface Answer {
  /** Called with everything for the service except notifications. */
  readonly frames: ReadonlyArray<Buffer>
  /** `I` outside of a transaction, `T` in one, `E` in one that has failed, and "" where the session has ended. */
  readonly status: string
  readonly error: { readonly code: string; readonly message: string } | undefined
}

/** How long a statement may take in real time before its locks are checked. */
const patienceMillis = 4
/** The pauses between two looks double: frequent ones would keep a busy Postgres from its work. */
const longer = 2

export class Backend {
  pid: number | undefined
  /** What it was begun with, and the answer. */
  startup: Buffer | undefined
  begun: Answer | undefined
  /** Received notifications that were not forwarded yet. */
  notices: Array<Buffer> = []
  answer: Answer | undefined
  private socket: Socket | undefined
  private readonly path: string
  private readonly frames = new Frames()
  private frameList: Array<Buffer> = []
  private error: Answer["error"]
  private isStopped = false
  private hear: (() => void) | undefined
  private readonly control: Client

  constructor(path: string, control: Client) {
    this.control = control
    this.path = path
  }

  send(bytes: Buffer) {
    this.answer = undefined
    this.error = undefined
    this.frameList = []
    this.startup ??= bytes
    this.socket ??= this.connect()
    this.socket.write(bytes)
  }

  /** Sends a unit that waits for no lock, and returns the answer. */
  async ask(bytes: Buffer): Promise<Answer> {
    this.send(bytes)
    await this.whenDone()
    return this.answer!
  }

  whenDone() {
    return new Promise<void>((resolve) => this.whenAnswered(resolve))
  }

  /** True when it has answered, false when it waits for a lock. The result does not depend on speed. */
  answeredOrBlocked(): Promise<boolean> {
    return new Promise((resolve, reject) => {
      let isOver = false
      this.whenAnswered(() => {
        isOver = true
        resolve(true)
      })
      let patience = patienceMillis
      const look = async () => {
        if (isOver) return
        if (this.pid !== undefined && (await this.isBlocked()) && !isOver) {
          isOver = true
          this.hear = undefined
          return resolve(false)
        }
        patience *= longer
        real.setTimeout(() => look().catch(reject), patience)
      }
      real.setTimeout(() => look().catch(reject), patience)
    })
  }

  async isBlocked() {
    return (await this.control.value(`select cardinality(pg_blocking_pids(${this.pid}))`)) !== "0"
  }

  /** A waiting session continues when the gate decides, not when Postgres does: two would race. */
  freeze() {
    if (this.pid === undefined || this.isStopped) return
    this.isStopped = true
    process.kill(this.pid, "SIGSTOP")
  }

  thaw() {
    if (this.pid === undefined || !this.isStopped) return
    this.isStopped = false
    process.kill(this.pid, "SIGCONT")
  }

  /** After this its locks are released: the connection is closed by the end of its process. */
  async end() {
    const { pid, socket } = this
    if (socket === undefined || socket.destroyed) return
    if (pid === undefined) return void socket.destroy()
    const closed = new Promise((resolve) => socket.once("close", resolve))
    try {
      process.kill(pid, "SIGTERM")
    } catch {
      // Another session has ended it, and its connection is about to close.
    }
    this.thaw()
    await closed
  }

  private connect() {
    const socket = real.connect({ path: this.path })
    socket.on("data", (bytes: Buffer) => this.read(bytes))
    socket.on("error", () => this.finish(""))
    socket.on("close", () => this.finish(""))
    return socket
  }

  private whenAnswered(hear: () => void) {
    if (this.answer === undefined) this.hear = hear
    else hear()
  }

  private read(bytes: Buffer) {
    this.frames.add(bytes)
    for (let frame = this.frames.take(1); frame !== undefined; frame = this.frames.take(1)) this.hearFrame(frame)
  }

  private hearFrame(frame: Buffer) {
    switch (letterOf(frame)) {
      case "K":
        this.pid = frame.readInt32BE(5)
        break
      case "N":
        return
      case "A": {
        const notice = Buffer.from(frame)
        notice.writeInt32BE(0, 5)
        this.notices.push(notice)
        return
      }
      case "E":
        this.error = errorOf(frame)
        break
      case "Z":
        this.frameList.push(frame)
        this.finish(String.fromCharCode(frame[5]!))
        return
    }
    this.frameList.push(frame)
  }

  private finish(status: string) {
    if (this.answer !== undefined) return
    this.answer = { frames: this.frameList, status, error: this.error }
    this.begun ??= this.answer
    const { hear } = this
    this.hear = undefined
    hear?.()
  }
}
