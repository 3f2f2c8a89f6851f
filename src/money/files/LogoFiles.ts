/** The merchants' logos among the uploaded files (docs/architecture.md, section 7; silences: K7). */
import { logoBytesMax, logoSideMax } from "@coffer/model/Limits"
import { imageSize } from "@coffer/rules/files/imageSize"
import { InvalidField } from "@coffer/rules/InvalidField"
import { Effect, Layer, Option, Stream } from "effect"
import { Logos } from "../../access/merchants/Logos.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { Files } from "./Files.ts"
import { filesSettings } from "./filesSettings.ts"

export const layer = Layer.effect(
  Logos,
  Effect.gen(function* () {
    const files = yield* Files
    const { filesUrl } = (yield* Settings).of(filesSettings)
    const base = `${filesUrl}/`

    const bytesOf = Effect.fnUntraced(function* (name: string) {
      const content = yield* files.open(name)
      const chunks = Option.isSome(content) ? yield* Stream.runCollect(content.value) : []
      return Buffer.concat(Array.from(chunks))
    })

    return Logos.of({
      urlOf: (name) => base + name,
      nameOf: Effect.fnUntraced(function* (merchantId, url) {
        const name = url.startsWith(base) ? url.slice(base.length) : ""
        yield* files.willBeNamed(name)
        const file = Option.getOrUndefined(yield* files.find(name))
        if (file === undefined || file.merchantId !== merchantId) return yield* refuse(isNoFile)
        if (file.contentType === "application/pdf") return yield* refuse("must be a PNG or a JPEG")
        if (file.size > logoBytesMax) return yield* refuse(`must not be larger than ${logoBytesMax} bytes`)
        const size = imageSize(yield* bytesOf(name))
        if (size === undefined) return yield* refuse("must be a complete image")
        if (Math.max(size.width, size.height) > logoSideMax)
          return yield* refuse(`must have at most ${logoSideMax} pixels on each side`)
        return name
      })
    })
  })
)

const isNoFile = "must be the URL of a file uploaded for this merchant"
const refuse = (problem: string) => Effect.fail(new InvalidField({ param: "logo_url", problem }))
