/** The tools, one for each operation of the contract. Written by `npm run sdk`. */
import type { Tool } from "../Tool.ts"

export const tools: ReadonlyArray<Tool> = [
  {
    "name": "orders_create",
    "title": "Create an order",
    "description": "Answers 201 with the new order; send the buyer to its `checkout_url`. An `out_trade_no` that exists already answers 200 with that order when amount, currency, subject and notify_url are the same, and 409 when they are not.",
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
      "locale"
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
          "description": "The amount to pay: a whole number of minor units, 1999 for $19.99. Where Stripe takes the payments, it takes at least 50 (0.50 USD), 400 (4.00 HKD) or 400 (4.00 CNY), and at most 99999999 (999,999.99) in each currency; other amounts are 400 for `amount`."
        },
        "out_trade_no": {
          "type": "string",
          "minLength": 1,
          "maxLength": 128,
          "description": "Your number of the order, one line. Sent again with the same terms, it gets the same order."
        },
        "currency": {
          "type": "string",
          "enum": [
            "USD",
            "HKD",
            "CNY"
          ],
          "description": "`USD` unless given; live: one enabled for you."
        },
        "subject": {
          "type": "string",
          "minLength": 0,
          "maxLength": 255,
          "description": "The title that the buyer reads at checkout, one line of at most 255 characters."
        },
        "notify_url": {
          "type": "string",
          "minLength": 1,
          "maxLength": 2048,
          "description": "Where the events of this order go, instead of to your endpoints. Live: public HTTPS."
        },
        "return_url": {
          "type": "string",
          "minLength": 1,
          "maxLength": 2048,
          "description": "Where the buyer goes after the payment; `{TRADE_NO}` and `{OUT_TRADE_NO}` are filled in."
        },
        "metadata": {
          "type": "object",
          "additionalProperties": {
            "type": "string"
          },
          "description": "At most 50 keys of 1 to 40 characters, values of at most 500."
        },
        "receipt_email": {
          "type": "string",
          "minLength": 3,
          "maxLength": 254,
          "description": "The address for the receipt, which is sent by itself once paid."
        },
        "locale": {
          "type": "string",
          "enum": [
            "zh",
            "en"
          ],
          "description": "Language of checkout and receipt; otherwise the browser's."
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "Only to do the same once more on purpose: a new text of yours."
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
    "description": "All filters have to match. `format=csv` answers a file of at most 10,000 rows, and then `limit` and the cursors do not count.",
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
          "description": "For the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "For the page before: the id of the first object of this one. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier, a second of Unix time to its end: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
        },
        "status": {
          "type": "string",
          "enum": [
            "pending",
            "paid",
            "partially_refunded",
            "refunded",
            "failed",
            "expired"
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
          "description": "Paid then or later: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
        },
        "paid_at_lte": {
          "type": "string",
          "description": "Paid then or earlier, a second of Unix time to its end: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
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
          "description": "`metadata[shelf]=A7`: objects with exactly this value under this key. Several have to match at once."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "orders_update",
    "title": "Update metadata or receipt_email",
    "description": "Merges: keys that are not sent stay as they are. Nothing else of an order can be changed.",
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
          "description": "Keys to write; null deletes a key, null for the whole all of them.",
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
          "description": "The address for the receipt from now on; null for none.",
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
    "description": "By our number or by yours. Its `checkout_url` is newly signed each time.",
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
    "description": "For when the buyer has left. An expired order is answered unchanged. `Coffer-Reason` says why it is 409: `just_paid`, and the order is paid; `buyer_busy`, the buyer is about to, and the order stays pending; `not_pending`, it has ended before. 502 when the channel cannot be asked, and then nothing has changed.",
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
    "name": "orders_timeline",
    "title": "Read an order's whole story",
    "description": "Your requests, what became of the order, attempts to pay that did not succeed (the newest 50), payments that it did not take, its refunds and disputes, each ledger row with its balances, each event, each delivery with every attempt, and receipts. It is read from the rows of these, so it says what they say. Requests are in it for as long as logs are kept. A key with scopes gets the kinds that its scopes let it read.",
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
    "description": "Answers 200 with the order when the mail is queued; `receipt_sent_at` follows when the mail server has taken it, and `receipt_failure_reason` when it never will. 409 while the order is not paid. Five within an hour for one order: one more is 429. The mail that is sent by itself when an order is paid does not count.",
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
          "description": "The address for it, and the order's `receipt_email` from now on; that one unless given."
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "Only to do the same once more on purpose: a new text of yours."
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
    "description": "201 when the channel paid at once, 202 when it settles later: ask again every 10 seconds for 5 minutes, then seldom, or wait for the event. An `out_refund_no` that exists answers 200 with that refund. Fees stay with the channel, so a whole refund takes more than its payment brought. 502: nothing has changed.",
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
          "description": "Your number of the refund, one line; required in live. Sent again, it gets the same refund."
        },
        "amount": {
          "type": "integer",
          "minimum": 1,
          "maximum": 100000000000,
          "description": "Minor units; all that can still be refunded unless given. Null is refused, not taken for all."
        },
        "reason": {
          "type": "string",
          "maxLength": 500,
          "description": "For your records, at most 500 characters; lines are kept."
        },
        "metadata": {
          "type": "object",
          "additionalProperties": {
            "type": "string"
          },
          "description": "At most 50 keys of 1 to 40 characters, values of at most 500."
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "Only to do the same once more on purpose: a new text of yours."
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
    "description": "All filters have to match. `format=csv` answers a file of at most 10,000 rows, and then `limit` and the cursors do not count.",
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
          "description": "For the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "For the page before: the id of the first object of this one. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier, a second of Unix time to its end: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
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
    "description": "Merges: keys that are not sent stay as they are. Nothing else of a refund can be changed.",
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
          "description": "Keys to write; null deletes a key, null for the whole all of them.",
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
    "description": "Each call replaces the whole; what a draft had must be sent again. Submitted, the dispute is `under_review` and takes no more. 502: the channel could not be told, and nothing has changed. When the channel does not answer in time, the dispute comes as it stands and follows by itself. 409 after the deadline, and for a dispute that you accepted or that is decided.",
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
              "description": "The carrier's number of the parcel."
            },
            "shipping_date": {
              "type": "string",
              "maxLength": 5000,
              "description": "When the goods left."
            },
            "service_date": {
              "type": "string",
              "maxLength": 5000,
              "description": "When the service was given."
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
          "description": "Texts of at most 5000 characters each; lines are kept. An unknown name is refused. `{}` removes all texts."
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
                "description": "Its address as the upload answered it."
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
          "description": "`true` sends it to the bank, and there is no second time unless the bank asks again. Otherwise it is kept as a draft."
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
    "description": "The dispute is `lost` once the channel confirms it, which takes a moment; until then its status stays, and a second call changes nothing. 502: the channel could not be told, and nothing has changed.",
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
    "description": "All filters have to match. `format=csv` answers a file of at most 10,000 rows, and then `limit` and the cursors do not count.",
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
          "description": "For the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "For the page before: the id of the first object of this one. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier, a second of Unix time to its end: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
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
    "description": "Give its `url` to as many buyers as you like: each visit makes an order of its own.",
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
      "metadata"
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
          "description": "The amount that each buyer pays, in minor units. It never changes. Where Stripe takes the payments, it takes at least 50 (0.50 USD), 400 (4.00 HKD) or 400 (4.00 CNY), and at most 99999999 (999,999.99) in each currency; other amounts are 400 for `amount`."
        },
        "currency": {
          "type": "string",
          "enum": [
            "USD",
            "HKD",
            "CNY"
          ],
          "description": "`USD` unless given; live: one enabled for you. It never changes."
        },
        "subject": {
          "type": "string",
          "minLength": 0,
          "maxLength": 255,
          "description": "The title that the buyer reads at checkout, one line of at most 255 characters."
        },
        "max_uses": {
          "type": "integer",
          "minimum": 1,
          "description": "How many orders visits may make; any number unless given."
        },
        "expires_at": {
          "type": "string",
          "description": "From when on visits make no order, in the future; never unless given."
        },
        "notify_url": {
          "type": "string",
          "minLength": 1,
          "maxLength": 2048,
          "description": "Where the events of the orders go, instead of to your endpoints. Live: public HTTPS."
        },
        "return_url": {
          "type": "string",
          "minLength": 1,
          "maxLength": 2048,
          "description": "Where buyers go after the payment; `{TRADE_NO}` and `{OUT_TRADE_NO}` are filled in."
        },
        "metadata": {
          "type": "object",
          "additionalProperties": {
            "type": "string"
          },
          "description": "At most 50 keys of 1 to 40 characters, values of at most 500."
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "Only to do the same once more on purpose: a new text of yours."
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
          "description": "For the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "For the page before: the id of the first object of this one. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier, a second of Unix time to its end: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "paymentLinks_update",
    "title": "Change a payment link, close it or open it",
    "description": "Fields that are not sent stay. Amount and currency cannot be changed: make another link.",
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
          "description": "Null lifts the limit. Below `used_count` it closes the link.",
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
          "description": "Keys to write; null deletes a key, null for the whole all of them.",
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
    "description": "`format=svg` answers a picture to print or to show; a phone's camera opens the link.",
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
    "description": "Each currency has its own wallet in each environment, and nothing is converted. One that was never used is all zeros, also that of a live currency that is not enabled for you.",
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
          "description": "Which wallet; `USD` unless given."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "ledger_list",
    "title": "List the ledger, newest first, or export it",
    "description": "Every movement of the wallets, never changed and never removed. A payment is two rows: the whole amount in, the fee out. `format=csv` answers a file of at most 10,000 rows.",
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
          "description": "For the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "For the page before: the id of the first object of this one. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier, a second of Unix time to its end: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
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
    "description": "For proving that no movement was changed, removed or slipped in: each `hash` is that of its `text`, and each `previous_hash` is the `hash` of the row before it. Keep the newest one, and compare it later.",
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
          "description": "For the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "For the page before: the id of the first object of this one. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier, a second of Unix time to its end: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
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
    "title": "Make a report as a file",
    "description": "For reports of any length. The file has no limit of rows. It is written after the answer: ask for the report until its `status` is `succeeded`, then read its file. 409: too many are being written or kept.",
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
            "jsonl"
          ],
          "description": "`csv` unless given, or `jsonl`: one JSON object on each line."
        },
        "from": {
          "type": "string",
          "maxLength": 10,
          "description": "The first day, as `YYYY-MM-DD`. For `statement`, `fees`, and `transactions` without a `payout_no`."
        },
        "to": {
          "type": "string",
          "maxLength": 10,
          "description": "The last day, which belongs to the report; the first unless given."
        },
        "interval": {
          "type": "string",
          "enum": [
            "day",
            "month",
            "range"
          ],
          "description": "`day` closes a statement each day, `month` each month, `range` at the end; `day` unless given."
        },
        "currency": {
          "type": "string",
          "enum": [
            "USD",
            "HKD",
            "CNY"
          ],
          "description": "The wallet of this currency alone; all wallets unless given."
        },
        "time_zone": {
          "type": "string",
          "maxLength": 64,
          "description": "Name of the time zone, such as `Europe/Berlin`; your own unless given, which is UTC until you name one."
        },
        "payout_no": {
          "type": "string",
          "maxLength": 64,
          "description": "Number of the payout. For `payout`, and for `transactions` in place of days."
        },
        "at": {
          "type": "string",
          "maxLength": 64,
          "description": "The moment, as ISO 8601 or seconds of Unix time; now unless given. For `frozen`."
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "Only to do the same once more on purpose: a new text of yours."
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
    "title": "List reports that are made as files, newest first",
    "description": "Those that are being written, and those that are kept: of the last seven days.",
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
          "description": "For the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "For the page before: the id of the first object of this one. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier, a second of Unix time to its end: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "reports_statement",
    "title": "Read the statement of a day or of up to 31 days",
    "description": "For each wallet and day: the opening balance, what the movements of each type have changed, and the closing balance, which is the head of the wallet's chain at that moment. It has at most 5000 movements; for more, make a file by POST /v1/reports. `format=csv` answers CSV.",
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
          "description": "The last day, which belongs to the report; the first unless given."
        },
        "currency": {
          "type": "string",
          "enum": [
            "USD",
            "HKD",
            "CNY"
          ],
          "description": "The wallet of this currency alone; all wallets unless given."
        },
        "time_zone": {
          "type": "string",
          "description": "Name of the time zone, such as `Europe/Berlin`; your own unless given, which is UTC until you name one."
        },
        "interval": {
          "type": "string",
          "enum": [
            "day",
            "month",
            "range"
          ],
          "description": "`day` closes a statement each day, `month` each month, `range` at the end; `day` unless given."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "reports_fees",
    "title": "Read the fees by payment method",
    "description": "The fees of payments, lost disputes and payouts in these days. It has at most 5000 movements; for more, make a file by POST /v1/reports. `format=csv` answers CSV.",
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
          "description": "The last day, which belongs to the report; the first unless given."
        },
        "currency": {
          "type": "string",
          "enum": [
            "USD",
            "HKD",
            "CNY"
          ],
          "description": "The wallet of this currency alone; all wallets unless given."
        },
        "time_zone": {
          "type": "string",
          "description": "Name of the time zone, such as `Europe/Berlin`; your own unless given, which is UTC until you name one."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "reports_payout",
    "title": "Read what a payout is made of",
    "description": "The statement of its wallet from the payout before it until it was asked for: what was left over then, what has come and gone since, the payout itself, and what it left. It has at most 5000 movements; for more, make a file by POST /v1/reports. `format=csv` answers CSV.",
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
          "description": "Number of the payout. For `payout`, and for `transactions` in place of days."
        },
        "time_zone": {
          "type": "string",
          "description": "Name of the time zone, such as `Europe/Berlin`; your own unless given, which is UTC until you name one."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "reports_frozen",
    "title": "Read open disputes and frozen money at a moment",
    "description": "Each dispute, payout and refund that held money at that moment, open disputes that held none, and the frozen balance that they add up to. It has at most 5000 movements; for more, make a file by POST /v1/reports. `format=csv` answers CSV.",
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
          "description": "The moment, as ISO 8601 or seconds of Unix time; now unless given. For `frozen`."
        },
        "currency": {
          "type": "string",
          "enum": [
            "USD",
            "HKD",
            "CNY"
          ],
          "description": "The wallet of this currency alone; all wallets unless given."
        },
        "time_zone": {
          "type": "string",
          "description": "Name of the time zone, such as `Europe/Berlin`; your own unless given, which is UTC until you name one."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "reports_get",
    "title": "Retrieve a report",
    "description": "How far its file is. A report and its file are removed seven days after it was made.",
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
    "description": "Everything that has happened, also what no webhook took: read here what you have missed. With `wait` and the id of the newest event that you have, new events are returned as they happen.",
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
      "type": "type",
      "object_id": "object_id",
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
          "description": "For the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "For the page before: the id of the first object of this one. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier, a second of Unix time to its end: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
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
              "refund.succeeded",
              "refund.failed",
              "dispute.created",
              "dispute.updated",
              "dispute.won",
              "dispute.lost",
              "dispute.closed"
            ]
          },
          "description": "Events of this type; give it several times for several types."
        },
        "object_id": {
          "type": "string",
          "description": "Events of this order, refund or dispute: our number, or any that its own path takes."
        },
        "wait": {
          "type": "integer",
          "minimum": 1,
          "maximum": 25,
          "description": "Seconds, 1 to 25. While there is no event newer than `ending_before`, the answer waits so long for one, and is then an empty page. These calls have a quota of their own. Not with `starting_after`."
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
    "description": "For finding out what your server sent and what it got. Written on the side, so a call may be missing now and then.",
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
      "request_id": "request_id",
      "status": "status",
      "path": "path",
      "error_code": "error_code"
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
          "description": "For the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "For the page before: the id of the first object of this one. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier, a second of Unix time to its end: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
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
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "erasures_create",
    "title": "Erase a buyer",
    "description": "Metadata, addresses, subjects, evidence and its files, mails, events, receivers' answers, stored answers and API logs then say `[erased]`; numbers, amounts and the ledger stay. 202: it has begun, and `GET` says how far it is. 200: a dry run. It takes your own rows in this environment alone. While it runs, the same request answers the same erasure. 409: 10 of yours are at work.",
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
          "description": "The buyer's address, in any spelling: all orders that have it, and the address alone where others' name it."
        },
        "trade_no": {
          "type": "string",
          "minLength": 1,
          "maxLength": 128,
          "description": "The one order that is erased, whatever address it has."
        },
        "dry_run": {
          "type": "boolean",
          "description": "`true` says how many rows of each kind there are, and changes nothing."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "erasures_get",
    "title": "How far an erasure is",
    "description": "It stays as the word that it was done.",
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
    "description": "The answer holds the signing secret, this once. A merchant has at most 16 endpoints in each environment: one more is 409 `conflict`.",
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
          "description": "Live: public HTTPS. Sandbox: http too, and private addresses where the operator allows them."
        },
        "description": {
          "type": "string",
          "minLength": 1,
          "maxLength": 500,
          "description": "Your own words about it."
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
          "description": "Types of events that it takes; all of them unless given.",
          "minItems": 1,
          "maxItems": 12
        },
        "disable_when_failing": {
          "type": "boolean",
          "description": "Disable it when it has taken nothing for five days; not unless you say so."
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "Only to do the same once more on purpose: a new text of yours."
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
    "description": "With the account's single address, where there is one.",
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
          "description": "For the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "For the page before: the id of the first object of this one. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier, a second of Unix time to its end: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "webhookEndpoints_update",
    "title": "Change a webhook endpoint, pause or disable it",
    "description": "Fields that are not sent stay. Deliveries that fall due while it is disabled are skipped, later ones stay. Those that fall due while it is paused wait until it is enabled. The account's single address is set elsewhere: 409 `conflict`.",
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
          "description": "A new address; what is still to be delivered goes there.",
          "anyOf": [
            {
              "type": "string",
              "minLength": 1,
              "maxLength": 2048,
              "description": "Live: public HTTPS. Sandbox: http too, and private addresses where the operator allows them."
            },
            {
              "type": "null"
            }
          ]
        },
        "description": {
          "description": "Your own words about it; null removes them.",
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
          "description": "Replaces the types that it takes.",
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
              "description": "Types of events that it takes; `*` stands for all of them, also for those that are added later.",
              "minItems": 1,
              "maxItems": 12
            },
            {
              "type": "null"
            }
          ]
        },
        "status": {
          "description": "`disabled` stops deliveries, `paused` lets them wait, `enabled` lets those through that wait and new ones.",
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
          "description": "Disable it when it has taken nothing for five days; not unless you say so.",
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
          "description": "The same as `status`, for who likes it better; not both at once.",
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
    "description": "Deliveries that are still to be made are skipped.",
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
    "description": "The answer holds the new secret, this once. For 24 hours the old one signs as well: both signatures are in one header, and one that fits is enough.",
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
    "name": "webhookSigningSecret_rotate",
    "title": "Rotate the account's signing secret",
    "description": "It signs what goes to an order's `notify_url` and to the account's single address. For 24 hours the old one signs as well.",
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
    "name": "webhookSigningSecret_get",
    "title": "Read the account's signing secret",
    "description": "It signs what goes to an order's `notify_url` and to the account's single address.",
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
    "description": "A new delivery of the same event: one attempt, at once, with the same event id. It is marked `manual`, and none follows it by itself. 409: its endpoint is disabled or deleted.",
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
          "description": "Only to do the same once more on purpose: a new text of yours."
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
    "description": "Each event on its way to each address, with every attempt and what the receiver answered.",
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
          "description": "For the next page: the id of the last object of this one."
        },
        "ending_before": {
          "type": "string",
          "description": "For the page before: the id of the first object of this one. Not together with `starting_after`."
        },
        "created_gte": {
          "type": "string",
          "description": "Created then or later: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
        },
        "created_lte": {
          "type": "string",
          "description": "Created then or earlier, a second of Unix time to its end: ISO 8601 with time and offset (UTC without one), or seconds of Unix time."
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
          "description": "`pending`: an attempt is still to come. `failed`: all attempts were made. `skipped`: its endpoint was disabled or deleted."
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
    "description": "Works on a closed order, too: that is the late payment, which goes back to the buyer. After ten declined attempts within ten minutes the next is 429 until that time is over, and the order stays pending.",
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
          "description": "One that you offer: `card` unless given, or the first that you offer where cards are not."
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
          "description": "`succeed` unless given. `decline`: the attempt fails, the order stays pending. `fail`: the channel's last word. `redirect`: the buyer is on the way and cannot be stopped. `succeed_unreported`: the channel has the money and has not said so yet."
        },
        "amount": {
          "type": "integer",
          "minimum": 1,
          "maximum": 100000000000,
          "description": "Minor units that reach the channel; another amount than the order's is not credited but parked."
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "Only to do the same once more on purpose: a new text of yours."
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
    "description": "Alipay and WeChat Pay settle later: by this call, or by themselves after a minute.",
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
          "description": "The bank's word. It may also take back, as `failed`, what had succeeded."
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
    "description": "A chargeback arrives. Cards have them, and so Apple Pay and Google Pay; the other methods do not.",
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
          "description": "The amount that the buyer wants back, in minor units; the whole unless given."
        },
        "reason": {
          "type": "string",
          "minLength": 1,
          "maxLength": 255,
          "description": "Why, in one line; `fraudulent` unless given."
        },
        "evidence_due_by": {
          "description": "The last moment for evidence: in 7 days unless given, null for none. The past will do, too.",
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
          "description": "Only to do the same once more on purpose: a new text of yours."
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
    "description": "A word that cannot follow, as a loss after it was won, leaves the dispute as it is but for its `processor_status`.",
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
          "description": "`won` may also follow a loss: the appeal. `closed`: the buyer's bank withdraws."
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
    "description": "While it is down, whatever has to ask the channel answers 502. Other merchants do not notice.",
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
    "description": "All that your sandbox dates or limits by time follows this clock. Live mode keeps real time.",
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
    "description": "It goes from one moment at which something is due to the next, and lets it be done: orders expire, webhooks are sent again, refunds settle. The answer comes when it is there, or after 5 seconds as 202 with the status `advancing`; then it goes on by itself, and reading the clock tells how far it is. It may be five years ahead in all, and never goes back.",
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
          "description": "How far: a number of seconds, or one with a unit, s, m, h or d. Either `by` or `to`.",
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
          "description": "The moment that the clock goes to, later than its own. Either `by` or `to`."
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "Only to do the same once more on purpose: a new text of yours."
        }
      },
      "additionalProperties": false
    }
  }
]
