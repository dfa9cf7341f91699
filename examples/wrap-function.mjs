// @ts-check
// Put a function behind the gates: it runs when the decision is allow, and only then. Nothing of its arguments leaves
// this process but a digest, unless `describe` returns text for the gates to read.
// Run: node examples/wrap-function.mjs [address, or ORCH_BASE_URL, or http://127.0.0.1:8080]
import { createClient, GovernanceUnavailable, GovernedDenial, govern, ReviewRequired } from '@orch/client'

const address = process.env.ORCH_BASE_URL || 'http://127.0.0.1:8080'
const client = createClient({ baseUrl: process.argv[2] ?? address })
/** @type {string[]} */
const sent = []

const answerCustomer = govern(
  async (/** @type {string} */ customer, /** @type {string} */ answer) => {
    sent.push(customer)
    return `sent ${answer.length} characters to ${customer}`
  },
  {
    client,
    action: { name: 'answer a customer', session_id: 'example', declared: 'INTERNAL' },
    describe: (_, answer) => answer,
    onReview: 'throw',
    timeoutMs: 10_000,
  },
)

/** @param {string} answer */
async function attempt(answer) {
  try {
    return await answerCustomer('customer-7', answer)
  } catch (error) {
    if (error instanceof GovernedDenial) return `denied ${error.reasons.join(',')} ${error.receipt.digest}`
    if (error instanceof ReviewRequired) return `waits for a person: orch review approve ${error.review.review_id}`
    if (error instanceof GovernanceUnavailable) return `not run: ${error.message}`
    throw error
  }
}

for (const answer of [
  'Your parcel left the warehouse this morning.',
  'Your card 4539 5787 6362 1486 was charged.',
  'Please wire 900 dollars to wallet 7 tomorrow',
])
  process.stdout.write(`${await attempt(answer)}\n`)
process.stdout.write(`the function ran ${sent.length} time${sent.length === 1 ? '' : 's'}\n`)
