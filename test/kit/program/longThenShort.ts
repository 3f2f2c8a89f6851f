/**
 * A program whose one place for objects makes many that live long and then many that do not, as a start and requests do
 * (docs/decisions/0210). It prints how many bytes of the latter became old.
 */
import { oldBytesOf, someObject } from "../run/heap.ts"

const made = (value: object) => ({ name: "made", value, next: undefined })

const kept: Array<object> = []
for (let count = 0; count < 400_000; count++) kept.push(made({ count }))
const old = await oldBytesOf(() => made(someObject()))
console.log(JSON.stringify({ kept: kept.length, old }))
