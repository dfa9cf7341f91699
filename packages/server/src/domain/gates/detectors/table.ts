// The detectors a rule may name. A rule that names another is refused when the rules are loaded.
import { accessKeys } from './access-key.ts'
import { secretAssignments } from './assignment.ts'
import { paymentCards } from './card.ts'
import { healthServiceNumbers, medicalRecordNumbers, routingNumbers } from './context-number.ts'
import type { Detector } from './detector.ts'
import { emailAddresses } from './email.ts'
import { exfiltratingLink } from './exfiltrating-link.ts'
import { forbiddenPath } from './forbidden-path.ts'
import { ibans } from './iban.ts'
import { signedTokens } from './jwt.ts'
import { learnedScore } from './learned.ts'
import { activeMarkup } from './markup.ts'
import { telephoneNumbers } from './phone.ts'
import { privateKeyBlocks } from './private-key.ts'
import { destructiveShell } from './shell.ts'
import { sqlStatement } from './sql.ts'
import { socialSecurityNumbers } from './ssn.ts'

/** The one detector whose rule needs weights beside the rules. */
export const LEARNED = 'learned-scorer'

export const DETECTORS: Readonly<Record<string, Detector>> = {
  'destructive-shell': ({ lower }) => destructiveShell(lower()),
  'sql-statement': ({ lower }) => sqlStatement(lower()),
  'active-markup': ({ lower }) => activeMarkup(lower()),
  'forbidden-path': ({ lower }) => forbiddenPath(lower()),
  'exfiltrating-link': ({ text, allowedHosts }) => exfiltratingLink(text, allowedHosts),
  'us-ssn': socialSecurityNumbers,
  'payment-card': paymentCards,
  iban: ({ text }) => ibans(text),
  'aba-routing': routingNumbers,
  email: ({ text }) => emailAddresses(text),
  telephone: ({ text, context, label }) => telephoneNumbers(text, context, label),
  nhs: healthServiceNumbers,
  'medical-record': medicalRecordNumbers,
  'private-key': ({ text }) => privateKeyBlocks(text),
  'access-key': ({ text, keys }) => accessKeys(text, keys),
  'signed-token': ({ text }) => signedTokens(text),
  [LEARNED]: ({ lower, scorer }) => learnedScore(lower(), scorer),
  assignment: ({ text, context, label }) => secretAssignments(text, context, label),
}

/** Reads the text in the case it came in; the other detectors of threats lower it first. */
export const CASED = 'exfiltrating-link'

/** Rules that are computed from the findings of others. */
export const DERIVED = ['hidden-carrier', 'bulk-contacts'] as const
