/** How long the stop of this process may take, in milliseconds. Then it is cut short (commandLine.ts). */
let millis = 9_000

export const get = (): number => millis

/** For a process that waits for others as it stops. */
export const set = (longer: number) => {
  millis = longer
}
