/** The model page after it was sent: asks the model what its form says and shows the answer as text. */

const form = document.querySelector<HTMLFormElement>('#m1-form')
const state = document.querySelector<HTMLElement>('#m1-state')
const answer = document.querySelector<HTMLElement>('#m1-answer')
const receiptLink = document.querySelector<HTMLAnchorElement>('#m1-receipt')
const typed = (id: string): string =>
  document.querySelector<HTMLInputElement | HTMLTextAreaElement>(`#m1-${id}`)?.value ?? ''

interface Reply {
  inference?: { text: string; finish_reason: string; completion_tokens: number; prompt_truncated: boolean }
  receipt?: { digest: string }
  timing?: { wall_ms: number }
  error?: { message: string }
  detail?: { msg: string }[]
}

interface Answer {
  said: string
  text: string | null
  digest: string | null
}

async function ask(address: string): Promise<Answer> {
  const body = JSON.stringify({
    schema: 'orch.m1-experimental-inference-request/v1',
    prompt: typed('prompt'),
    max_new_tokens: Number(typed('tokens')),
    temperature: Number(typed('temperature')),
    seed: Number(typed('seed')),
    requested_tier: 'EXPERIMENTAL_LOCAL_ONLY',
    provider_id: 'orch.m1.local/v1',
  })
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const sent = await fetch(address, { method: 'POST', headers, body, signal: AbortSignal.timeout(30_000) })
  const { inference, receipt, timing, error, detail } = (await sent.json()) as Reply
  if (inference === undefined)
    return { said: `Refused: ${error?.message ?? detail?.[0]?.msg ?? sent.status}`, text: null, digest: null }
  const speed = timing === undefined ? '' : `, ${Math.round(timing.wall_ms)} ms`
  const cut = inference.prompt_truncated ? ' Only the end of the prompt was read.' : ''
  const said = `${inference.completion_tokens} tokens${speed}, ended by ${inference.finish_reason}.${cut}`
  return { said, text: typed('prompt') + inference.text, digest: receipt?.digest ?? null }
}

if (form !== null && state !== null && answer !== null) {
  const address = form.dataset.infer ?? ''
  state.textContent = 'Nothing was asked yet.'
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    state.textContent = 'The model is writing.'
    const result = await ask(address).catch(() => ({ said: 'The service is unreachable.', text: null, digest: null }))
    state.textContent = result.said
    answer.hidden = result.text === null
    if (receiptLink !== null) {
      receiptLink.hidden = result.digest === null
      receiptLink.href = `/console/receipts/${result.digest ?? ''}`
    }
    answer.textContent = result.text ?? ''
  })
}
