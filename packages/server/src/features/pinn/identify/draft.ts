/** An identification as its operations ask for it: the reply, and the receipt with digests of what came in and went out. */
import { toComputeRefusal } from '../../../domain/compute-refusal.ts'
import type { Call } from '../../../operation.ts'
import type { Draft } from '../../../ports.ts'
import type { Pinn } from '../contract.ts'
import type { IdentifyBody, IdentifyReply } from '../schemas.ts'
import { toIdentifyReply } from './reply.ts'
import { toJob } from './request.ts'

export const IDENTIFY = 'pinn.identify'
export const EXAMPLE: IdentifyBody = { system: 'duffing', noise: 0.01, seed: 1 }

export async function identification(
  port: Pinn,
  body: IdentifyBody,
  inputSource: Call['inputSource'],
  signal: AbortSignal,
): Promise<IdentifyReply> {
  const job = toJob(body)
  const computed = await port.identify(job, { signal }).catch((error: unknown) => {
    throw toComputeRefusal(error, 'body')
  })
  return toIdentifyReply({ body, inputSource }, job, computed)
}

export async function identifyDraft(
  port: Pinn,
  { body, inputSource, signal }: Pick<Call<unknown, unknown, IdentifyBody>, 'body' | 'inputSource' | 'signal'>,
): Promise<Draft> {
  const reply = await identification(port, body, inputSource, signal)
  const { label, input_source, input_sha256, output_sha256 } = reply
  return {
    chain: 'pinn',
    kind: 'analysis',
    payload: { operation: IDENTIFY, input_sha256, output_sha256, label, input_source },
    answer: reply,
  }
}
