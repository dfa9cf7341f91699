/** What an organ says where a person should decide: it holds and names what is to be shown, and asks nobody itself. */
import Type from 'typebox'
import type { RunContext } from './organ.ts'
import type { Limit } from './schemas.ts'

export const ReviewRef = Type.String({
  description:
    'chain and input digest of the receipt, under which the caller presents the run to a person; no entry of the review queue',
})

export const reviewRef = (id: string, { inputSha256 }: RunContext): string => `${id.toLowerCase()}/${inputSha256}`

export const REVIEW_NOT_QUEUED: Limit = {
  code: 'REVIEW_NOT_QUEUED',
  detail:
    'no entry of the review queue was opened: the caller has to hold this and to ask a person; a review that is queued and decided here begins at wow/govern',
}
