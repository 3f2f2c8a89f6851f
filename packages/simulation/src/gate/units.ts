/**
 * Units: what a session sends until it waits for an answer, and the substitutions in it: the machine's clock, process
 * ids, transaction ids and time limits are kept out of the world.
 */
import { boundOf, framed, letterOf, textAt } from "./wire.ts"

export interface Unit {
  readonly bytes: Buffer
  /** As the service sent it. */
  readonly original: Buffer
  readonly texts: ReadonlyArray<string>
  readonly isStartup: boolean
}

/** How long each may take, in virtual milliseconds. */
export interface Limits {
  readonly statement: number
  /** A wait for a lock. */
  readonly lock: number
  /** Between two units, outside of a transaction and in one. */
  readonly idle: number
  readonly idleInTransaction: number
}

/** Substitutes for the machine's own numbers. */
export interface Stands {
  /** The session's process id. */
  readonly pid: number
  /** The real id for a substitute. */
  readonly pidOf: (stand: number) => number
  /** The transaction id at the start of the world. */
  readonly firstTransaction: string
}

/** Substitute process ids start here: no real one is this large. */
export const pidBase = 9_000_000

const rewritten = (text: string, stands: Stands) =>
  text
    .replaceAll(/clock_timestamp\(\)|\bnow\(\)/gi, "(select now from sim.clock)")
    // Postgres' word for it is of the machine's time. No session is silent to it here.
    .replace("greatest(a.query_start, a.state_change)", "(select now from sim.clock)")
    .replace(/^\s*select pg_backend_pid\(\),/i, `select ${stands.pid}::int4 as pg_backend_pid,`)
    .replaceAll(/\bpid = (9\d{6})\b/g, (_, stand) => `pid = ${stands.pidOf(Number(stand))}`)
    .replaceAll("backend_xid::text", `(backend_xid::text::int8 - ${stands.firstTransaction})::text`)
    .replaceAll(
      /(\bset_config\('|\bset (?:local )?)(statement_timeout|lock_timeout|idle_session_timeout)/gi,
      "$1sim.$2"
    )
    .replaceAll(/\bset_config\(name,/gi, "set_config('sim.' || name,")

const changesData = /\b(insert|update|delete)\b/i
const ofTransactions =
  /^\s*(begin|start|commit|rollback|savepoint|release|listen|unlisten|set|create|alter|drop|vacuum)\b/i

export const writes = ({ texts }: Unit) => texts.some((text) => changesData.test(text))
export const usesClock = ({ texts }: Unit) => texts.some((text) => text.includes("sim.clock"))
export const listens = ({ texts }: Unit) => texts.some((text) => /^\s*listen\b/i.test(text))
/** Whether it is a transaction by itself, which may be committed later. */
export const isWhole = (unit: Unit) => writes(unit) && !unit.texts.some((text) => ofTransactions.test(text))

/** The limit that a statement sets for its session; undefined for others. */
const idleLimitOf = (text: string): number | undefined => {
  if (!text.includes("idle_session_timeout")) return undefined
  const [, millis] = /set_config\([^,]+, '(\d+)'/i.exec(text) ?? []
  return Number(millis ?? Infinity)
}

export const labelOf = ({ isStartup, texts }: Unit) =>
  isStartup ? "startup" : texts.map((text) => text.replaceAll(/\s+/g, " ").trim().slice(0, 90)).join(" ; ") || "(sync)"

/** Collects messages into units. It remembers prepared statements, since a Bind only names them. */
export class UnitReader {
  limits: Limits
  private frames: Array<Buffer> = []
  private originals: Array<Buffer> = []
  private texts: Array<string> = []
  private readonly statements = new Map<string, string>()
  private readonly stands: Stands

  constructor(stands: Stands, limits: Limits) {
    this.stands = stands
    this.limits = limits
  }

  add(frame: Buffer): Unit | undefined {
    this.originals.push(frame)
    this.frames.push(this.read(frame))
    if (!/[SQp]/.test(letterOf(frame))) return undefined
    const unit = {
      bytes: Buffer.concat(this.frames),
      original: Buffer.concat(this.originals),
      texts: this.texts,
      isStartup: false
    }
    this.frames = []
    this.originals = []
    this.texts = []
    return unit
  }

  private read(frame: Buffer): Buffer {
    switch (letterOf(frame)) {
      case "P": {
        const [name, afterName] = textAt(frame, 5)
        const [text, afterText] = textAt(frame, afterName)
        const changed = rewritten(text, this.stands)
        this.statements.set(name, changed)
        if (changed === text) return frame
        return framed("P", Buffer.concat([Buffer.from(`${name}\0${changed}\0`), frame.subarray(afterText)]))
      }
      case "B": {
        const { statement, values } = boundOf(frame)
        const text = this.statements.get(statement) ?? ""
        this.texts.push(text)
        if (text.includes("sim.statement_timeout")) {
          this.limits = { ...this.limits, statement: Number(values[0]), lock: Number(values[1]) }
        }
        this.limits = { ...this.limits, idle: idleLimitOf(text) ?? this.limits.idle }
        return frame
      }
      case "Q": {
        const [text] = textAt(frame, 5)
        const changed = rewritten(text, this.stands)
        this.texts.push(changed)
        this.limits = { ...this.limits, idle: idleLimitOf(text) ?? this.limits.idle }
        return changed === text ? frame : framed("Q", Buffer.from(`${changed}\0`))
      }
    }
    return frame
  }
}
