/** How a hit is told. */
import Type from 'typebox'
import { Hex64 } from '../../../domain/wire.ts'

export const HitFields = {
  score: Type.Number(),
  snippet: Type.String(),
  start: Type.Integer(),
  end: Type.Integer(),
  sha256: Hex64,
}
