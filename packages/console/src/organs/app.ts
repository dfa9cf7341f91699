/** The page of the organs after it was sent: runs what a form holds and shows the answer as text. */

const MAX_SHOWN = 60_000

interface Answer {
  status?: string
  evidence_class?: string
  result_sha256?: string | null
  receipt?: { digest: string }
  error?: { message: string }
  detail?: { loc: (string | number)[]; msg: string }[]
  example?: { request: unknown }
}

async function send(address: string, body: string | null): Promise<{ said: string; answer: Answer }> {
  const headers = { accept: 'application/json', ...(body === null ? {} : { 'content-type': 'application/json' }) }
  const init = body === null ? {} : { method: 'POST', body }
  const reply = await fetch(address, { ...init, headers, signal: AbortSignal.timeout(30_000) })
  const answer = (await reply.json()) as Answer
  const { status, evidence_class: word, result_sha256: digest, receipt, error, detail } = answer
  const faults = detail?.map(({ loc, msg }) => `${loc.slice(1).join('.') || 'the request'}: ${msg}`).join('; ')
  const said = reply.ok
    ? `${status ?? ''}, ${word ?? ''}. Result ${digest ?? 'none'}. Receipt ${receipt?.digest ?? 'none'}.`
    : `Refused: ${faults ?? error?.message ?? reply.status}`
  return { said, answer }
}

function attach(form: HTMLFormElement): void {
  const request = form.querySelector('textarea')
  const state = form.querySelector('[role=status]')
  const shown = form.querySelector('pre')
  const written = form.querySelector('button[type=button]')
  const address = form.dataset.run ?? ''
  if (request === null || state === null || shown === null || written === null) return
  const ask = async (body: string | null, use: (found: Awaited<ReturnType<typeof send>>) => void): Promise<void> => {
    state.textContent = 'Waiting for the service.'
    await send(address, body).then(use, () => {
      state.textContent = 'The service is unreachable.'
    })
  }
  state.textContent = 'Nothing was run yet.'
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void ask(request.value, ({ said, answer }) => {
      state.textContent = said
      shown.hidden = false
      shown.textContent = JSON.stringify(answer, null, 2).slice(0, MAX_SHOWN)
    })
  })
  written.addEventListener(
    'click',
    () =>
      void ask(null, ({ answer }) => {
        request.value = JSON.stringify(answer.example?.request ?? {}, null, 2)
        state.textContent = 'This is the example, written out.'
      }),
  )
}

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-run]')) attach(form)
