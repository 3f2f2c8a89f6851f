/** The table of traditional characters. The build fills it from all texts (`scripts/traditional.ts`). */
import type { Table } from "./characters.ts"

export const table: Table = { characters: "", phrases: {} }
