import Type from 'typebox'
import { Hex64 } from '../../domain/wire.ts'

const Size = Type.Integer({ minimum: 0 })
const Note = Type.Union([Type.String(), Type.Null()])

export const TilePath = Type.Object({
  '*': Type.String({ maxLength: 64, description: '`<level>/<index>[.p/<width>]`, the index as x123/x456/789' }),
})
export const InclusionQuery = Type.Object({
  digest: Hex64,
  tree_size: Type.Optional(Type.Integer({ minimum: 1 })),
})
export const ConsistencyQuery = Type.Object({ from: Size, to: Type.Optional(Size) })

export const Bytes = Type.Unknown({ description: 'bytes' })
export const Text = Type.String()

export const InclusionProof = Type.Object({
  digest: Hex64,
  leaf_index: Size,
  leaf_hash: Hex64,
  tree_size: Size,
  root: Hex64,
  hashes: Type.Array(Hex64),
  checkpoint: Note,
})

export const ConsistencyProof = Type.Object({
  from: Size,
  to: Size,
  from_root: Hex64,
  to_root: Hex64,
  hashes: Type.Array(Hex64),
  checkpoint: Note,
})
