/** Streamed output on its way out. What leaves has been examined together with what follows it, so that a value a gate
 *  would block is never sent in part, however the upstream cuts it. Pure; positions are code units, sizes code points. */

/** What one examination sees. */
export const WINDOW = 2_048
/** Held back behind the end: longer than any value with gaps in it that a rule looks for. */
export const HELD = 256
/** Not every token is worth an examination. */
const STEP = 64

/** Tokens, keys and encoded text have no gap and may be longer than what is held: such a run leaves whole or not at all.
 *  Characters that fold into one, or away, belong to it. */
const isJoined = (character: string): boolean =>
  /^[\x21-\x7e\p{Cf}\p{M}]$/u.test(character) ||
  (character > '\x7f' && /^[\x21-\x7e]+$/.test(character.normalize('NFKC')))

export interface Scan {
  text: string
  /** Up to here the stream may leave once this text is found clean. */
  until: number
}

export class ReleaseWindow {
  /** What has not left yet and some of what has: what left long ago is not kept here. */
  #text = ''
  #released = 0
  /** End minus HELD as far as it was walked, and where the unbroken run around it begins. Walked forward only, so that
   *  a run of any length costs no more than its length. */
  #walked = 0
  #runStart = 0
  #lookedAt = 0

  push(delta: string): void {
    this.#text += delta
  }

  /** What to examine next; null while nothing could leave by it. Looked at in steps that grow with what is held. */
  next(): Scan | null {
    const { length } = this.#text
    if (length - this.#lookedAt < Math.max(STEP, (length - this.#released) >> 3)) return null
    this.#lookedAt = length
    const until = this.#boundary()
    if (until <= this.#released) return null
    const reach = Math.min(back(this.#text, length, WINDOW), back(this.#text, this.#released, HELD))
    return { text: this.#text.slice(reach), until }
  }

  /** What leaves now that everything up to `until` was found clean. */
  release(until: number): string {
    const delta = this.#text.slice(this.#released, until)
    this.#released = Math.max(this.#released, until)
    this.#forget()
    return delta
  }

  /** The rest, once the whole text was found clean. */
  releaseAll(): string {
    return this.release(this.#text.length)
  }

  #boundary(): number {
    const end = back(this.#text, this.#text.length, HELD)
    while (this.#walked < end) {
      const character = String.fromCodePoint(this.#text.codePointAt(this.#walked)!)
      this.#walked += character.length
      if (!isJoined(character)) this.#runStart = this.#walked
    }
    return this.#runStart
  }

  #forget(): void {
    const kept = back(this.#text, this.#released, WINDOW)
    if (kept < 8 * WINDOW) return
    this.#text = this.#text.slice(kept)
    this.#released -= kept
    this.#walked = Math.max(0, this.#walked - kept)
    this.#runStart = Math.max(0, this.#runStart - kept)
    this.#lookedAt -= kept
  }
}

/** `count` code points before `at`. */
function back(text: string, at: number, count: number): number {
  let position = at
  for (let left = count; left > 0 && position > 0; left -= 1) position -= isPair(text, position) ? 2 : 1
  return position
}

const isPair = (text: string, end: number): boolean =>
  end >= 2 && (text.charCodeAt(end - 1) & 0xfc00) === 0xdc00 && (text.charCodeAt(end - 2) & 0xfc00) === 0xd800
