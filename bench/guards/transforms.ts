// The ways an attack is dressed up: the text still says the same to a model.
export interface Transform {
  name: string
  apply(text: string): string
}

const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: '\u0430',
  e: '\u0435',
  o: '\u043e',
  p: '\u0440',
  c: '\u0441',
  i: '\u0456',
}

export const TRANSFORMS: readonly Transform[] = [
  { name: 'plain', apply: (text) => text },
  { name: 'base64', apply: (text) => Buffer.from(text).toString('base64') },
  { name: 'zero-width', apply: (text) => text.replace(/([\p{L}\p{N}])(?=[\p{L}\p{N}])/gu, '$1\u200b') },
  { name: 'homoglyph', apply: (text) => text.replace(/[aeopci]/g, (letter) => LOOK_ALIKES[letter] ?? letter) },
  {
    name: 'full-width',
    apply: (text) => text.replace(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
  },
  { name: 'rot13', apply: rot13 },
]

export function rot13(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
  })
}
