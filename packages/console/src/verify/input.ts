// The ways in: paste, choose, drop, and a receipt carried in the address after `#r=`, which no server ever sees.
import { base64urlDecode } from '@orch/core'
import { byId } from './element.ts'
import type { Evidence } from './evidence.ts'

/** A text area with megabytes in it stalls the browser: longer text is taken as if it were a file. */
const MAX_SHOWN = 200_000

export class Input {
  private readonly box = byId('evidence', HTMLTextAreaElement)
  private readonly given: (evidence: Evidence) => void
  private loaded: Evidence | null = null

  constructor(given: (evidence: Evidence) => void) {
    this.given = given
    this.box.addEventListener('paste', (event) => this.paste(event))
    this.box.addEventListener('input', () => {
      this.loaded = null
    })
    const file = byId('evidence-file', HTMLInputElement)
    file.addEventListener('change', () => {
      const chosen = file.files?.[0]
      if (chosen) this.load({ name: chosen.name, content: chosen })
      file.value = ''
    })
    this.acceptDrops()
    window.addEventListener('hashchange', () => this.readAddress())
  }

  /** What is to be verified now: a file that was chosen, or whatever stands in the box. */
  get current(): Evidence {
    return this.loaded ?? { name: 'pasted text', content: this.box.value }
  }

  readAddress(): void {
    const [, carried] = /^#r=(.*)$/s.exec(location.hash) ?? []
    if (carried === undefined) return
    const bytes = base64urlDecode(carried)
    // What cannot be decoded is shown as it came, and the verifier says that it is no receipt.
    if (bytes === null) this.show('the address', carried, carried)
    else this.show('the address', new TextDecoder().decode(bytes), new Blob([bytes as BlobPart]))
  }

  clear(): void {
    this.loaded = null
    this.box.value = ''
  }

  private load(evidence: Evidence): void {
    this.loaded = evidence
    this.box.value = ''
    this.given(evidence)
  }

  private show(name: string, text: string, content: Evidence['content']): void {
    this.box.value = text.length > MAX_SHOWN ? '' : text
    this.loaded = { name, content }
    this.given(this.loaded)
  }

  private paste(event: ClipboardEvent): void {
    const chosen = event.clipboardData?.files[0]
    const text = event.clipboardData?.getData('text/plain') ?? ''
    if (chosen) this.load({ name: chosen.name, content: chosen })
    else if (text.length > MAX_SHOWN) this.load({ name: 'pasted text', content: text })
    else return void setTimeout(() => this.given(this.current))
    event.preventDefault()
  }

  private acceptDrops(): void {
    const page = document.documentElement
    const over = (isOver: boolean) => (event: DragEvent) => {
      event.preventDefault()
      page.classList.toggle('dropping', isOver)
    }
    page.addEventListener('dragover', over(true))
    page.addEventListener('dragleave', over(false))
    page.addEventListener('drop', (event) => {
      over(false)(event)
      const file = event.dataTransfer?.files[0]
      const text = event.dataTransfer?.getData('text/plain') ?? ''
      if (file) this.load({ name: file.name, content: file })
      else if (text !== '') this.show('dropped text', text, text)
    })
  }
}
