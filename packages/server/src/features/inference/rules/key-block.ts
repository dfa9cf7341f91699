/** A private key on its way: from its opening marker to the end of what a detector would still read as its body. Between
 *  marker and body may stand header lines without end to speak of, so the block is open for as long as the detector
 *  goes on reading. */

const LEAD = 'BEGIN '
const DASHES = 5
/** Of the marker, behind its first words. */
const MAX_HEADER = 64
/** As far as a body is looked for. */
const MAX_BODY = 16_384

export class KeyBlock {
  #dashes = 0
  /** How much of the lead stands behind five dashes; -1 without them. */
  #led = -1
  #header: string | null = null
  #bodyLeft = 0

  get open(): boolean {
    return this.#header !== null || this.#bodyLeft > 0
  }

  take(code: number): void {
    this.#dashes = code === 45 ? this.#dashes + 1 : 0
    if (this.#header !== null) this.#takeHeader(code)
    else if (this.#bodyLeft > 0) this.#bodyLeft = this.#dashes === DASHES ? 0 : this.#bodyLeft - 1
    this.#lookForLead(code)
  }

  #takeHeader(code: number): void {
    const header = `${this.#header}${String.fromCodePoint(code)}`
    const closed = header.endsWith('-----')
    this.#header = closed || header.length > MAX_HEADER ? null : header
    if (!closed) return
    this.#dashes = 0
    if (header.includes('PRIVATE KEY')) this.#bodyLeft = MAX_BODY
  }

  #lookForLead(code: number): void {
    if (this.#dashes >= DASHES) this.#led = 0
    else if (this.#led < 0 || code !== LEAD.charCodeAt(this.#led)) this.#led = -1
    else this.#led += 1
    if (this.#led !== LEAD.length) return
    this.#led = -1
    this.#header = ''
  }
}
