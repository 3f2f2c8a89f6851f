/**
 * Sessions that wait for a lock. Each is frozen until its lock is free, and they continue in their order of arrival,
 * without a race. Time-outs and deadlocks are simulated here, in virtual time.
 */
import { machinery } from "../owners.ts"
import type { WorldTimer } from "../WorldTimer.ts"
import type { Gate } from "./Gate.ts"
import type { Session } from "./Session.ts"
import * as wire from "./wire.ts"

interface Parked {
  readonly answered: () => Promise<void>
  readonly timer: WorldTimer
}

const messages: Readonly<Record<string, string>> = {
  "55P03": "canceling statement due to lock timeout",
  "57014": "canceling statement due to user request",
  "40P01": "deadlock detected"
}

export class Locks {
  private readonly parked = new Map<Session, Parked>()
  private readonly gate: Gate

  constructor(gate: Gate) {
    this.gate = gate
  }

  isParked(session: Session) {
    return this.parked.has(session)
  }

  forget(session: Session) {
    const parked = this.parked.get(session)
    if (parked !== undefined) parked.timer.isLive = false
    this.parked.delete(session)
  }

  /** `answered` is called when it has continued. */
  async park(session: Session, answered: () => Promise<void>) {
    const { world } = this.gate
    const { lock, statement } = session.reader.limits
    session.backend.freeze()
    session.note("waits for a lock")
    world.mark("a session waited for a lock")
    if (this.parked.size > 0) world.mark("several sessions waited for locks")
    this.markTableChange(session)
    const end = () => {
      if (this.parked.get(session)?.timer !== timer) return
      this.gate.perform(() => this.cancel(session, lock <= statement ? "55P03" : "57014"))
    }
    const millis = Math.min(lock, statement, 3_600_000)
    const timer = world.after(millis, () => world.lane(session, end, machinery), machinery)
    this.parked.set(session, { answered, timer })
    const circle = await this.circleOf(session)
    if (circle.length > 0) await this.cancel(this.gate.weather.dice.pick(circle), "40P01")
  }

  private markTableChange(session: Session) {
    const changing = [...this.gate.sessions.values()].find((each) => each !== session && each.changesTable)
    if (changing === undefined) return
    const isQueue = this.parked.has(changing)
    this.gate.world.mark(isQueue ? "a lock queue behind a changed table" : "a session waited for a changed table")
  }

  /** Ends its wait. It may have got its lock meanwhile, and then has the normal answer. */
  async cancel(session: Session, code: string) {
    const parked = this.parked.get(session)
    if (parked === undefined) return
    const { backend } = session
    this.forget(session)
    backend.thaw()
    await this.gate.control.query(`select pg_cancel_backend(${backend.pid})`)
    await backend.whenDone()
    const { answer } = backend
    if (answer?.error?.code === "57014") {
      const error = { code, message: messages[code]! }
      const frames = answer.frames.map((frame) =>
        wire.letterOf(frame) === "E" ? wire.errorResponse(code, error.message) : frame
      )
      backend.answer = { ...answer, frames, error }
    }
    await parked.answered()
  }

  /** Continues sessions whose locks are free, until all have answered or wait again. */
  async resume() {
    for (let session = await this.free(); session !== undefined; session = await this.free()) {
      const { answered } = this.parked.get(session)!
      const { backend } = session
      this.forget(session)
      session.note("goes on")
      backend.thaw()
      if (await backend.answeredOrBlocked()) await answered()
      else await this.park(session, answered)
    }
  }

  private async free() {
    for (const session of this.parked.keys()) if (!(await session.backend.isBlocked())) return session
    return undefined
  }

  /** The parked sessions in a deadlock with this one. */
  private async circleOf(session: Session): Promise<ReadonlyArray<Session>> {
    const byPid = new Map([...this.parked.keys()].map((each) => [String(each.backend.pid), each]))
    const waitsFor = new Map<Session, ReadonlyArray<Session>>()
    for (const [pid, each] of byPid) {
      const rows = await this.gate.control.query(`select unnest(pg_blocking_pids(${pid}))`)
      waitsFor.set(
        each,
        rows.flatMap(([blocker]) => byPid.get(blocker!) ?? [])
      )
    }
    const walk = (path: ReadonlyArray<Session>): ReadonlyArray<Session> => {
      for (const next of waitsFor.get(path.at(-1)!) ?? []) {
        if (next === session) return path
        const found = path.includes(next) ? [] : walk([...path, next])
        if (found.length > 0) return found
      }
      return []
    }
    return walk([session])
  }
}
