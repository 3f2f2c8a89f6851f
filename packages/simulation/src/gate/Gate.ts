/**
 * A proxy on the wire between the service and Postgres: one unit at a time runs in Postgres, in the seed's order, while
 * the world is paused. A session that waits for a lock is parked until the lock is free, or its time is over.
 */
import { machine } from "../machine.ts"
import type { Weather } from "../Weather.ts"
import { machinery } from "../owners.ts"
import type { World } from "../World.ts"
import type { WorldSocket } from "../WorldSocket.ts"
import { type Answer, Backend } from "./Backend.ts"
import type { Client } from "./Client.ts"
import { Locks } from "./Locks.ts"
import type { Refusal } from "./Refusal.ts"
import { digestOf, Session } from "./Session.ts"
import { Spares } from "./Spares.ts"
import { isWhole, labelOf, pidBase, type Unit, usesClock, writes } from "./units.ts"
import * as wire from "./wire.ts"

export interface Options {
  /** Where the service looks for Postgres, and where it is. */
  readonly port: number
  readonly socket: string
  readonly database: string
  readonly control: Client
  readonly weather: Weather
  readonly firstTransaction: string
  /** What a text names that notifies: the function itself, a table whose trigger calls it. */
  readonly notifying: RegExp
  /** Whether the trace has all bytes, and not only their hash. */
  readonly showsBytes: boolean
}

/** A statement that has come more often is not aimed at. */
const seenMax = 2
/** Part of the name of a session that listens. */
const listener = " listener"
const tooMany = { code: "53300", message: "sorry, too many clients already" }

/** Of a unit: before Postgres begins with it, or after it is done. */
export type Side = "before" | "after"

export class Gate {
  readonly sessions = new Map<number, Session>()
  readonly locks: Locks
  units = 0
  refusal: Refusal | undefined
  /** The runner that gets no session to listen in. */
  deaf: number | undefined
  /** Called when a unit reaches Postgres, and when it is done and not yet answered: true kills its runner. */
  crashes: ((unit: Unit, side: Side) => boolean) | undefined
  private readonly left = new Set<Session>()
  private readonly spares = new Spares()
  /** How often each text has come while something could go wrong. */
  private readonly occurrences = new Map<string, number>()
  private count = 0
  private working: Promise<void> = Promise.resolve()

  readonly world: World
  private readonly options: Options

  constructor(world: World, options: Options) {
    this.world = world
    this.options = options
    this.locks = new Locks(this)
    world.network.postgres = {
      port: options.port,
      accept: (socket: WorldSocket) => {
        const no = ++this.count
        this.sessions.set(no, new Session(this, socket, no))
      }
    }
  }

  get database() {
    return this.options.database
  }
  get control() {
    return this.options.control
  }
  get weather() {
    return this.options.weather
  }
  get firstTransaction() {
    return this.options.firstTransaction
  }

  backend() {
    return new Backend(this.options.socket, this.options.control)
  }

  readonly pidOf = (stand: number) => this.sessions.get(stand - pidBase)?.backend.pid ?? 0

  shown(bytes: Buffer) {
    return this.options.showsBytes ? wire.shown(bytes) : `${bytes.length} ${digestOf(bytes)}`
  }

  /** The delay to Postgres or back: rarely long. */
  latency() {
    const drawn = this.world.dice.below(1_000)
    return drawn < 990 ? 0.05 + (drawn % 50) / 50 : 5 + drawn / 10
  }

  delayOf(session: Session, unit: Unit) {
    if (unit.isStartup || !writes(unit) || !this.weather.happens("slow", () => nameOf(session, unit))) return 0
    this.world.mark("a statement was slow on its way")
    return 3_000 + this.weather.dice.below(5_000)
  }

  /** From now on. If new sessions are refused, the existing ones have to reconnect. */
  refuse(refusal: Refusal | undefined) {
    this.refusal = refusal
    if (refusal?.isOfStartups !== true) return
    const open = [...this.sessions.values()]
    for (const session of open) session.cut()
  }

