// The report leaves the page only by the reader's hand: the clipboard or a file.
import type { VerificationReport } from '@orch/core'
import { element } from './element.ts'

export const reportText = (report: VerificationReport): string => `${JSON.stringify(report, null, 2)}\n`

export async function copyReport(report: VerificationReport): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(reportText(report))
    return true
  } catch {
    return false
  }
}

export function saveReport(report: VerificationReport): void {
  const file = new Blob([reportText(report)], { type: 'application/json' })
  const address = URL.createObjectURL(file)
  element('a', { href: address, download: 'verification-report.json' }).click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
