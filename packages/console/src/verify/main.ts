// The page: what goes in on one side, the verifier's report on the other. It makes no request of any kind.
import type { EvidenceKind, Trust } from '@orch/core'
import { byId, clipped, element, plainText, spelledOut } from './element.ts'
import { type Evidence, sizeOfEvidence } from './evidence.ts'
import { Input } from './input.ts'
import { KeyRing } from './key-ring.ts'
import { KeysView } from './keys-view.ts'
import type { Recognised } from './recognise.ts'
import { reportView } from './report-view.ts'
import { verifyEvidence } from './run.ts'
import { KIND_NAMES, sizeOf, verdictSentence, verdictWord } from './words.ts'

// How far a long verification is. Announced at most every five seconds; shown only when it takes long enough to wonder.
const SHOWN_AFTER_MS = 300
const SAID_EVERY_MS = 5000

class ProgressView {
  private readonly box = byId('progress', HTMLDivElement)
  private readonly bar = byId('progress-bar', HTMLProgressElement)
  private readonly words = byId('progress-words', HTMLSpanElement)
  private readonly announcement = byId('announcement', HTMLParagraphElement)
  private timer: ReturnType<typeof setTimeout> | undefined
  private saidAt = 0

  constructor(cancel: () => void) {
    byId('cancel', HTMLButtonElement).addEventListener('click', cancel)
  }

  start(): void {
    this.stop()
    this.bar.removeAttribute('value')
    this.words.textContent = 'Verifying'
    this.saidAt = performance.now()
    this.timer = setTimeout(() => {
      this.box.hidden = false
    }, SHOWN_AFTER_MS)
  }

  show(part: number): void {
    const percent = Math.floor(part * 100)
    this.bar.value = part
    this.words.textContent = `Verifying, ${percent} %`
    if (performance.now() - this.saidAt < SAID_EVERY_MS) return
    this.saidAt = performance.now()
    this.announcement.textContent = `${percent} percent verified`
  }

  stop(): void {
    clearTimeout(this.timer)
    this.box.hidden = true
  }
}

const report = byId('report-body', HTMLDivElement)
const region = byId('report', HTMLElement)
const recognised = byId('recognised', HTMLParagraphElement)
const announcement = byId('announcement', HTMLParagraphElement)
const empty = [...report.children]

const ring = new KeyRing()
const progress = new ProgressView(() => running?.abort())
let judged: Evidence | null = null
let running: AbortController | null = null

const keys = new KeysView(ring, () => judged && verify(judged))
const input = new Input(take)

function take(evidence: Evidence): void {
  ring.forgetFromFile()
  keys.offer([])
  verify(evidence)
}

function verify(evidence: Evidence): void {
  running?.abort()
  const control = new AbortController()
  running = control
  judged = evidence
  region.setAttribute('aria-busy', 'true')
  progress.start()
  void judge(evidence, control).catch((error: unknown) => {
    // A later run has taken over the page; this one has nothing more to say.
    if (running !== control) return
    showStop(control.signal.aborted ? 'Cancelled. Nothing was judged.' : `The verifier gave up: ${String(error)}`)
  })
}

async function judge(evidence: Evidence, { signal }: AbortController): Promise<void> {
  let what: Recognised = { kind: 'unknown', offered: [], saysDemo: false }
  const found = await verifyEvidence(evidence, trust(), {
    signal,
    done: (part) => progress.show(part),
    recognised(kind) {
      what = kind
      keys.offer(kind.offered)
      nameKind(kind.kind, evidence)
    },
  })
  signal.throwIfAborted()
  nameKind(found.kind, evidence)
  const context = { name: evidence.name, size: sizeOf(sizeOfEvidence(evidence)), saysDemo: what.saysDemo }
  settle(reportView(found, context), `Verdict: ${verdictWord(found.verdict)}. ${verdictSentence(found)}`)
}

function nameKind(kind: EvidenceKind, { name }: Evidence): void {
  recognised.replaceChildren(`Recognised: ${KIND_NAMES[kind]}, from `, plainText(name))
}

function trust(): Trust {
  const digest = byId('expected-digest', HTMLInputElement).value.trim()
  const requireProduction = byId('require-production', HTMLInputElement).checked
  return {
    ...ring.trust(),
    ...(digest !== '' && { expectedDigest: digest }),
    ...(requireProduction && { requireProduction }),
    checkedAt: new Date().toISOString(),
  }
}

function showStop(sentence: string): void {
  recognised.textContent = ''
  settle([element('p', { class: 'stopped' }, plainText(sentence))], sentence)
}

function settle(parts: readonly Element[], said: string): void {
  running = null
  progress.stop()
  report.replaceChildren(...parts)
  region.setAttribute('aria-busy', 'false')
  announcement.textContent = spelledOut(clipped(said))
  // Where the columns are stacked the report would otherwise appear out of sight.
  if (region.getBoundingClientRect().top > window.innerHeight) region.scrollIntoView()
}

byId('verify', HTMLButtonElement).addEventListener('click', () => {
  const evidence = input.current
  if (evidence.content === judged?.content) verify(evidence)
  else take(evidence)
})
byId('clear', HTMLButtonElement).addEventListener('click', () => {
  running?.abort()
  judged = null
  input.clear()
  ring.forgetFromFile()
  keys.offer([])
  recognised.textContent = ''
  settle(empty, 'Cleared.')
})
for (const id of ['expected-digest', 'require-production'])
  byId(id, HTMLInputElement).addEventListener('change', () => judged && verify(judged))

input.readAddress()
