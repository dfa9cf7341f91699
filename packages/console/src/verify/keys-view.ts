// Where the reader brings keys, says what each is worth and, by a click, takes one that came with the file.
import { KEY_KINDS, type KeyKind } from '@orch/core'
import { byId, digestView, element, plainText } from './element.ts'
import type { KeyRing, RingKey } from './key-ring.ts'
import type { OfferedKey } from './recognise.ts'
import { KEY_KIND_NAMES } from './words.ts'

const KIND_CHOICES: readonly KeyKind[] = ['caller-supplied', 'production', 'demo']

export class KeysView {
  private readonly ring: KeyRing
  private readonly changed: () => void
  private readonly box = byId('key-text', HTMLTextAreaElement)
  private readonly list = byId('key-list', HTMLUListElement)
  private readonly offers = byId('key-offers', HTMLDivElement)
  private readonly note = byId('key-note', HTMLParagraphElement)
  private offered: readonly OfferedKey[] = []

  constructor(ring: KeyRing, changed: () => void) {
    this.ring = ring
    this.changed = changed
    byId('key-add', HTMLButtonElement).addEventListener('click', () => this.add(this.box.value))
    // A pasted key is taken at once; the box is read after the browser put the text there.
    this.box.addEventListener('paste', () => setTimeout(() => this.add(this.box.value)))
    const file = byId('key-file', HTMLInputElement)
    file.addEventListener('change', () => {
      const chosen = file.files?.[0]
      if (chosen) void this.addFile(chosen).finally(() => (file.value = ''))
    })
    this.show()
  }

  offer(keys: readonly OfferedKey[]): void {
    this.offered = keys
    this.show()
  }

  private add(text: string): void {
    const { added, fault } = this.ring.add(text)
    this.note.textContent = fault ?? (added === 1 ? 'One key added.' : `${added} keys added.`)
    this.note.classList.toggle('fault', fault !== null)
    if (fault !== null) return
    this.box.value = ''
    this.show()
    this.changed()
  }

  private async addFile(file: Blob): Promise<void> {
    this.add(await file.slice(0, 100_000).text())
  }

  private show(): void {
    const rows = [...this.ring.keys.values()].map((key) => this.keyRow(key))
    const logs = [...this.ring.logKeys].map((vkey) => this.logRow(vkey))
    this.list.replaceChildren(...rows, ...logs)
    const open = this.offered.filter(({ key }) => !this.ring.keys.has(key.keyid))
    this.offers.replaceChildren(...open.map((one) => this.offerRow(one)))
  }

  private update(change: () => void): void {
    change()
    this.note.textContent = ''
    this.show()
    this.changed()
  }

  private keyRow(one: RingKey): HTMLElement {
    const { keyid } = one.key
    const worth = one.fromFile
      ? element('p', { class: 'quiet' }, 'Came with the file; used because you chose to.')
      : this.kindChoice(one)
    return this.row(digestView(keyid), `Remove key ${keyid}`, () => this.ring.keys.delete(keyid), worth)
  }

  private kindChoice(one: RingKey): HTMLElement {
    const choice = element('select', { 'aria-label': `What key ${one.key.keyid} is` })
    for (const kind of KIND_CHOICES) choice.append(element('option', { value: kind }, KEY_KIND_NAMES[kind]))
    choice.value = one.kind
    choice.addEventListener('change', () => {
      const kind = KEY_KINDS.find((known) => known === choice.value)
      if (kind) this.update(() => this.ring.keys.set(one.key.keyid, { ...one, kind }))
    })
    return choice
  }

  private logRow(vkey: string): HTMLElement {
    const name = vkey.slice(0, vkey.indexOf('+'))
    const title = element('span', { class: 'mono' }, plainText(name))
    const worth = element('p', { class: 'quiet' }, 'Log key: signs checkpoints.')
    return this.row(title, `Remove log key ${name}`, () => this.ring.logKeys.delete(vkey), worth)
  }

  private row(title: HTMLElement, label: string, change: () => void, worth: HTMLElement): HTMLElement {
    const remove = element('button', { type: 'button', class: 'plain', 'aria-label': label }, 'Remove')
    remove.addEventListener('click', () => this.update(change))
    return element('li', {}, element('div', { class: 'key-head' }, title, remove), worth)
  }

  private offerRow({ key, calledDemo }: OfferedKey): HTMLElement {
    const use = element('button', { type: 'button', class: 'second' }, 'Use this key anyway')
    use.addEventListener('click', () => this.update(() => this.ring.useFromFile(key)))
    const called = `The file brings its own key${calledDemo ? ' and calls it a demo key' : ''}: `
    const warning =
      'Whoever forged a file would put in a matching key. Compare the fingerprint with one you got elsewhere.'
    return element(
      'div',
      { class: 'offer' },
      element('p', {}, called, digestView(key.keyid)),
      element('p', { class: 'quiet' }, warning),
      use,
    )
  }
}
