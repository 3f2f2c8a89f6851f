/**
 * Which large answers are built now (docs/decisions/0014; silences: U19). The values take several times the bytes, and
 * the number of bytes is unknown before they are read. So a request first reserves the objects that it may read, and
 * waits if there is no room. Parties are served in turn, live ones first.
 */
import { Effect } from "effect"
import type { Visit } from "./Admission.ts"

/** Objects that are read and serialized at once. A page has 100 at most, of 100 kB at most. */
export const rowsMax = 600
/** The limit of one party: two large pages, or ten usual ones. */
export const rowsOfOneMax = 200

type Whose = Pick<Visit, "group" | "party">

interface Request {
  readonly rows: number
  readonly begin: () => void
}

interface Line {
  readonly whose: Whose
  rows: number
  readonly waiting: Array<Request>
}

export interface Building {
  /** Waits for its turn. `begin` is called when it has come: from then on the party holds these rows. */
  readonly take: (whose: Whose, rows: number, begin: () => void) => Effect.Effect<void>
  readonly give: (whose: Whose, rows: number) => void
  /** Looks again whether an answer may begin. */
  readonly serve: () => void
}

/** `mayBegin`: whether a party has read enough of its earlier answers. */
export const make = (mayBegin: (whose: Whose) => boolean): Building => {
  const lines = { live: new Map<string, Line>(), others: new Map<string, Line>() }
  let all = 0

  const linesOf = ({ group }: Whose) => (group === "live" || group === "operator" ? lines.live : lines.others)
  const nameOf = ({ group, party }: Whose) => `${group} ${party}`

  const lineOf = (whose: Whose): Line => {
    const some = linesOf(whose)
    const known = some.get(nameOf(whose))
    if (known !== undefined) return known
    const line: Line = { whose, rows: 0, waiting: [] }
    some.set(nameOf(whose), line)
    return line
  }

  const forget = ({ rows, waiting, whose }: Line) => {
    if (rows === 0 && waiting.length === 0) linesOf(whose).delete(nameOf(whose))
  }

  /** The first line that may begin, in their order. A request that does not fit yet keeps the room for itself. */
  const next = (some: Map<string, Line>): Line | "full" | undefined => {
    for (const line of some.values()) {
      const [first] = line.waiting
      if (first === undefined || (line.rows > 0 && line.rows + first.rows > rowsOfOneMax)) continue
      if (!mayBegin(line.whose)) continue
      return all > 0 && all + first.rows > rowsMax ? "full" : line
    }
    return undefined
  }

  const serve = () => {
    for (;;) {
      const line = next(lines.live) ?? next(lines.others)
      if (line === undefined || line === "full") return
      const some = linesOf(line.whose)
      some.delete(nameOf(line.whose))
      some.set(nameOf(line.whose), line)
      const { begin, rows } = line.waiting.shift()!
      line.rows += rows
      all += rows
      begin()
    }
  }

  return {
    take: (whose, rows, begin) =>
      Effect.callback((resume) => {
        const line = lineOf(whose)
        const request: Request = {
          rows,
          begin: () => {
            begin()
            resume(Effect.void)
          }
        }
        line.waiting.push(request)
        serve()
        return Effect.sync(() => {
          const place = line.waiting.indexOf(request)
          if (place >= 0) line.waiting.splice(place, 1)
          forget(line)
          serve()
        })
      }),
    give: (whose, rows) => {
      const line = lineOf(whose)
      line.rows -= rows
      all -= rows
      forget(line)
      serve()
    },
    serve
  }
}
