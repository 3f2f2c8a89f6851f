/** Lines of JSON on a connection between two runners. */
import { nextTick } from "node:process"
import type { Duplex } from "node:stream"
import { Result } from "effect"

/** The length of a line, in bytes. A connection with a longer one is closed. */
export const lineMax = 16 * 1_024 * 1_024

const newline = 10

interface Heard {
  /** False if the line cannot be parsed. */
  readonly line: (value: unknown) => boolean
  /** Something has arrived. */
  readonly heard?: () => void
  /** A line could not be understood. The connection is closed. */
  readonly broken: () => void
}

export const lines = (socket: Duplex, { broken, heard, line }: Heard): void => {
  /** The beginning of a line whose end has not arrived yet. */
  let begun: Array<Buffer> = []
  let size = 0

  const fail = () => {
    socket.off("data", take).destroy()
    broken()
  }
  const take = (bytes: Buffer) => {
    heard?.()
    const end = bytes.lastIndexOf(newline)
    size = (end === -1 ? size : 0) + bytes.length - 1 - end
    if (size > lineMax) return fail()
    if (end === -1) return void begun.push(bytes)
    const whole = begun.length === 0 ? bytes.subarray(0, end) : Buffer.concat([...begun, bytes.subarray(0, end)])
    begun = end + 1 === bytes.length ? [] : [bytes.subarray(end + 1)]
    for (const text of whole.toString().split("\n")) if (!isUnderstood(text, line)) return fail()
  }
  socket.on("data", take)
}

const isUnderstood = (text: string, line: Heard["line"]): boolean => {
  const value = parsed(text)
  return Result.isSuccess(value) && line(value.success)
}

const parsed = (text: string) => Result.try((): unknown => JSON.parse(text))

/** Writes lines. Those of one turn of the event loop are one write. */
export const lineWriter = (socket: Duplex) => {
  let waiting = ""
  const flush = () => {
    const text = waiting
    waiting = ""
    if (socket.writable) socket.write(text)
  }
  return (value: ReadonlyArray<unknown>): void => {
    if (waiting === "") nextTick(flush)
    waiting += `${JSON.stringify(value)}\n`
  }
}
