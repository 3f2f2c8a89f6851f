/** The tools, one for each operation of the contract. Written by `npm run sdk`. */
import type { Tool } from "../Tool.ts"

export const tools: ReadonlyArray<Tool> = [
  {
    "name": "orders_create",
    "title": "Create an order",
    "description": "Returns 201 with the new order; send the buyer to its `checkout_url`. If the `out_trade_no` exists already, returns 200 with that order if amount, currency, subject and notify_url are the same, and 409 if they are not.",
    "scope": "orders:write",
    "method": "POST",
    "path": "/orders",
    "pathArguments": [],
    "queryArguments": {},
    "bodyArguments": [
      "amount",
      "out_trade_no",
      "currency",
      "subject",
      "notify_url",
      "return_url",
      "metadata",
      "receipt_email",
      "locale",
      "capture"
    ],
    "repeat": "makes",
    "mayFind": true,
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "amount": {
          "type": "integer",
          "minimum": 1,
          "maximum": 100000000000,
          "description": "The amount to pay: a whole number of minor units, 1999 for $19.99. Where Stripe processes the payments, it accepts at least 50 (0.50 USD), 400 (4.00 HKD) or 400 (4.00 CNY), and at most 99999999 (999,999.99) in each currency; other amounts are 400 for `amount`."
        },
        "out_trade_no": {
          "type": "string",
          "minLength": 1,
          "maxLength": 128,
          "description": "Your number of the order, one line. Repeating it with the same terms returns the same order."
        },
        "currency": {
          "type": "string",
          "enum": [
            "USD",
            "HKD",
            "CNY"
          ],
          "description": "Default: `USD`. In live, it must be enabled for you."
        },
        "subject": {
          "type": "string",
          "minLength": 0,
          "maxLength": 255,
          "description": "The title that the buyer sees at checkout, one line of at most 255 characters."
        },
        "notify_url": {
          "type": "string",
          "minLength": 1,
          "maxLength": 2048,
          "description": "URL for the events of this order, instead of your endpoints. In live, public HTTPS only."
        },
        "return_url": {
          "type": "string",
          "minLength": 1,
          "maxLength": 2048,
          "description": "URL to which the buyer is sent after the payment; `{TRADE_NO}` and `{OUT_TRADE_NO}` are filled in."
        },
        "metadata": {
          "type": "object",
          "additionalProperties": {
            "type": "string"
          },
          "description": "At most 50 keys of 1 to 40 characters, with values of at most 500."
        },
        "receipt_email": {
          "type": "string",
          "minLength": 3,
          "maxLength": 254,
          "description": "The address for the receipt, which is sent automatically after payment."
        },
        "locale": {
          "type": "string",
          "enum": [
            "zh",
            "en"
          ],
          "description": "Language of checkout and receipt. Default: the browser's."
        },
        "capture": {
          "type": "string",
          "enum": [
            "automatic",
            "manual"
          ],
          "description": "Default: `automatic`. `manual`: the buyer's bank holds the amount, and you charge it with `POST /v1/orders/{ref}/capture` until `capture_by`. Only methods that can hold an amount are offered then."
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "Set a new unique value only to repeat the same action on purpose."
        }
      },
      "required": [
        "amount"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "orders_list",
    "title": "List orders, newest first, or export them",
    "description": "All filters have to match. `format=csv` returns a file of at most 10,000 rows and ignores `limit` and the cursors.",
    "scope": "orders:read",
    "method": "GET",
    "path": "/orders",
    "pathArguments": [],
    "queryArguments": {
      "limit": "limit",
      "starting_after": "starting_after",
      "ending_before": "ending_before",
      "created_gte": "created[gte]",
      "created_lte": "created[lte]",
      "sort": "sort",
      "wait": "wait",
      "status": "status",
      "out_trade_no": "out_trade_no",
      "receipt_email": "receipt_email",
      "payment_method": "payment_method",
      "paid_at_gte": "paid_at[gte]",
      "paid_at_lte": "paid_at[lte]",
      "amount_gte": "amount[gte]",
      "amount_lte": "amount[lte]",
      "metadata": "metadata"
    },
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "limit": {
          "type": "integer",
          "minimum": 1,
          "maximum": 25,
          "default": 10,
          "description": "Size of a page, 1 to 25."
        },
        "starting_after": {
          "type": "string",
          "description": "Cursor for the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier; Unix seconds include the whole second: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        },
        "sort": {
          "type": "string",
          "enum": [
            "-created",
            "created",
            "-amount",
            "amount"
          ],
          "description": "`created` for oldest first, `amount` and `-amount` for the least and the greatest first. By amount, the newest 10,000 objects of the range are sorted; `sorted` in the answer says which. Send its times as `created[gte]` and `created[lte]` with the next page. Default: `-created`, newest first. A CSV file ignores it."
        },
        "wait": {
          "type": "integer",
          "minimum": 1,
          "maximum": 25,
          "description": "Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`."
        },
        "status": {
          "type": "string",
          "enum": [
            "pending",
            "paid",
            "partially_refunded",
            "refunded",
            "failed",
            "expired",
            "authorized",
            "canceled"
          ],
          "description": "Orders in this state."
        },
        "out_trade_no": {
          "type": "string",
          "description": "The order with exactly this number of yours."
        },
        "receipt_email": {
          "type": "string",
          "description": "Orders whose receipt goes to this address, in any capitals."
        },
        "payment_method": {
          "type": "string",
          "enum": [
            "card",
            "alipay",
            "wechat_pay",
            "apple_pay",
            "google_pay"
          ],
          "description": "Orders that were paid so."
        },
        "paid_at_gte": {
          "type": "string",
          "description": "Paid then or later: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        },
        "paid_at_lte": {
          "type": "string",
          "description": "Paid then or earlier; Unix seconds include the whole second: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        },
        "amount_gte": {
          "type": "string",
          "description": "Orders of this amount, in minor units, or more."
        },
        "amount_lte": {
          "type": "string",
          "description": "Orders of this amount, in minor units, or less."
        },
        "metadata": {
          "type": "object",
          "additionalProperties": {
            "type": "string"
          },
          "description": "`metadata[shelf]=A7`: objects with exactly this value under this key. Several filters have to match together."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "orders_update",
    "title": "Update metadata or receipt_email",
    "description": "Merges: omitted keys are unchanged. Nothing else of an order can be changed.",
    "scope": "orders:write",
    "method": "POST",
    "path": "/orders/{ref}",
    "pathArguments": [
      "ref"
    ],
    "queryArguments": {},
    "bodyArguments": [
      "metadata",
      "receipt_email"
    ],
    "repeat": "sets",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "ref": {
          "type": "string",
          "description": "The order's `trade_no`, or your own `out_trade_no`."
        },
        "metadata": {
          "description": "Keys to set; null deletes a key, and null instead of an object deletes all of them.",
          "anyOf": [
            {
              "type": "object",
              "additionalProperties": {
                "anyOf": [
                  {
                    "type": "string"
                  },
                  {
                    "type": "null"
                  }
                ]
              }
            },
            {
              "type": "null"
            }
          ]
        },
        "receipt_email": {
          "description": "The new address for the receipt; null for none.",
          "anyOf": [
            {
              "type": "string",
              "minLength": 3,
              "maxLength": 254
            },
            {
              "type": "null"
            }
          ]
        }
      },
      "required": [
        "ref"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "orders_get",
    "title": "Retrieve an order",
    "description": "By our number or by yours. Its `checkout_url` is signed again each time.",
    "scope": "orders:read",
    "method": "GET",
    "path": "/orders/{ref}",
    "pathArguments": [
      "ref"
    ],
    "queryArguments": {},
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "ref": {
          "type": "string",
          "description": "The order's `trade_no`, or your own `out_trade_no`."
        }
      },
      "required": [
        "ref"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "orders_expire",
    "title": "Close a pending order now",
    "description": "For when the buyer has left. An expired order is returned unchanged. An authorized order is canceled: its hold is released. If the channel takes longer, it is returned as `authorized`, and `payment.canceled` follows. `Coffer-Reason` says why it is 409: `just_paid`, the order was paid just now; `buyer_busy`, the buyer is in the middle of paying, and the order stays pending; `other_payment`, a payment of another amount was set aside, and the order stays pending; `not_pending`, it had already ended, paid or not: `paid_at` tells; `capturing`, its hold is being captured. 502 if the channel cannot be reached: the order is unchanged, and the same request may be retried.",
    "scope": "orders:write",
    "method": "POST",
    "path": "/orders/{ref}/expire",
    "pathArguments": [
      "ref"
    ],
    "queryArguments": {},
    "bodyArguments": [],
    "repeat": "sets",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "ref": {
          "type": "string",
          "description": "The order's `trade_no`, or your own `out_trade_no`."
        }
      },
      "required": [
        "ref"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "orders_capture",
    "title": "Charge an authorized order",
    "description": "Once, for an order with `capture: \"manual\"`: it is paid with the amount that you name, and the rest of the hold is released. The same amount again returns the order unchanged. If the channel takes longer, the order is returned as `authorized` with its `capturing_amount`, and `payment.captured` follows. `Coffer-Reason` says why it is 409: `not_authorized`, the buyer has not agreed, or the order was created without it; `capturing`, another amount is being captured; `captured`, another amount was; `canceling`, the hold is being released; `authorization_expired`, the bank holds nothing any more, and the order has expired. 502 if the channel refuses or cannot be reached: the order stays authorized.",
    "scope": "orders:write",
    "method": "POST",
    "path": "/orders/{ref}/capture",
    "pathArguments": [
      "ref"
    ],
    "queryArguments": {},
    "bodyArguments": [
      "amount"
    ],
    "repeat": "sets",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "ref": {
          "type": "string",
          "description": "The order's `trade_no`, or your own `out_trade_no`."
        },
        "amount": {
          "type": "integer",
          "minimum": 1,
          "maximum": 100000000000,
          "description": "Minor units to charge, at most the order's amount. Default: all of it. What is not charged is released."
        }
      },
      "required": [
        "ref"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "orders_timeline",
    "title": "Read an order's complete timeline",
    "description": "Your requests, changes of the order, failed payment attempts (the newest 50), unmatched payments, its refunds and disputes, each ledger row with its balances, each event, each delivery with every attempt, and receipts. It is compiled from the stored objects, so it agrees with them. Requests are included for as long as logs are kept. A key with scopes gets the kinds that its scopes let it read.",
    "scope": "orders:read",
    "method": "GET",
    "path": "/orders/{ref}/timeline",
    "pathArguments": [
      "ref"
    ],
    "queryArguments": {},
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "ref": {
          "type": "string",
          "description": "The order's `trade_no`, or your own `out_trade_no`."
        }
      },
      "required": [
        "ref"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "orders_sendReceipt",
    "title": "Send the receipt by mail",
    "description": "Returns 200 with the order when the mail is queued; `receipt_sent_at` is set when the mail server has accepted it, and `receipt_failure_reason` if it cannot be sent. 409 while the order is not paid. At most five per hour for one order; further requests are 429. The receipt that is sent automatically after payment does not count.",
    "scope": "orders:write",
    "method": "POST",
    "path": "/orders/{ref}/send_receipt",
    "pathArguments": [
      "ref"
    ],
    "queryArguments": {},
    "bodyArguments": [
      "email"
    ],
    "repeat": "makes",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "ref": {
          "type": "string",
          "description": "The order's `trade_no`, or your own `out_trade_no`."
        },
        "email": {
          "type": "string",
          "minLength": 3,
          "maxLength": 254,
          "description": "The address for it, which also becomes the order's `receipt_email`. Default: the order's `receipt_email`."
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "Set a new unique value only to repeat the same action on purpose."
        }
      },
      "required": [
        "ref"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "refunds_create",
    "title": "Refund an order, in whole or in part",
    "description": "201 if the channel refunded immediately, 202 if it settles later: poll every 10 seconds for 5 minutes, then less often, or wait for the event. If the `out_refund_no` exists already, returns 200 with that refund. Fees are not returned, so a full refund takes more from the wallet than the payment added. 502: no money has moved here, and `Coffer-Reason` says whether a retry can help.",
    "scope": "refunds:write",
    "method": "POST",
    "path": "/refunds",
    "pathArguments": [],
    "queryArguments": {},
    "bodyArguments": [
      "trade_no",
      "out_refund_no",
      "amount",
      "reason",
      "metadata"
    ],
    "repeat": "makes",
    "mayFind": true,
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "trade_no": {
          "type": "string",
          "description": "The order: our number or yours."
        },
        "out_refund_no": {
          "type": "string",
          "minLength": 1,
          "maxLength": 128,
          "description": "Your number of the refund, one line; required in live. Repeating it returns the same refund."
        },
        "amount": {
          "type": "integer",
          "minimum": 1,
          "maximum": 100000000000,
          "description": "Minor units. Default: everything that can still be refunded. Null is an error and does not mean everything."
        },
        "reason": {
          "type": "string",
          "maxLength": 500,
          "description": "For your records, at most 500 characters; line breaks are kept."
        },
        "metadata": {
          "type": "object",
          "additionalProperties": {
            "type": "string"
          },
          "description": "At most 50 keys of 1 to 40 characters, with values of at most 500."
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "Set a new unique value only to repeat the same action on purpose."
        }
      },
      "required": [
        "trade_no"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "refunds_list",
    "title": "List refunds, newest first, or export them",
    "description": "All filters have to match. `format=csv` returns a file of at most 10,000 rows and ignores `limit` and the cursors.",
    "scope": "refunds:read",
    "method": "GET",
    "path": "/refunds",
    "pathArguments": [],
    "queryArguments": {
      "limit": "limit",
      "starting_after": "starting_after",
      "ending_before": "ending_before",
      "created_gte": "created[gte]",
      "created_lte": "created[lte]",
      "sort": "sort",
      "wait": "wait",
      "trade_no": "trade_no",
      "out_refund_no": "out_refund_no",
      "status": "status"
    },
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "limit": {
          "type": "integer",
          "minimum": 1,
          "maximum": 25,
          "default": 10,
          "description": "Size of a page, 1 to 25."
        },
        "starting_after": {
          "type": "string",
          "description": "Cursor for the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier; Unix seconds include the whole second: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        },
        "sort": {
          "type": "string",
          "enum": [
            "-created",
            "created",
            "-amount",
            "amount"
          ],
          "description": "`created` for oldest first, `amount` and `-amount` for the least and the greatest first. By amount, the newest 10,000 objects of the range are sorted; `sorted` in the answer says which. Send its times as `created[gte]` and `created[lte]` with the next page. Default: `-created`, newest first. A CSV file ignores it."
        },
        "wait": {
          "type": "integer",
          "minimum": 1,
          "maximum": 25,
          "description": "Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`."
        },
        "trade_no": {
          "type": "string",
          "description": "Refunds of this order: its `trade_no`, or your own `out_trade_no`."
        },
        "out_refund_no": {
          "type": "string",
          "description": "The refund with exactly this number of yours."
        },
        "status": {
          "type": "string",
          "enum": [
            "pending",
            "succeeded",
            "failed"
          ],
          "description": "Refunds in this state."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "refunds_update",
    "title": "Update a refund's metadata",
    "description": "Merges: omitted keys are unchanged. Nothing else of a refund can be changed.",
    "scope": "refunds:write",
    "method": "POST",
    "path": "/refunds/{ref}",
    "pathArguments": [
      "ref"
    ],
    "queryArguments": {},
    "bodyArguments": [
      "metadata"
    ],
    "repeat": "sets",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "ref": {
          "type": "string",
          "description": "The refund's `refund_no`, or your own `out_refund_no`."
        },
        "metadata": {
          "description": "Keys to set; null deletes a key, and null instead of an object deletes all of them.",
          "anyOf": [
            {
              "type": "object",
              "additionalProperties": {
                "anyOf": [
                  {
                    "type": "string"
                  },
                  {
                    "type": "null"
                  }
                ]
              }
            },
            {
              "type": "null"
            }
          ]
        }
      },
      "required": [
        "ref"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "refunds_get",
    "title": "Retrieve a refund",
    "description": "By our number or by yours.",
    "scope": "refunds:read",
    "method": "GET",
    "path": "/refunds/{ref}",
    "pathArguments": [
      "ref"
    ],
    "queryArguments": {},
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "ref": {
          "type": "string",
          "description": "The refund's `refund_no`, or your own `out_refund_no`."
        }
      },
      "required": [
        "ref"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "disputes_submitEvidence",
    "title": "Save evidence as a draft, or submit it",
    "description": "Each call replaces all of the evidence; send a draft's contents again. Once submitted, the dispute is `under_review` and accepts no more evidence. 502: the channel could not be reached, and the dispute is unchanged. If the channel does not answer in time, the dispute is returned unchanged and updated automatically later. 409 after the deadline, and for a dispute that you accepted or that is decided.",
    "scope": "disputes:write",
    "method": "POST",
    "path": "/disputes/{ref}/evidence",
    "pathArguments": [
      "ref"
    ],
    "queryArguments": {},
    "bodyArguments": [
      "evidence",
      "files",
      "submit"
    ],
    "repeat": "sets",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "ref": {
          "type": "string",
          "description": "The dispute's `dispute_no`, or the channel's `processor_dispute_id`."
        },
        "evidence": {
          "type": "object",
          "properties": {
            "product_description": {
              "type": "string",
              "maxLength": 5000,
              "description": "The goods or the service."
            },
            "customer_name": {
              "type": "string",
              "maxLength": 5000,
              "description": "The buyer's name."
            },
            "customer_email_address": {
              "type": "string",
              "maxLength": 5000,
              "description": "The buyer's e-mail address."
            },
            "customer_purchase_ip": {
              "type": "string",
              "maxLength": 5000,
              "description": "The address that the buyer ordered from."
            },
            "billing_address": {
              "type": "string",
              "maxLength": 5000,
              "description": "The buyer's billing address."
            },
            "shipping_address": {
              "type": "string",
              "maxLength": 5000,
              "description": "Where the goods were sent."
            },
            "shipping_carrier": {
              "type": "string",
              "maxLength": 5000,
              "description": "The carrier of the goods."
            },
            "shipping_tracking_number": {
              "type": "string",
              "maxLength": 5000,
              "description": "The tracking number of the parcel."
            },
            "shipping_date": {
              "type": "string",
              "maxLength": 5000,
              "description": "When the goods were shipped."
            },
            "service_date": {
              "type": "string",
              "maxLength": 5000,
              "description": "When the service was provided."
            },
            "access_activity_log": {
              "type": "string",
              "maxLength": 5000,
              "description": "When and from where the buyer used what was sold."
            },
            "refund_policy_disclosure": {
              "type": "string",
              "maxLength": 5000,
              "description": "How the buyer was shown the refund policy."
            },
            "refund_refusal_explanation": {
              "type": "string",
              "maxLength": 5000,
              "description": "Why the buyer is not entitled to a refund."
            },
            "cancellation_policy_disclosure": {
              "type": "string",
              "maxLength": 5000,
              "description": "How the buyer was shown the cancellation policy."
            },
            "cancellation_rebuttal": {
              "type": "string",
              "maxLength": 5000,
              "description": "Why the subscription was not cancelled."
            },
            "uncategorized_text": {
              "type": "string",
              "maxLength": 5000,
              "description": "Only for test disputes of a sandbox that takes payments through an acquirer, and refused elsewhere: `winning_evidence` or `losing_evidence` decides one, and `escalate_inquiry_evidence` makes a chargeback of an inquiry."
            }
          },
          "description": "Texts of at most 5000 characters each; line breaks are kept. An unknown name is refused. `{}` removes all texts."
        },
        "files": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "type": {
                "type": "string",
                "enum": [
                  "receipt",
                  "customer_communication",
                  "customer_signature",
                  "shipping_documentation",
                  "service_documentation",
                  "cancellation_policy",
                  "refund_policy",
                  "invoice_showing_distinct_transactions",
                  "recurring_transaction_agreement",
                  "uncategorized_file"
                ],
                "description": "The content of the file."
              },
              "url": {
                "type": "string",
                "maxLength": 2048,
                "description": "Its URL, from the answer to the upload."
              }
            },
            "required": [
              "type",
              "url"
            ],
            "additionalProperties": {}
          },
          "maxItems": 8,
          "description": "At most 8 files that you have uploaded in this environment. `[]` removes all of them."
        },
        "submit": {
          "type": "boolean",
          "description": "`true` submits it to the bank; this works only once unless the bank asks again. Otherwise it is saved as a draft."
        }
      },
      "required": [
        "ref"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "disputes_getEvidence",
    "title": "Read the evidence back",
    "description": "The draft, or what was submitted; empty before the first draft.",
    "scope": "disputes:read",
    "method": "GET",
    "path": "/disputes/{ref}/evidence",
    "pathArguments": [
      "ref"
    ],
    "queryArguments": {},
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "ref": {
          "type": "string",
          "description": "The dispute's `dispute_no`, or the channel's `processor_dispute_id`."
        }
      },
      "required": [
        "ref"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "disputes_accept",
    "title": "Accept the loss",
    "description": "The dispute is `lost` once the channel confirms it, which takes a moment; until then its status is unchanged, and a second call has no effect. 502: the channel could not be reached, and the dispute is unchanged.",
    "scope": "disputes:write",
    "method": "POST",
    "path": "/disputes/{ref}/accept",
    "pathArguments": [
      "ref"
    ],
    "queryArguments": {},
    "bodyArguments": [],
    "repeat": "sets",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "ref": {
          "type": "string",
          "description": "The dispute's `dispute_no`, or the channel's `processor_dispute_id`."
        }
      },
      "required": [
        "ref"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "disputes_list",
    "title": "List disputes, newest first, or export them",
    "description": "All filters have to match. `format=csv` returns a file of at most 10,000 rows and ignores `limit` and the cursors.",
    "scope": "disputes:read",
    "method": "GET",
    "path": "/disputes",
    "pathArguments": [],
    "queryArguments": {
      "limit": "limit",
      "starting_after": "starting_after",
      "ending_before": "ending_before",
      "created_gte": "created[gte]",
      "created_lte": "created[lte]",
      "sort": "sort",
      "wait": "wait",
      "status": "status",
      "trade_no": "trade_no"
    },
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "limit": {
          "type": "integer",
          "minimum": 1,
          "maximum": 25,
          "default": 10,
          "description": "Size of a page, 1 to 25."
        },
        "starting_after": {
          "type": "string",
          "description": "Cursor for the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier; Unix seconds include the whole second: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        },
        "sort": {
          "type": "string",
          "enum": [
            "-created",
            "created",
            "-amount",
            "amount"
          ],
          "description": "`created` for oldest first, `amount` and `-amount` for the least and the greatest first. By amount, the newest 10,000 objects of the range are sorted; `sorted` in the answer says which. Send its times as `created[gte]` and `created[lte]` with the next page. Default: `-created`, newest first. A CSV file ignores it."
        },
        "wait": {
          "type": "integer",
          "minimum": 1,
          "maximum": 25,
          "description": "Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`."
        },
        "status": {
          "type": "string",
          "enum": [
            "needs_response",
            "under_review",
            "won",
            "lost",
            "closed"
          ],
          "description": "Disputes in this state."
        },
        "trade_no": {
          "type": "string",
          "description": "Disputes of this order: its `trade_no`, or your own `out_trade_no`."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "disputes_get",
    "title": "Retrieve a dispute",
    "description": "By our number or by the channel's.",
    "scope": "disputes:read",
    "method": "GET",
    "path": "/disputes/{ref}",
    "pathArguments": [
      "ref"
    ],
    "queryArguments": {},
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "ref": {
          "type": "string",
          "description": "The dispute's `dispute_no`, or the channel's `processor_dispute_id`."
        }
      },
      "required": [
        "ref"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "paymentLinks_create",
    "title": "Create a payment link",
    "description": "Give its `url` to as many buyers as you like: each visit creates a separate order.",
    "scope": "payment_links:write",
    "method": "POST",
    "path": "/payment_links",
    "pathArguments": [],
    "queryArguments": {},
    "bodyArguments": [
      "amount",
      "currency",
      "subject",
      "max_uses",
      "expires_at",
      "notify_url",
      "return_url",
      "metadata",
      "capture"
    ],
    "repeat": "makes",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "amount": {
          "type": "integer",
          "minimum": 1,
          "maximum": 100000000000,
          "description": "The amount that each buyer pays, in minor units. It cannot be changed. Where Stripe processes the payments, it accepts at least 50 (0.50 USD), 400 (4.00 HKD) or 400 (4.00 CNY), and at most 99999999 (999,999.99) in each currency; other amounts are 400 for `amount`."
        },
        "currency": {
          "type": "string",
          "enum": [
            "USD",
            "HKD",
            "CNY"
          ],
          "description": "Default: `USD`. In live, it must be enabled for you. It cannot be changed."
        },
        "subject": {
          "type": "string",
          "minLength": 0,
          "maxLength": 255,
          "description": "The title that the buyer sees at checkout, one line of at most 255 characters."
        },
        "max_uses": {
          "type": "integer",
          "minimum": 1,
          "description": "How many orders visits may create. Default: no limit."
        },
        "expires_at": {
          "type": "string",
          "description": "From when on visits create no order, in the future. Default: never."
        },
        "notify_url": {
          "type": "string",
          "minLength": 1,
          "maxLength": 2048,
          "description": "URL for the events of the orders, instead of your endpoints. In live, public HTTPS only."
        },
        "return_url": {
          "type": "string",
          "minLength": 1,
          "maxLength": 2048,
          "description": "URL to which buyers are sent after the payment; `{TRADE_NO}` and `{OUT_TRADE_NO}` are filled in."
        },
        "metadata": {
          "type": "object",
          "additionalProperties": {
            "type": "string"
          },
          "description": "At most 50 keys of 1 to 40 characters, with values of at most 500."
        },
        "capture": {
          "type": "string",
          "enum": [
            "automatic",
            "manual"
          ],
          "description": "Default: `automatic`. `manual`: the buyer's bank holds the amount, and you charge it with `POST /v1/orders/{ref}/capture` until `capture_by`. Only methods that can hold an amount are offered then."
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "Set a new unique value only to repeat the same action on purpose."
        }
      },
      "required": [
        "amount"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "paymentLinks_list",
    "title": "List payment links, newest first",
    "description": "In pages.",
    "scope": "payment_links:read",
    "method": "GET",
    "path": "/payment_links",
    "pathArguments": [],
    "queryArguments": {
      "limit": "limit",
      "starting_after": "starting_after",
      "ending_before": "ending_before",
      "created_gte": "created[gte]",
      "created_lte": "created[lte]",
      "wait": "wait"
    },
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "limit": {
          "type": "integer",
          "minimum": 1,
          "maximum": 25,
          "default": 10,
          "description": "Size of a page, 1 to 25."
        },
        "starting_after": {
          "type": "string",
          "description": "Cursor for the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier; Unix seconds include the whole second: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        },
        "wait": {
          "type": "integer",
          "minimum": 1,
          "maximum": 25,
          "description": "Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "paymentLinks_update",
    "title": "Change a payment link, close it or open it",
    "description": "Omitted fields are unchanged. Amount and currency cannot be changed: create another link.",
    "scope": "payment_links:write",
    "method": "POST",
    "path": "/payment_links/{link_id}",
    "pathArguments": [
      "link_id"
    ],
    "queryArguments": {},
    "bodyArguments": [
      "status",
      "subject",
      "max_uses",
      "expires_at",
      "metadata"
    ],
    "repeat": "sets",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "link_id": {
          "type": "string",
          "description": "The link's `link_id`."
        },
        "status": {
          "description": "`inactive` closes the link, `active` opens it.",
          "anyOf": [
            {
              "type": "string",
              "enum": [
                "active",
                "inactive"
              ]
            },
            {
              "type": "null"
            }
          ]
        },
        "subject": {
          "description": "Null removes the title.",
          "anyOf": [
            {
              "type": "string",
              "minLength": 0,
              "maxLength": 255
            },
            {
              "type": "null"
            }
          ]
        },
        "max_uses": {
          "description": "Null removes the limit. A value below `used_count` closes the link.",
          "anyOf": [
            {
              "type": "integer",
              "minimum": 1
            },
            {
              "type": "null"
            }
          ]
        },
        "expires_at": {
          "description": "Null: never. A time that has passed closes the link.",
          "anyOf": [
            {
              "type": "string"
            },
            {
              "type": "null"
            }
          ]
        },
        "metadata": {
          "description": "Keys to set; null deletes a key, and null instead of an object deletes all of them.",
          "anyOf": [
            {
              "type": "object",
              "additionalProperties": {
                "anyOf": [
                  {
                    "type": "string"
                  },
                  {
                    "type": "null"
                  }
                ]
              }
            },
            {
              "type": "null"
            }
          ]
        }
      },
      "required": [
        "link_id"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "paymentLinks_get",
    "title": "Retrieve a payment link, or its QR code",
    "description": "`format=svg` returns an image to print or display; a phone's camera opens the link.",
    "scope": "payment_links:read",
    "method": "GET",
    "path": "/payment_links/{link_id}",
    "pathArguments": [
      "link_id"
    ],
    "queryArguments": {},
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "link_id": {
          "type": "string",
          "description": "The link's `link_id`."
        }
      },
      "required": [
        "link_id"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "balance_get",
    "title": "Read the wallet of one currency",
    "description": "Each currency has its own wallet in each environment, and nothing is converted. A wallet that was never used is all zeros, and so is that of a live currency that is not enabled for you.",
    "scope": "balance:read",
    "method": "GET",
    "path": "/balance",
    "pathArguments": [],
    "queryArguments": {
      "currency": "currency"
    },
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "currency": {
          "type": "string",
          "enum": [
            "USD",
            "HKD",
            "CNY"
          ],
          "description": "Which wallet. Default: `USD`."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "ledger_list",
    "title": "List the ledger, newest first, or export it",
    "description": "Every movement of the wallets; rows are never changed or removed. A payment is two rows: the whole amount in, the fee out. `format=csv` returns a file of at most 10,000 rows.",
    "scope": "balance:read",
    "method": "GET",
    "path": "/balance_transactions",
    "pathArguments": [],
    "queryArguments": {
      "limit": "limit",
      "starting_after": "starting_after",
      "ending_before": "ending_before",
      "created_gte": "created[gte]",
      "created_lte": "created[lte]",
      "type": "type",
      "reference_id": "reference_id",
      "currency": "currency"
    },
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "limit": {
          "type": "integer",
          "minimum": 1,
          "maximum": 25,
          "default": 10,
          "description": "Size of a page, 1 to 25."
        },
        "starting_after": {
          "type": "string",
          "description": "Cursor for the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier; Unix seconds include the whole second: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        },
        "type": {
          "type": "string",
          "enum": [
            "payment_credit",
            "fee_debit",
            "refund_freeze",
            "refund_debit",
            "refund_unfreeze",
            "dispute_freeze",
            "dispute_unfreeze",
            "dispute_debit",
            "dispute_fee",
            "payout_freeze",
            "payout_unfreeze",
            "payout_success",
            "payout_fee"
          ],
          "description": "Movements of this type."
        },
        "reference_id": {
          "type": "string",
          "description": "Movements that this order, refund, dispute or payout caused: our number, or your own."
        },
        "currency": {
          "type": "string",
          "enum": [
            "USD",
            "HKD",
            "CNY"
          ],
          "description": "Movements of this currency's wallet."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "ledger_chain",
    "title": "List the hashes of a wallet's ledger, newest first",
    "description": "Proves that no movement was changed, removed or inserted later: each `hash` is the hash of its `text`, and each `previous_hash` is the `hash` of the row before it. Store the newest one and compare it later.",
    "scope": "balance:read",
    "method": "GET",
    "path": "/ledger/{currency}/chain",
    "pathArguments": [
      "currency"
    ],
    "queryArguments": {
      "limit": "limit",
      "starting_after": "starting_after",
      "ending_before": "ending_before",
      "created_gte": "created[gte]",
      "created_lte": "created[lte]"
    },
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "currency": {
          "type": "string",
          "enum": [
            "USD",
            "HKD",
            "CNY"
          ],
          "description": "Which wallet."
        },
        "limit": {
          "type": "integer",
          "minimum": 1,
          "maximum": 25,
          "default": 10,
          "description": "Size of a page, 1 to 25."
        },
        "starting_after": {
          "type": "string",
          "description": "Cursor for the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier; Unix seconds include the whole second: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        }
      },
      "required": [
        "currency"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "reports_create",
    "title": "Create a report as a file",
    "description": "For reports of any length. The file is written after the answer: poll the report until its `status` is `succeeded`, then read its file. It has no limit of rows. 409: too many are being written or kept.",
    "scope": "reports:write",
    "method": "POST",
    "path": "/reports",
    "pathArguments": [],
    "queryArguments": {},
    "bodyArguments": [
      "report",
      "format",
      "from",
      "to",
      "interval",
      "currency",
      "time_zone",
      "payout_no",
      "at"
    ],
    "repeat": "makes",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "report": {
          "type": "string",
          "enum": [
            "statement",
            "transactions",
            "fees",
            "payout",
            "frozen"
          ],
          "description": "The kind of report."
        },
        "format": {
          "type": "string",
          "enum": [
            "csv",
            "jsonl",
            "hledger",
            "beancount"
          ],
          "description": "`csv`; `jsonl`, one JSON object on each line; or a journal for `hledger` or `beancount`, of `statement`, `transactions` and `payout`. Default: `csv`."
        },
        "from": {
          "type": "string",
          "maxLength": 10,
          "description": "The first day, as `YYYY-MM-DD`. For `statement`, `fees`, and `transactions` without a `payout_no`."
        },
        "to": {
          "type": "string",
          "maxLength": 10,
          "description": "The last day, inclusive. Default: the first."
        },
        "interval": {
          "type": "string",
          "enum": [
            "day",
            "month",
            "range"
          ],
          "description": "`day` closes a statement each day, `month` each month, `range` only at the end. Default: `day`."
        },
        "currency": {
          "type": "string",
          "enum": [
            "USD",
            "HKD",
            "CNY"
          ],
          "description": "Only the wallet of this currency. Default: all wallets."
        },
        "time_zone": {
          "type": "string",
          "maxLength": 64,
          "description": "Time zone, such as `Europe/Berlin`. Default: the one in your settings, initially UTC."
        },
        "payout_no": {
          "type": "string",
          "maxLength": 64,
          "description": "Number of the payout. For `payout`, and for `transactions` instead of days."
        },
        "at": {
          "type": "string",
          "maxLength": 64,
          "description": "The moment, as ISO 8601 or Unix time in seconds. Default: now. For `frozen`."
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "Set a new unique value only to repeat the same action on purpose."
        }
      },
      "required": [
        "report"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "reports_list",
    "title": "List reports written to files, newest first",
    "description": "Those that are being written, and those of the last seven days, for which they are kept.",
    "scope": "reports:read",
    "method": "GET",
    "path": "/reports",
    "pathArguments": [],
    "queryArguments": {
      "limit": "limit",
      "starting_after": "starting_after",
      "ending_before": "ending_before",
      "created_gte": "created[gte]",
      "created_lte": "created[lte]"
    },
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "limit": {
          "type": "integer",
          "minimum": 1,
          "maximum": 25,
          "default": 10,
          "description": "Size of a page, 1 to 25."
        },
        "starting_after": {
          "type": "string",
          "description": "Cursor for the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier; Unix seconds include the whole second: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "reports_statement",
    "title": "Read the statement of a day or of up to 31 days",
    "description": "For each wallet and day: the opening balance, the total of the movements of each type, and the closing balance, with the head of the wallet's chain at that moment. At most 5000 movements; for more, create a file with POST /v1/reports. `format=csv` answers CSV.",
    "scope": "reports:read",
    "method": "GET",
    "path": "/reports/statement",
    "pathArguments": [],
    "queryArguments": {
      "from": "from",
      "to": "to",
      "currency": "currency",
      "time_zone": "time_zone",
      "interval": "interval"
    },
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "from": {
          "type": "string",
          "description": "The first day, as `YYYY-MM-DD`."
        },
        "to": {
          "type": "string",
          "description": "The last day, inclusive. Default: the first."
        },
        "currency": {
          "type": "string",
          "enum": [
            "USD",
            "HKD",
            "CNY"
          ],
          "description": "Only the wallet of this currency. Default: all wallets."
        },
        "time_zone": {
          "type": "string",
          "description": "Time zone, such as `Europe/Berlin`. Default: the one in your settings, initially UTC."
        },
        "interval": {
          "type": "string",
          "enum": [
            "day",
            "month",
            "range"
          ],
          "description": "`day` closes a statement each day, `month` each month, `range` only at the end. Default: `day`."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "reports_fees",
    "title": "Read the fees by payment method",
    "description": "The fees of payments, lost disputes and payouts in these days. At most 5000 movements; for more, create a file with POST /v1/reports. `format=csv` answers CSV.",
    "scope": "reports:read",
    "method": "GET",
    "path": "/reports/fees",
    "pathArguments": [],
    "queryArguments": {
      "from": "from",
      "to": "to",
      "currency": "currency",
      "time_zone": "time_zone"
    },
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "from": {
          "type": "string",
          "description": "The first day, as `YYYY-MM-DD`."
        },
        "to": {
          "type": "string",
          "description": "The last day, inclusive. Default: the first."
        },
        "currency": {
          "type": "string",
          "enum": [
            "USD",
            "HKD",
            "CNY"
          ],
          "description": "Only the wallet of this currency. Default: all wallets."
        },
        "time_zone": {
          "type": "string",
          "description": "Time zone, such as `Europe/Berlin`. Default: the one in your settings, initially UTC."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "reports_payout",
    "title": "Read what makes up a payout",
    "description": "The statement of its wallet from the previous payout to this one: what was left then, the movements since, the payout, and what it left. At most 5000 movements; for more, create a file with POST /v1/reports. `format=csv` answers CSV.",
    "scope": "reports:read",
    "method": "GET",
    "path": "/reports/payout",
    "pathArguments": [],
    "queryArguments": {
      "payout_no": "payout_no",
      "time_zone": "time_zone"
    },
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "payout_no": {
          "type": "string",
          "description": "Number of the payout. For `payout`, and for `transactions` instead of days."
        },
        "time_zone": {
          "type": "string",
          "description": "Time zone, such as `Europe/Berlin`. Default: the one in your settings, initially UTC."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "reports_frozen",
    "title": "Read open disputes and frozen money at a moment",
    "description": "Everything that held money, other open disputes, and the frozen balance. At most 5000 movements; for more, create a file with POST /v1/reports. `format=csv` answers CSV.",
    "scope": "reports:read",
    "method": "GET",
    "path": "/reports/frozen",
    "pathArguments": [],
    "queryArguments": {
      "at": "at",
      "currency": "currency",
      "time_zone": "time_zone"
    },
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "at": {
          "type": "string",
          "description": "The moment, as ISO 8601 or Unix time in seconds. Default: now. For `frozen`."
        },
        "currency": {
          "type": "string",
          "enum": [
            "USD",
            "HKD",
            "CNY"
          ],
          "description": "Only the wallet of this currency. Default: all wallets."
        },
        "time_zone": {
          "type": "string",
          "description": "Time zone, such as `Europe/Berlin`. Default: the one in your settings, initially UTC."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "reports_get",
    "title": "Retrieve a report",
    "description": "With the progress of its file. A report and its file are deleted seven days after it was created.",
    "scope": "reports:read",
    "method": "GET",
    "path": "/reports/{report_no}",
    "pathArguments": [
      "report_no"
    ],
    "queryArguments": {},
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "report_no": {
          "type": "string",
          "description": "Number of the report."
        }
      },
      "required": [
        "report_no"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "events_list",
    "title": "List events, newest first",
    "description": "Everything that has happened, including events that no webhook received: catch up here on what you missed. With `wait` and the id of the newest event that you have, new events are returned as they happen.",
    "scope": "events:read",
    "method": "GET",
    "path": "/events",
    "pathArguments": [],
    "queryArguments": {
      "limit": "limit",
      "starting_after": "starting_after",
      "ending_before": "ending_before",
      "created_gte": "created[gte]",
      "created_lte": "created[lte]",
      "wait": "wait",
      "type": "type",
      "object_id": "object_id"
    },
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "limit": {
          "type": "integer",
          "minimum": 1,
          "maximum": 25,
          "default": 10,
          "description": "Size of a page, 1 to 25."
        },
        "starting_after": {
          "type": "string",
          "description": "Cursor for the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier; Unix seconds include the whole second: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        },
        "wait": {
          "type": "integer",
          "minimum": 1,
          "maximum": 25,
          "description": "Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`."
        },
        "type": {
          "type": "array",
          "items": {
            "type": "string",
            "enum": [
              "payment.succeeded",
              "payment.failed",
              "payment.expired",
              "payment.duplicate_refunded",
              "payment.authorized",
              "payment.captured",
              "payment.canceled",
              "payment.authorization_expired",
              "refund.succeeded",
              "refund.failed",
              "dispute.created",
              "dispute.updated",
              "dispute.won",
              "dispute.lost",
              "dispute.closed"
            ]
          },
          "description": "Events of this type; repeat it for several types."
        },
        "object_id": {
          "type": "string",
          "description": "Events of this order, refund or dispute: our number, or any other that its path accepts."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "events_get",
    "title": "Retrieve an event",
    "description": "The event as it was delivered; it never changes.",
    "scope": "events:read",
    "method": "GET",
    "path": "/events/{event_id}",
    "pathArguments": [
      "event_id"
    ],
    "queryArguments": {},
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "event_id": {
          "type": "string",
          "description": "The event's `id`."
        }
      },
      "required": [
        "event_id"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "apiLogs_list",
    "title": "List your own API calls, newest first",
    "description": "For finding out what your server sent and received. Written asynchronously, so a call may occasionally be missing.",
    "scope": "logs:read",
    "method": "GET",
    "path": "/logs",
    "pathArguments": [],
    "queryArguments": {
      "limit": "limit",
      "starting_after": "starting_after",
      "ending_before": "ending_before",
      "created_gte": "created[gte]",
      "created_lte": "created[lte]",
      "wait": "wait",
      "request_id": "request_id",
      "status": "status",
      "path": "path",
      "error_code": "error_code",
      "source": "source"
    },
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "limit": {
          "type": "integer",
          "minimum": 1,
          "maximum": 25,
          "default": 10,
          "description": "Size of a page, 1 to 25."
        },
        "starting_after": {
          "type": "string",
          "description": "Cursor for the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier; Unix seconds include the whole second: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        },
        "wait": {
          "type": "integer",
          "minimum": 1,
          "maximum": 25,
          "description": "Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`."
        },
        "request_id": {
          "type": "string",
          "description": "The call with exactly this number."
        },
        "status": {
          "type": "string",
          "description": "An exact status, or a class such as `4xx`."
        },
        "path": {
          "type": "string",
          "description": "Calls of exactly this path: `/v1/orders`."
        },
        "error_code": {
          "type": "string",
          "description": "Calls that were refused with this `error`."
        },
        "source": {
          "type": "string",
          "enum": [
            "api",
            "console"
          ],
          "description": "Calls of your own servers (`api`), or changes that people made in the console (`console`)."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "erasures_create",
    "title": "Erase a buyer",
    "description": "Metadata, addresses, subjects, evidence and its files, mails, events, receivers' answers, stored answers and API logs then say `[erased]`; numbers, amounts and the ledger stay. 202: it has started, and `GET` returns its progress. 200: a dry run. It erases only your own rows in this environment. While it runs, the same request returns the same erasure. 409: 10 of your erasures are running.",
    "scope": "erasures:write",
    "method": "POST",
    "path": "/erasures",
    "pathArguments": [],
    "queryArguments": {},
    "bodyArguments": [
      "email",
      "trade_no",
      "dry_run"
    ],
    "repeat": "sets",
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "email": {
          "type": "string",
          "minLength": 3,
          "maxLength": 254,
          "description": "The buyer's address, in any spelling: erases all orders that have it, and only the address itself where other orders contain it."
        },
        "trade_no": {
          "type": "string",
          "minLength": 1,
          "maxLength": 128,
          "description": "The one order that is erased, whatever address it has."
        },
        "dry_run": {
          "type": "boolean",
          "description": "`true` returns how many rows of each kind would change, and changes nothing."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "erasures_list",
    "title": "List your erasures, newest first",
    "description": "Those of this environment that your programs and your team requested.",
    "scope": "erasures:read",
    "method": "GET",
    "path": "/erasures",
    "pathArguments": [],
    "queryArguments": {
      "limit": "limit",
      "starting_after": "starting_after",
      "ending_before": "ending_before",
      "created_gte": "created[gte]",
      "created_lte": "created[lte]"
    },
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "limit": {
          "type": "integer",
          "minimum": 1,
          "maximum": 25,
          "default": 10,
          "description": "Size of a page, 1 to 25."
        },
        "starting_after": {
          "type": "string",
          "description": "Cursor for the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier; Unix seconds include the whole second: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "erasures_get",
    "title": "Retrieve an erasure",
    "description": "The record is kept as proof that the erasure was done.",
    "scope": "erasures:read",
    "method": "GET",
    "path": "/erasures/{erasure_no}",
    "pathArguments": [
      "erasure_no"
    ],
    "queryArguments": {},
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "erasure_no": {
          "type": "string",
          "description": "Number of the erasure."
        }
      },
      "required": [
        "erasure_no"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "webhookEndpoints_create",
    "title": "Create a webhook endpoint",
    "description": "The signing secret is shown only in this answer. A merchant has at most 16 endpoints in each environment: one more is 409 `conflict`.",
    "scope": "webhooks:write",
    "method": "POST",
    "path": "/webhook_endpoints",
    "pathArguments": [],
    "queryArguments": {},
    "bodyArguments": [
      "url",
      "description",
      "enabled_events",
      "disable_when_failing"
    ],
    "repeat": "makes",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "url": {
          "type": "string",
          "minLength": 1,
          "maxLength": 2048,
          "description": "In live, public HTTPS only. The sandbox also accepts http, and private addresses if the operator allows them."
        },
        "description": {
          "type": "string",
          "minLength": 1,
          "maxLength": 500,
          "description": "Your description."
        },
        "enabled_events": {
          "type": "array",
          "items": {
            "type": "string",
            "enum": [
              "payment.succeeded",
              "payment.failed",
              "payment.expired",
              "payment.duplicate_refunded",
              "payment.authorized",
              "payment.captured",
              "payment.canceled",
              "payment.authorization_expired",
              "refund.succeeded",
              "refund.failed",
              "dispute.created",
              "dispute.updated",
              "dispute.won",
              "dispute.lost",
              "dispute.closed",
              "*"
            ]
          },
          "description": "Event types to subscribe to. Default: all of them.",
          "minItems": 1,
          "maxItems": 16
        },
        "disable_when_failing": {
          "type": "boolean",
          "description": "Disable it automatically after five days without a successful delivery. Default: `false`."
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "Set a new unique value only to repeat the same action on purpose."
        }
      },
      "required": [
        "url"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "webhookEndpoints_list",
    "title": "List webhook endpoints, newest first",
    "description": "Including the account's default URL, if there is one.",
    "scope": "webhooks:read",
    "method": "GET",
    "path": "/webhook_endpoints",
    "pathArguments": [],
    "queryArguments": {
      "limit": "limit",
      "starting_after": "starting_after",
      "ending_before": "ending_before",
      "created_gte": "created[gte]",
      "created_lte": "created[lte]"
    },
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "limit": {
          "type": "integer",
          "minimum": 1,
          "maximum": 25,
          "default": 10,
          "description": "Size of a page, 1 to 25."
        },
        "starting_after": {
          "type": "string",
          "description": "Cursor for the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier; Unix seconds include the whole second: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "webhookEndpoints_update",
    "title": "Change a webhook endpoint, pause or disable it",
    "description": "Omitted fields are unchanged. Deliveries that fall due while it is disabled are skipped, later ones are kept. Those that fall due while it is paused wait until it is enabled. The account's default URL is set elsewhere: 409 `conflict`.",
    "scope": "webhooks:write",
    "method": "POST",
    "path": "/webhook_endpoints/{endpoint_id}",
    "pathArguments": [
      "endpoint_id"
    ],
    "queryArguments": {},
    "bodyArguments": [
      "url",
      "description",
      "enabled_events",
      "status",
      "disable_when_failing",
      "disabled"
    ],
    "repeat": "sets",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "endpoint_id": {
          "type": "string",
          "description": "The endpoint's `id`."
        },
        "url": {
          "description": "The new URL; pending deliveries go there, too.",
          "anyOf": [
            {
              "type": "string",
              "minLength": 1,
              "maxLength": 2048,
              "description": "In live, public HTTPS only. The sandbox also accepts http, and private addresses if the operator allows them."
            },
            {
              "type": "null"
            }
          ]
        },
        "description": {
          "description": "Your description; null removes it.",
          "anyOf": [
            {
              "type": "string",
              "minLength": 1,
              "maxLength": 500
            },
            {
              "type": "null"
            }
          ]
        },
        "enabled_events": {
          "description": "Replaces the event types to which it is subscribed.",
          "anyOf": [
            {
              "type": "array",
              "items": {
                "type": "string",
                "enum": [
                  "payment.succeeded",
                  "payment.failed",
                  "payment.expired",
                  "payment.duplicate_refunded",
                  "payment.authorized",
                  "payment.captured",
                  "payment.canceled",
                  "payment.authorization_expired",
                  "refund.succeeded",
                  "refund.failed",
                  "dispute.created",
                  "dispute.updated",
                  "dispute.won",
                  "dispute.lost",
                  "dispute.closed",
                  "*"
                ]
              },
              "description": "Event types to which it is subscribed; `*` means all of them, including those added later.",
              "minItems": 1,
              "maxItems": 16
            },
            {
              "type": "null"
            }
          ]
        },
        "status": {
          "description": "`disabled` stops deliveries, `paused` holds them, `enabled` sends waiting and new ones.",
          "anyOf": [
            {
              "type": "string",
              "enum": [
                "enabled",
                "paused",
                "disabled"
              ]
            },
            {
              "type": "null"
            }
          ]
        },
        "disable_when_failing": {
          "description": "Disable it automatically after five days without a successful delivery. Default: `false`.",
          "anyOf": [
            {
              "type": "boolean"
            },
            {
              "type": "null"
            }
          ]
        },
        "disabled": {
          "description": "An alternative to `status`; do not send both.",
          "anyOf": [
            {
              "type": "boolean"
            },
            {
              "type": "null"
            }
          ]
        }
      },
      "required": [
        "endpoint_id"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "webhookEndpoints_delete",
    "title": "Delete a webhook endpoint",
    "description": "Pending deliveries are skipped.",
    "scope": "webhooks:write",
    "method": "DELETE",
    "path": "/webhook_endpoints/{endpoint_id}",
    "pathArguments": [
      "endpoint_id"
    ],
    "queryArguments": {},
    "bodyArguments": [],
    "repeat": "sets",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "endpoint_id": {
          "type": "string",
          "description": "The endpoint's `id`."
        }
      },
      "required": [
        "endpoint_id"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "webhookEndpoints_get",
    "title": "Retrieve a webhook endpoint",
    "description": "Without its secret.",
    "scope": "webhooks:read",
    "method": "GET",
    "path": "/webhook_endpoints/{endpoint_id}",
    "pathArguments": [
      "endpoint_id"
    ],
    "queryArguments": {},
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "endpoint_id": {
          "type": "string",
          "description": "The endpoint's `id`."
        }
      },
      "required": [
        "endpoint_id"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "webhookEndpoints_rotateSecret",
    "title": "Rotate an endpoint's signing secret",
    "description": "The new secret is shown only in this answer. For 24 hours the old one signs as well: both signatures are in one header, and either of them is enough.",
    "scope": "webhooks:write",
    "method": "POST",
    "path": "/webhook_endpoints/{endpoint_id}/rotate_secret",
    "pathArguments": [
      "endpoint_id"
    ],
    "queryArguments": {},
    "bodyArguments": [],
    "repeat": "sets",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "endpoint_id": {
          "type": "string",
          "description": "The endpoint's `id`."
        }
      },
      "required": [
        "endpoint_id"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "webhookEndpoints_endPreviousSecrets",
    "title": "End an endpoint's previous signing secrets",
    "description": "Only the present secret signs from now on. Without a previous one nothing changes.",
    "scope": "webhooks:write",
    "method": "POST",
    "path": "/webhook_endpoints/{endpoint_id}/end_previous_secrets",
    "pathArguments": [
      "endpoint_id"
    ],
    "queryArguments": {},
    "bodyArguments": [],
    "repeat": "sets",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "endpoint_id": {
          "type": "string",
          "description": "The endpoint's `id`."
        }
      },
      "required": [
        "endpoint_id"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "webhookSigningSecret_rotate",
    "title": "Rotate the account's signing secret",
    "description": "It signs deliveries to an order's `notify_url` and to the account's default URL. For 24 hours the old one signs as well.",
    "scope": "webhooks:write",
    "method": "POST",
    "path": "/webhook_signing_secret/rotate",
    "pathArguments": [],
    "queryArguments": {},
    "bodyArguments": [],
    "repeat": "sets",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {},
      "additionalProperties": false
    }
  },
  {
    "name": "webhookSigningSecret_endPrevious",
    "title": "End the account's previous signing secrets",
    "description": "Only the present secret signs from now on. Without a previous one nothing changes.",
    "scope": "webhooks:write",
    "method": "POST",
    "path": "/webhook_signing_secret/end_previous",
    "pathArguments": [],
    "queryArguments": {},
    "bodyArguments": [],
    "repeat": "sets",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {},
      "additionalProperties": false
    }
  },
  {
    "name": "webhookSigningSecret_get",
    "title": "Read the account's signing secret",
    "description": "It signs deliveries to an order's `notify_url` and to the account's default URL.",
    "scope": "webhooks:write",
    "method": "GET",
    "path": "/webhook_signing_secret",
    "pathArguments": [],
    "queryArguments": {},
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {},
      "additionalProperties": false
    }
  },
  {
    "name": "webhookDeliveries_resend",
    "title": "Send a delivery again",
    "description": "Creates a new delivery of the same event: one immediate attempt with the same event id, also while automatic attempts go on. It is marked `manual` and not retried automatically. 409: its endpoint is disabled or deleted, or an attempt is under way at this moment.",
    "scope": "webhooks:write",
    "method": "POST",
    "path": "/webhook_deliveries/{delivery_id}/resend",
    "pathArguments": [
      "delivery_id"
    ],
    "queryArguments": {},
    "bodyArguments": [],
    "repeat": "makes",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "delivery_id": {
          "type": "string",
          "description": "The delivery's `id`."
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "Set a new unique value only to repeat the same action on purpose."
        }
      },
      "required": [
        "delivery_id"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "webhookDeliveries_list",
    "title": "List deliveries, newest first",
    "description": "The delivery of each event to each URL, with every attempt and the receiver's answer.",
    "scope": "webhooks:read",
    "method": "GET",
    "path": "/webhook_deliveries",
    "pathArguments": [],
    "queryArguments": {
      "limit": "limit",
      "starting_after": "starting_after",
      "ending_before": "ending_before",
      "created_gte": "created[gte]",
      "created_lte": "created[lte]",
      "event_id": "event_id",
      "endpoint_id": "endpoint_id",
      "status": "status",
      "wait": "wait"
    },
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "limit": {
          "type": "integer",
          "minimum": 1,
          "maximum": 25,
          "default": 10,
          "description": "Size of a page, 1 to 25."
        },
        "starting_after": {
          "type": "string",
          "description": "Cursor for the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier; Unix seconds include the whole second: ISO 8601 with time and offset (UTC without one), or Unix time in seconds."
        },
        "event_id": {
          "type": "string",
          "description": "Deliveries of this event."
        },
        "endpoint_id": {
          "type": "string",
          "description": "Deliveries to this endpoint."
        },
        "status": {
          "type": "string",
          "enum": [
            "pending",
            "succeeded",
            "failed",
            "skipped"
          ],
          "description": "`pending`: another attempt follows. `failed`: all attempts failed. `skipped`: its endpoint was disabled or deleted."
        },
        "wait": {
          "type": "integer",
          "minimum": 1,
          "maximum": 25,
          "description": "Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "webhookDeliveries_get",
    "title": "Retrieve a delivery",
    "description": "With all of its attempts.",
    "scope": "webhooks:read",
    "method": "GET",
    "path": "/webhook_deliveries/{delivery_id}",
    "pathArguments": [
      "delivery_id"
    ],
    "queryArguments": {},
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {
        "delivery_id": {
          "type": "string",
          "description": "The delivery's `id`."
        }
      },
      "required": [
        "delivery_id"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "testHelpers_orders_pay",
    "title": "Pay an order as its buyer would",
    "description": "Works on a closed order, too: this is a late payment, which is returned to the buyer. After ten declined attempts within ten minutes the next is 429 until that time is over, and the order stays pending.",
    "scope": "test_helpers:write",
    "method": "POST",
    "path": "/test_helpers/orders/{ref}/pay",
    "pathArguments": [
      "ref"
    ],
    "queryArguments": {},
    "bodyArguments": [
      "payment_method",
      "outcome",
      "amount"
    ],
    "repeat": "makes",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "ref": {
          "type": "string",
          "description": "The order's `trade_no`, or your own `out_trade_no`."
        },
        "payment_method": {
          "type": "string",
          "enum": [
            "card",
            "alipay",
            "wechat_pay",
            "apple_pay",
            "google_pay"
          ],
          "description": "One that you offer. Default: `card`, or the first that you offer if you do not offer cards."
        },
        "outcome": {
          "type": "string",
          "enum": [
            "succeed",
            "decline",
            "cancel",
            "fail",
            "redirect",
            "succeed_unreported"
          ],
          "description": "Default: `succeed`. `decline`: the attempt fails, the order stays pending. `fail`: the channel reports a final failure. `redirect`: the buyer is paying at the channel and cannot be stopped. `succeed_unreported`: the channel has the money and has not reported it yet."
        },
        "amount": {
          "type": "integer",
          "minimum": 1,
          "maximum": 100000000000,
          "description": "Minor units that reach the channel; an amount other than the order's is parked, not credited."
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "Set a new unique value only to repeat the same action on purpose."
        }
      },
      "required": [
        "ref"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "testHelpers_orders_authorize",
    "title": "Authorize an order as its buyer would",
    "description": "For an order with `capture: \"manual\"`: the bank holds its amount. The same as `pay` there.",
    "scope": "test_helpers:write",
    "method": "POST",
    "path": "/test_helpers/orders/{ref}/authorize",
    "pathArguments": [
      "ref"
    ],
    "queryArguments": {},
    "bodyArguments": [
      "payment_method"
    ],
    "repeat": "makes",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "ref": {
          "type": "string",
          "description": "The order's `trade_no`, or your own `out_trade_no`."
        },
        "payment_method": {
          "type": "string",
          "enum": [
            "card",
            "alipay",
            "wechat_pay",
            "apple_pay",
            "google_pay"
          ],
          "description": "One that you offer and that can hold an amount. Default: `card`, or the first of them."
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "Set a new unique value only to repeat the same action on purpose."
        }
      },
      "required": [
        "ref"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "testHelpers_orders_capture",
    "title": "Let the bank capture or release what it holds",
    "description": "By itself, as by hand at an acquirer, and it reports it; or says how it will answer your own capture. To capture as your program does, use `POST /v1/orders/{ref}/capture`. An order without a hold is unchanged.",
    "scope": "test_helpers:write",
    "method": "POST",
    "path": "/test_helpers/orders/{ref}/capture",
    "pathArguments": [
      "ref"
    ],
    "queryArguments": {},
    "bodyArguments": [
      "outcome",
      "amount"
    ],
    "repeat": "sets",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "ref": {
          "type": "string",
          "description": "The order's `trade_no`, or your own `out_trade_no`."
        },
        "outcome": {
          "type": "string",
          "enum": [
            "succeed",
            "succeed_unreported",
            "refuse",
            "late",
            "release"
          ],
          "description": "Default: `succeed`. `succeed_unreported`: the bank captures and does not report it. `release`: it gives the hold up. `refuse`: it refuses each capture that you ask for. `late`: it captures 5 seconds after you ask."
        },
        "amount": {
          "type": "integer",
          "minimum": 1,
          "maximum": 100000000000,
          "description": "Minor units that the bank captures. Default: all that it holds."
        }
      },
      "required": [
        "ref"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "testHelpers_refunds_settle",
    "title": "Let the bank confirm or reject a refund",
    "description": "Alipay and WeChat Pay settle later: by this call, or automatically after a minute.",
    "scope": "test_helpers:write",
    "method": "POST",
    "path": "/test_helpers/refunds/{ref}/settle",
    "pathArguments": [
      "ref"
    ],
    "queryArguments": {},
    "bodyArguments": [
      "outcome"
    ],
    "repeat": "sets",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "ref": {
          "type": "string",
          "description": "The refund's `refund_no`, or your own `out_refund_no`."
        },
        "outcome": {
          "type": "string",
          "enum": [
            "succeeded",
            "failed"
          ],
          "description": "The bank's decision. `failed` may also follow `succeeded`, which reverses the refund."
        }
      },
      "required": [
        "ref",
        "outcome"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "testHelpers_orders_dispute",
    "title": "Let the buyer dispute the payment",
    "description": "Creates a chargeback. Only cards, including Apple Pay and Google Pay, have them.",
    "scope": "test_helpers:write",
    "method": "POST",
    "path": "/test_helpers/orders/{ref}/dispute",
    "pathArguments": [
      "ref"
    ],
    "queryArguments": {},
    "bodyArguments": [
      "amount",
      "reason",
      "evidence_due_by"
    ],
    "repeat": "makes",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "ref": {
          "type": "string",
          "description": "The order's `trade_no`, or your own `out_trade_no`."
        },
        "amount": {
          "type": "integer",
          "minimum": 1,
          "maximum": 100000000000,
          "description": "The amount that the buyer wants back, in minor units. Default: the whole amount."
        },
        "reason": {
          "type": "string",
          "minLength": 1,
          "maxLength": 255,
          "description": "The reason, one line. Default: `fraudulent`."
        },
        "evidence_due_by": {
          "description": "The deadline for evidence. Default: in 7 days; null for none. It may be in the past.",
          "anyOf": [
            {
              "type": "string"
            },
            {
              "type": "null"
            }
          ]
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "Set a new unique value only to repeat the same action on purpose."
        }
      },
      "required": [
        "ref"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "testHelpers_disputes_resolve",
    "title": "Let the bank decide a dispute",
    "description": "A decision that is not possible now, such as a loss after a win, changes only the dispute's `processor_status`.",
    "scope": "test_helpers:write",
    "method": "POST",
    "path": "/test_helpers/disputes/{ref}/resolve",
    "pathArguments": [
      "ref"
    ],
    "queryArguments": {},
    "bodyArguments": [
      "outcome"
    ],
    "repeat": "sets",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "ref": {
          "type": "string",
          "description": "The dispute's `dispute_no`, or the channel's `processor_dispute_id`."
        },
        "outcome": {
          "type": "string",
          "enum": [
            "won",
            "lost",
            "closed"
          ],
          "description": "`won` may also follow `lost`, as an appeal. `closed`: the buyer's bank withdraws."
        }
      },
      "required": [
        "ref",
        "outcome"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "testHelpers_channel_set",
    "title": "Take your sandbox channel down, or up again",
    "description": "While it is down, requests that need the channel are answered 502. Other merchants are not affected.",
    "scope": "test_helpers:write",
    "method": "POST",
    "path": "/test_helpers/channel",
    "pathArguments": [],
    "queryArguments": {},
    "bodyArguments": [
      "reachable"
    ],
    "repeat": "sets",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "reachable": {
          "type": "boolean",
          "description": "Whether your sandbox channel answers."
        }
      },
      "required": [
        "reachable"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "testHelpers_clock_get",
    "title": "Read the clock of your sandbox",
    "description": "All dates and time limits of your sandbox follow this clock. Live mode uses real time.",
    "scope": "test_helpers:read",
    "method": "GET",
    "path": "/test_helpers/clock",
    "pathArguments": [],
    "queryArguments": {},
    "bodyArguments": [],
    "takesIdempotencyKey": false,
    "inputSchema": {
      "type": "object",
      "properties": {},
      "additionalProperties": false
    }
  },
  {
    "name": "testHelpers_clock_advance",
    "title": "Move the clock of your sandbox forward",
    "description": "It stops at each moment at which something is due and processes it: orders expire, webhooks are retried, refunds settle. Returns when the target is reached, or after 5 seconds as 202 with the status `advancing`; it then continues in the background, and reading the clock shows its progress. It may be at most five years ahead in all, and never moves back.",
    "scope": "test_helpers:write",
    "method": "POST",
    "path": "/test_helpers/clock/advance",
    "pathArguments": [],
    "queryArguments": {},
    "bodyArguments": [
      "by",
      "to"
    ],
    "repeat": "makes",
    "takesIdempotencyKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "by": {
          "description": "By how much: a number of seconds, or a number with a unit, s, m, h or d. Either `by` or `to`.",
          "anyOf": [
            {
              "type": "integer",
              "minimum": 1
            },
            {
              "type": "string"
            }
          ]
        },
        "to": {
          "type": "string",
          "description": "The time to which to advance, later than the clock's current time. Either `by` or `to`."
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "Set a new unique value only to repeat the same action on purpose."
        }
      },
      "additionalProperties": false
    }
  }
]
