/** The texts of checkout and payment links in English. `{n}` is a number that a script counts down. */
export const en = {
  /** For a shop whose name is not known. */
  shop: "the shop",
  otherLanguage: "中文",

  order: {
    pay: "Pay",
    noSubject: "Your order",
    number: "Order number",
    subject: "For",
    amount: "Amount",
    refunded: "Refunded",
    payableUntil: "Payable",
    until: "until {when}"
  },

  form: {
    method: "Payment method",
    express: "Pay at once",
    or: "or pay another way",
    number: "Card number",
    expiry: "Expiry",
    expiryForm: "MM/YY",
    cvc: "Security code",
    cvcForm: "CVC",
    holder: "Name on card",
    optional: "optional",
    pay: (amount: string) => `Pay ${amount}`,
    expressBy: (method: string) => `Pay with ${method}`,
    walletHint: (method: string) => `You confirm the payment in ${method}.`,
    hostedHint: "You enter your card on the next page, with our payment provider.",
    busy: "Processing…",
    triesLeft: (left: number) =>
      left === 1
        ? " You have one more try before a break of ten minutes."
        : ` You have ${left} more tries before a break of ten minutes.`,
    testCards: "Test cards",
    testCardsUse: "With any later expiry date and any security code.",
    testCardDoes: {
      succeed: "pays",
      declined: "is declined",
      insufficientFunds: "has not enough money on it",
      cardExpired: "is taken for expired",
      callBank: "needs a call to the bank",
      redirect: "asks for 3-D Secure",
      processing: "pays after a while"
    }
  },

  mistakes: {
    number: "Check the card number: some digits are wrong or missing.",
    expiry: "Check month and year: the card may have expired.",
    cvc: "Enter the 3 or 4 digits of the security code."
  },

  notices: {
    declined: {
      title: "The payment was declined",
      text: "No money was taken. Try again, or choose another payment method."
    },
    tooManyDeclines: {
      title: "Too many attempts were declined",
      text: "No money was taken. Wait ten minutes, then try again with another card or payment method."
    },
    insufficientFunds: {
      title: "Declined: insufficient funds",
      text: "There is not enough money on this card. No money was taken. Use another card or payment method."
    },
    cardExpired: {
      title: "Declined: the card has expired",
      text: "Your bank no longer accepts this card. No money was taken. Use another card."
    },
    callBank: {
      title: "Declined: your bank wants a call from you",
      text: "Call the number on the back of your card to approve the payment, or use another card. No money was taken."
    },
    cancelled: {
      title: "You cancelled the payment",
      text: "No money was taken. You can pay whenever you are ready, with any method."
    },
    unverified: {
      title: "Declined: your bank could not verify the payment",
      text: "No money was taken. Try again, or choose another payment method."
    },
    notATestCard: {
      title: "Declined: use a test card",
      text: "This is the sandbox, so real cards are not charged. Take one of the test cards below."
    },
    notOffered: {
      title: "The shop does not take this payment method",
      text: "Nothing was charged. Choose one of the methods below."
    },
    notTaken: {
      title: "This payment method cannot be used for this order",
      text: "Nothing was charged. Choose another method, or ask the shop."
    },
    amountNotTaken: {
      title: "This amount cannot be paid here",
      text: "Nothing was charged. It is below the least or above the most that can be paid. Please ask the shop."
    },
    mistaken: { title: "Please check the card details", text: "Nothing was charged." },
    unreadable: { title: "That did not reach us whole", text: "Nothing was charged. Please try again." }
  },

  wallet: {
    heading: (method: string) => `Confirm in ${method}`,
    text: (method: string) => `This page stands in for the ${method} app. Decide here what the buyer does there.`,
    scan: (method: string) => `Scan this code with your phone to pay with ${method}. This page follows by itself.`,
    code: (method: string) => `QR code for paying with ${method} on a phone`,
    confirm: "Confirm payment",
    cancel: "Cancel"
  },

  threeDs: {
    heading: "Verify your payment",
    text: "This page stands in for your bank. Decide here how its 3-D Secure check ends.",
    confirm: "Complete verification",
    cancel: "Fail verification"
  },

  leaving: {
    heading: "You are taken to the payment page",
    text: "Our payment provider takes the payment and brings you back here.",
    go: "Continue to payment"
  },

  processing: {
    heading: "Your payment is being processed",
    text: "Your bank is still working on it. Please do not pay again: this page says when it is done.",
    again: "Look again"
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
    soon: "You will be taken back in {n} s.",
    stay: "Stay here",
    receipt: "View receipt",
    link: (shop: string) => `Return to ${shop}`
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
    text: "Nothing was charged. Please try again in a moment.",
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
