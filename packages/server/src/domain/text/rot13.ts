import { type MappedText, MappedWriter } from './mapped-text.ts'

export function rot13Of({ text, starts, ends }: MappedText): MappedText {
  const writer = new MappedWriter(text.length)
  for (let i = 0; i < text.length; i++) writer.unit(turned(text.charCodeAt(i)), starts[i] as number, ends[i] as number)
  return writer.done()
}

const turned = (code: number): number => (code >= 97 && code <= 122 ? ((code - 97 + 13) % 26) + 97 : code)
