/** A session of the service with Postgres: its units go through the gate one after the other, each in its own time. */
import { hash } from "node:crypto"
import { machinery } from "../owners.ts"
import type { WorldSocket } from "../WorldSocket.ts"
import type { Answer, Backend } from "./Backend.ts"
import type { Gate } from "./Gate.ts"
import { labelOf, type Limits, listens, pidBase, type Unit, UnitReader } from "./units.ts"
import * as wire from "./wire.ts"

export class Session {
  backend: Backend
  /** The runner at its other end. */
  readonly owner: number
  reader: UnitReader
  /** The unit in Postgres, or in transit. */
  unit: Unit | undefined
  /** The state as the service knows it: outside of a transaction by default. */
  status = "I"
  isListening = false
  /** Whether it has notified others in a transaction that is not committed yet. */
  hasNotified = false
  /** Whether it is changing a table, or waits for that. */
  changesTable = false
  /** The service gets no more messages from it. */
  isDropped = false
  /** Whether its unit is in transit to Postgres. */
  isOnItsWay = false
  /** The answer to send once the gate has committed its transaction for the unit. */
  held: Answer | undefined
  /** Whether its connection breaks before the answer. */
  losesAnswer = false
  /** Counts its units, for the limits of idleness. */
  private turn = 0
  private readonly frames = new wire.Frames()
  private readonly units: Array<Unit> = []
  private isStarted = false
  private readonly gate: Gate
  private readonly socket: WorldSocket
  readonly no: number

  constructor(gate: Gate, socket: WorldSocket, no: number) {
    this.gate = gate
    this.socket = socket
    this.no = no
    this.owner = socket.peer.owner
    this.reader = this.readerWith(unlimited)
    this.backend = gate.backend()
    socket.on("data", (bytes: Buffer) => this.read(bytes))
    for (const end of ["error", "close", "end"]) socket.on(end, () => this.drop())
    socket.whenPeerCloses = () => this.drop()
  }

  get isBusy() {
    return this.unit !== undefined
  }

  note(line: string) {
    this.gate.world.note(`s${this.no} ${line}`)
  }

  /** Sends the unit's answer to the service. */
  deliver({ error, frames: own, status }: Answer) {
    const { gate } = this
    const frames = own.map((frame) => (wire.letterOf(frame) === "K" ? wire.keyFrame(pidBase + this.no) : frame))
    this.note(`< ${gate.shown(Buffer.concat(frames))}${error === undefined ? "" : ` ${error.code} ${error.message}`}`)
    if (error !== undefined) gate.world.mark(`Postgres said ${error.code}`)
    this.status = status
    if (this.isDropped) return gate.end(this)
    if (this.losesAnswer) {
      this.note("is cut before the answer")
      return this.cut()
    }
    this.watchIdle()
    this.send(Buffer.concat([...this.takeNotices(), ...frames]), () => {
      this.unit = undefined
      if (status === "") this.socket.end()
      else this.next()
    })
  }

  /** Notifications between two units. */
  deliverNotices() {
    const notices = this.takeNotices()
    if (notices.length === 0) return
    this.gate.world.mark("a runner was notified")
    this.note(`is notified ${wire.shown(Buffer.concat(notices))}`)
    this.send(Buffer.concat(notices), () => {})
  }

  /** As after a network failure. Postgres may still run the unit. */
  cut() {
    this.socket.destroy()
    const { peer } = this.socket
    // What the runner does about it is its own step: it dies with the runner.
    this.gate.world.lane(this, () => peer.reset(), peer.owner)
    this.drop()
  }

  private drop() {
    if (this.isDropped) return
    this.isDropped = true
    this.units.length = 0
    this.gate.dropped(this, this.socket.wasKilled)
  }

