/** All texts of the checkout page in one table. Another language is another table of the same shape. */
import type { PaymentMethod } from "@coffer/model/PaymentMethod"

export const texts = {
  order: {
    pay: "Pay",
    noSubject: "Your order",
    number: "Order number",
    subject: "For",
    amount: "Amount",
    refunded: "Refunded",
    payableUntil: "Payable until"
  },

  methods: {
    card: "Card",
    alipay: "Alipay",
    wechat_pay: "WeChat Pay",
    apple_pay: "Apple Pay",
    google_pay: "Google Pay"
  } satisfies Record<PaymentMethod, string>,

  form: {
    method: "Payment method",
    number: "Card number",
    expiry: "Expiry (MM/YY)",
    cvc: "CVC",
    pay: (amount: string) => `Pay ${amount}`,
    testCards: "Test cards",
    testCardsUse: "With any later expiry date and any CVC.",
    testCardDoes: { succeed: "pays", decline: "is declined", redirect: "asks for 3-D Secure" }
  },

  mistakes: {
    number: "Check the card number: some digits are wrong or missing.",
    expiry: "Enter a month that is not over yet, as MM/YY.",
    cvc: "Enter the 3 or 4 digits of the security code."
  },

  notices: {
    declined: {
      title: "The payment was declined",
      text: "No money was taken. Try again, or choose another payment method."
    },
    cancelled: {
      title: "The payment was cancelled",
      text: "No money was taken. Try again, or choose another payment method."
    },
    unverified: {
      title: "Declined: your bank could not verify the payment",
      text: "No money was taken. Try again, or choose another payment method."
    },
    notATestCard: {
      title: "Declined: use a test card",
      text: "This is the sandbox, so real cards are not charged. Take one of the test cards below."
    },
    mistaken: { title: "Please check the card details", text: "Nothing was charged." },
    unreadable: { title: "That did not reach us whole", text: "Nothing was charged. Please try again." }
  },

  wallet: {
    heading: (method: string) => `Confirm in ${method}`,
    text: (method: string) => `This page stands in for the ${method} app. Decide here what the buyer does there.`,
    confirm: "Confirm payment",
    cancel: "Cancel"
  },

  threeDs: {
    heading: "Verify your payment",
    text: "This page stands in for your bank. Decide here how its 3-D Secure check ends.",
    confirm: "Complete verification",
    cancel: "Fail verification"
  },

  paid: {
    heading: "Payment successful",
    text: (amount: string) => `${amount} paid. Thank you.`,
    headingLater: "This order is paid",
    textLater: (amount: string) => `${amount} paid. There is nothing left to do here.`
  },
  refunded: {
    heading: "This order was refunded",
    text: (amount: string) => `${amount} went back the way it was paid.`
  },
  back: {
    soon: (seconds: number) => `You will be taken back in ${seconds} seconds.`,
    link: (host: string) => `Return to ${host}`
  },

  closed: {
    heading: "This checkout has expired",
    text: "The order is closed and can no longer be paid. To buy it after all, order again at the shop.",
    refund: "Should money have been taken all the same, it is sent back by itself."
  },
  failed: {
    heading: "Payment failed",
    text: "This order cannot be paid any more. To buy it after all, order again at the shop."
  },
  invalidLink: {
    heading: "This link is not valid",
    text: "It may have been cut off. Open it again from the shop, or from the message it came with."
  },
  unreachable: {
    heading: "The payment service does not answer",
    text: "Please try again in a moment.",
    again: "Try again"
  },
  uncertain: {
    heading: "We have not heard back yet",
    text: "Your payment may have gone through. Please look again before you pay once more.",
    again: "Look again"
  },
  link: {
    visit: "Go to checkout",
    unknown: {
      heading: "There is no such payment link",
      text: "The address may have been cut off. Open it again from where you found it."
    },
    inactive: { heading: "This payment link is closed", text: "Ask whoever sent it to you for another one." },
    expired: { heading: "This payment link has expired", text: "Ask whoever sent it to you for another one." },
    used_up: {
      heading: "This payment link is used up",
      text: "It could be opened so many times only. Ask whoever sent it to you for another one."
    },
    unavailable: { heading: "This link takes no payments now", text: "Please try again later, or ask the shop." },
    tooOften: {
      heading: "Too many visits",
      text: "From here the link was opened too often within a minute. Please wait a moment.",
      again: "Try again"
    }
  },
  live: {
    heading: "No payment method is connected yet",
    text: "The shop cannot take payments here for now. Nothing was charged."
  }
}

/** The message above the form after an attempt. */
export type Notice = keyof typeof texts.notices
