/**
 * A lazy list: nothing is fetched before it is read. `for await (const order of list)` reads all pages: newest first,
 * or, from `ending_before` on, oldest first, to follow new objects. `await list` is the first page.
 */

/** One page of the list. */
export interface ListData<Item> {
  readonly object: "list"
  readonly resource: string
  /** Whether another page follows in this direction. A short page may still be followed by one. */
  readonly has_more: boolean
  readonly url: string
  /** Newest first. */
  readonly data: ReadonlyArray<Item>
}

export interface Page<Item> extends ListData<Item> {
  /** The next page in the direction of the list; undefined after the last. */
  readonly next: () => Promise<Page<Item> | undefined>
}

/** The cursor of the next page. */
export type Cursor = { readonly starting_after: string } | { readonly ending_before: string }

type PageAt<Item> = (cursor: Cursor | undefined) => Promise<Page<Item>>

export class List<Item> implements AsyncIterable<Item>, PromiseLike<Page<Item>> {
  readonly #pageAt: PageAt<Item>
  readonly #isForward: boolean

  constructor(pageAt: PageAt<Item>, isForward: boolean) {
    this.#pageAt = pageAt
    this.#isForward = isForward
  }

  /** The first page. */
  page(): Promise<Page<Item>> {
    return this.#pageAt(undefined)
  }

  /** `await list` is its first page. */
  // oxlint-disable-next-line unicorn/no-thenable -- a list is awaited as other clients' lists are
  then<Found = Page<Item>, Failed = never>(
    found?: ((page: Page<Item>) => Found | PromiseLike<Found>) | null,
    failed?: ((cause: unknown) => Failed | PromiseLike<Failed>) | null
  ): Promise<Found | Failed> {
    return this.page().then(found, failed)
  }

  /** All pages, fetched as they are read. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let page: Page<Item> | undefined = await this.page()
    while (page !== undefined) {
      yield page
      page = await page.next()
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* this.#isForward ? data.toReversed() : data
  }
}

/** `fetch` requests the page at a cursor. `isForward`: towards the newest. */
export const listOf = <Item>(
  fetch: (cursor: Cursor | undefined) => PromiseLike<ListData<Item>>,
  idOf: (item: Item) => string,
  isForward: boolean
): List<Item> => {
  const after = ({ data, url }: ListData<Item>): Cursor => {
    const last = isForward ? data[0] : data.at(-1)
    // Without an object there is no cursor to continue from, and stopping here would hide the rest.
    if (last === undefined) throw new Error(`${url}: an empty page says that more follow`)
    return isForward ? { ending_before: idOf(last) } : { starting_after: idOf(last) }
  }
  const pageAt: PageAt<Item> = async (cursor) => {
    const page = await fetch(cursor)
    return { ...page, next: async () => (page.has_more ? pageAt(after(page)) : undefined) }
  }
  return new List(pageAt, isForward)
}
