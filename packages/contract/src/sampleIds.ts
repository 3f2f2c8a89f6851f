/**
 * Numbers of the examples in the published documents. Every example in them names the same merchant and the same order.
 */
export const sampleIds = {
  merchant: "mer_01KAJ4T0Z8M4Y6Q2W9XN3RVC7D",
  order: "TRD_SB_01KAJ4V7C5H2B8GT6KQE9PSY3M",
  payment: "pay_01KAJ4XQ2R7D5NVW8M3B6TCJ9E",
  dispute: "dsp_01KAP5YH5J2C6X9M4W7RQTE8ZB",
  ledger: "LED_01KAJ4XQ3A9F1SG4H7P2YKZM5C",
  endpoint: "whe_01KAJ5A7B2D9F4H6K8N3Q5S7V9",
  delivery: "dlv_01KAJ4XQ3C8X5V2N7M4B9R6T1W",
  secret: "whsec_Q2hhbmdlIG1lIGV2ZXJ5IG5vdyBhbmQgdGhlbiE9PT0=",
  event: "evt_01KAJ4XQ3B6W8T2EQN5VRD4J7H",
  refund: "rfd_01KAQ3ZC0X5V8M2T7BNE4WRJ6G",
  link: "plink_01KAJ52N7Q8V4T6B3XWMRE9CZD",
  payout: "pyt_01KAQ4B8R2T6Y9W3XN5VC7MZ1D",
  straySession: "ssn_01KAQ7C3M5P8S2V6Y9B4E7H1K5",
  apiKey: "key_01KAJ6D2P4R8T3V7X1Z5B9F2H6",
  report: "rpt_01KAJ7F4T9W2Y5A8C3E6H1K4M7",
  operator: "opr_01KAJ3H5K7N9Q2S4V6X8Z1B3D5",
  person: "per_01KAJ3R2T6V8X1Z4B7D9F3H5K6",
  session: "ses_01KAJ3S4V8X2Z5B7D1F4H6K9M3",
  savedView: "svw_01KAJ3V8X2Z4B6D9F1H5K7M2P4",
  notification: "ntf_5d41402abc4b2a76b9719d911f",
  passkey: "psk_01KAJ3T6W8Z1B4D7F9H2K5M8P3",
  auditEntry: "aud_01KAJ4ZB9P4D6F8H1K3M5Q7S9V",
  difference: "rec_01KAR5D9T4W7Y2A6C8F1H3K5N7",
  erasure: "ers_01KAJ6F3R5T7V9X2Z4B6D8F1H3",
  request: "req_01KAJ4ZB9N3C7X5M1QG8WTEP6K"
} as const
