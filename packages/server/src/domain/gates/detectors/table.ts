/** The detectors a rule may name. A rule that names another is refused when the rules are loaded. */

import { learnedScore } from '../scorer/explanation.ts'
import { addressedInstructions } from './addressed-instruction.ts'
import { secretAssignments } from './assignment.ts'
import { paymentCards } from './card.ts'
import { type Command, commandsIn, programsOf } from './command-line.ts'
import { commentedInstructions } from './commented-instruction.ts'
import { healthServiceNumbers, medicalRecordNumbers, routingNumbers } from './context-number.ts'
import { credentialUploads, UPLOAD_PROGRAMS } from './credential-upload.ts'
import { DECODERS, DOWNLOADERS, executedDownloads } from './download.ts'
import { emailAddresses } from './email.ts'
import { exfiltratingLink } from './exfiltrating-link.ts'
import { forbiddenPath } from './forbidden-path.ts'
import { forgedTurns } from './forged-turns.ts'
import { ibans } from './iban.ts'
import { INFRASTRUCTURE_COMMANDS, infrastructureCommands } from './infrastructure.ts'
import { ipAddresses } from './ip-address.ts'
import { disabledLogging, LOGGING_COMMANDS } from './logging-disabled.ts'
import { activeMarkup } from './markup.ts'
import { telephoneNumbers } from './phone.ts'
import { REMOTE_COMMANDS, remoteShell } from './remote-shell.ts'
import type { Detector, Match } from './scanner.ts'
import { accessKeys, credentialUrls, privateKeyBlocks, signedTokens } from './secrets.ts'
import { destructiveShell, SHELL_COMMANDS } from './shell.ts'
import { sqlStatement } from './sql.ts'
import { socialSecurityNumbers } from './ssn.ts'

/** The one detector whose rule needs weights beside the rules. */
export const LEARNED = 'learned-scorer'
/** Reads words and no marks of a command, so a disguised text as well. */
export const ADDRESSED = 'addressed-instruction'
export const MARKUP = 'active-markup'
export const SQL = 'sql-statement'

/** The one detector whose rules are rows of shapes and checks. */
export const IDENTIFIER = 'identifier'

const NOTHING: Match[] = []

/** For a text that has none of the marks nothing could be found, and most texts have none. */
const marked =
  (marks: RegExp, detector: Detector): Detector =>
  (input) =>
    marks.test(input.text) ? detector(input) : NOTHING

const DIGIT = /[0-9]/

const COMMAND_TABLES = [SHELL_COMMANDS, REMOTE_COMMANDS, INFRASTRUCTURE_COMMANDS, LOGGING_COMMANDS]
const PROGRAMS = programsOf([
  ...COMMAND_TABLES.flatMap((table) => Object.keys(table)),
  ...UPLOAD_PROGRAMS,
  ...DOWNLOADERS,
  ...DECODERS,
])

/** Every command that one of the rules knows. */
export const knownCommands = (lower: string): Command[] => commandsIn(lower, PROGRAMS)

export const DETECTORS: Readonly<Record<string, Detector>> = {
  'destructive-shell': ({ lower, commands }) => [
    ...destructiveShell(lower(), commands()),
    ...executedDownloads(lower(), commands()),
  ],
  'remote-shell': marked(/[-/:|]/, ({ lower, commands }) => remoteShell(lower(), commands())),
  'infrastructure-command': ({ lower, commands }) => infrastructureCommands(lower(), commands()),
  'credential-upload': marked(/[./]/, ({ lower, commands }) => credentialUploads(lower(), commands())),
  'logging-disabled': ({ lower, commands }) => disabledLogging(lower(), commands()),
  'commented-instruction': marked(/[#/*-]/, ({ lower }) => commentedInstructions(lower())),
  [ADDRESSED]: ({ lower }) => addressedInstructions(lower()),
  'forged-turns': marked(/\n/, ({ lower }) => forgedTurns(lower())),
  'credential-url': marked(/@/, ({ text }) => credentialUrls(text)),
  [SQL]: ({ lower }) => sqlStatement(lower()),
  [MARKUP]: marked(/[<:]/, ({ lower }) => activeMarkup(lower())),
  'forbidden-path': marked(/[/\\.:]/, ({ lower }) => forbiddenPath(lower())),
  'exfiltrating-link': ({ text, allowedHosts }) => exfiltratingLink(text, allowedHosts),
  'us-ssn': marked(DIGIT, socialSecurityNumbers),
  'payment-card': marked(DIGIT, paymentCards),
  iban: marked(DIGIT, ({ text }) => ibans(text)),
  'aba-routing': marked(DIGIT, routingNumbers),
  email: ({ text }) => emailAddresses(text),
  telephone: marked(DIGIT, telephoneNumbers),
  nhs: marked(DIGIT, healthServiceNumbers),
  'ip-address': marked(/[.:]/, ipAddresses),
  [IDENTIFIER]: ({ identifiers }) => identifiers(),
  'medical-record': marked(DIGIT, medicalRecordNumbers),
  'private-key': ({ text }) => privateKeyBlocks(text),
  'access-key': ({ text, keys }) => accessKeys(text, keys),
  'signed-token': ({ text }) => signedTokens(text),
  [LEARNED]: ({ lower, origin, scorer }) => learnedScore(lower(), origin, scorer),
  assignment: ({ text, context, label }) => secretAssignments(text, context, label),
}

/** What reads commands, of which a text in several views may hold thousands. */
export const OF_COMMANDS: ReadonlySet<string | null> = new Set([
  'destructive-shell',
  'remote-shell',
  'infrastructure-command',
  'credential-upload',
  'logging-disabled',
])

/** Reads the text in the case it came in; the other detectors of threats lower it first. */
export const CASED = 'exfiltrating-link'

/** Reads line by line, which only the raw text still has: a heading would seem to comment all that follows. */
export const LINED = 'commented-instruction'

/** Rules that are computed from the findings of others. */
export const DERIVED = ['hidden-carrier', 'bulk-contacts'] as const
