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
    'nobody was asked and nothing was queued: the caller holds this and shows review_ref to a person, whose answer stays with the caller; to have a person decide here, send the text to POST /api/orch/v1/wow/govern, whose reviews wait at /console/reviews',
}
