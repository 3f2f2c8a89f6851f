/** The languages of checkout and receipts (spec: Order, locale). */
import { Schema } from "effect"

export const Locale = Schema.Literals(["zh", "en"])
