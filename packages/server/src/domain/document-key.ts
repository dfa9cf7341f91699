/** Names a document by what it is about. Text of a caller (a session's name may hold U+0000) goes into a digest and
 *  never into SQL; the canonical list keeps `['a', 'bc']` and `['ab', 'c']` apart. */
import { canonicalBytes, sha256Hex } from '@orch/core'

export const documentKey = (...parts: string[]): string => sha256Hex(canonicalBytes(parts))
