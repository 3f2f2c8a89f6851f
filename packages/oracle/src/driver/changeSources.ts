/** Changes the sources of modules that are loaded from now on, so that a fault is planted without changing the code. */
import { registerHooks } from "node:module"

export interface Change {
  readonly file: string
  readonly from: string
  readonly to: string
}

export const faultsNamed = <Fault>(faults: Readonly<Record<string, Fault>>, names: ReadonlyArray<string>) =>
  names.map((name) => {
    const fault = faults[name]
    if (fault === undefined) throw new Error(`no fault is called "${name}": ${Object.keys(faults).join(", ")}`)
    return fault
  })

export const changeSources = (changes: ReadonlyArray<Change>) => {
  registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context)
      for (const { file, from, to } of changes) {
        if (!url.endsWith(file)) continue
        const text = String(loaded.source)
        if (!text.includes(from)) throw new Error(`${file} has changed, and has no more: ${from}`)
        loaded.source = text.replaceAll(from, to)
      }
      return loaded
    }
  })
}
