// How far a long verification is. Announced at most every five seconds; shown only when it takes long enough to wonder.
import { byId } from './element.ts'

const SHOWN_AFTER_MS = 300
const SAID_EVERY_MS = 5000

export class ProgressView {
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
