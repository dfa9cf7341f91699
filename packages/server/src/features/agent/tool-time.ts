/** A tool gets so long and no longer; what it does after that is not waited for. */

import { withDeadline } from '../../platform/deadline.ts'
import type { ToolUse } from './rules/tool-box.ts'

export const TOOL_MS = 5000

export const withinTime = (work: Promise<ToolUse>, ms: number): Promise<ToolUse> =>
  withDeadline(
    ms,
    () => work,
    () => ({ ok: false, failure: 'TIMEOUT', reason: 'the tool took too long' }),
  )
