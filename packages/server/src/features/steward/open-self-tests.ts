/** Surfaces of this build that test themselves. */
import { type Operation, pathsOf, runInProcess } from '../../operation.ts'
import { SELF_TESTING, type SelfTest } from './self-tests.ts'

/** Surfaces that test themselves, as far as they are part of this build. */
export const selfTestsOf = (operations: readonly Operation[], table = SELF_TESTING): SelfTest[] =>
  table.flatMap(({ surface, path }) => {
    const found = operations.find((one) => one.method === 'GET' && pathsOf(one).includes(path))
    if (found === undefined) return []
    return [{ surface, run: async () => judgeReply(await runInProcess(found)) }]
  })

function judgeReply({ status, body }: { status: number; body: unknown }): { passed: boolean; detail: string } {
  const { ok, self_checks } = (body ?? {}) as { ok?: unknown; self_checks?: unknown }
  const rows = Array.isArray(self_checks) ? (self_checks as { passed?: unknown }[]) : []
  const failed = rows.filter(({ passed }) => passed !== true).length
  return {
    passed: status === 200 && ok === true && failed === 0,
    detail: `status ${status}, ok ${String(ok)}, ${rows.length} checks of which ${failed} failed`,
  }
}