  /** Postgres ends a session that sends nothing for too long. The service learns it when it reads again. */
  private watchIdle() {
    const { idle, idleInTransaction } = this.reader.limits
    const millis = this.status === "I" ? idle : idleInTransaction
    if (!Number.isFinite(millis)) return
    const { turn } = this
    const { world } = this.gate
    const end = () => {
      if (this.turn !== turn || this.isDropped) return
      const [code, state] = this.status === "I" ? ["57P05", "a session"] : ["25P03", "a transaction"]
      this.note(`has been idle for ${millis} ms`)
      world.mark(`Postgres ended ${state} that was idle`)
      this.socket.write(wire.errorResponse(code, "terminating connection due to idle timeout", "FATAL"))
      this.socket.end()
      this.isDropped = true
      this.units.length = 0
      this.gate.end(this)
    }
    world.after(millis, () => world.lane(this, end, machinery), machinery)
  }

  private takeNotices() {
    const { notices } = this.backend
    this.backend.notices = []
    return notices
  }

  private send(bytes: Buffer, then: () => void) {
    const { world } = this.gate
    world.after(this.gate.latency(), () =>
      world.lane(
        this,
        () => {
          if (!this.isDropped) this.socket.write(bytes)
          then()
        },
        machinery
      )
    )
  }

  private readerWith(limits: Limits) {
    const { firstTransaction, pidOf } = this.gate
    return new UnitReader({ pid: pidBase + this.no, pidOf, firstTransaction }, limits)
  }

  private read(bytes: Buffer) {
    this.frames.add(bytes)
    for (;;) {
      const frame = this.frames.take(this.isStarted ? 1 : 0)
      if (frame === undefined) return
      if (!this.isStarted) this.begin(frame)
      else if (wire.letterOf(frame) === "X") this.drop()
      else this.queue(this.reader.add(frame))
    }
  }

  private begin(frame: Buffer) {
    const code = frame.readInt32BE(4)
    if (code === wire.tlsRequest) {
      this.socket.write("N")
      return
    }
    if (code === wire.cancelRequest) {
      this.note(`asks to cancel ${frame.readInt32BE(8)}`)
      this.gate.cancelFor(frame.readInt32BE(8) - pidBase)
      this.socket.end()
      return
    }
    this.isStarted = true
    const parameters = wire.parametersOf(frame)
    const millis = (name: string) =>
      Number((parameters.find(([key]) => key === name)?.[1] ?? "Infinity").replace(/(\d)s$/, "$1000"))
    this.reader = this.readerWith({
      ...unlimited,
      statement: millis("statement_timeout"),
      lock: millis("lock_timeout"),
      idleInTransaction: millis("idle_in_transaction_session_timeout")
    })
    // Real time limits would end statements whenever the machine is slow.
    const kept = parameters
      .filter(([name]) => !/timeout|keepalive/.test(name))
      .map(([name, value]) => [name, name === "database" ? this.gate.database : value] as const)
    this.queue({ bytes: wire.startup(kept), original: frame, texts: [], isStartup: true })
  }

  private queue(unit: Unit | undefined) {
    if (unit === undefined) return
    this.units.push(unit)
    this.next()
  }

  private next() {
    if (this.isDropped || this.isBusy) return
    const unit = this.units.shift()
    if (unit === undefined) return
    this.unit = unit
    this.isOnItsWay = true
    const { world } = this.gate
    world.after(this.gate.latency() + this.gate.delayOf(this, unit), () => {
      if (!this.isDropped) this.arrive(unit)
    })
  }

  /** It reaches Postgres, unless the connection is cut. */
  arrive(unit: Unit) {
    const { gate } = this
    gate.world.lane(
      this,
      () => {
        if (!this.isOnItsWay || (this.isDropped && !gate.isLeft(this))) return
        this.isOnItsWay = false
        this.turn++
        this.note(`> ${labelOf(unit)} ${gate.shown(unit.original)}`)
        if (listens(unit)) this.isListening = true
        this.changesTable = unit.texts.some((text) => text.startsWith("alter table"))
        gate.take(this, unit)
      },
      machinery
    )
  }
}

const unlimited = { statement: Infinity, lock: Infinity, idle: Infinity, idleInTransaction: Infinity }

/** The trace records a hash of the bytes. */
export const digestOf = (bytes: Buffer | string) => hash("sha256", bytes, "hex").slice(0, 12)
