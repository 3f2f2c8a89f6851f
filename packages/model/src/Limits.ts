/**
 * Every number that the specification promises, once (docs/specification.md, Limits). Schemas, rules and workers import
 * these numbers; they are written nowhere else.
 */
import { Duration } from "effect"

/** Amount of an order, minor units (spec: Limits). */
export const orderAmountMin = 1
export const orderAmountMax = 100_000_000_000

/** Characters, counted as Unicode code points (silences: O4, O7). */
export const outTradeNoLengthMax = 128
export const subjectLengthMax = 255

/** The reason of a refund, in characters (silences: R12). */
export const refundReasonLengthMax = 500

/** Metadata (spec: Metadata). */
export const metadataKeysMax = 50
export const metadataKeyLengthMax = 40
export const metadataValueLengthMax = 500

/** When checkout stops accepting payment, counted from creation (spec: Limits). */
export const checkoutValidity = Duration.hours(24)

/** How far the clock of a sandbox may be ahead in all; ours (silences: T1). */
export const sandboxClockMax = Duration.days(5 * 365)

/** Addresses that merchants give us; ours, since the specification is silent. */
export const urlLengthMax = 2048
/** Characters of the URL of a shop's terms or privacy policy (silences: K14). */
export const shopLinkLengthMax = 255
export const businessAddressLengthMax = 255
export const taxIdLengthMax = 64
/** Characters of a shop's own host for checkout: that of its TXT record has eight more, and 253 at most. */
export const shopHostLengthMax = 245
export const emailLengthMax = 254

/** Mails that a sandbox may send on one day of real time, and addresses that it may send to; ours (silences: O42). */
export const sandboxMailsPerDayMax = 100
export const mailRecipientsMax = 20

/** List pages (spec: List conventions). */
export const pageSizeMin = 1
export const pageSizeMax = 100
export const pageSizeDefault = 20

/** Seconds that a list waits for a newer row; ours (silences: E9). Proxies give an answer half a minute and more. */
export const waitSecondsMax = 25

/** Unapplied payments that an order of the sandbox keeps; ours (silences: O41). */
export const unappliedPaymentsMax = 20

/** Declined attempts of one order within this time; then a lockout until it is over (silences: O13). */
export const paymentDeclinesMax = 10
export const paymentDeclinesWindow = "10 minutes"

/** Failed attempts that an order keeps, the newest; ours (silences: O70). */
export const paymentAttemptsMax = 50

/** The receiver answers 2xx within this (spec: Limits). */
export const webhookAcknowledgement = "10 seconds"

/** Delay of each redelivery after the failure before it (spec: Events; silences: W7). */
export const webhookRedeliveryDelays = [
  "30 seconds",
  "2 minutes",
  "10 minutes",
  "30 minutes",
  "2 hours",
  "6 hours"
] as const

/** How long an old secret keeps signing (spec: Limits), and how many old ones may (silences: W10). */
export const secretOverlap = Duration.hours(24)
export const oldSecretsMax = 5

/** Webhook endpoints of a merchant in one environment (silences: W4), and characters of a description. */
export const endpointsMax = 16
export const endpointDescriptionLengthMax = 500

/** The tolerance of receivers for a signature's timestamp (spec: Limits). */
export const signatureTolerance = "300 seconds"

/** A form of the checkout, which has seven short fields: bytes and fields (silences: G6). */
export const checkoutFormBytesMax = 4 * 1024
export const checkoutFormFieldsMax = 16

/** Parameters of a query: 50 metadata filters, and each other one several times (silences: G6). */
export const queryParametersMax = 100

/** One file of evidence, bytes (spec: Limits). */
export const fileBytesMax = 10 * 1024 * 1024

/** All files of a merchant in one environment, bytes; ours (silences: D23). */
export const filesBytesMax = { sandbox: 512 * 1024 * 1024, live: 20 * 1024 * 1024 * 1024 } as const
/** How long a file is kept that is used by neither evidence nor a logo. */
export const unnamedFileKept = Duration.days(7)

/** A merchant's logo: bytes, and pixels on each side (silences: K7). */
export const logoBytesMax = 256 * 1024
export const logoSideMax = 2_048

/** Seconds between showing success and leaving for `return_url` (spec: Orders). */
export const checkoutRedirectSeconds = 5

/** Requests a minute, for a merchant in one environment, each kind counted by itself (spec: Limits; silences: U1). */
export const writesPerMinuteMax = 120
export const readsPerMinuteMax = 600
export const csvExportsPerMinuteMax = 10
/** Calls of the sandbox's test helpers; ours (silences: U22). */
export const helpersPerMinuteMax = 600
export const quotaWindow = "60 seconds"
/** Receipts that are sent on request for one order within the window (spec: Limits). */
export const receiptSendsMax = 5
export const receiptWindow = "1 hour"
/** Visits to payment links from one address within the window. */
export const linkVisitsMax = 20

/** Keys with scopes that work at once, of a merchant in one environment. */
export const scopedKeysMax = 50
export const passkeyNameLengthMax = 60
export const keyNameLengthMax = 100
/** How long an old secret of a key may overlap the new one, and how many old ones may work at once. */
export const keyOverlapMinutesMax = 24 * 60
export const oldKeySecretsMax = 5
/** Reports of leaked keys from one address within a minute. */
export const leakReportsMax = 30

/** Reports; ours (docs/reports.md). Days of one that is answered at once, and of one that is a file. */
export const reportDaysAtOnceMax = 31
export const reportDaysMax = 1_100
/** Movements that a report answered at once may read. */
export const reportLinesAtOnceMax = 5_000
/** For a merchant in one environment: reports in progress, reports kept, and bytes of their files. */
export const reportsPendingMax = 10
export const reportsKeptMax = 100
export const reportsBytesMax = { sandbox: 256 * 1024 * 1024, live: 4 * 1024 * 1024 * 1024 } as const
/** Bytes of one file. */
export const reportBytesMax = { sandbox: 64 * 1024 * 1024, live: 1024 * 1024 * 1024 } as const
/** How long a report is kept. */
export const reportKept = Duration.days(7)

/** Rows of one CSV file; further rows are not returned (spec: Limits). */
export const csvRowsMax = 10_000

/** Evidence of a dispute, in characters and files (spec: Limits). */
export const evidenceTextLengthMax = 5_000
export const evidenceFilesMax = 8

/** A dispute's reason, in characters; ours, since channels use short words. */
export const disputeReasonLengthMax = 255

/** How far the operator may raise one merchant's quota. */
export const quotaOverrideMax = 1_000_000

/** Calls of one account to its acquirer in a second that an operator may set. */
export const callsASecondMax = 10_000

/** How long a closed merchant's keys and people may still read and refund (silences: U30). */
export const closedReads = "90 days"

/** Concurrent erasures of an account: each scans all its calls of thirty days. */
export const erasuresMax = 10
