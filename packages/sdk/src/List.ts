/**
 * A list. Nothing is asked before somebody reads. `for await (const order of list)` goes through all of it, page after
 * page: newest first, or, from `ending_before` on, oldest first, as whoever follows what happens wants it.
 */

/** One page as the service answers it. */
export interface ListData<Item> {
  readonly object: "list"
  readonly resource: string
  /** Whether another page follows in this direction. A short page does not say so. */
  readonly has_more: boolean
  readonly url: string
  /** Newest first. */
  readonly data: ReadonlyArray<Item>
}

export interface Page<Item> extends ListData<Item> {
  /** The page after this one in the direction of the list; undefined after the last. */
  readonly next: () => Promise<Page<Item> | undefined>
}

/** Where the next page begins. */
export type Cursor = { readonly starting_after: string } | { readonly ending_before: string }

export class List<Item> implements AsyncIterable<Item> {
  readonly #fetch: (cursor: Cursor | undefined) => Promise<ListData<Item>>
  readonly #idOf: (item: Item) => string
  readonly #isForward: boolean

  /** `isForward`: towards the newest. */
  constructor(
    fetch: (cursor: Cursor | undefined) => Promise<ListData<Item>>,
    idOf: (item: Item) => string,
    isForward: boolean
  ) {
    this.#fetch = fetch
    this.#idOf = idOf
    this.#isForward = isForward
  }

  /** The first page. */
  page(): Promise<Page<Item>> {
    return this.#pageAt(undefined)
  }

  /** Page after page, as long as somebody asks. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let page: Page<Item> | undefined = await this.page()
    while (page !== undefined) {
      yield page
      page = await page.next()
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* this.#isForward ? [...data].reverse() : data
  }

  async #pageAt(cursor: Cursor | undefined): Promise<Page<Item>> {
    const page = await this.#fetch(cursor)
    return { ...page, next: async () => (page.has_more ? this.#pageAt(this.#after(page)) : undefined) }
  }

  #after({ data, url }: ListData<Item>): Cursor {
    const last = this.#isForward ? data[0] : data.at(-1)
    // Without an object there is no place to go on from, and to stop here would hide the rest.
    if (last === undefined) throw new Error(`${url}: an empty page says that more follow`)
    return this.#isForward ? { ending_before: this.#idOf(last) } : { starting_after: this.#idOf(last) }
  }
}
