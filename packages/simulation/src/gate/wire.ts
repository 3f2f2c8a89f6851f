/** Messages of Postgres' protocol, version 3: parsed from a stream, and the few that the gate creates. */

export const protocolVersion = 196_608
export const cancelRequest = 80_877_102
export const tlsRequest = 80_877_103

/** Splits a stream into messages. A client's first message has no type byte. */
export class Frames {
  private rest: Buffer = Buffer.alloc(0)

  add(bytes: Buffer) {
    this.rest = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes])
  }

  take(letters: 0 | 1): Buffer | undefined {
    if (this.rest.length < letters + 4) return undefined
    const length = letters + this.rest.readInt32BE(letters)
    if (this.rest.length < length) return undefined
    const frame = this.rest.subarray(0, length)
    this.rest = this.rest.subarray(length)
    return frame
  }
}

export const letterOf = (frame: Buffer) => String.fromCharCode(frame[0]!)

export const framed = (letter: string, body: Buffer) => {
  const head = Buffer.alloc(letter.length + 4)
  head.write(letter, "latin1")
  head.writeInt32BE(body.length + 4, letter.length)
  return Buffer.concat([head, body])
}

export const query = (text: string) => framed("Q", Buffer.from(`${text}\0`))

/** The first message of a session: its parameters by name. */
export const startup = (parameters: ReadonlyArray<readonly [string, string]>) => {
  const version = Buffer.alloc(4)
  version.writeInt32BE(protocolVersion)
  const texts = parameters.map(([name, value]) => `${name}\0${value}\0`).join("")
  return framed("", Buffer.concat([version, Buffer.from(`${texts}\0`)]))
}

export const parametersOf = (frame: Buffer): ReadonlyArray<readonly [string, string]> => {
  const texts = frame.toString("utf8", 8).split("\0")
  const pairs: Array<readonly [string, string]> = []
  for (let place = 0; place + 1 < texts.length && texts[place] !== ""; place += 2) {
    pairs.push([texts[place]!, texts[place + 1]!])
  }
  return pairs
}

/** The process id and the key with which a client asks to cancel. */
export const keyFrame = (pid: number) => {
  const body = Buffer.alloc(8)
  body.writeInt32BE(pid, 0)
  body.writeInt32BE(7, 4)
  return framed("K", body)
}

export const ready = (status: string) => framed("Z", Buffer.from(status))

export const errorResponse = (code: string, message: string, severity = "ERROR") =>
  framed("E", Buffer.from(`S${severity}\0V${severity}\0C${code}\0M${message}\0\0`))

/** The SQLSTATE and the message of an ErrorResponse. */
export const errorOf = (frame: Buffer): { readonly code: string; readonly message: string } => {
  const fields = frame.toString("utf8", 5).split("\0")
  const field = (letter: string) => fields.find((text) => text.startsWith(letter))?.slice(1) ?? ""
  return { code: field("C"), message: field("M") }
}

/** A zero-terminated text, and the position after it. */
export const textAt = (frame: Buffer, start: number): readonly [string, number] => {
  const end = frame.indexOf(0, start)
  return [frame.toString("utf8", start, end), end + 1]
}

/** The columns of a DataRow, as text. */
export const columnsOf = (frame: Buffer): ReadonlyArray<string | null> => {
  const columns: Array<string | null> = []
  let place = 7
  for (let count = frame.readInt16BE(5); count > 0; count--) {
    const length = frame.readInt32BE(place)
    place += 4
    columns.push(length < 0 ? null : frame.toString("utf8", place, place + length))
    place += Math.max(0, length)
  }
  return columns
}

/** The parameters of a Bind, as text, and the name of its statement. */
export const boundOf = (
  frame: Buffer
): { readonly statement: string; readonly values: ReadonlyArray<string | null> } => {
  const [, afterPortal] = textAt(frame, 5)
  const [statement, afterStatement] = textAt(frame, afterPortal)
  let place = afterStatement + 2 + 2 * frame.readInt16BE(afterStatement)
  const values: Array<string | null> = []
  let count = frame.readInt16BE(place)
  place += 2
  for (; count > 0; count--) {
    const length = frame.readInt32BE(place)
    place += 4
    values.push(length < 0 ? null : frame.toString("utf8", place, place + length))
    place += Math.max(0, length)
  }
  return { statement, values }
}

/** As a person can read it. */
export const shown = (bytes: Buffer) => bytes.toString("latin1").replaceAll(/[^ -~]+/g, ".")
