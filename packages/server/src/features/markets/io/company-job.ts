/** The annual rows of a company of the file of all its facts, on the main thread or in another one. */
import { type ApartReply, replyApart } from '../../../adapters/outbound/apart.ts'
import { OutboundFault } from '../../../adapters/outbound/contract.ts'
import { parseReply } from '../../../adapters/outbound/json-reply.ts'
import type { JobContext } from '../../../platform/compute/job.ts'
import { type CompanyFacts, FACTS_MEMBERS, parseCompanyFacts } from '../company-facts.ts'

export interface CompanyParams {
  cik: string
}

export function readFacts(reply: unknown, cik: string): CompanyFacts {
  const facts = parseCompanyFacts(reply, cik)
  if (!facts.ok) throw new OutboundFault(facts.fault)
  return facts.value
}

/** The job. */
export const companyFacts = ({ cik }: CompanyParams, { bytes }: JobContext): ApartReply<CompanyFacts> =>
  replyApart(() => readFacts(parseReply(bytes!, true, FACTS_MEMBERS), cik))
