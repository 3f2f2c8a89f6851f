/** The texts of checkout and payment links in English. `{n}` is a number that a script counts down. */
export const en = {
  /** For a shop whose name is unknown. */
  shop: "the shop",
  /** The language's own name: short for phones, and in full. */
  name: { short: "EN", whole: "EN: English" },

  order: {
    pay: "Pay",
    noSubject: "Your order",
    number: "Order number",
    subject: "For",
    amount: "Amount",
    refunded: "Refunded",
    refundedAt: "Refunded on",
    payableUntil: "Pay by",
    until: "{when}",
    paidAt: "Paid",
    paidWith: "Paid with",
    madeAt: "Ordered",
    expiredAt: "Expired"
  },

  /** Beside the form, where there is room for it. */
  next: {
    heading: "What happens next",
    here: (shop: string) => `You pay ${shop} on this page, or confirm in your wallet’s app.`,
    hosted: (provider: string, shop: string) => `You pay ${shop} on the secure page of ${provider}.`,
    mailed: "Your receipt is sent to your email address.",
    shown: "You see your receipt here as soon as you have paid.",
    back: (shop: string) => `You return to ${shop}.`
  },

  form: {
    method: "Payment method",
    express: "Express checkout",
    or: "or pay another way",
    number: "Card number",
    expiry: "Expiry",
    expiryForm: "MM/YY",
    cvc: "Security code",
    cvcForm: "CVC",
    pay: (amount: string) => `Pay ${amount}`,
    expressBy: (method: string) => `Pay with ${method}`,
    walletHint: (method: string) => `You confirm the payment in ${method}.`,
    hostedHint: (provider: string, amount: string) =>
      `You pay ${amount} on the secure page of ${provider}, our payment provider, and come back here.`,
    goTo: (method: string) => (method === "" ? "Continue to secure card payment" : `Continue to ${method}`),
    trust: "Your payment details are encrypted.",
    mail: "Email me a receipt",
    email: "Email address (optional)",
    emailUse: (shop: string) => `For the receipt. ${shop} sees it too.`,
    emailKept: "We have your address. Enter another one to change it.",
    busy: "Processing…",
    triesLeft: (left: number) =>
      left === 1
        ? " You have one more try before a break of ten minutes."
        : ` You have ${left} more tries before a break of ten minutes.`,
    testCards: "Test cards",
    testCardsUse: "Use any future expiry date and any security code.",
    testCardDoes: {
      succeed: "pays",
      declined: "is declined",
      insufficientFunds: "is declined: insufficient funds",
      cardExpired: "is declined: expired card",
      callBank: "is declined: call your bank",
      redirect: "requires 3-D Secure",
      processing: "succeeds after a delay"
    }
  },

  mistakes: {
    number: "Check the card number.",
    expiry: "Check the expiry date. The card may have expired.",
    cvc: "Enter the 3 or 4 digits of the security code.",
    email: "Enter an email address such as name@example.com, or leave this empty."
  },
  missing: {
    number: "Enter the card number.",
    expiry: "Enter the expiry date.",
    cvc: "Enter the security code."
  },

  notices: {
    declined: {
      title: "Your payment was declined",
      text: "You have not been charged. Try again, or use a different payment method."
    },
    tooManyDeclines: {
      title: "Too many declined attempts",
      text: "You have not been charged. Wait ten minutes, then try a different card or payment method."
    },
    insufficientFunds: {
      title: "Your card has insufficient funds",
      text: "You have not been charged. Use a different card or payment method."
    },
    cardExpired: {
      title: "Your card has expired",
      text: "You have not been charged. Use a different card."
    },
    callBank: {
      title: "Your bank declined the payment",
      text: "You have not been charged. Call the number on your card to approve it, or use a different card."
    },
    cancelled: {
      title: "You cancelled the payment",
      text: "You have not been charged. You can still pay, with any method."
    },
    unverified: {
      title: "Your bank could not verify this payment",
      text: "You have not been charged. Try again, or use a different payment method."
    },
    notATestCard: {
      title: "Use a test card",
      text: "This is the sandbox, so real cards are not charged. Use one of the test cards below."
    },
    notOffered: {
      title: "This shop does not accept that payment method",
      text: "You have not been charged. Choose one of the methods above."
    },
    notTaken: {
      title: "That payment method is not available for this order",
      text: "You have not been charged. Choose another method, or contact the shop."
    },
    amountNotTaken: {
      title: "This amount cannot be paid here",
      text: "You have not been charged. The amount is too small or too large. Please contact the shop."
    },
    mistaken: { title: "Please check the card details", text: "You have not been charged." },
    unreadable: { title: "Something went wrong", text: "You have not been charged. Please try again." }
  },

  wallet: {
    heading: (method: string) => `Confirm in ${method}`,
    text: (method: string) => `This page stands in for the ${method} app. Decide here what the buyer does there.`,
    scan: (method: string) => `Scan this code with your phone to pay with ${method}. This page updates automatically.`,
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
    heading: "Taking you to secure payment",
    text: "You pay on our payment provider's page, and come back here afterwards.",
    go: "Continue to payment"
  },

  processing: {
    heading: "Your payment is being processed",
    text: "Your bank is still processing it. Please do not pay again. This page updates automatically.",
    again: "Check again"
  },

  paid: {
    heading: "Payment successful",
    text: (amount: string, shop: string) => `You paid ${amount} to ${shop}. Thank you.`,
    mailed: "Your receipt is on its way to your email address.",
    close: "You can close this page.",
    headingLater: "This order is paid",
    textLater: (amount: string, shop: string) => `You paid ${amount} to ${shop}. You don’t need to do anything else.`
  },
  held: {
    heading: "Amount on hold",
    text: (amount: string, shop: string) => `Your bank holds ${amount} for ${shop}. You have not been charged yet.`,
    later: "The shop charges this amount or less when it confirms your order. What it does not charge is released."
  },
  refunded: {
    heading: "This order was refunded",
    text: (amount: string, shop: string) =>
      `${shop} sent ${amount} back to the payment method that you used. Banks may take a few days.`
  },
  back: {
    soon: "Returning to the shop in {n} s.",
    stay: "Stay here",
    receipt: "View receipt",
    link: (shop: string) => `Return to ${shop}`
  },

  closed: {
    heading: "This checkout has expired",
    text: (shop: string) => `This order can no longer be paid. If you still want it, place a new order with ${shop}.`,
    refund: "If you were charged, the money is refunded automatically."
  },
  ended: {
    heading: "This order was closed",
    text: (shop: string) => `${shop} closed this order before it was paid. If you still want it, place a new one.`
  },
  failed: {
    heading: "Payment failed",
    text: (shop: string) => `This order can no longer be paid. If you still want it, place a new order with ${shop}.`
  },
  invalidLink: {
    heading: "This link is not valid",
    text: "Part of the address may be missing. Open the link again from the shop or the message that it came in."
  },
  unreachable: {
    heading: "We can’t reach the payment service",
    text: "You have not been charged. Please try again in a moment.",
    again: "Try again"
  },
  uncertain: {
    heading: "We’re not sure that your payment went through",
    text: "It may have been successful. Please check again before you try to pay again.",
    again: "Check again"
  },
  link: {
    visit: "Go to checkout",
    unknown: {
      heading: "This payment link does not exist",
      text: "Part of the address may be missing. Open the link again from where you found it."
    },
    inactive: { heading: "This payment link is closed", text: "Ask the person who sent it to you for a new one." },
    expired: { heading: "This payment link has expired", text: "Ask the person who sent it to you for a new one." },
    used_up: {
      heading: "This payment link has already been used",
      text: "It has reached its limit. Ask the person who sent it to you for a new one."
    },
    unavailable: {
      heading: "This link can’t take payments right now",
      text: "Please try again later, or contact the shop."
    },
    tooOften: {
      heading: "Too many visits",
      text: "This link was opened too many times in a minute. Please wait a moment.",
      again: "Try again"
    }
  },
  live: {
    heading: "This shop can’t take payments yet",
    text: "You have not been charged. Please contact the shop."
  }
}
