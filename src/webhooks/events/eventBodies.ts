/**
 * Bodies of events as they are stored: deflated with a dictionary of the text that all events share, so that little
 * more than the event's own data remains (docs/decisions/0024). The first byte is the dictionary's number. A dictionary
 * is never changed, since stored events are read with it: another one gets another number.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib"

const time = "2026-01-01T00:00:00.000Z"
const dictionaries: ReadonlyArray<Buffer> = [
  // The most frequent words come last.
  '"event_type":"payment.failed"payment.expiredpayment.duplicate_refunded"event_type":"refund.failed"dispute.' +
    'createddispute.updateddispute.wondispute.lostdispute.closed"status":"needs_response""under_review"' +
    `{"object":"event","id":"evt_","type":"dispute.created","mode":"live","created_at":"${time}","sequence":1,` +
    '"data":{"object":{"object":"dispute","dispute_no":"dsp_","trade_no":"TRD_","merchant_id":"mer_",' +
    '"processor_dispute_id":"dp_","amount":,"fee":null,"currency":"HKD","status":"won",' +
    '"processor_status":"needs_response","reason":"fraudulent","mode":"live","funds_frozen":true,' +
    `"evidence_due_by":"${time}","opened_at":"${time}","closed_at":null,"created_at":"${time}",` +
    `"updated_at":"${time}"},"trade_no":"TRD_","dispute_no":"dsp_","amount":` +
    '{"object":"refund","refund_no":"RFD_","trade_no":"TRD_","out_refund_no":"","merchant_id":"mer_","amount":,' +
    '"requested_amount":,"currency":"CNY","status":"pending","failure_reason":null,"metadata":{},' +
    `"settled_at":"${time}",` +
    '"},"event_id":"evt_","event_type":"refund.succeeded"}' +
    `{"object":"event","id":"evt_","type":"payment.succeeded","mode":"sandbox","created_at":"${time}","sequence":2,` +
    '"data":{"object":{"object":"order","trade_no":"TRD_SB_","out_trade_no":"","merchant_id":"mer_","amount":,"fee":,' +
    '"net_amount":,"refunded_amount":0,"currency":"USD","subject":null,"status":"paid","mode":"sandbox",' +
    '"payment_id":"pay_","payment_method":"card","refundable_until":null,"checkout_url":"https:///checkout/TRD_SB_.",' +
    `"expires_at":"${time}","notify_url":null,"return_url":null,"metadata":{},"paid_at":"${time}",` +
    `"created_at":"${time}","receipt_url":"https:///receipts/TRD_SB_.0","receipt_number":null,"receipt_email":null,` +
    '"receipt_sent_at":null,"locale":null},"trade_no":"TRD_SB_","out_trade_no":"","amount":,"currency":"USD",' +
    '"status":"paid"},"event_id":"evt_","event_type":"payment.succeeded"}'
].map((text) => Buffer.from(text))

/** Most events fit. Node's own chunk is taken from the system each time, this one from its pool. */
const chunkSize = 4_096
/** Small tables: setting up large ones takes longer than deflating an event. */
const options = { level: 1, memLevel: 4, windowBits: 12, chunkSize: 2_048 }
const newest = dictionaries.length - 1

/** In hexadecimal digits. */
export const pack = (body: string): string => {
  const bytes = deflateRawSync(body, { ...options, dictionary: dictionaries[newest] })
  return newest.toString(16).padStart(2, "0") + bytes.toString("hex")
}

/** A stored event: packed, or as text where it was stored before there was a dictionary. */
export interface StoredBody {
  readonly body: string | null
  readonly packed: Uint8Array | null
}

export const bodyOf = ({ body, packed }: StoredBody): string => {
  if (packed === null) return body ?? ""
  return inflateRawSync(packed.subarray(1), { chunkSize, dictionary: dictionaries[packed[0]!] }).toString()
}
