/** Which visitors to a payment link are treated as programs, judged only by their request (silences: L4). */
import { assert, describe, it } from "@effect/vitest"
import { looksAhead } from "../../src/door/checkout/looksAhead.ts"
import { people, previewers } from "../http/links/agents.ts"

const isAhead = (headers: Record<string, string>, visited = { isSecure: true, isLimited: true }) =>
  looksAhead({ method: "GET", headers: headers as never }, visited)
const opened = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", "sec-fetch-site": "none" }

describe("a visit to a payment link that can be used up, by HTTPS", () => {
  it("is a person's for each browser that says how the page was opened", () => {
    for (const [name, agent] of Object.entries(people)) {
      assert.isFalse(isAhead({ "user-agent": agent, ...opened }), name)
    }
  })

  it("is a program's for each previewer, whatever it says of how the page was opened", () => {
    for (const [name, agent] of Object.entries(previewers)) {
      assert.isTrue(isAhead({ "user-agent": agent, ...opened }), name)
    }
  })

  it("is a program's when Chrome or Firefox does not say it, as with scanners of mails", () => {
    for (const name of ["Chrome on Windows", "Firefox on Linux"])
      assert.isTrue(isAhead({ "user-agent": people[name]! }))
  })

  it("is a person's when a browser does not say it that never did", () => {
    for (const name of ["Safari on a Mac", "Chrome on an iPhone", "Opera Mini", "a browser without a name"]) {
      assert.isFalse(isAhead({ "user-agent": people[name]! }), name)
    }
  })

  it("is a person's without it by HTTP, where no browser says it, and for a link without max_uses", () => {
    const headers = { "user-agent": people["Chrome on Windows"]! }
    assert.isFalse(isAhead(headers, { isSecure: false, isLimited: true }))
    assert.isFalse(isAhead(headers, { isSecure: true, isLimited: false }))
  })
})