  /** The runner hears nothing until this is called again without it. */
  deafen(runner: number | undefined) {
    this.deaf = runner
    for (const session of this.sessions.values()) {
      if (session.isListening && session.owner === runner) session.cut()
    }
  }

  /** A unit has arrived. */
  take(session: Session, unit: Unit) {
    this.units++
    if (this.kills(session, unit, "before")) return
    if (!unit.isStartup && !session.isDropped && this.isCut(session, unit)) {
      session.losesAnswer = this.weather.dice.chance(0.5)
      this.world.mark(session.losesAnswer ? "an answer was lost" : "a statement was lost")
      if (!session.losesAnswer) {
        session.note("is cut before Postgres has it")
        return session.cut()
      }
    }
    const isDeaf = session.owner === this.deaf && unit.isStartup && unit.original.includes(listener)
    const refused = isDeaf ? tooMany : this.refusal?.refused(unit)
    if (refused !== undefined && unit.isStartup) {
      const frames = [wire.errorResponse(refused.code, refused.message, "FATAL")]
      return session.deliver({ frames, status: "", error: refused })
    }
    const bytes = refused === undefined ? unit.bytes : wire.query(raising(refused.code, refused.message))
    const isLate =
      refused === undefined &&
      session.status === "I" &&
      isWhole(unit) &&
      this.weather.happens("late", () => nameOf(session, unit))
    this.perform(() => this.run(session, unit, bytes, isLate))
  }

  private isCut(session: Session, unit: Unit) {
    const { weather } = this
    const about = () => nameOf(session, unit)
    if (weather.happens("cut", about)) return true
    if (!writes(unit)) return false
    const text = unit.texts.join()
    const times = weather.isOn ? (this.occurrences.get(text) ?? 0) : seenMax
    if (weather.isOn) this.occurrences.set(text, times + 1)
    return times < seenMax && weather.happens("aim", about)
  }

  private kills({ owner }: Session, unit: Unit, side: Side) {
    if (this.crashes?.(unit, side) !== true) return false
    this.world.kill(owner)
    return true
  }

  /** The work of one step in Postgres, with all that follows from it at once. One such work comes after the other. */
  perform(work: () => Promise<void>) {
    const next = async () => {
      await work()
      await this.locks.resume()
    }
    this.working = this.working.then(next).catch((error: unknown) => this.world.fail(error))
    void this.world.holding(() => this.working)
  }

  private async run(session: Session, unit: Unit, bytes: Buffer, isLate: boolean) {
    const spare = unit.isStartup ? this.spares.take(bytes) : undefined
    if (spare !== undefined) {
      session.backend = spare
      spare.answer = spare.begun
      return this.answered(session, false)
    }
    const { backend } = session
    if (usesClock(unit)) {
      await this.control.query(`update sim.clock set now = to_timestamp(${this.world.now / 1_000})`)
    }
    if (isLate) await backend.ask(wire.query("begin"))
    backend.send(bytes)
    if (await backend.answeredOrBlocked()) await this.answered(session, isLate)
    else await this.locks.park(session, () => this.answered(session, isLate))
  }

  private async answered(session: Session, isLate: boolean) {
    const answer = session.backend.answer!
    const unit = session.unit!
    if (this.kills(session, unit, "after")) return
    session.hasNotified ||= unit.texts.some((text) => this.options.notifying.test(text))
    if (!isLate) {
      session.deliver(answer)
      return this.spreadNotices(session, answer.status)
    }
    if (answer.status !== "T") {
      await session.backend.ask(wire.query("rollback"))
      return session.deliver(outside(answer))
    }
    this.hold(session, answer)
  }

  /** The unit has run and keeps its locks: its commit comes later, or it times out first. */
  private hold(session: Session, answer: Answer) {
    const { dice } = this.weather
    const millis = dice.chance(0.9) ? 1 + dice.below(400) : 1_000 + dice.below(5_000)
    const { statement } = session.reader.limits
    session.held = outside(answer)
    session.note(`holds its locks for ${millis} ms`)
    this.world.mark("a commit was late")
    const end = () => {
      if (session.held === undefined) return
      this.perform(millis < statement ? () => this.commit(session) : () => this.rollBack(session, "57014"))
    }
    this.world.after(Math.min(millis, statement), () => this.world.lane(session, end, machinery), machinery)
  }

