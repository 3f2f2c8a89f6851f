/**
 * Plays programs on a service and on their oracles, and compares everything that a merchant can see. Programs that are
 * played abreast have merchants of their own and one clock: all call at once, until all come to a step at which time
 * passes.
 */
import { seconds } from "../values.ts"
import type { Difference } from "./compare.ts"
import { type Found, Game } from "./Game.ts"
import type { Marks } from "./marks.ts"
import { passOn } from "./passing.ts"
import { type Place, Unanswered } from "./place.ts"
import { spanOf, type Step, stepsOfTime } from "./programs.ts"

export interface Failure {
  readonly step: number
  readonly kind: string
  readonly difference: Difference
  readonly story: ReadonlyArray<string>
}

export interface Way {
  /** The books are compared after each step. */
  readonly isSharp: boolean
  /** Ends the programs early. */
  readonly signal: AbortSignal
}

/** The first difference of each program, in their order. */
export const playAbreast = async (
  place: Place,
  programs: ReadonlyArray<ReadonlyArray<Step>>,
  marks: Marks,
  { isSharp = false, signal }: Partial<Way> = {}
): Promise<ReadonlyArray<Failure | undefined>> => {
  const games = await Promise.all(programs.map((_, index) => Game.begin(place, marks, index)))
  const failures: Array<Failure | undefined> = programs.map(() => undefined)
  const length = Math.max(...programs.map((program) => program.length))
  const isCutShort = () => signal?.aborted === true
  let at = 0

  const onAll = (act: (game: Game, program: ReadonlyArray<Step>) => Promise<Found | undefined>) =>
    Promise.all(
      games.map(async (game, index) => {
        if (failures[index] !== undefined) return
        const found = await act(game, programs[index]!).catch(cutOff)
        if (found === undefined) return
        failures[index] = { ...found, step: game.played - 1, story: game.story }
        if (game.erasing !== undefined) game.erasing = undefined
      })
    )
  const oracles = () => games.map(({ oracle }) => oracle)
  /** `lately`: only what should have something new. */
  const readAll = (lately: boolean, areMeant: (game: Game) => boolean = () => true) =>
    onAll(async (game) =>
      areMeant(game) ? ((await game.readBooks("books", lately)) ?? (await game.readPosts())) : undefined
    )
  /** Minutes, if nothing of the buyer is in progress. */
  const finishErasures = async () => {
    for (let tries = 0; games.some(({ erasing }) => erasing !== undefined); tries++) {
      await passOn(place, oracles(), 20 * seconds)
      await onAll((game) => game.readErasure(tries >= 40))
    }
  }

  for (let end = 0; at < length && !isCutShort(); at = end) {
    const next = programs[0]!.findIndex(({ does }, index) => index >= at && does === "pass")
    const until = next === -1 ? length : next
    await onAll(async (game, program) => {
      for (const step of program.slice(at, until)) {
        if (isCutShort()) return undefined
        const found = await game.step(step)
        if (found !== undefined) return found
        if (programs.length === 1 && game.erasing !== undefined) {
          const away = await game.bringBack()
          if (away !== undefined) return away
          await finishErasures()
          if (failures[0] !== undefined) return failures[0]
        }
        if (!isSharp) continue
        await place.rest()
        const sharp = await game.readBooks("books")
        if (sharp !== undefined) return sharp
      }
      return undefined
    })
    const isLast = next === -1
    const segment = Math.floor(at / stepsOfTime)
    await place.rest()
    // Most books are read after time has passed: events and rows have the times at which they were made. An erasure
    // changes events.
    if (isLast || segment % 4 === 3) await readAll(false)
    else await readAll(true, ({ erasing }) => erasing !== undefined)
    if (isLast || segment % 8 === 7) await onAll((game) => game.readSurfaces())
    await onAll((game) => game.bringBack())
    await finishErasures()
    end = until + 1
    if (isLast) continue
    const span = spanOf(programs[0]![next]!)
    await onAll(async (game) => game.note(`${span / seconds} seconds pass`))
    await passOn(place, oracles(), span)
    await place.rest()
    await readAll(true)
  }
  await Promise.all(games.map((game, index) => game.leave(failures[index] === undefined)))
  return failures
}

export const play = async (place: Place, program: ReadonlyArray<Step>, marks: Marks, way: Partial<Way> = {}) =>
  (await playAbreast(place, [program], marks, way))[0]

export const isCutOff = "cut off"

/**
 * A call that was answered with 503 late, or with 502 for a bank that is reachable, or whose connection was lost:
 * whether it was carried out is unknown, so the program ends, and is neither equal nor different.
 */
const cutOff = (error: unknown): Found => ({
  kind: error instanceof Unanswered ? isCutOff : "the driver fails",
  difference: { at: "connection", expected: "an answer", actual: String(error) }
})
