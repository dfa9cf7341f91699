/** Pauli strings as bits: X and Y set the first word of a qubit's place, Z and Y the second (the symplectic form). Character
 *  k of a string acts on qubit k. */

export interface Pauli {
  x: Uint32Array
  z: Uint32Array
}

const WORD = 32

export function parsePauli(text: string): Pauli {
  const words = Math.ceil(text.length / WORD)
  const x = new Uint32Array(words)
  const z = new Uint32Array(words)
  for (let qubit = 0; qubit < text.length; qubit++) {
    const letter = text[qubit]
    const bit = 1 << (qubit % WORD)
    const word = Math.floor(qubit / WORD)
    if (letter === 'X' || letter === 'Y') x[word]! |= bit
    if (letter === 'Z' || letter === 'Y') z[word]! |= bit
  }
  return { x, z }
}

export const isIdentity = (text: string): boolean => /^I*$/.test(text)

/** Both operators have a common set of eigenvectors: they differ on an even number of qubits where neither is I. */
export function commutes(a: Pauli, b: Pauli): boolean {
  let parity = 0
  for (let word = 0; word < a.x.length; word++) {
    let bits = (a.x[word]! & b.z[word]!) ^ (a.z[word]! & b.x[word]!)
    for (let shift = 16; shift > 0; shift >>= 1) bits ^= bits >>> shift
    parity ^= bits & 1
  }
  return parity === 0
}

/** On every qubit the same letter, or I in one of them: one product basis measures both. */
export function isQubitWiseCompatible(a: Pauli, b: Pauli): boolean {
  for (let word = 0; word < a.x.length; word++) {
    const both = (a.x[word]! | a.z[word]!) & (b.x[word]! | b.z[word]!)
    if ((both & ((a.x[word]! ^ b.x[word]!) | (a.z[word]! ^ b.z[word]!))) !== 0) return false
  }
  return true
}

/** The letters of both; only of strings that are compatible. */
export const merged = (a: Pauli, b: Pauli): Pauli => ({
  x: a.x.map((word, at) => word | b.x[at]!),
  z: a.z.map((word, at) => word | b.z[at]!),
})

export function pauliText({ x, z }: Pauli, qubits: number): string {
  return Array.from({ length: qubits }, (_, qubit) => {
    const [word, place] = [Math.floor(qubit / WORD), qubit % WORD]
    return 'IXZY'[((x[word]! >>> place) & 1) + 2 * ((z[word]! >>> place) & 1)]
  }).join('')
}

const ROTATIONS: Readonly<Record<string, string[]>> = { X: ['H'], Y: ['SDG', 'H'], Z: [] }

/** The gates, in the order they are applied, after which a measurement of every qubit in Z measures the basis. */
export const rotationTo = (basis: string) =>
  [...basis].flatMap((letter, qubit) => (ROTATIONS[letter]?.length ? [{ qubit, gates: ROTATIONS[letter] }] : []))