  private async commit(session: Session) {
    const { backend, held } = session
    session.held = undefined
    session.note("commits late")
    backend.send(wire.query("commit"))
    const done = async () => {
      const { error, frames } = backend.answer!
      const failure = { frames: [...frames.filter((frame) => wire.letterOf(frame) === "E"), wire.ready("I")] }
      session.deliver(error === undefined ? held! : { ...failure, status: "I", error })
      await this.spreadNotices(session, "I")
    }
    if (await backend.answeredOrBlocked()) return done()
    this.world.mark("a commit waited for a lock")
    await this.locks.park(session, done)
  }

  /** As after a time-out or a cancellation. */
  private async rollBack(session: Session, code: string) {
    session.held = undefined
    await session.backend.ask(wire.query("rollback"))
    this.world.mark("a late commit was cancelled")
    const error = { code, message: "canceling statement due to statement timeout" }
    session.deliver({ frames: [wire.errorResponse(code, error.message), wire.ready("I")], status: "I", error })
  }

  /** Requests of a client outside its session. */
  cancelFor(no: number) {
    const session = this.sessions.get(no)
    if (session === undefined) return
    if (session.held !== undefined) this.perform(() => this.rollBack(session, "57014"))
    else if (this.locks.isParked(session)) this.perform(() => this.locks.cancel(session, "57014"))
  }

  /** The service has closed a session, or has died. What it sent before may still run, even much later. */
  dropped(session: Session, wasKilled: boolean) {
    const { world } = this
    const { unit } = session
    if (machine.world !== world || world.isStopped) return
    const isInPostgres = session.held !== undefined || this.locks.isParked(session)
    const isUnderWay = wasKilled && session.isOnItsWay && unit?.isStartup === false
    if ((isInPostgres || isUnderWay) && this.weather.isOn && this.weather.dice.chance(0.7)) {
      this.left.add(session)
      world.mark(isUnderWay ? "a dead runner's statement came late" : "a statement outlived its connection")
      if (isUnderWay) world.after(this.weather.dice.below(12_000), () => session.arrive(unit), machinery)
      return
    }
    session.held = undefined
    this.end(session)
  }

  /** Whether something that a dead runner or a closed session has sent is still to be done. */
  get hasLeft() {
    return this.left.size > 0
  }

  /** Whether its unit continues without it. */
  isLeft(session: Session) {
    return this.left.has(session)
  }

  /** Its locks and its row in `pg_stat_activity` are gone when the world continues. */
  end(session: Session) {
    this.left.delete(session)
    this.locks.forget(session)
    if (!this.sessions.delete(session.no)) return
    this.perform(() => this.spares.keep(session.backend))
  }

  /** Listeners are notified of a commit before anything else happens: an empty unit confirms that. */
  private async spreadNotices(from: Session, status: string) {
    if (!from.hasNotified || status === "T") return
    from.hasNotified = false
    for (const session of this.sessions.values()) {
      if (!session.isListening || session.isBusy || session.isDropped) continue
      await session.backend.ask(wire.query(""))
      session.deliverNotices()
    }
  }

  /** Ends everything left of a world. */
  async close() {
    await this.working
    const rest = [...this.sessions.values()]
    this.sessions.clear()
    for (const { backend } of rest) await backend.end()
    await this.spares.end()
  }
}

const nameOf = (session: Session, unit: Unit) => `session ${session.no}: ${labelOf(unit).slice(0, 60)}`

/** A transaction opened by the gate is invisible to the service. */
const outside = ({ error, frames }: Answer): Answer => ({
  frames: [...frames.filter((frame) => wire.letterOf(frame) !== "Z"), wire.ready("I")],
  status: "I",
  error
})

const raising = (code: string, message: string) =>
  `do $$ begin raise exception '${message}' using errcode = '${code}'; end $$`
