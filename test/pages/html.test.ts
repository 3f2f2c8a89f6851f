/** Markup from templates: nothing that a merchant or a buyer writes is ever markup. */
import { assert, describe, it } from "@effect/vitest"
import { html } from "../../src/shared/pages/html.ts"

describe("pages: html", () => {
  it("escapes what is put in, in text and in attributes", () => {
    const hostile = `<img src=x onerror="alert('1')">&amp;`
    const escaped = "&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;amp;"
    assert.strictEqual(html`<p title="${hostile}">${hostile}</p>`.markup, `<p title="${escaped}">${escaped}</p>`)
  })

  it("does not escape a template inside a template again", () => {
    const inner = html`<b>${"a & b"}</b>`
    assert.strictEqual(html`<p>${inner}</p>`.markup, "<p><b>a &amp; b</b></p>")
    assert.strictEqual(html`${[inner, inner]}`.markup, "<b>a &amp; b</b><b>a &amp; b</b>")
  })

  it("leaves out what is undefined and writes numbers as they are", () => {
    assert.strictEqual(html`[${undefined}${0}]`.markup, "[0]")
  })

  it("takes nothing for finished markup because it looks like it", () => {
    const forged = { markup: "<script>" } as never
    assert.notInclude(html`${[forged]}`.markup, "<script>")
  })
})
