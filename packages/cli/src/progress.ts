// How far long work has come, on stderr: a bar in a terminal, a plain line every ten seconds elsewhere.
import type { ProgressMode } from './settings.ts'
import type { Terminal } from './terminal.ts'

export interface Progress {
  update(done: number, total: number | null): void
  end(): void
}

const BAR_EVERY_MS = 100
const LINE_EVERY_MS = 10_000
const BAR_WIDTH = 24

export function createProgress(
  terminal: Pick<Terminal, 'say' | 'rewrite' | 'errIsTty'>,
  mode: ProgressMode,
  label: string,
  now: () => number = () => performance.now(),
): Progress {
  if (mode === 'never') return { update: () => undefined, end: () => undefined }
  const bar = mode === 'always' || terminal.errIsTty
  const started = now()
  let shown = bar ? Number.NEGATIVE_INFINITY : started
  let last: [number, number | null] | null = null
  let drawn = false
  const draw = () => {
    if (last === null) return
    const text = describe(label, last[0], last[1], now() - started, bar)
    if (bar) terminal.rewrite(`\r\u001b[K${text}`)
    else terminal.say(text)
    drawn = bar
  }
  return {
    update(done, total) {
      last = [done, total]
      if (now() - shown < (bar ? BAR_EVERY_MS : LINE_EVERY_MS)) return
      shown = now()
      draw()
    },
    end() {
      if (bar) draw()
      if (drawn) terminal.rewrite('\n')
    },
  }
}

function describe(label: string, done: number, total: number | null, elapsedMs: number, withBar: boolean): string {
  const rate = elapsedMs > 0 ? (done / elapsedMs) * 1000 : 0
  const speed = `${count(Math.round(rate))}/s`
  if (total === null || total === 0) return `${label} ${count(done)} ${speed}`
  const share = Math.min(1, done / total)
  const filled = Math.round(share * BAR_WIDTH)
  const bar = withBar ? ` [${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}]` : ''
  const left = rate > 0 ? `${Math.ceil((total - done) / rate)} s left` : ''
  return `${label}${bar} ${Math.floor(share * 100)} % ${count(done)}/${count(total)} ${speed} ${left}`.trimEnd()
}

const count = (value: number): string => value.toLocaleString('en-US')
