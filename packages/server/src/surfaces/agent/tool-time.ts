/** A tool gets so long and no longer; what it does after that is not waited for. */
import type { ToolUse } from '../../domain/agent/tool-box.ts'

export const TOOL_MS = 5000

export async function withinTime(work: Promise<ToolUse>, ms: number): Promise<ToolUse> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<ToolUse>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, failure: 'TIMEOUT', reason: 'the tool took too long' }), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
