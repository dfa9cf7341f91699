/** The byte-level BPE tokenizer: token 0 ends a text, 1 to 256 are the bytes, every later token joins two earlier ones.
 *  Any text can be encoded and comes back as it was. */

export interface TokenizerFile {
  schema: 'orch.m1-tokenizer/v1'
  vocabulary: number
  end_of_text: number
  pattern: string
  merges: readonly (readonly [number, number])[]
}

const FIRST_MERGE = 257
const NO_RANK = Number.POSITIVE_INFINITY
/** The same piece comes often; what is remembered of it is bounded. */
const MAX_KNOWN = 20_000

export class Tokenizer {
  readonly size: number
  readonly #pieces: RegExp
  readonly #ranks = new Map<number, number>()
  readonly #bytes: Uint8Array[]
  readonly #known = new Map<string, readonly number[]>()

  constructor({ pattern, merges, vocabulary, end_of_text }: TokenizerFile) {
    if (end_of_text !== 0 || vocabulary !== FIRST_MERGE + merges.length)
      throw new TypeError('the tokenizer does not have the tokens it says')
    this.size = vocabulary
    this.#pieces = new RegExp(pattern, 'g')
    this.#bytes = [new Uint8Array(0), ...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))]
    for (const [rank, [left, right]] of merges.entries()) {
      const [one, other] = [this.#bytes[left], this.#bytes[right]]
      if (one === undefined || other === undefined || left === 0 || right === 0)
        throw new TypeError(`merge ${rank} joins what is not there yet`)
      this.#ranks.set(left * vocabulary + right, rank)
      this.#bytes.push(Uint8Array.of(...one, ...other))
    }
  }

  encode(text: string): number[] {
    // One character for each byte, so that the pattern cuts bytes and not code points.
    const bytes = Buffer.from(text, 'utf8').toString('latin1')
    return [...bytes.matchAll(this.#pieces)].flatMap(([piece]) => this.#encodePiece(piece))
  }

  bytesOf(token: number): Uint8Array {
    return this.#bytes[token]!
  }

  /** The text of these tokens; bytes at the end that do not make a character yet are held back. */
  decode(tokens: readonly number[]): string {
    const bytes = Buffer.concat(tokens.map((token) => this.bytesOf(token)))
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })
  }

  #encodePiece(piece: string): readonly number[] {
    const known = this.#known.get(piece)
    if (known !== undefined) return known
    let tokens = Array.from(piece, (byte) => 1 + byte.charCodeAt(0))
    for (;;) {
      const best = this.#bestRank(tokens)
      if (best === NO_RANK) break
      tokens = this.#joined(tokens, best)
    }
    if (this.#known.size < MAX_KNOWN) this.#known.set(piece, tokens)
    return tokens
  }

  #rankOf(left: number | undefined, right: number | undefined): number {
    return left === undefined || right === undefined ? NO_RANK : (this.#ranks.get(left * this.size + right) ?? NO_RANK)
  }

  #bestRank(tokens: readonly number[]): number {
    let best = NO_RANK
    for (let at = 1; at < tokens.length; at++) best = Math.min(best, this.#rankOf(tokens[at - 1], tokens[at]))
    return best
  }

  #joined(tokens: readonly number[], rank: number): number[] {
    const joined: number[] = []
    for (let at = 0; at < tokens.length; at++) {
      const isPair = this.#rankOf(tokens[at], tokens[at + 1]) === rank
      joined.push(isPair ? FIRST_MERGE + rank : tokens[at]!)
      if (isPair) at += 1
    }
    return joined
  }
}
